// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace limber {

// Cross-sections of beams; width along y, height along z, the centroid on the x axis.
enum class SectionKind { round, tube, rectangle, box, I };

// Names and sizes (m) of a kind, in the order of Section::size.
struct SectionTraits {
  std::string_view name;
  std::span<const std::string_view> sizes;
};
std::span<const SectionTraits> section_traits();  // in the order of SectionKind

struct Section {
  SectionKind kind = SectionKind::round;
  std::array<double, 4> size{};  // round: diameter; tube: diameter, wall; rectangle: width, height;
                                 // box: width, height, wall; I: width, height, flange, web (thicknesses)
};

struct SectionProperties {
  double area = 0;        // m^2
  double Iy = 0, Iz = 0;  // int z^2 dA, int y^2 dA, m^4
  double J = 0;           // torsion constant (Saint-Venant), m^4
};

// Throws InputError for impossible sizes.  J is exact for round, tube and rectangle [TG §109]; of a box it is
// that of EN 10210-2 annex B, of an I section that of [Roark] table 10.1.  docs/model-format.md has their accuracy.
SectionProperties compute_section(const Section& section);

// Isotropic material: Young's modulus and shear modulus (Pa), density (kg/m^3).
struct Material {
  double E = 0, G = 0, density = 0;
};

struct NamedMaterial {
  std::string_view name;
  Material material;
};
// steel, aluminium, titanium, cfrp; sources in docs/model-format.md.
std::span<const NamedMaterial> named_materials();

struct BeamSection;
// Mass, stiffnesses and rotary inertia per length of a section of that material.
BeamSection make_beam_section(const Section& section, const Material& material);

}  // namespace limber

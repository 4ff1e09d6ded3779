// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/section_reader.hpp"

#include <fmt/format.h>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::string_view kSectionExample = "section: {tube: {diameter: 0.1, wall: 0.003}}";

double value_or_zero(const Reader& map, std::string_view key) {
  const auto given = map.find(key);
  return given ? given->not_negative() : 0.0;
}

void read_rotary_inertia(const Reader& at, BeamSection& out) {
  const auto given = at.find("rotary_inertia_per_length");
  if (!given) return;
  const VectorXd inertia = given->numbers(2);
  if (inertia.minCoeff() < 0) given->fail("must not be negative");
  out.rotary_inertia_y = inertia[0];
  out.rotary_inertia_z = inertia[1];
}

}  // namespace

Material read_material(const Reader& material) {
  if (material.is_map()) {
    material.check_keys({"E", "G", "density"});
    return {material.at("E", "E: 210e9").positive(), material.at("G", "G: 81e9").positive(),
            material.at("density", "density: 7850").positive()};
  }
  std::vector<std::string_view> names;
  for (const NamedMaterial& named : named_materials()) names.push_back(named.name);
  if (!material.is_scalar()) material.fail("must be the name of a material, or a map with the keys E, G, density");
  return named_materials()[static_cast<std::size_t>(material.choice(names))].material;
}

Section read_section(const Reader& section) {
  std::vector<std::string_view> names;
  for (const SectionTraits& traits : section_traits()) names.push_back(traits.name);
  section.check_keys(names);
  const auto entries = section.entries();
  if (entries.size() != 1)
    section.fail(fmt::format("must have one key, the kind of section, but has {}; write for example {}", entries.size(),
                             kSectionExample));
  const std::string kind = section.keys()[0];
  Section out;
  const auto found = std::find(names.begin(), names.end(), kind);
  out.kind = static_cast<SectionKind>(found - names.begin());
  const SectionTraits& traits = section_traits()[static_cast<std::size_t>(found - names.begin())];
  const Reader& sizes = entries[0].second;
  sizes.check_keys(traits.sizes);
  for (std::size_t i = 0; i < traits.sizes.size(); ++i)
    out.size[i] = sizes.at(traits.sizes[i], fmt::format("{}: 0.05", traits.sizes[i])).positive();
  try {
    compute_section(out);
  } catch (const InputError& e) {
    sizes.fail_item(e.what());
  }
  return out;
}

void read_beam_section(const Reader& at, double length, BeamSection& out) {
  constexpr std::array<std::string_view, 7> kNumbers = {"mass", "mass_per_length",          "EIy", "EIz", "EA",
                                                        "GJ",   "rotary_inertia_per_length"};
  const auto section = at.find("section"), material = at.find("material");
  if (section || material) {
    for (const std::string_view key : kNumbers)
      if (const auto given = at.find(key))
        given->fail("follows from section and material; leave it out, or leave these out and give numbers alone");
    const Section made = read_section(at.at("section", kSectionExample));
    out = make_beam_section(made, read_material(at.at("material", "material: steel")));
    return;
  }
  const std::string_view mass = length > 0 ? at.one_of({"mass", "mass_per_length"}) : "mass_per_length";
  out.mass_per_length = at.at(mass, "mass_per_length: 20").positive() / (mass == "mass" ? length : 1.0);
  out.EIy = value_or_zero(at, "EIy");
  out.EIz = value_or_zero(at, "EIz");
  out.EA = value_or_zero(at, "EA");
  out.GJ = value_or_zero(at, "GJ");
  read_rotary_inertia(at, out);
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checks.hpp"

namespace limber {
namespace {

using std::numbers::pi;

constexpr std::array<std::string_view, 1> kRound = {"diameter"};
constexpr std::array<std::string_view, 2> kTube = {"diameter", "wall"};
constexpr std::array<std::string_view, 2> kRectangle = {"width", "height"};
constexpr std::array<std::string_view, 3> kBox = {"width", "height", "wall"};
constexpr std::array<std::string_view, 4> kI = {"width", "height", "flange", "web"};
constexpr std::array<SectionTraits, 5> kSections = {
    {{"round", kRound}, {"tube", kTube}, {"rectangle", kRectangle}, {"box", kBox}, {"I", kI}}};

// steel: EN 1993-1-1 §3.2.6 (nu = 0.3), density EN 1991-1-1 table A.4; aluminium: EN 1999-1-1 §3.2.5; titanium:
// Ti-6Al-4V, annealed, MIL-HDBK-5J table 5.4.1; cfrp: quasi-isotropic laminate of T300/5208, [TsaiHahn]
// tables 1.7, 3.5.
constexpr std::array<NamedMaterial, 4> kMaterials = {{{"steel", {210e9, 210e9 / 2.6, 7850}},
                                                      {"aluminium", {70e9, 27e9, 2700}},
                                                      {"titanium", {110.3e9, 42.7e9, 4430}},
                                                      {"cfrp", {69.68e9, 26.88e9, 1600}}}};

double cube(double x) { return x * x * x; }

// [TG §109] (160): J = a b^3 / 3 (1 - 192 b / (pi^5 a) sum_{n odd} tanh(n pi a / 2 b) / n^5), a >= b.
double rectangle_torsion(double width, double height) {
  const double a = std::max(width, height), b = std::min(width, height);
  double sum = 0;
  for (int n = 201; n > 0; n -= 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
  return a * cube(b) / 3 * (1 - 192 * b / (std::pow(pi, 5) * a) * sum);
}

// EN 10210-2 annex B: closed cell by Bredt's formula, plus the wall itself; h and A of the median line.
double box_torsion(double width, double height, double wall) {
  const double h = 2 * (width + height - 2 * wall), A = (width - wall) * (height - wall);
  return cube(wall) * h / 3 + 4 * A * A * wall / h;
}

// [Roark] table 10.1, I section with sharp corners: flanges (a x b), web (c x d), and the contribution of the
// junctions, with inscribed circles of diameter D.
double I_torsion(double a, double b, double c, double d) {
  const double r = b / a;
  const double flange = a * cube(b) * (1 / 3.0 - 0.21 * r * (1 - std::pow(r, 4) / 12)), web = c * cube(d) / 3;
  const double D = b + d * d / (4 * b), alpha = 0.15 * std::min(b, d) / std::max(b, d);
  return 2 * flange + web + 2 * alpha * std::pow(D, 4);
}

void check_below(double value, double limit, const std::string& what, const std::string& cure) {
  if (value < limit) return;
  body_impl::fail(what + " " + body_impl::text(value) + " leaves no hollow in " + body_impl::text(2 * limit), cure);
}

void check_sizes(const Section& section) {
  const SectionTraits& traits = kSections[static_cast<std::size_t>(section.kind)];
  for (std::size_t i = 0; i < traits.sizes.size(); ++i)
    body_impl::check_positive(section.size[i], "section: " + std::string(traits.sizes[i]), "give it in m, above 0");
  const auto& s = section.size;
  if (section.kind == SectionKind::tube)
    check_below(s[1], s[0] / 2, "section: a wall of", "give a thinner wall, or a round section");
  if (section.kind == SectionKind::box)
    check_below(s[2], std::min(s[0], s[1]) / 2, "section: a wall of", "give a thinner wall, or a rectangle");
  if (section.kind == SectionKind::I) {
    check_below(s[2], s[1] / 2, "section: a flange of", "give thinner flanges, or a rectangle");
    if (s[3] >= s[0])
      body_impl::fail("section: the web is as thick as the flanges are wide", "give a thinner web, or a rectangle");
  }
}

}  // namespace

std::span<const SectionTraits> section_traits() { return kSections; }
std::span<const NamedMaterial> named_materials() { return kMaterials; }

SectionProperties compute_section(const Section& section) {
  check_sizes(section);
  const auto& s = section.size;
  const auto ring = [](double D, double d) -> SectionProperties {
    const double I = pi / 64 * (std::pow(D, 4) - std::pow(d, 4));
    return {pi / 4 * (D * D - d * d), I, I, 2 * I};
  };
  // A rectangle less its hollows, which are symmetric about y and z.
  const auto hollow = [](double width, double height, double w, double h) -> SectionProperties {
    return {width * height - w * h, (width * cube(height) - w * cube(h)) / 12,
            (height * cube(width) - h * cube(w)) / 12, 0};
  };
  SectionProperties out;
  switch (section.kind) {
    case SectionKind::round:
      return ring(s[0], 0);
    case SectionKind::tube:
      return ring(s[0], s[0] - 2 * s[1]);
    case SectionKind::rectangle:
      out = hollow(s[0], s[1], 0, 0);
      out.J = rectangle_torsion(s[0], s[1]);
      return out;
    case SectionKind::box:
      out = hollow(s[0], s[1], s[0] - 2 * s[2], s[1] - 2 * s[2]);
      out.J = box_torsion(s[0], s[1], s[2]);
      return out;
    case SectionKind::I:
      break;
  }
  const double inside = s[1] - 2 * s[2];  // height of the web
  out = {2 * s[0] * s[2] + inside * s[3], (s[0] * cube(s[1]) - (s[0] - s[3]) * cube(inside)) / 12,
         (2 * s[2] * cube(s[0]) + inside * cube(s[3])) / 12, I_torsion(s[0], s[2], inside, s[3])};
  return out;
}

BeamSection make_beam_section(const Section& section, const Material& material) {
  const SectionProperties p = compute_section(section);
  body_impl::check_positive(material.E, "material: E", "give Young's modulus in Pa, above 0");
  body_impl::check_positive(material.G, "material: G", "give the shear modulus in Pa, above 0");
  body_impl::check_positive(material.density, "material: density", "give it in kg/m^3, above 0");
  BeamSection out;
  out.mass_per_length = material.density * p.area;
  out.EIy = material.E * p.Iy;
  out.EIz = material.E * p.Iz;
  out.EA = material.E * p.area;
  out.GJ = material.G * p.J;
  out.rotary_inertia_y = material.density * p.Iy;
  out.rotary_inertia_z = material.density * p.Iz;
  return out;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "beam_basis.hpp"
#include "checks.hpp"
#include "tapered.hpp"

namespace limber::body_impl {
namespace {

constexpr int kMaxFamilyModes = 200;  // per family
constexpr int kMaxShapes = 800;       // of a body with second-order shapes
constexpr int kMaxTerms = 200;        // of a custom polynomial

void check_section(const BeamSection& section) {
  check_positive(section.mass_per_length, "mass per length", "give the mass of the beam, above 0");
  const std::string cure = "give 0 or a positive number";
  check_not_negative(section.EIy, "EIy", cure);
  check_not_negative(section.EIz, "EIz", cure);
  check_not_negative(section.EA, "EA", cure);
  check_not_negative(section.GJ, "GJ", cure);
  check_not_negative(section.rotary_inertia_y, "rotary inertia about y", cure);
  check_not_negative(section.rotary_inertia_z, "rotary inertia about z", cure);
}

void check_counts(const BeamSpec& spec, bool second_order) {
  for (int f = 0; f < 4; ++f) {
    const std::string name = to_string(static_cast<BeamFamily>(f));
    const int n = spec.modes[f];
    if (n < 0) fail(std::to_string(n) + " " + name + " modes", "give 0 or a positive count");
    if (n > kMaxFamilyModes)
      fail(std::to_string(n) + " " + name + " modes",
           "give at most " + std::to_string(kMaxFamilyModes) + " per family");
  }
  if (!second_order) return;
  const auto pairs = [](int n) { return n * (n + 1) / 2; };
  const int modes = std::accumulate(spec.modes.begin(), spec.modes.end(), 0);
  const int shapes = 1 + modes + pairs(spec.modes[0]) + pairs(spec.modes[1]);
  if (shapes > kMaxShapes)
    fail("fidelity stiffened makes " + std::to_string(shapes) + " shapes of these modes, more than " +
             std::to_string(kMaxShapes),
         "use fewer bending modes or fidelity full");
}

// Modes need a stiffness; torsion modes also need a rotary inertia.
void check_stiffness(const BeamSpec& spec, const BeamSection& section) {
  const double stiffness[] = {section.EIz, section.EIy, section.EA, section.GJ};
  const char* const names[] = {"EIz", "EIy", "EA", "GJ"};
  for (int f = 0; f < 4; ++f) {
    if (spec.modes[f] == 0 || stiffness[f] > 0) continue;
    const std::string family = to_string(static_cast<BeamFamily>(f));
    fail(family + " modes need " + names[f],
         std::string("give ") + names[f] + " above 0, or ask for 0 " + family + " modes");
  }
  if (spec.modes[3] > 0 && section.rotary_inertia_y + section.rotary_inertia_z == 0)
    fail("torsion modes have no mass without rotary inertia",
         "give rotary_inertia_per_length, or ask for 0 torsion modes");
}

void check_basis(const BeamSpec& spec) {
  const bool custom = spec.basis == BeamBasis::custom;
  for (int f = 0; f < 4; ++f) {
    const auto& shapes = spec.shapes[f];
    const std::string name = to_string(static_cast<BeamFamily>(f));
    if (!custom && !shapes.empty())
      fail("shapes are given for " + name + ", but the basis is not custom",
           "use basis custom or leave out the shapes");
    if (custom && static_cast<int>(shapes.size()) != spec.modes[f])
      fail(std::to_string(shapes.size()) + " shapes are given for " + std::to_string(spec.modes[f]) + " " + name +
               " modes",
           "give one list of coefficients per mode");
    for (std::size_t a = 0; a < shapes.size(); ++a) {
      const std::string shape = name + " shape " + std::to_string(a + 1);
      for (const double c : shapes[a]) check_finite(c, "a coefficient of " + shape);
      if (static_cast<int>(shapes[a].size()) > kMaxTerms)
        fail(shape + " has " + std::to_string(shapes[a].size()) + " coefficients",
             "give at most " + std::to_string(kMaxTerms));
    }
  }
  const bool loadable = spec.basis == BeamBasis::clamped_free || spec.basis == BeamBasis::free_free ||
                        spec.basis == BeamBasis::pinned_free;
  if (!loadable && (spec.tip_mass > 0 || spec.tip_inertia > 0))
    fail("tip has no effect on basis polynomial, craig-bampton or custom",
         "leave tip out, or use basis clamped-free, free-free or pinned-free");
}

void check_damping(const BeamSpec& spec) {
  const int modes = std::accumulate(spec.modes.begin(), spec.modes.end(), 0);
  const int given = static_cast<int>(spec.damping.size());
  if (given > 1 && given != modes)
    fail(std::to_string(given) + " damping ratios are given for " + std::to_string(modes) + " modes",
         "give one number for all modes, or one per mode");
  for (const double ratio : spec.damping)
    check_not_negative(ratio, "damping ratio", "give 0 or a positive number, such as 0.01");
}

void check_beam_nodes(const BeamSpec& spec) {
  std::vector<std::string> names;
  for (const BeamNode& node : spec.nodes) {
    check_node_name(node.name, names);
    names.push_back(node.name);
    const std::string label = "node " + quoted(node.name);
    check_finite(node.at, label + ": at");
    if (node.at < 0 || node.at > 1)
      fail(label + " is at " + text(node.at), "give its place as a fraction of the length, 0 to 1");
    if (node.name == "root" && node.at != 0)
      fail(label + " is at " + text(node.at), "root is at 0: write at: 0, or choose another name");
    if (node.name == "tip" && node.at != 1)
      fail(label + " is at " + text(node.at), "tip is at 1: write at: 1, or choose another name");
    check_rotation(node.rotation, "rotation of " + label);
  }
}

// A tapered beam: stations from root to tip.
void check_stations(const BeamSpec& spec) {
  const std::vector<BeamStation>& stations = spec.stations;
  constexpr std::size_t kMaxStations = 100;
  if (stations.size() < 2 || stations.size() > kMaxStations)
    fail(std::to_string(stations.size()) + " stations", "give from 2 to " + std::to_string(kMaxStations));
  for (std::size_t i = 0; i < stations.size(); ++i) {
    check_finite(stations[i].at, "at of a station");
    const BeamSection section = numbers_of(stations[i]);
    check_section(section);
    check_stiffness(spec, section);
    if (i > 0 && stations[i].at - stations[i - 1].at < 1e-3)
      fail("station " + std::to_string(i + 1) + " is at " + text(stations[i].at) +
               ", less than 0.001 beyond the one before",
           "give stations with rising places; a step of the section is a station on either side, 0.001 apart");
  }
  if (stations.front().at != 0 || stations.back().at != 1)
    fail("the stations go from " + text(stations.front().at) + " to " + text(stations.back().at),
         "give the first at 0 and the last at 1");
  if (spec.basis != BeamBasis::clamped_free && spec.basis != BeamBasis::free_free &&
      spec.basis != BeamBasis::pinned_free)
    fail("stations with a basis of uniform beams", "use basis clamped-free, free-free or pinned-free");
}

}  // namespace

void check_beam(const BeamSpec& spec, bool second_order) {
  check_positive(spec.length, "length", "give the length of the beam in m, above 0");
  check_not_negative(spec.tip_mass, "tip mass", "give 0 or a positive number");
  check_not_negative(spec.tip_inertia, "tip inertia", "give 0 or a positive number");
  check_counts(spec, second_order);
  if (spec.stations.empty()) {
    check_section(spec);
    check_stiffness(spec, spec);
  } else {
    check_stations(spec);
  }
  check_basis(spec);
  check_damping(spec);
  check_beam_nodes(spec);
}

}  // namespace limber::body_impl

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/segmented.hpp"

#include <algorithm>
#include <cmath>

#include "beam_modes.hpp"
#include "checks.hpp"
#include "tapered.hpp"

namespace limber {
namespace {

// Marks a SegmentedSpec, as distinct from a plain BeamSpec.
struct SegmentedDeleter {
  void operator()(const SegmentedSpec* spec) const { delete spec; }
};

// Shapes of a segment.  Uniform: s^2 and s^3 (s for axial and torsion), which are exact for loads at its ends.
// Tapered: modes under a tip load heavy enough to make them the static shapes.
void set_segment_basis(BeamSpec& spec) {
  if (spec.stations.empty()) {
    spec.basis = BeamBasis::polynomial;
    return;
  }
  constexpr double kHeavy = 1e6;  // masses of the segment
  double mass = 0;
  for (const BeamStation& station : spec.stations)
    mass = std::max(mass, body_impl::numbers_of(station).mass_per_length * spec.length);
  spec.basis = BeamBasis::clamped_free;
  spec.tip_mass = kHeavy * mass;
  spec.tip_inertia = kHeavy * mass * spec.length * spec.length;
}

void check_segmented(const BeamSpec& spec, int segments) {
  using body_impl::fail;
  if (segments < 1 || segments > kMaxSegments)
    fail(std::to_string(segments) + " segments", "give from 1 to " + std::to_string(kMaxSegments));
  if (spec.basis != BeamBasis::clamped_free && spec.basis != BeamBasis::polynomial)
    fail("segments have shapes of their own", "leave the basis out");
  if (spec.tip_mass > 0 || spec.tip_inertia > 0) fail("tip has no effect on the shapes of segments", "leave it out");
  if (spec.damping.size() > 1)
    fail(std::to_string(spec.damping.size()) + " damping ratios are given for a beam of segments",
         "give one number, the ratio of the first mode of the whole beam");
  for (const BeamNode& node : spec.nodes)
    if (node.name.starts_with('#')) fail("node name '" + node.name + "' begins with #", "rename the node");
}

// The first frequency of each family of the whole beam with clamped root; rad/s.
std::array<double, 4> first_frequencies(const SegmentedSpec& spec) {
  BeamSpec whole = spec;
  whole.basis = BeamBasis::clamped_free;
  whole.damping.clear();
  whole.nodes.clear();
  for (int& n : whole.modes) n = std::min(n, 1);
  const Body body = make_beam_body(whole, false);
  std::array<double, 4> out{};
  int a = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    if (whole.modes[f] > 0) out[f] = std::sqrt(body.stiffness(a, a)), ++a;
  }
  return out;
}

// Stiffness-proportional damping, D = 2 zeta / omega_1 K: damping ratios zeta omega / omega_1 of the segment's own
// modes.
std::vector<double> segment_damping(const BeamSpec& piece, double ratio, const std::array<double, 4>& first) {
  const Body body = make_beam_body(piece, false);
  std::vector<double> out;
  int a = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    for (int k = 0; k < piece.modes[f]; ++k, ++a) out.push_back(ratio * std::sqrt(body.stiffness(a, a)) / first[f]);
  }
  return out;
}

// The stations of one segment, including its ends.
std::vector<BeamStation> cut_stations(const BeamSpec& spec, double from, double to) {
  constexpr double kApart = 2e-3;  // of a segment: stations are at least 1e-3 apart
  const auto at_end = [&](double s) {
    std::size_t i = 0;
    while (i + 2 < spec.stations.size() && spec.stations[i + 1].at <= s) ++i;
    const BeamStation &a = spec.stations[i], &b = spec.stations[i + 1];
    BeamStation out;
    static_cast<BeamSection&>(out) = beam_section_at(spec, s);
    if (a.section && b.section && a.section->kind == b.section->kind) {
      const double t = (s - a.at) / (b.at - a.at);
      out.section = a.section;
      for (std::size_t k = 0; k < out.section->size.size(); ++k)
        out.section->size[k] = (1 - t) * a.section->size[k] + t * b.section->size[k];
      out.material = {(1 - t) * a.material.E + t * b.material.E, (1 - t) * a.material.G + t * b.material.G,
                      (1 - t) * a.material.density + t * b.material.density};
    }
    return out;
  };
  std::vector<BeamStation> out = {at_end(from)};
  out.back().at = 0;
  for (const BeamStation& station : spec.stations) {
    const double at = (station.at - from) / (to - from);
    if (at <= out.back().at + kApart || at >= 1 - kApart) continue;
    out.push_back(station);
    out.back().at = at;
  }
  // Evaluated just before the end: a section may change abruptly there.
  out.push_back(at_end(std::nextafter(to, from)));
  out.back().at = 1;
  return out;
}

}  // namespace

SegmentPlace place_in_segments(int segments, double s) {
  constexpr double kAtCut = 1e-12;  // points this close to a cut are at the cut
  const double along = s * segments;
  int segment = static_cast<int>(std::floor(along + kAtCut));
  segment = std::clamp(segment, 0, segments - 1);
  double at = along - segment;
  if (at < kAtCut) at = 0;
  return {segment, std::min(at, 1.0)};
}

Body make_segmented_beam(const BeamSpec& spec, int segments, bool second_order) {
  check_segmented(spec, segments);
  SegmentedSpec whole{spec, segments};
  if (spec.stations.empty()) whole.basis = BeamBasis::polynomial;
  Body out = make_beam_body(whole, second_order);
  out.beam = std::shared_ptr<const SegmentedSpec>(new SegmentedSpec(std::move(whole)), SegmentedDeleter());
  return out;
}

const SegmentedSpec* segmented_of(const Body& body) {
  const bool segmented = body.beam && std::get_deleter<SegmentedDeleter>(body.beam) != nullptr;
  return segmented ? static_cast<const SegmentedSpec*>(body.beam.get()) : nullptr;
}

std::vector<Body> make_segments(const SegmentedSpec& spec, bool second_order) {
  const int k = spec.segments;
  BeamSpec piece = spec;
  piece.length = spec.length / k;
  piece.nodes.clear();
  piece.damping.clear();
  const bool damped = !spec.damping.empty() && spec.damping[0] > 0;
  const std::array<double, 4> first = damped ? first_frequencies(spec) : std::array<double, 4>{};
  std::vector<BeamSpec> pieces(static_cast<std::size_t>(k), piece);
  for (int j = 0; j < k; ++j) {
    BeamSpec& own = pieces[static_cast<std::size_t>(j)];
    if (!spec.stations.empty())
      own.stations = cut_stations(spec, static_cast<double>(j) / k, static_cast<double>(j + 1) / k);
    set_segment_basis(own);
    if (damped) own.damping = segment_damping(own, spec.damping[0], first);
  }
  std::vector<BeamNode> ends = body_impl::make_beam_nodes(spec);
  for (const BeamNode& node : ends) {
    const SegmentPlace place = place_in_segments(k, node.at);
    pieces[static_cast<std::size_t>(place.segment)].nodes.push_back({node.name, place.at, node.rotation});
  }
  std::vector<Body> out;
  for (int j = 0; j < k; ++j) {
    out.push_back(make_beam_body(pieces[static_cast<std::size_t>(j)], second_order));
    // Root and tip come first, even if not requested.
    if (j > 0) out.back().nodes[0].name = "#root";
    if (j + 1 < k) out.back().nodes[1].name = "#tip";
  }
  return out;
}

}  // namespace limber

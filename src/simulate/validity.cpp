// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/validity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "body_limits.hpp"
#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/segment_advice.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {

// A joint that slides along a beam: start position and travel per unit of its coordinate, in lengths of the beam.
struct BeamSlide {
  int body = 0;  // carried by the joint
  int q = 0;
  double from = 0, per_unit = 0;
};

namespace {

// Thresholds of the warnings: beyond them the neglected terms are about a tenth of those kept.
constexpr double kLargeDeflection = 0.1;  // of a length: linear modes neglect its square, and slopes beyond 15 degrees
constexpr double kLargeTruncation = 0.1;  // of the largest displacement
constexpr double kFastSpin = 0.3;    // of the first frequency: stiffening changes its square by the square of the spin
constexpr double kLargeLoad = 0.1;   // of the critical load: bending is larger by 1 / (1 - P / P_cr)
constexpr double kLargeSlide = 0.1;  // of the deflection
constexpr double kHeldEnds = 4;      // critical load with both ends supported, relative to that with a free tip

void keep(Validity::Largest& largest, double value, int body, double t) {
  if (value > largest.value) largest = {value, body, t};
}

std::string percent(double share) { return text(100 * share, 3) + " %"; }

std::string when(double t) { return std::isfinite(t) ? " (t = " + text(t, 4) + " s)" : " (at rest)"; }

std::string place(const Model& model, const Validity::Largest& largest) {
  return "body '" + model.body_names[largest.body] + "'" + when(largest.t);
}

std::string cure_of_deflection(const Model& model, const Validity::Largest& d) {
  if (!model.body(d.body).beam) return "split it into shorter bodies";
  return "write segments: " + std::to_string(advised_segments(model, d.body, d.value)) + " in its beam";
}

std::vector<BeamSlide> find_slides(const Model& model) {
  std::vector<BeamSlide> out;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const bool cylindrical = joint.kind == JointKind::cylindrical;
    if (joint.kind != JointKind::prismatic && !cylindrical) continue;
    const Body& parent = model.body(joint.parent.body);
    if (!parent.beam || parent.modes == 0 || joint.parent.node == kBodyFrame) continue;
    const Node& node = parent.nodes[joint.parent.node];
    const double along = (node.rotation * joint.origin.R * joint.axis).x() / parent.length;
    const double from = (node.position + node.rotation * joint.origin.p).x() / parent.length;
    if (along != 0) out.push_back({i, joint.q + (cylindrical ? 1 : 0), from, along});
  }
  return out;
}

// A load at a on a cantilever deflects the tip by f(a) = a^2 (3 - a) / 6 ([Gere, Goodno] app. H; in units of L and EI).
// A load that slides from x by s, on a rail that extends the tangent at x, does so by f(x) + s f'(x): an error of s^2
// (3 (1 - x) - s) / 6, here relative to f(1).  Beyond the ends of the beam s is clipped.
double slide_error(double x, double s) {
  s = std::clamp(s, -x, std::max(0.0, 1 - x));
  return std::abs(s * s * (3 * (1 - x) - s)) / 2;
}

// Displacement of a node by the modes.  theory §2.
double displacement_of(const Node& node, const DisplacedNode& axes, bool second_order, const double* eta, int modes) {
  double squares = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    double moved = 0;
    for (int k = 0; axes.moves[c] && k < modes; ++k) moved += node.translation(static_cast<int>(c), k) * eta[k];
    if (second_order && axes.bends[c]) {
      const double* row = node.second[c].data();  // symmetric
      double product = 0;
      for (int k = 0; k < modes; ++k, row += modes) {
        double sum = 0;
        for (int j = 0; j < modes; ++j) sum += row[j] * eta[j];
        product += eta[k] * sum;
      }
      moved += 0.5 * product;
    }
    squares += moved * moved;
  }
  return std::sqrt(squares);
}

}  // namespace

struct ValidityMonitor::Impl {
  explicit Impl(const Model& m) : model(m) {
    std::unordered_map<const Body*, int> known;  // equal bodies share their data
    for (const auto& body : model.bodies) {
      const auto [at, fresh] = known.emplace(body.get(), static_cast<int>(limits.size()));
      if (fresh) limits.push_back(find_limits(*body));
      limit.push_back(at->second);
    }
    displacement.assign(limit.size(), 0);
    missing.resize(limit.size());
    slides = find_slides(model);
    find_loads();
  }

  // Finds the beams whose bending model ignores the axial force.
  void find_loads() {
    critical.assign(limit.size(), std::numeric_limits<double>::infinity());
    if (model.fidelity == Fidelity::stiffened) return;
    for (std::size_t i = 1; i < limit.size(); ++i) critical[i] = limits[limit[i]].critical_load;
    const std::vector<bool> held = find_held_links(model);
    for (std::size_t i = 1; i < limit.size(); ++i)
      if (held[i]) critical[i] *= kHeldEnds;
    axial = std::any_of(critical.begin(), critical.end(), [](double load) { return std::isfinite(load); });
  }

  void watch_body(int i, const State& x) {
    const Body& body = model.body(i);
    const BodyLimits& own = limits[limit[i]];
    const auto eta = x.q.segment(model.first_mode_q(i), body.modes);
    const auto rate = x.v.segment(model.first_mode(i), body.modes);
    const bool stiffened = model.fidelity == Fidelity::stiffened;
    for (const DisplacedNode& moving : own.moving) {
      const int n = moving.node;
      const double value = displacement_of(body.nodes[n], moving, stiffened, eta.data(), body.modes);
      displacement[i] = std::max(displacement[i], value);
      if (value > validity.largest_deflection.value && !find_segmented(model, i))
        validity.largest_deflection = {value, x.t, {i, n}};
      if (own.length > 0) keep(validity.deflection, value / own.length, i, x.t);
    }
    for (int k = 0; k < body.modes; ++k) displacement[i] = std::max(displacement[i], own.twist[k] * std::abs(eta[k]));
    // Higher modes follow the quasi-static part of the last mode by the factor `rest`, and its vibration with about the
    // same amplitude.
    for (const LastMode& last : own.last)
      keep(missing[i], last.reach * std::hypot(last.rest * last.row.dot(eta), last.row.dot(rate) / last.omega), i, x.t);
  }

  // Pose of a node of body i in its frame.  theory §2.
  Pose place(int i, const Node& node, const State& x) const {
    const auto eta = x.q.segment(model.first_mode_q(i), model.body(i).modes);
    Pose out{node.rotation, node.position};
    if (model.fidelity == Fidelity::ruthless) return out;
    out.p += node.translation.lazyProduct(eta);
    for (int c = 0; c < 3; ++c)
      if (node.second[c].size() > 0) out.p[c] += 0.5 * eta.dot(node.second[c].lazyProduct(eta));
    out.R = exp_rotation(Vector3d(node.turn.lazyProduct(eta))) * node.rotation;
    return out;
  }

  // Displacements from the straight beam, in the frame of its root.
  void watch_beam(const SegmentedBeam& beam, const State& x) {
    Pose root;
    for (int j = 0; j < beam.segments(); ++j) {
      const int i = beam.bodies[static_cast<std::size_t>(j)];
      const Body& body = model.body(i);
      for (std::size_t k = 0; k < body.nodes.size(); ++k) {
        if (is_hidden(body.nodes[k])) continue;
        Vector3d moved = (root * place(i, body.nodes[k], x)).p - body.nodes[k].position;
        moved.x() -= j * body.length;
        if (moved.norm() > validity.largest_deflection.value)
          validity.largest_deflection = {moved.norm(), x.t, {i, static_cast<int>(k)}};
      }
      root = root * place(i, body.nodes[1], x);
    }
  }

  const Model& model;
  Validity validity;
  std::vector<BodyLimits> limits;          // one per distinct body
  std::vector<int> limit;                  // (body) index into limits
  std::vector<double> displacement;        // (body) largest so far
  std::vector<Validity::Largest> missing;  // (body) largest displacement by missing modes
  std::vector<double> critical;            // (body) N; infinite: not checked
  bool axial = false;                      // some are checked
  std::vector<BeamSlide> slides;
};

ValidityMonitor::ValidityMonitor(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
ValidityMonitor::~ValidityMonitor() = default;
ValidityMonitor::ValidityMonitor(ValidityMonitor&&) noexcept = default;

void ValidityMonitor::watch(const State& x) {
  Impl& own = *impl_;
  for (int i = 1; i < own.model.body_count(); ++i)
    if (own.model.body(i).modes > 0) own.watch_body(i, x);
  if (own.model.segments)
    for (const SegmentedBeam& beam : own.model.segments->beams) own.watch_beam(beam, x);
  for (const BeamSlide& slide : own.slides)
    keep(own.validity.slide, slide_error(slide.from, slide.per_unit * x.q[slide.q]), slide.body, x.t);
}

void ValidityMonitor::watch(const State& x, const Kinematics& kin) {
  Impl& own = *impl_;
  watch(x);
  if (own.model.fidelity == Fidelity::stiffened) return;
  for (int i = 1; i < own.model.body_count(); ++i) {
    const double first = own.limits[own.limit[i]].first_frequency;
    if (first > 0) keep(own.validity.spin, to_vector(kin.links[i].V.ang).norm() / first, i, x.t);
  }
}

void ValidityMonitor::watch_axial(int body, double force, double t) {
  Validity& validity = impl_->validity;
  keep(force < 0 ? validity.compression : validity.tension, std::abs(force) / impl_->critical[body], body, t);
}

bool ValidityMonitor::watches_axial() const { return impl_->axial; }

Validity ValidityMonitor::validity() const {
  const Impl& own = *impl_;
  Validity out = own.validity;
  for (const auto& missing : own.missing) {
    if (missing.body < 0 || own.displacement[missing.body] == 0) continue;
    keep(out.truncation, missing.value / own.displacement[missing.body], missing.body, missing.t);
  }
  return out;
}

void ValidityMonitor::transfer(Archive& archive) { archive(impl_->validity, impl_->displacement, impl_->missing); }

std::vector<std::string> warnings(const Model& model, const Validity& validity) {
  std::vector<std::string> lines;
  const auto add = [&](const Validity::Largest& largest, const std::string& text) {
    lines.push_back(place(model, largest) + text);
  };
  if (const auto& d = validity.deflection; d.value > kLargeDeflection)
    add(d, " deflects by " + percent(d.value) +
               (find_segmented(model, d.body) != nullptr ? " of the length of a segment" : " of its length") +
               "; linear modes hold for small deflections only: " + cure_of_deflection(model, d));
  if (const auto& m = validity.truncation; m.value > kLargeTruncation)
    add(m, " moves in the highest kept mode of a family; missing modes would move it by about " + percent(m.value) +
               " of its largest deflection: give it more modes");
  if (const auto& s = validity.spin; s.value > kFastSpin)
    add(s, " turns at " + percent(s.value) +
               " of its first natural frequency; without stiffening its bending is too soft: write fidelity: "
               "stiffened");
  if (const auto& c = validity.compression; c.value > kLargeLoad)
    add(c, " is compressed by " + percent(c.value) +
               " of its critical load; without stiffening it bends too little and cannot buckle: write fidelity: "
               "stiffened");
  if (const auto& p = validity.tension; p.value > kLargeLoad && validity.spin.value <= kFastSpin)
    add(p, " is pulled by " + percent(p.value) +
               " of its critical load; without stiffening it bends too much: write fidelity: stiffened");
  if (const auto& s = validity.slide; s.value > kLargeSlide)
    lines.push_back("joint '" + model.joints[s.body].name + "'" + when(s.t) +
                    " slides along a beam on the tangent of its node, which is not that of the bent beam; error of the "
                    "tip deflection up to " +
                    percent(s.value) + ": put it on a node in the middle of its travel, or split the beam");
  return lines;
}

}  // namespace limber

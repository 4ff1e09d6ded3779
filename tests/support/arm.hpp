// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

#include "limber/control/loop.hpp"
#include "limber/control/trajectory.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {

struct ArmSpec {
  double EI = 1e5, damping = 0, payload = 0, armature = 0;
  Vector3d gravity = Vector3d::Zero();
  int modes = 2;
};

// The three-link arm of [MS] table 2, in the plane.
inline Model make_arm(const ArmSpec& spec = {}) {
  ModelBuilder builder("arm");
  builder.gravity(spec.gravity);
  constexpr double kLength[] = {6, 7, 2}, kMass[] = {140, 85, 95};
  constexpr const char* kBodies[] = {"boom", "forearm", "hand"};
  constexpr const char* kJoints[] = {"shoulder", "elbow", "wrist"};
  NodeRef at;
  for (int i = 0; i < 3; ++i) {
    BeamSpec beam;
    beam.length = kLength[i];
    beam.mass_per_length = kMass[i] / kLength[i];
    beam.EIz = spec.EI;
    beam.modes = {spec.modes, 0, 0, 0};
    beam.damping = {spec.damping};
    Body body = make_beam_body(beam, false);
    body.name = kBodies[i];
    const int tip = body.node_index("tip");
    const int child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = kJoints[i];
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = joint.damping = VectorXd::Zero(1);
    joint.armature = VectorXd::Constant(1, spec.armature);
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  if (spec.payload > 0) {
    RigidSpec rigid;
    rigid.mass = spec.payload;
    rigid.inertia = 0.1 * spec.payload * Matrix3d::Identity();
    Body body = make_rigid_body(rigid);
    body.name = "payload";
    Joint grip;
    grip.name = "grip";
    grip.parent = at;
    grip.stiffness = grip.damping = grip.armature = VectorXd::Zero(0);
    builder.add_joint(grip, builder.add_body(std::move(body)));
  }
  return builder.build();
}

// Sanitizers are ten times slower: half a second of each run is sufficient for them.
inline constexpr bool kSanitized = !kNoAllocWorks;

inline constexpr NodeRef kArmTip = {3, 1};
inline constexpr double kSlew = 30;  // s, [MS] (44)

// 60, 45 and 30 degrees by cycloids.
inline ControlOptions make_slew(const Model& model, double slew = kSlew) {
  ControlOptions out;
  out.model = std::make_shared<const Model>(model);
  out.driven = find_driven_joints(*out.model, {});
  const VectorXd target = std::numbers::pi / 180 * Vector3d(60, 45, 30);
  const JointPath path = make_path(Profile::cycloid, VectorXd::Zero(3), 0, {{target, slew, 0}}, {});
  out.desired = path.joints;
  out.end = path.end;
  return out;
}

// Tracking errors of the joints, and residual vibration of the tip.
struct SlewResult {
  RunResult run;
  Vector3d rms = Vector3d::Zero(), largest = Vector3d::Zero();
  double residual = 0;  // m, largest displacement of the tip from its mean in the last `kWatched` seconds
};

class SlewObserver : public RunListener {
 public:
  static constexpr double kWatched = 8;
  SlewObserver(const Model& model, const ControlLoop& loop, double duration)
      : model_(model), loop_(loop), duration_(duration) {}
  void record(const Record& record) override {
    const State& x = record.motion.x;
    for (int k = 0; k < 3; ++k) {
      const double error = x.q[loop_.driven_joints().q[k]] - loop_.controller().options().desired[k].at(x.t).value;
      out_.rms[k] += error * error;
      out_.largest[k] = std::max(out_.largest[k], std::abs(error));
    }
    ++count_;
    if (x.t > duration_ - kWatched) tip_.push_back(node_pose(model_, record.kin, kArmTip).p);
  }
  SlewResult finish(const RunResult& run) {
    out_.run = run;
    out_.rms = (out_.rms / count_).cwiseSqrt();
    Vector3d mean = Vector3d::Zero();
    for (const Vector3d& p : tip_) mean += p / static_cast<double>(tip_.size());
    for (const Vector3d& p : tip_) out_.residual = std::max(out_.residual, (p - mean).norm());
    return out_;
  }

 private:
  const Model& model_;
  const ControlLoop& loop_;
  double duration_;
  int count_ = 0;
  std::vector<Vector3d> tip_;
  SlewResult out_;
};

// The slew, and 20 s of rest after it.
inline SlewResult run_slew(const Model& plant, const ControlOptions& options, const SensorOptions& sensors = {}) {
  ControlLoop loop(plant, sensors, options);
  System system(plant, {});
  SolverOptions solver;
  solver.rtol = 1e-8;
  solver.atol = 1e-10;
  const RunOptions run{kSanitized ? 0.5 : loop.controller().options().end + 20, 0.02};
  SlewObserver observer(plant, loop, run.duration);
  return observer.finish(simulate(system, solver, run, make_zero_state(plant), observer, &loop));
}

}  // namespace limber::test

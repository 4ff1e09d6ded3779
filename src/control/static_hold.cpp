// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/static_hold.hpp"

#include <algorithm>
#include <cmath>

#include "limber/control/actuation.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

void keep_constant(Signal& signal) {
  if (!signal.is_constant()) signal = Signal(0.0);
}

// The constant inputs of a static equilibrium, with the joints prescribed instead of the inputs on them.
Inputs hold(const Model& model, const Inputs& inputs, const State& start, const std::vector<int>& joints) {
  Inputs out = inputs;
  out.laws.clear();
  for (SpeedInput& input : out.speeds) keep_constant(input.force);
  for (WrenchInput& input : out.wrenches) {
    for (Signal& signal : input.wrench) keep_constant(signal);
  }
  for (GravityInput& input : out.gravities) {
    for (Signal& signal : input.gravity) keep_constant(signal);
  }
  for (const int i : joints) {
    const Joint& joint = model.joints[i];
    MotionInput held{i, {}, "the held joint '" + joint.name + "'"};
    for (int k = 0; k < speed_count(joint.kind); ++k) held.motion.emplace_back(start.q[joint.q + k]);
    out.motions.push_back(std::move(held));
    std::erase_if(out.speeds, [&](const SpeedInput& input) {
      return input.speed >= joint.v && input.speed < joint.v + speed_count(joint.kind);
    });
  }
  return out;
}

// The holding torque of a joint with an elastic drive comes from its motor, through a twisted transmission.
void load_transmission(const Model& model, int i, StaticHold& hold) {
  const MotorIndex motor = motor_index(model, i);
  if (motor.v < 0) return;
  State& x = hold.equilibrium.x;
  const Drive& drive = *model.joints[i].drive;
  const Link& link = model.layout->links[i];
  double& at_joint = hold.torques[model.joints[i].v];
  const double passed = at_joint + link.motor.torque(&x.q[link.q], &x.v[link.v]);
  if (passed != 0)
    x.q[motor.q] = drive.ratio * (x.q[link.q] + passed / drive.stiffness + std::copysign(0.5 * drive.backlash, passed));
  hold.torques[motor.v] = at_joint / drive.ratio;
  at_joint = 0;
}

}  // namespace

StaticHold find_static_hold(const Model& model, const Inputs& inputs, const State& start,
                            const std::vector<int>& joints) {
  const Inputs held = hold(model, inputs, start, joints);
  StaticHold out{find_equilibrium(model, held, start), VectorXd::Zero(model.nv)};
  System system(model, held);
  system.select_interval(start.t);
  Motion motion{out.equilibrium.x};
  if (system.has_closures()) system.assemble(motion.x);
  system.update_contacts(motion.x);
  VectorXd vdot(model.nv);
  if (const Status status = system.accelerate(motion.x, vdot); status != Status::ok)
    throw InputError(std::string("the torques that hold the machine were not found: ") + to_string(status));
  for (const int i : joints) {
    const int first = model.joints[i].v, count = speed_count(model.joints[i].kind);
    out.torques.segment(first, count) = system.torques().segment(first, count);
    for (const SpeedInput& input : inputs.speeds) {  // not needed from the controller
      if (input.speed >= first && input.speed < first + count && input.force.is_constant())
        out.torques[input.speed] -= force_of_command(model, input, input.force.at(start.t).value, 0);
    }
    load_transmission(model, i, out);
  }
  return out;
}

// The remaining joint torques are converted to actuator inputs until they vanish.
StaticHold find_static_hold(const Model& model, const Inputs& inputs, const State& start,
                            const std::vector<int>& joints, const DrivenJoints& driven) {
  constexpr int kMax = 50;
  constexpr double kSame = 1e-12;
  Actuation actuation(model, driven);
  if (!actuation.any()) return find_static_hold(model, inputs, start, joints);
  Inputs acting = inputs;
  VectorXd total = VectorXd::Zero(driven.size()), more = total;
  for (int pass = 0; pass < kMax; ++pass) {
    StaticHold out = find_static_hold(model, acting, start, joints);
    if (actuation.set(out.equilibrium.x) != Status::ok)
      throw InputError("an actuator has no lever arm on its joint where the machine is held; start elsewhere");
    actuation.to_inputs(out.torques(driven.v), more);
    double change = 0;
    acting.elements = inputs.elements;
    for (int k = 0; k < driven.size(); ++k) {
      const int element = driven.actuator(k);
      total[k] = element < 0 ? more[k] : total[k] + more[k];
      if (element < 0) continue;
      change = std::max(change, std::abs(more[k]));
      acting.elements.push_back({element, Signal(total[k]), "the actuator that holds '" + driven.names[k] + "'"});
    }
    if (!(change > kSame * (1 + total.cwiseAbs().maxCoeff()))) {
      for (int k = 0; k < driven.size(); ++k) out.torques[driven.v[k]] = total[k];
      return out;
    }
  }
  throw InputError("the forces of actuators that hold the machine were not found; start elsewhere");
}

}  // namespace limber

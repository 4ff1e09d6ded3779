// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/static_hold.hpp"

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

void keep_constant(Signal& signal) {
  if (!signal.is_constant()) signal = Signal(0.0);
}

// The inputs that a static equilibrium knows, with the joints held in the place of what acts on them.
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
    for (const SpeedInput& input : inputs.speeds) {  // what an input does the controller need not do
      if (input.speed >= first && input.speed < first + count && input.force.is_constant())
        out.torques[input.speed] -= input.force.at(start.t).value;
    }
  }
  return out;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/backlash.hpp"

namespace limber {

bool Backlash::open() const {
  return sides[0].phase != StopContact::Phase::pushing && sides[1].phase != StopContact::Phase::pushing;
}

double Backlash::torque(const State& x) const {
  double out = 0;
  for (const StopContact& side : sides) {
    if (side.phase == StopContact::Phase::pushing) out += side.sign * side.stiffness * side.push(twist(x), rate(x));
  }
  return out;
}

double Backlash::dissipation(const State& x) const {
  double power = 0;
  for (const StopContact& side : sides) power += side.dissipation(twist(x), rate(x));
  return power;
}

std::unique_ptr<BacklashForces> BacklashForces::make(const Model& model) {
  auto out = std::make_unique<BacklashForces>();
  const Layout& layout = *model.layout;
  out->open.assign(layout.links.size(), 0);
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    const Transmission& of = link.motor;
    if (of.gap == 0) continue;
    const auto side = [&](double sign) {
      return StopContact{i, link.q, link.v, sign * of.gap, sign, of.stiffness, of.damping};
    };
    out->gaps.push_back(
        {i, link.q, link.v, link.q + of.q, link.v + of.v, &of, std::array<StopContact, 2>{side(1), side(-1)}});
  }
  if (out->gaps.empty()) return nullptr;
  return out;
}

bool BacklashForces::update(const State& x) {
  bool changed = false;
  for (Backlash& gap : gaps) {
    for (StopContact& side : gap.sides) {
      const StopContact::Phase phase = side.phase_at(gap.twist(x), gap.rate(x));
      changed = changed || phase != side.phase;
      side.phase = phase;
    }
    open[static_cast<std::size_t>(gap.joint)] = gap.open() ? 1 : 0;
  }
  return changed;
}

void BacklashForces::add(const State& x, VectorXd& force) {
  for (Backlash& gap : gaps) {
    gap.by_state = gap.of->torque(&x.q[gap.q], &x.v[gap.v]);
    gap.by_phase = gap.torque(x);
    const double extra = gap.by_phase - gap.by_state;
    force[gap.v] += extra;
    force[gap.motor_v] -= gap.of->per_turn * extra;
  }
}

double BacklashForces::extra(int joint) const {
  const Backlash* gap = find(joint);
  return gap == nullptr ? 0 : gap->by_phase - gap->by_state;
}

double BacklashForces::dissipation(const State& x) const {
  double power = 0;
  for (const Backlash& gap : gaps) power += gap.dissipation(x);
  return power;
}

const Backlash* BacklashForces::find(int joint) const {
  for (const Backlash& gap : gaps)
    if (gap.joint == joint) return &gap;
  return nullptr;
}

void BacklashForces::transfer(Archive& archive) {
  for (Backlash& gap : gaps) {
    for (StopContact& side : gap.sides) archive(side.phase);
  }
  archive(open);
}

}  // namespace limber

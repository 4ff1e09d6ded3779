// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "limber/model/detail/layout.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// The free play of one elastic transmission: two stops of its twist q_motor / n - q.  theory §3, Drives.
struct Backlash {
  int joint = 0, q = 0, v = 0;  // of the joint
  int motor_q = 0, motor_v = 0;
  const Transmission* of = nullptr;
  std::array<StopContact, 2> sides;   // of the twist, to either side
  double by_state = 0, by_phase = 0;  // torque at the joint as of the last add

  double twist(const State& x) const { return of->twist(&x.q[q]); }
  double rate(const State& x) const { return of->rate(&x.v[v]); }
  bool open() const;                    // neither side pushes
  double torque(const State& x) const;  // at the joint, of the phases
  double dissipation(const State& x) const;
};

// Of all drives.  The recursions know transmissions as functions of the state; here is what the phases, which hold
// through a step, make of them beyond that: nothing but for the parts of a step beyond a change of phase.
struct BacklashForces {
  std::vector<Backlash> gaps;
  std::vector<std::uint8_t> open;  // (body)

  // Null: no transmission has any.
  static std::unique_ptr<BacklashForces> make(const Model& model);
  bool update(const State& x);
  void add(const State& x, VectorXd& force);
  double extra(int joint) const;  // that the last add gave a joint
  double dissipation(const State& x) const;
  const Backlash* find(int joint) const;  // or null
  void transfer(Archive& archive);
};

}  // namespace limber

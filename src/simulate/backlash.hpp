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

// The backlash of one elastic transmission: two stops of its twist q_motor / n - q.  theory §3, Drives.
struct Backlash {
  int joint = 0, q = 0, v = 0;  // of the joint
  int motor_q = 0, motor_v = 0;
  const Transmission* of = nullptr;
  std::array<StopContact, 2> sides;   // one per direction of the twist
  double by_state = 0, by_phase = 0;  // torque at the joint as of the last add

  double twist(const State& x) const { return of->twist(&x.q[q]); }
  double rate(const State& x) const { return of->rate(&x.v[v]); }
  bool open() const;                    // contact on neither side
  double torque(const State& x) const;  // at the joint, for the current phases
  double dissipation(const State& x) const;
};

// Backlash of all drives.  The recursions treat transmissions as functions of the state; this is the difference due to
// the phases, which are constant within a step: zero except in the part of a step after a change of phase.
struct BacklashForces {
  std::vector<Backlash> gaps;
  std::vector<std::uint8_t> open;  // (body)

  // Null: no transmission has backlash.
  static std::unique_ptr<BacklashForces> make(const Model& model);
  bool update(const State& x);
  void add(const State& x, VectorXd& force);
  double extra(int joint) const;  // of a joint at the last add
  double dissipation(const State& x) const;
  const Backlash* find(int joint) const;  // or null
  void transfer(Archive& archive);
};

}  // namespace limber

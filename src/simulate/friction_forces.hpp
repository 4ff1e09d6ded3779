// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// Dry friction of one joint, or of the brake or gear of its drive.  It depends on its phase, not only on the state, so
// that the right-hand side is smooth within a step.  theory §3, Friction.
struct FrictionContact {
  // stick: a spring and a damper about an anchor.  forward, backward: sliding; the spring is dragged along with its
  // deflection at the onset of sliding, so that forces and energies are continuous.  free: a released brake.
  enum class Phase : std::uint8_t { stick, forward, backward, free };
  enum class Kind : std::uint8_t { joint, brake, gear };
  Kind kind = Kind::joint;
  int joint = 0, q = 0, v = 0;  // of the joint, or of the motor with the brake
  bool prescribed = false;      // the joint's motion is prescribed: only its direction matters
  double coulomb = 0, breakaway = 0, stribeck = 0, stiffness = 0, damping = 0;
  double coulomb_of_load = 0, breakaway_of_load = 0;  // joint: increase per unit of load
  double driving = 0, driven = 0;  // gear: fraction of the transmitted torque lost when driving, and when driven
  // Load of the bearing (N), torque transmitted by the gear (N m or N at the joint), command of the brake (0 to 1).
  double load = 0;
  bool measured = false;  // the load depends on accelerations
  Phase phase = Phase::stick;
  double anchor = 0;
  double dragged = 0;  // deflection of the spring while sliding
  // A sliding contact whose level falls faster than the force of a spring would, after a reversal of its rate: it does
  // not stick yet.  Found by StopEvents over the last step.
  bool yields = false;
  // Number of slips of an engaged brake.
  long slips = 0;
  double slipping = 0;  // s
  bool slipped = false;

  double sign() const { return phase == Phase::forward ? 1 : phase == Phase::backward ? -1 : 0; }
  bool slides() const { return sign() != 0; }
  // Whether its level varies with something other than its own rate.
  bool varies() const { return measured || kind != Kind::joint; }
  // Largest force of a sticking contact against a motion along `direction`; force of a sliding contact.
  double static_level(double direction) const;
  double level(double direction, double rate) const;
  // The force of the spring and the damper, positive if it resists positive motion.
  double hold(double position, double rate) const { return stiffness * (position - anchor) + damping * rate; }
  double force(double position, double rate) const;  // on the speed
  double dissipation(double rate) const;
  double energy(double position) const;  // of the spring
  // Updates the phase at a state; true: it changed.
  bool update(double position, double rate);
  void start(double position, double rate);

 private:
  double gear_level(double direction) const;
};

// Solves for friction loads together with the accelerations that they depend on: load = measured(load), by Broyden's
// method [Broyden 1965], which for one load is the secant method.
class LoadBalance {
 public:
  void resize(Eigen::Index count);
  // Improves `used`.  True: converged, `used` is unchanged.
  bool improve(VectorXd& used, const VectorXd& measured);
  void restart() { known_ = false; }

 private:
  bool known_ = false;  // a previous pass exists
  VectorXd residual_, last_residual_, step_, image_;
  MatrixXd inverse_;
};

// Friction of all joints.
struct FrictionForces {
  std::vector<FrictionContact> contacts;
  bool started = false;
  double released = 0;  // energy released from the springs by changes of phase, not yet in the energy balance
  LoadBalance balance;
  VectorXd used, found;  // (contact) scratch of the balance

  // Null: no joint has dry friction.  `prescribed`: (body).
  static std::unique_ptr<FrictionForces> make(const Model& model, const Inputs& inputs,
                                              const std::vector<std::uint8_t>& prescribed);
  bool update(const State& x);
  // Adds to `force` (nv); `shown`: as System::friction_torques.
  void add(const State& x, VectorXd& force, VectorXd& shown) const;
  double dissipation(const State& x) const;
  double energy(const State& x) const;
  // c_D D + c_K K of sticking joints.
  void add_implicit(double c_D, double c_K, VectorXd& added) const;
  // Whether loads have to be measured; and whether they affect the motion.
  bool measures() const;
  bool couples() const;
  bool varies() const;  // static levels vary within a phase
  // Adds a time `span` in the current phases to the counts of brakes.
  void count(double span);
  std::vector<Saturation> slips(const Model& model) const;
  void transfer(Archive& archive);
};

}  // namespace limber

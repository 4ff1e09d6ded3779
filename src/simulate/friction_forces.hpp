// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// Dry friction of one joint, the brake or the gear of its drive.  What it does depends on its phase, not on the state,
// so that the right side is smooth in a step.  theory §3, Friction.
struct FrictionContact {
  // stick: a spring and a damper about an anchor.  forward, backward: it slides, and the spring is dragged along with
  // the deflection at which sliding began, so that forces and energies go over into each other.  free: a brake that is
  // released.
  enum class Phase : std::uint8_t { stick, forward, backward, free };
  enum class Kind : std::uint8_t { joint, brake, gear };
  Kind kind = Kind::joint;
  int joint = 0, q = 0, v = 0;  // of the joint, or of the motor that the brake sits on
  bool prescribed = false;      // the joint's motion is: its direction alone decides
  double coulomb = 0, breakaway = 0, stribeck = 0, stiffness = 0, damping = 0;
  double coulomb_of_load = 0, breakaway_of_load = 0;  // joint: what a unit of load adds
  double driving = 0, driven = 0;                     // gear: lost of the torque that it passes on, and takes
  // Load of the bearing (N), torque that the gear passes on (N m or N at the joint), command of the brake (0 to 1).
  double load = 0;
  bool measured = false;  // the load follows from accelerations
  Phase phase = Phase::stick;
  double anchor = 0;
  double dragged = 0;  // deflection of the spring while it slides
  // Spells of slipping of an engaged brake.
  long slips = 0;
  double slipping = 0;  // s
  bool slipped = false;

  double sign() const { return phase == Phase::forward ? 1 : phase == Phase::backward ? -1 : 0; }
  bool slides() const { return sign() != 0; }
  // Largest force of a contact that sticks, against a motion along `direction`; and of one that slides.
  double static_level(double direction) const;
  double level(double direction, double rate) const;
  // The force of the spring and the damper, positive where it holds the joint back.
  double hold(double position, double rate) const { return stiffness * (position - anchor) + damping * rate; }
  double force(double position, double rate) const;  // on the speed
  double dissipation(double rate) const;
  double energy(double position) const;  // of the spring
  // The phase at a state; true: it changed.
  bool update(double position, double rate);
  void start(double position, double rate);

 private:
  double gear_level(double direction) const;
};

// Loads of friction that are solved for with the accelerations they depend on: load = measured(load), by Broyden's
// method [Broyden 1965], which for one load is the secant method.
class LoadBalance {
 public:
  void resize(Eigen::Index count);
  // The loads that were used become better ones.  True: they were good.
  bool improve(VectorXd& used, const VectorXd& measured);
  void restart() { known_ = false; }

 private:
  bool known_ = false;  // there is a pass before this one
  VectorXd residual_, last_residual_, step_, image_;
  MatrixXd inverse_;
};

// Of all joints.
struct FrictionForces {
  std::vector<FrictionContact> contacts;
  bool started = false;
  double released = 0;  // energy that left the springs with changes of phase, and is not yet in the ledger
  LoadBalance balance;
  VectorXd used, found;  // (contact) scratch of the balance

  // Null: no joint has dry friction.  `prescribed`: (body).
  static std::unique_ptr<FrictionForces> make(const Model& model, const Inputs& inputs,
                                              const std::vector<std::uint8_t>& prescribed);
  bool update(const State& x);
  // To `force` (nv); `shown`: as System::friction_torques.
  void add(const State& x, VectorXd& force, VectorXd& shown) const;
  double dissipation(const State& x) const;
  double energy(const State& x) const;
  // c_D D + c_K K of joints that stick.
  void add_implicit(double c_D, double c_K, VectorXd& added) const;
  // Whether loads are to be measured; and whether they change the motion.
  bool measures() const;
  bool couples() const;
  bool varies() const;  // static levels change between changes of phase
  // Into the counts of brakes: a time `span` with the phases as they are.
  void count(double span);
  std::vector<Saturation> slips(const Model& model) const;
  void transfer(Archive& archive);
};

}  // namespace limber

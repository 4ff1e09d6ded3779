// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/inputs.hpp"

namespace limber {

// A state, with work and dissipation up to it.
struct Motion {
  State x;
  double work = 0;                                                   // done by the inputs
  double dissipated = 0;                                             // in modes, joints and stops
  void transfer(Archive& archive) { archive(x, work, dissipated); }  // to or from an archive
};

// A joint limit: a spring and a damper that push and never pull.
struct StopContact {
  // pushing: with stiffness depth + damping rate, above 0.  recoiling: the joint withdraws faster than the damper lets
  // the spring follow; no force, and the energy of the spring is dissipated.
  enum class Phase : std::uint8_t { open, pushing, recoiling };
  int joint, q, v;
  double bound, sign;  // beyond when sign (q - bound) > 0
  double stiffness, damping;
  int motion = -1;  // index of the joint's motion input; -1: none
  Phase phase = Phase::open;
  double depth(double position) const { return sign * (position - bound); }
  // The force of spring and damper, over the stiffness.
  double push(double position, double rate) const { return depth(position) + damping / stiffness * sign * rate; }
  double energy(double position) const {
    return depth(position) > 0 ? 0.5 * stiffness * depth(position) * depth(position) : 0;
  }
  Phase phase_at(double position, double rate) const {
    if (!(depth(position) > 0)) return Phase::open;
    return push(position, rate) > 0 ? Phase::pushing : Phase::recoiling;
  }
  double dissipation(double position, double rate) const {
    if (phase == Phase::open) return 0;
    return phase == Phase::pushing ? damping * rate * rate : -stiffness * depth(position) * sign * rate;
  }
};

// A coordinate whose effort was limited by its joint or motor.
struct Saturation {
  std::string speed;   // as in Model::speeds
  long spells = 0;     // number of times
  double seconds = 0;  // total duration
};

struct FrictionForces;  // of joints, brakes and gears: src/simulate/friction_forces.hpp
struct BacklashForces;  // of elastic transmissions: src/simulate/backlash.hpp
struct DriveLimits;     // of efforts and velocities: src/simulate/drive_limits.hpp
struct ElementForces;   // of elements and contacts: src/simulate/element_forces.hpp

// Power of the inputs and of the dampers.
struct Powers {
  double work = 0, dissipated = 0;
};

// The changes of the assembly, as text: names, given and used values, the largest changes first; empty: none.
std::string assembly_note(const Model& model, const State& given, const State& used);

// A model with its inputs: the system that steppers integrate.
class System {
 public:
  // Throws InputError for inputs that do not match (check_inputs), and for an algorithm that does not support them.
  // The model must outlive it.
  System(const Model& model, Inputs inputs, const std::string& algorithm = "aba");
  System(const Model&&, Inputs, const std::string& = "aba") = delete;
  System(System&&) noexcept;
  ~System();

  const Model& model() const { return model_; }     // as given
  const Inputs& inputs() const { return inputs_; }  // as given
  // Breaks of its signals, increasing.
  const std::vector<double>& breaks() const { return breaks_; }

  // Selects the branches of signals that are valid at this time, until the next call.
  void select_interval(double inside) { inside_ = inside; }

  // Torques (nv) of a digital controller, added to the inputs until the next call.  Throws InputError: wrong size.
  void set_control_torques(ConstVec torques);
  // A wrench on a node, added to the inputs until the next call for the same node and frame; only the first call
  // for it allocates.  Throws InputError: no such node.
  void set_control_wrench(NodeRef at, Frame frame, const Vector6& wrench);
  // The motion of a coordinate of a joint with a motion input, replacing that input from t on: position + velocity
  // (time - t) + acceleration (time - t)^2 / 2.  Throws InputError: a joint without motion input.
  void set_control_motion(int joint, int coordinate, double t, const Jet& motion);
  // The force of a force element (its index in Model::elements), added to its own law, until the next call.
  // Throws InputError: no such element, or one that takes no command.
  void set_control_force(int element, double force);
  // Removes all of these.
  void clear_control();

  // Sets the joints with prescribed motion to that motion at x.t.
  void prescribe(State& x) const;
  bool is_prescribed(int joint) const { return prescribed_[joint] != 0; }
  // Speeds and modes after a jump in prescribed speeds at x.t, between the branch before and the branch after.
  // M dv = impulse, with no impulse on modes and free joints.  Adds the change of kinetic energy to `work`.
  [[nodiscard]] Status apply_jump(Motion& m);

  // Accelerations at a state, whose prescribed part must be set.  No allocation.
  [[nodiscard]] Status accelerate(const State& x, Vec vdot, Powers* powers = nullptr);
  // Forces on speeds in the last accelerate: inputs, and those required by prescribed motions.
  const VectorXd& torques() const { return torque_; }
  // Those of joint stops.
  const VectorXd& stop_torques() const { return stop_; }

  // Values of force elements and contacts in the last accelerate, in the order of make_channels.
  const ElementForces* element_forces() const { return elements_.get(); }  // nullptr: none
  const VectorXd& element_values() const;

  // Those of dry friction: (nv) of joints, (body) of brakes on the speed of the motor or the joint, (body) of gears
  // on the joint.
  const VectorXd& friction_torques() const { return friction_shown_; }
  FrictionForces* friction() const { return friction_.get(); }  // nullptr: no joint has any
  BacklashForces* backlash() const { return gaps_.get(); }      // nullptr: no transmission has any
  // Computes the loads on which friction depends, at a state, with its contact phases.
  [[nodiscard]] Status compute_friction_loads(const State& x);
  // Energy dissipated by contact changes since the last call.
  double take_released();
  // Efforts limited by joints and motors.  count_limits: counts a state that lasts `span` seconds.
  std::vector<Saturation> saturation() const;
  [[nodiscard]] Status count_limits(const State& x, double span);

  // One pass of an implicit step: solves (M + c_D D + c_K K) a_new = f(x) + (c_D D + c_K K) a, with D and K of modes,
  // joints and stops in contact; at its fixed point M a = f(x).  theory §5, Implicit step.  `a` holds both.
  void set_implicit(double c_D, double c_K);  // call again after a change of contacts
  [[nodiscard]] Status accelerate_implicit(const State& x, Vec a, Powers* powers = nullptr);

  // Stops: their forces depend on contact flags, not on the state, so that the right-hand side is smooth within a step.
  const std::vector<StopContact>& stops() const { return stops_; }
  // Sets the contact flags from the state.  True: something changed.
  bool update_contacts(const State& x);
  // The prescribed motion of the joint of a stop (StopContact::motion).
  Jet stop_motion(const StopContact& stop, double t) const;

  // Closed chains.  Forces and errors are those of the last accelerate.
  bool has_closures() const { return closures_ != nullptr; }
  bool is_assembled() const { return closures_ == nullptr || rank_ >= 0; }  // assemble was called
  const VectorXd& closure_forces() const { return closure_force_; }         // (6 per closure), see ClosureWorkspace
  const VectorXd& closure_errors() const { return closure_error_; }         // (closure)
  // Finds the nearest state that satisfies the closures, and the rank of their constraints.  Throws InputError: which
  // closure cannot be satisfied and by how much, or that the configuration is singular.
  void assemble(State& x);
  // Joints (body) whose coordinates and speeds assemble does not change.
  void keep(std::vector<std::uint8_t> joints);
  // Remarks of assemble, as text: redundant constraints; empty: none.
  std::string closure_note() const;
  // Projects a state onto the closures, position and speed.
  [[nodiscard]] Status project(State& x);
  // Margin of the last projection: tends to zero, at a finite rate, where the closures become singular.
  double closure_margin() const { return closures_->rank() < rank_ ? 0 : closures_->margin(); }

  // (body) Axial forces in the beams (N, tension positive) with the accelerations and forces of the last accelerate, as
  // equivalent loads on their tips; 0 for other bodies.  O(N), no allocation.
  const VectorXd& compute_axial_forces(const State& x);

  // Energies, with those of stops in `springs`: functions of the state alone, so that a contact detected late
  // shows in the energy balance.
  Energy energy(const State& x);
  Momentum momentum(const State& x) { return compute_momentum(model_, x, rnea_); }
  // Kinematics at a state, with poses in world.
  const Kinematics& compute_kinematics(const State& x);
  // At the state of the last call of energy or compute_kinematics.
  const Kinematics& kinematics() const { return rnea_.kinematics(); }

  // Everything besides the state that later evaluations depend on.
  void transfer(Archive& archive);

  // After a failure: the coordinate or input that caused it, for a message.
  std::string failure() const { return failure_; }

 private:
  struct ControlWrench {
    NodeRef at;
    Frame frame = Frame::world;
    std::array<double, 6> wrench = {};
    Vector6 vector() const { return Eigen::Map<const Vector6>(wrench.data()); }
  };
  // Of one coordinate, instead of its input.
  struct ControlMotion {
    bool active = false;
    double from = 0, position = 0, velocity = 0, acceleration = 0;
    Jet at(double t) const {
      const double dt = t - from;
      return {position + dt * (velocity + 0.5 * dt * acceleration), velocity + dt * acceleration, acceleration};
    }
  };
  // Of coordinate k of an input at a time.
  Jet motion(const MotionInput& input, std::size_t k, double t) const;
  void gather_wrenches(const State& x);
  void add_stops();
  bool update_friction(const State& x);
  void hold_at_start(const State& x);
  void set_drive_loads(const State& x);
  double brake_command(int joint, double t) const;
  bool brake_is_released(int joint, double t) const;
  Kinematics& compute_held_forces(const State& x, AbaWorkspace& solved);
  void measure_loads(const State& x, AbaWorkspace& solved);
  [[nodiscard]] Status solve_loaded(const State& x, AbaWorkspace& ws, Vec vdot, Powers* powers);
  [[nodiscard]] Status gather(const State& x);
  [[nodiscard]] Status close(const State& x, AbaWorkspace& ws, Vec vdot);
  void take_needed_torques();  // of prescribed motions, from needed_
  [[nodiscard]] Status solve(const State& x, AbaWorkspace& ws, Vec vdot, Powers* powers);
  Powers compute_powers(const State& x, AbaWorkspace& ws);
  [[nodiscard]] Status explain(Status status, const State& x, ConstVec vdot, int speed);

  const Model& model_;
  Inputs inputs_;
  std::vector<double> breaks_;
  double inside_ = 0;
  std::vector<std::uint8_t> prescribed_;  // (body)
  std::vector<std::uint8_t> kept_;        // (body) by assemble: prescribed, and those of keep
  std::vector<StopContact> stops_;
  std::unique_ptr<FrictionForces> friction_;  // nullptr: none
  std::unique_ptr<BacklashForces> gaps_;      // nullptr: none
  std::unique_ptr<DriveLimits> limits_;       // nullptr: none
  std::unique_ptr<ElementForces> elements_;   // nullptr: none
  AbaWorkspace aba_;
  std::unique_ptr<AbaWorkspace> implicit_;  // of implicit steps
  std::unique_ptr<ForwardDynamics> other_;  // when not aba
  RneaWorkspace rnea_;
  std::unique_ptr<ClosureWorkspace> closures_;
  std::unique_ptr<AbaWorkspace> stiff_;  // the metric of projections: modes yield little
  int rank_ = -1;                        // of the closures; -1: not known
  VectorXd closure_force_, closure_error_;
  std::vector<NodeWrench> wrenches_;  // of inputs, laws, set_control_wrench
  std::vector<ControlWrench> control_wrenches_;
  std::vector<ControlMotion> control_motions_;  // (nv)
  double implicit_c_D_ = 0, implicit_c_K_ = 0;  // of set_implicit
  State after_;                                 // scratch of apply_jump
  VectorXd control_torques_;                    // (nv)
  VectorXd tau_, stop_, total_;                 // (nv) of inputs with those held, of stops, both
  VectorXd dry_, friction_shown_;               // (nv) of friction in all; of friction_torques
  VectorXd spare_;                              // (nv) scratch of compute_friction_loads
  VectorXd torque_, needed_;                    // (nv) of inputs and prescribed motions; scratch
  VectorXd last_;                               // (nv) accelerations of the last solve
  VectorXd axial_;                              // (body) of compute_axial_forces
  std::vector<NodeWrench> outer_;               // scratch of it: wrenches, and those of closures
  Vector3d gravity_ = Vector3d::Zero();         // of inputs
  std::string failure_;
};

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/dynamics/elements.hpp"
#include "limber/dynamics/operational.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

// A node to which elements are attached, at a state.
struct HeldNode {
  NodeRef node;
  Pose X;
  Vector6 V = Vector6::Zero();
  Vector6 wrench = Vector6::Zero();
};

// An end of an element: its pose relative to a held node (index `slot`; -1: the world).
struct HeldEnd {
  int slot = -1;
  Pose at;
};

// Phase of a unilateral force, which pushes and never pulls; as for the stops of joints.
enum class PushPhase : std::uint8_t { open, pushing, recoiling };

// A spring, rope or actuator: acts on one scalar coordinate, a length or a joint coordinate.
struct LinePart {
  const ForceElement* of = nullptr;
  int element = 0;
  std::vector<HeldEnd> points;  // a, intermediate points of a rope, b; empty: a joint
  int q = -1, v = -1;           // of the joint
  PushPhase phase = PushPhase::open;
  double length = 0, rate = 0;
  double force = 0, by_length = 0, by_rate = 0;  // force and its slopes
  double law_force = 0;                          // part from a law without potential and from commands
  std::vector<double> values, slopes;            // x, v, channels
  std::vector<Vector3d> r, P, velocity, g;       // (point) arms, positions and their rates, gradient of the length
  mutable VectorXd u, h;                         // of add_line_tangent
  mutable MatrixXd local;
};

struct BushingPart {
  const ForceElement* of = nullptr;
  HeldEnd a, b;
  Matrix6 K, D;
  Vector6 x = Vector6::Zero(), xdot = Vector6::Zero(), Q = Vector6::Zero();
};

struct ContactPart {
  enum class Grip : std::uint8_t { none, sticking, slipping };
  const Contact* of = nullptr;
  HeldEnd a, b;
  double damping = 0, stick_damping = 0;
  PushPhase phase = PushPhase::open;
  Grip grip = Grip::none;
  Vector3d anchor = Vector3d::Zero();     // sticking: anchor of the tangential spring; in the frame of the shape
  Vector3d direction = Vector3d::Zero();  // slipping: reference direction d of the slip; in the frame of the shape
  double frozen = 0;                      // slipping: energy of the tangential spring when the slip began
  // At the last state:
  double depth = 0, rate = 0, normal = 0;
  double stored = 0, heating = 0;  // energy of both springs; heat flow
  double turned = 0;  // |v - a d| - a, a = v . d, of the slip v and its direction d: nonnegative from 45 degrees
  Vector3d n, point, force, slip, along;  // world: normal, contact point, force on a, slip velocity, slip direction
  Vector3d place, tangential;             // of a in the frame of the shape; friction in world
  double push() const { return depth + damping / of->stiffness * rate; }
};

struct ElementLoads::Data {
  const Model& model;
  std::vector<HeldNode> held;
  std::vector<NodeRef> nodes;
  std::vector<LinePart> lines;
  std::vector<BushingPart> bushings;
  std::vector<ContactPart> contacts;
  std::vector<NodeWrench> wrenches;
  VectorXd torques, values;
  double work = 0, dissipated = 0, heat = 0;
  bool frictionless = false;
  std::vector<std::uint8_t> prescribed;
  std::unique_ptr<AbaWorkspace> aba;  // of contacts with restitution
  std::unique_ptr<OperationalWorkspace> operational;

  explicit Data(const Model& m) : model(m) {}
  HeldEnd hold(const ElementEnd& end);
  void place(const State& x, const Kinematics& kin);  // poses and velocities of all held nodes
  Pose pose(const HeldEnd& end) const;                // in world
  Vector6 velocity(const HeldEnd& end) const;         // of the node, not of the end
  const Pose& node_of(const HeldEnd& end) const;
};

// The length and its rate, and the terms needed for the tangent.
void measure_line(const ElementLoads::Data& data, const State& x, LinePart& line);
void compute_line(ElementLoads::Data& data, const State& x, const Kinematics& kin, double command, LinePart& line);
void add_line_tangent(const ElementLoads::Data& data, const LinePart& line, MatrixXd& by_pose, MatrixXd& by_velocity);
double line_energy(const LinePart& line);
// Value of a channel.
double channel_value(const ElementLoads::Data& data, const State& x, const Kinematics& kin, const StateChannel& c);

void compute_bushing(const ElementLoads::Data& data, BushingPart& part, Vector12& wrench);
void compute_bushing_tangent(const ElementLoads::Data& data, const BushingPart& part, Matrix12& by_pose,
                             Matrix12& by_velocity);
void compute_contact(const ElementLoads::Data& data, ContactPart& part, Vector12& wrench);
void compute_contact_tangent(const ElementLoads::Data& data, const ContactPart& part, Matrix12& by_pose,
                             Matrix12& by_velocity);
// Computes the contact at x and updates its phase and grip.  Returns whether they changed.
bool update_contact(const State& x, ElementLoads::Data& data, ContactPart& part);

}  // namespace limber

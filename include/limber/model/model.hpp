// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "limber/body/body.hpp"
#include "limber/model/joint_kind.hpp"
#include "limber/model/read_only.hpp"
#include "limber/spatial/status.hpp"

namespace limber {

enum class Fidelity { ruthless, full, stiffened };  // theory §2, Fidelity

const char* to_string(Fidelity fidelity);  // as in model files

inline constexpr int kBodyFrame = -1;  // as a node index: the frame of the body itself
inline constexpr int kGround = 0;      // bodies[0]: the world

// A node of a body, or the frame of the body itself.
struct NodeRef {
  int body = kGround;
  int node = kBodyFrame;
};

// Travel limits of a joint: at each, a spring and a damper push back and never pull.
struct JointStop {
  double lower = 0, upper = 0;  // may be infinite
  double stiffness = 0, damping = 0;
};

struct Drive;          // motor, gear and brake: model/drive.hpp
struct JointFriction;  // model/friction.hpp

// The joint that carries one body.  theory §3.
struct Joint {
  std::string name = {};
  JointKind kind = JointKind::fixed;
  Vector3d axis = Vector3d::UnitZ();   // unit length, in the frame on the parent and, unless universal, on the child
  Vector3d axis2 = Vector3d::UnitX();  // universal: unit length, in the frame on the child
  NodeRef parent = {};                 // where frame O+ is
  Pose origin = {};                    // O+ in the parent's node frame
  int child_node = kBodyFrame;         // where frame O is on the child
  // (speed_count); the stiffness of a quaternion's rotation is one number
  VectorXd stiffness = {}, damping = {}, armature = {};
  double effort_limit = 0, velocity_limit = 0;  // 0: none
  std::optional<JointStop> stop = {};           // travel limits; kinds with one coordinate
  std::shared_ptr<const Drive> drive = {};      // nullptr: forces act on the joint itself
  std::shared_ptr<const JointFriction> friction = {};
  int q = 0, v = 0;  // first coordinate and first speed; the modes of the body follow
};

// A cut joint of a closed chain between two nodes.
struct Closure {
  std::string name = {};
  JointKind kind = JointKind::fixed;
  Vector3d axis = Vector3d::UnitZ();
  Vector3d axis2 = Vector3d::UnitX();
  NodeRef a = {}, b = {};
};

// Elimination of the modes of a body in the articulated-body recursion.  theory §5.
enum class Elimination {
  automatic,  // active if they are fewer than the modes
  all_modes,  // every mode is an unknown of the elimination
  active,     // the combinations of modes that move an outboard node, if the body allows it
};

struct ForceElements;   // springs, bushings, ropes between nodes: model/elements.hpp
struct Contacts;        // model/contacts.hpp
struct SegmentedBeams;  // beams cut into several bodies: model/segments.hpp
struct Layout;          // the machine in the order of the sweeps: model/detail/layout.hpp

// The machine.  Built by ModelBuilder and validated.  The sweeps use tables derived from it (`layout`).  The data on
// which these depend are therefore read-only; the set_ functions below check changes, and update
// the tables.
struct Model {
  std::string name;
  Vector3d gravity = Vector3d::Zero();  // a change takes effect immediately
  ReadOnly<Fidelity> fidelity = Fidelity::full;
  ReadOnly<std::vector<std::shared_ptr<const Body>>> bodies;  // parent before child; bodies[0] is the ground
  ReadOnly<std::vector<std::string>> body_names;              // equal bodies may share their data, but not their name
  ReadOnly<std::vector<Joint>> joints;                        // joints[i] carries bodies[i]
  ReadOnly<std::vector<Closure>> closures;
  std::shared_ptr<const ForceElements> elements;   // nullptr: none
  std::shared_ptr<const Contacts> contacts;        // nullptr: none
  std::shared_ptr<const SegmentedBeams> segments;  // nullptr: none
  int nq = 0, nv = 0;
  ReadOnly<std::vector<std::string>> coordinates;  // (nq) "shoulder", "base.qw", "boom.bending_y1"
  ReadOnly<std::vector<std::string>> speeds;       // (nv) "shoulder", "base.wx", "boom.bending_y1"
  std::shared_ptr<const Layout> layout;

  int body_count() const { return static_cast<int>(bodies.size()); }                      // with the ground
  const Body& body(int i) const { return *bodies[i]; }                                    // 0: the ground
  int first_mode(int i) const { return joints[i].v + speed_count(joints[i].kind); }       // in v
  int first_mode_q(int i) const { return joints[i].q + position_count(joints[i].kind); }  // in q
  int find_body(const std::string& body_name) const;                                      // -1: none
  int find_joint(const std::string& joint_name) const;  // index of the body it carries, -1: none

  // By name.  Throws InputError for an unknown name; the message lists the known ones.
  int body_index(const std::string& body_name) const;
  int joint_index(const std::string& joint_name) const;  // in joints: also the body that it carries
  int closure_index(const std::string& closure_name) const;
  NodeRef node(const std::string& path) const;               // "fore.tip"; "fore": the body's frame; "world"
  int coordinate(const std::string& coordinate_name) const;  // in q: "elbow", "base.qw", "boom.bending_y1"
  int speed(const std::string& speed_name) const;            // in v: "elbow", "base.wx", "boom.bending_y1"

  // Limits of a joint's effort and velocity; 0: none.
  void set_limits(int joint, double effort, double velocity);
  // Adds a closure, with its nodes by the indices of the model.  Make new workspaces of closures afterwards.
  void add_closure(Closure closure);
  // Replaces body i by one with as many modes and the same nodes by name: all indices remain.  Only its own
  // constants are computed; the result equals a build with this body bit for bit.  Make new workspaces afterwards.
  void set_body(int i, Body body);
};

// The model with a rigid load on a node ("fore.tip") or a body's frame ("hub"); see with_payload of bodies.  Indices
// remain; start from the bare model to change the load.
Model with_payload(const Model& bare, const std::string& node, const RigidSpec& load);

// The state: time, coordinates, speeds; nothing derived.
struct State {
  double t = 0;
  VectorXd q = {}, v = {};
};

// All zero, quaternions the identity.
State make_zero_state(const Model& model);

// Throws InputError if a size is wrong, a number or the time is not finite, or a quaternion's norm is not 1 (to 1e-6).
void check_state(const Model& model, const State& x);

// Collects bodies and joints, checks them, and builds a Model.  Every InputError names the item.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "") { model_.name = std::move(name); }
  ModelBuilder& gravity(const Vector3d& g);  // m/s^2, in world; default none
  ModelBuilder& fidelity(Fidelity f);        // `stiffened` requires bodies with second-order shapes
  // Bodies in any order, with distinct names; joints parents first, one per body.  The number returned by add_body
  // counts its calls from 1 and is for the other calls of this builder only: the model has its bodies in the order of
  // their joints (Model::body_index).
  int add_body(Body body);
  // By names: the parent is "world", a body ("upper") or a node ("upper.tip"); the child is a body or a node.
  void add_joint(Joint joint, const std::string& parent, const std::string& child);
  void add_closure(Closure closure, const std::string& a, const std::string& b);
  // By numbers from add_body, or kGround, in `child`, joint.parent.body, closure.a.body and closure.b.body.
  void add_joint(Joint joint, int child);
  void add_closure(Closure closure);
  // Default: the cheaper one for each body.  `active` requires a diagonal modal mass and the joint on the body frame.
  ModelBuilder& elimination(Elimination choice);
  // Orders the bodies as their joints, numbers the coordinates, validates the model, prepares the sweeps.
  Model build() const;

 private:
  NodeRef find_node(const std::string& item, const std::string& path) const;
  void place_bodies(Model& model, std::vector<int>& place) const;
  void place_closures(const std::vector<int>& place, Model& model) const;

  Model model_;
  std::vector<std::shared_ptr<const Body>> bodies_;
  std::vector<std::string> body_names_;
  std::vector<int> children_;  // per joint
  std::unordered_set<int> carried_;
  Elimination elimination_ = Elimination::automatic;
  std::unordered_map<std::string, std::shared_ptr<const Body>> known_bodies_;  // by content
};

}  // namespace limber

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
#include "limber/spatial/status.hpp"

namespace limber {

enum class JointKind { fixed, revolute, prismatic, cylindrical, universal, spherical, free };
enum class Fidelity { ruthless, full, stiffened };  // theory §2, Fidelity

const char* to_string(JointKind kind);
const char* to_string(Fidelity fidelity);
int position_count(JointKind kind);  // coordinates in q: 4 for a quaternion
int speed_count(JointKind kind);     // speeds in v

inline constexpr int kBodyFrame = -1;  // in place of a node index: the frame of the body itself
inline constexpr int kGround = 0;      // bodies[0]: the world

// A frame somewhere on the machine.
struct NodeRef {
  int body = kGround;
  int node = kBodyFrame;
};

// Ends of a joint's way, each a spring and a damper that push back and never pull.
struct JointStop {
  double lower = 0, upper = 0;  // may be infinite
  double stiffness = 0, damping = 0;
};

// The joint that carries one body.  theory §3.
struct Joint {
  std::string name;
  JointKind kind = JointKind::fixed;
  Vector3 axis = Vector3::UnitZ();   // unit length, in the frame on the parent (and, but for universal, on the child)
  Vector3 axis2 = Vector3::UnitX();  // universal: unit length, in the frame on the child
  NodeRef parent;                    // where frame O+ sits
  Pose origin;                       // O+ in the parent's node frame
  int child_node = kBodyFrame;       // where frame O sits on the child
  VectorX stiffness, damping, armature;         // (speed_count); the stiffness of a quaternion's rotation is one number
  double effort_limit = 0, velocity_limit = 0;  // 0: none
  std::optional<JointStop> stop;                // revolute, prismatic
  int q = 0, v = 0;                             // first coordinate and first speed; the modes of the body follow
};

// A cut joint of a closed chain between two nodes.
struct Closure {
  std::string name;
  JointKind kind = JointKind::fixed;
  Vector3 axis = Vector3::UnitZ();
  Vector3 axis2 = Vector3::UnitX();
  NodeRef a, b;
};

// How the modes of a body are eliminated in the articulated-body recursion.  theory §5.
enum class Elimination { automatic, cholesky, condensed };

struct Layout;  // the machine in the order in which the sweeps walk it: model/layout.hpp

// The machine.  Built by ModelBuilder, validated, then only ever const.
struct Model {
  std::string name;
  Vector3 gravity = Vector3::Zero();
  Fidelity fidelity = Fidelity::full;
  std::vector<std::shared_ptr<const Body>> bodies;  // parent before child; bodies[0] is the ground
  std::vector<std::string> body_names;              // equal bodies may share their data, never their name
  std::vector<Joint> joints;                        // joints[i] carries bodies[i]
  std::vector<Closure> closures;
  int nq = 0, nv = 0;
  std::vector<std::string> coordinates;  // (nq) "shoulder", "base.qw", "boom.bending_y1"
  std::vector<std::string> speeds;       // (nv) "shoulder", "base.wx", "boom.bending_y1"
  std::shared_ptr<const Layout> layout;

  int body_count() const { return static_cast<int>(bodies.size()); }  // with the ground
  const Body& body(int i) const { return *bodies[i]; }
  int first_mode(int i) const { return joints[i].v + speed_count(joints[i].kind); }       // in v
  int first_mode_q(int i) const { return joints[i].q + position_count(joints[i].kind); }  // in q
  int find_body(const std::string& body_name) const;                                      // -1: none
  int find_joint(const std::string& joint_name) const;  // index of the body it carries, -1: none
};

// What a stepper moves; nothing derived.
struct State {
  double t = 0;
  VectorX q, v;
};

// All zero, quaternions the identity.
State make_zero_state(const Model& model);

// Throws InputError when a size is wrong, a number is not finite, or a quaternion has no length 1 (to 1e-6).
void check_state(const Model& model, const State& x);

// Collects bodies and joints, checks them, and makes a Model.  Every InputError names the item.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "") { model_.name = std::move(name); }
  ModelBuilder& gravity(const Vector3& g);
  ModelBuilder& fidelity(Fidelity f);  // before the bodies: `stiffened` wants second-order shapes
  // Bodies in any order; joints parents first, one per body.  A returned index counts from 1, in the order of calls.
  int add_body(Body body);
  // The joint that carries `child` (an index from add_body).  joint.parent.body is such an index or kGround.
  void add_joint(Joint joint, int child);
  void add_closure(Closure closure);
  // Default: the cheaper one, body by body.  `condensed` where it applies (diagonal modal mass, joint on the frame).
  ModelBuilder& elimination(Elimination choice);
  // Orders the bodies as their joints, numbers the coordinates, checks the whole, prepares the sweeps.
  Model build() const;

 private:
  Model model_;
  std::vector<std::shared_ptr<const Body>> bodies_;
  std::vector<std::string> body_names_;
  std::vector<int> children_;  // per joint
  std::unordered_set<int> carried_;
  Elimination elimination_ = Elimination::automatic;
  std::unordered_map<std::string, std::shared_ptr<const Body>> known_bodies_;  // by content
};

}  // namespace limber

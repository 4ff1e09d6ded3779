// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/detail/four_bodies.hpp"
#include "limber/model/model.hpp"

namespace limber {

struct PackedPose {
  Mat3 R;
  Vec4d p;
};

inline PackedPose pack(const Pose& X) { return {pack(X.R), to_vec4d(X.p)}; }
inline Pose to_pose(const PackedPose& X) { return {to_matrix(X.R), to_vector(X.p)}; }
LIMBER_INLINE PackedPose operator*(const PackedPose& a, const PackedPose& b) { return {a.R * b.R, a.R * b.p + a.p}; }

// An elastic transmission between a joint and its motor, whose angle is a coordinate after those of all bodies.
// theory §3, Drives.
struct Transmission {
  int q = 0, v = 0;  // coordinate and speed of the motor, from those of the joint; 0: there is none
  double ratio = 1, inertia = 0, stiffness = 0, damping = 0;
  double per_turn = 1;  // 1 / ratio
  double gap = 0;       // half the backlash: spring and damper act where |phi| > gap, and only push there
  // phi = q_motor / n - q, and its rate.
  double twist(const double* joint_q) const { return joint_q[q] * per_turn - joint_q[0]; }
  double rate(const double* joint_v) const { return joint_v[v] * per_turn - joint_v[0]; }
  // Twist of the spring, signed.
  double deflection(double phi) const {
    if (gap == 0) return phi;
    return phi > gap ? phi - gap : phi < -gap ? phi + gap : 0;
  }
  // Torque at the joint.
  double torque(const double* joint_q, const double* joint_v) const {
    const double x = deflection(twist(joint_q)), out = stiffness * x + damping * rate(joint_v);
    return gap == 0 || out * x > 0 ? out : 0;
  }
  // Whether spring and damper act.
  bool touches(const double* joint_q, const double* joint_v) const { return gap == 0 || torque(joint_q, joint_v) != 0; }
};

// A rotor whose spin acts on its supporting body.  theory §3, Drives.
struct Rotor {
  bool spins = false;
  Vec4d axis = zero();  // in the inboard frame: that of the parent, or of its moving node
  double inertia = 0, ratio = 0;
};

// One body and the joint that carries it.
struct Link {
  const BodyConstants* constants = nullptr;
  int parent = kGround;
  int attachment = -1;  // the moving node of the parent on which the joint sits; -1: rigid on the parent's frame
  int inboard = -1;     // the moving node of the body on which the joint sits; -1: rigid on its frame
  JointKind kind = JointKind::fixed;
  int nr = 0, n = 0;                             // hinge speeds, modes
  int q = 0, v = 0;                              // first hinge coordinate and speed
  int qm = 0, vm = 0;                            // first modal coordinate and speed
  int attachment_begin = 0, attachment_end = 0;  // the moving nodes of this body that carry others
  int columns = 0;                               // where the body's columns [F; S] start in a workspace
  int inboard_columns = 0;        // where the columns U of its inboard attachment start, when inboard >= 0
  int scalars = 0;                // where its modal numbers start in a workspace: a multiple of kLanes
  int varying = -1;               // where its hinge map starts in a workspace if it varies; -1: H is constant
  int angle = -1;                 // where a workspace holds the sine of its angle, and kLanes further the cosine
  bool fixed_axis = false;        // fixed, revolute, prismatic, cylindrical: compute_fixed_axis
  bool quaternion = false;        // q begins with a quaternion: spherical, free
  bool varies = false;            // H depends on q, like that of a universal joint
  bool pivots = false;            // one rotation about a fixed axis through the body's origin
  bool opens_attachment = false;  // the first on its attachment in an inward sweep
  Elimination elimination = Elimination::all_modes;

  // Pose of the child side in the inboard frame.  "Child side" is the body frame F, or the joint frame O when inboard
  // >= 0.
  //   revolute, prismatic, cylindrical, fixed:  K0 + cos q1 K1 + sin q1 K2, + slide q_last
  //   universal:                                (K0 + cos q1 K1 + sin q1 K2) (L0 + cos q2 L1 + sin q2 L2)
  //   spherical, free:                          K0 X_J(q) L0
  //   kinds that a program added:               K0 exp(H1 q1) ... exp(Hn qn)
  PackedPose K[3], L[3];
  Vec4d slide = zero();
  Vec4d axis = zero(), axis2 = zero();  // universal: in O+ and on the child side
  Spatial H[6];                         // motion map on the child side; where it varies: at q = 0

  bool passive = false;  // has a spring or a damper
  double stiffness[6] = {}, damping[6] = {}, armature[6] = {};
  Transmission motor;
  Rotor rotor;
};

// A moving node that carries other bodies.
struct OutboardAttachment {
  int body = 0;
  int node = 0;
  int columns = 0;  // where its columns start in a workspace
  bool opened = false;
};

// Up to four bodies of the same form, anywhere in the tree: computations that need no neighbour are done together, a
// body in each lane.  The last group of a form is padded with its first body.
struct BodyGroup {
  std::array<int, kLanes> bodies{};
  std::array<int, kLanes> scalars{}, columns{};  // as in Link
  std::array<int, kLanes> qm{}, vm{};            // as in Link
  int n = 0, ne = 0;                             // modes, modes and products of modes of each
  int shapes = 0;  // where a workspace has numbers per mode and product of modes, padded to whole registers
  const FourBodies* constants = nullptr;
};
// The same with outboard attachments of bodies with n modes.
struct NodeGroup {
  std::array<int, kLanes> attachments{}, bodies{};
  std::array<int, kLanes> scalars{}, columns{};  // of the bodies, as in Link; as in OutboardAttachment
  std::array<int, kLanes> qm{}, vm{};            // of the bodies, as in Link
  int n = 0;
  int modes = 0;  // where a workspace has vectors per mode, padded likewise
  const FourNodes* constants = nullptr;
};

// The machine in the order of the sweeps.
struct Layout {
  std::vector<Link> links;  // links[0]: the ground, without constants
  std::vector<OutboardAttachment> attachments;
  std::vector<std::shared_ptr<const BodyConstants>> constants;  // equal bodies share one
  std::vector<BodyGroup> groups;
  std::vector<NodeGroup> node_groups;
  std::vector<std::shared_ptr<const FourBodies>> four_bodies;  // groups of equal bodies share one
  std::vector<std::shared_ptr<const FourNodes>> four_nodes;    // and so do those of equal nodes
  std::vector<int> motors, rotors;  // bodies whose joints have an elastic transmission; a rotor that spins
  std::vector<int> angles;  // coordinates that are angles of joints with a fixed axis, padded to whole registers
  int group_shapes = 0, group_modes = 0;      // sizes of the workspaces
  int columns = 0, scalars = 0, varying = 0;  // sizes of the workspaces
  int max_modes = 0, max_extended = 0, max_attachments = 0;
  bool ruthless = false, stiffened = false;
  Elimination choice = Elimination::automatic;
};

// `before`: the layout of a model that shares bodies with this one at the same indices; their constants are reused.
Layout make_layout(const Model& model, Elimination choice, const Layout* before = nullptr);

// Groups of four, in the order of the bodies; by make_layout.
void set_groups(Layout& layout);

// Poses and motion map of theory §3, with everything constant multiplied out.  A: pose of O+ in the carrier; B: pose of
// the child side in O.
void set_hinge(const Joint& joint, const Pose& A, const Pose& B, Link& link);

// The motion of a joint at a state.
struct Hinge {
  PackedPose pose;    // of the child side in the inboard frame
  Spatial V = {};     // H beta, on the child side
  Spatial rate = {};  // (dH/dt) beta as seen from the child side
};

// Joints with a fixed axis; turn: the sine of the angle, and kLanes further its cosine.
LIMBER_INLINE void compute_fixed_axis(const Link& link, const double* q, const double* v, const double* turn,
                                      Hinge& out) {
  const PackedPose* K = link.K;
  if (link.angle >= 0) {
    const Vec4d s = spread(turn[0]), c = spread(turn[kLanes]);
    out.pose.R.c[0] = K[0].R.c[0] + c * K[1].R.c[0] + s * K[2].R.c[0];
    out.pose.R.c[1] = K[0].R.c[1] + c * K[1].R.c[1] + s * K[2].R.c[1];
    out.pose.R.c[2] = K[0].R.c[2] + c * K[1].R.c[2] + s * K[2].R.c[2];
    out.pose.p = K[0].p + c * K[1].p + s * K[2].p;
    out.V = link.H[0] * v[0];
    if (link.nr == 1) return;
  } else {
    out.pose = K[0];
    out.V = zero_spatial();
    if (link.nr == 0) return;
  }
  out.pose.p += link.slide * spread(q[link.nr - 1]);
  out.V += link.H[link.nr - 1] * v[link.nr - 1];
}
// All others.  theory §3.  `q`, `v`: the joint's own coordinates and speeds.  Writes H where it moves with q
// (link.varying >= 0).
void compute_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out);

// For each motor of an elastic transmission: its link, its coordinate and its speed.
template <typename Each>
LIMBER_INLINE void for_motors(const Layout& layout, Each each) {
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    each(link, link.q + link.motor.q, link.v + link.motor.v);
  }
}
// The torque of the transmission on the motor.
LIMBER_INLINE double motor_reaction(const Link& link, const double* q, const double* v) {
  return -link.motor.per_turn * link.motor.torque(q + link.q, v + link.v);
}

// Forces of the joint's springs and dampers on its speeds; energy of its springs.
void add_passive_force(const Link& link, const double* q, const double* v, double* force);
double spring_energy(const Link& link, const double* q);

}  // namespace limber

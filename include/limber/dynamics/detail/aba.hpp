// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// A 3x3 block by columns.  Named, because compilers keep arrays of registers in memory.
struct Block {
  Vec4d x, y, z;
};

// A symmetric 6x6 matrix [A, B; B^T, C].  In the recursion the fourth lanes carry a wrench z beside it: z_ang in those
// of A, z_lin in those of B.
struct Inertia {
  Block A, B, C;
};

// A body, or an outboard attachment, at a state, in world basis.
struct WorldFrame {
  Mat3 R;               // rotation
  Vec4d l;              // origin, from that of the parent body; of an attachment: from that of its own body
  Vec4d w, wdot, vdot;  // angular velocity; its rate and the acceleration of the origin, less gravity, when all speeds
                        // keep constant
};

// What the recursion keeps of one body, at its origin, in world basis.  theory §5; letters as there.
struct alignas(64) ArticulatedBody {  // a sweep touches one line of the cache
  Spatial z;  // solve_factored, prescribed joints: bias wrench, then that of the joint side              inward
  Spatial a;  // acceleration of the body frame beyond the bias                                           outward
};

// What it keeps of an outboard attachment, at the origin of its body, too.
struct ArticulatedAttachment {
  Spatial z;  // solve_factored: bias wrench                                                              inward
};
// What an attachment carries, from the elimination of the first body on it to that of its own.
struct CarriedInertia {
  Inertia Gamma;  // articulated inertia, with its bias wrench
  Block Bt;       // transpose of its block B
};

// The unknowns x of one body: its modes, or the active ones among their combinations, then its hinge.
struct Unknowns {
  int modes = 0;          // all n, or the number of active coordinates
  int chunks = 0;         // registers that hold a column of D
  std::size_t begin = 0;  // where numbers and columns per unknown start, a multiple of kLanes
  std::size_t D = 0;      // where D_0 and L start
  std::size_t hinge = 0;  // where the hinge map starts
  int shapes = 0;         // where four_F has its modes, and in which lane
  int lane = 0;
  int group = 0;
  bool active = false;
};

// Active coordinates of one body: eta = T x + (1 - T T^T G) ..., of which x alone moves the outboard attachments.
struct ActiveModes {
  std::vector<double, Vec4dAllocator> T;       // (active x n padded) columns
  std::vector<double, Vec4dAllocator> weight;  // (n padded) inverse of the diagonal modal mass
  double lost_ang = 0, lost_lin = 0;           // traces of what the other modes take from the inertia     by start
};

// The same of four bodies (BodyGroup), in their own bases.
struct GroupModes {
  bool active = false;           // that of some body
  int k = 0;                     // the most mode columns of a body
  Vec4d minus = {};              // -1 where the body has active coordinates, else 0
  std::vector<Vec4d> T, weight;  // (k x n), (n)
  struct Span {
    int begin = 0, end = 0;
  };
  std::vector<Span> spans;                                              // (k) modes that a coordinate is made of
  enum class Form : std::uint8_t { any, beams, ten } form = Form::any;  // which loops fit: coordinates.hpp
  std::vector<FourSpatial> mu;        // (k) the bodies' own coupling; the linear part is constant   by start
  FourSymmetric lost_A = {}, C = {};  // what the other modes take from A, what they leave of C      by start
  FourMatrices lost_B = {};           // what they take from B                                       by start
};

// A column of the same attachment of four bodies: its turn about an axis, its displacement along one.
struct AxisColumns {
  Vec4d ang, lin;
  int turn, move;  // axes
};

// Implicit steps: what set_implicit adds to inertias.
struct ImplicitTerms {
  bool active = false;
  double c_D = 0, c_K = 0;
  VectorXd hinge_added;        // (nv) to D of hinges
  VectorXd coupling;           // (nv) of motors to their joints, at the motors
  std::vector<Vec4d> D_added;  // (at Unknowns::D) c_D D + c_K K of the modes, where the modal mass depends on the state
};

// A rotor that spins, at a state.  With its parent's angular acceleration a it adds g axis to the coupling of the
// hinge, inertia axis axis^T and the torque `wrench` to what the parent feels.  theory §3, Drives.
struct RotorStep {
  Vec4d axis = zero();    // in world
  Vec4d wrench = zero();  // torque that it asks of its parent when accelerations beyond the bias are zero
  double g = 0, inertia = 0;
  double bias = 0;  // acceleration of its spin in the bias motion
};

struct AbaData;

// What the last call left in a workspace.
enum class AbaStage : std::uint8_t {
  none,           // nothing that others may use
  factors,        // of the mass matrix
  accelerations,  // the same, and the accelerations of all bodies under forces and bias
};

// Where one body has what the sweeps read and write, and the kernels for its numbers of unknowns.
struct BodyStep {
  int (*eliminate)(const BodyStep& step, const double* given, double least, AbaData& ws) = nullptr;
  void (*accelerate)(const BodyStep& step, AbaData& ws, double* vdot) = nullptr;
  const Link* link = nullptr;
  const WorldFrame* frame = nullptr;
  ArticulatedBody* body = nullptr;
  const Inertia* P = nullptr;               // of the body and what its frame carries
  const Spatial* inboard_a = nullptr;       // acceleration of what the joint sits on
  CarriedInertia* inboard = nullptr;        // that of the attachment it sits on, or null
  Inertia* parent = nullptr;                // where it hands its inertia over to; null: the ground
  Spatial* outboard_a = nullptr;            // accelerations of the outboard attachments
  const CarriedInertia* carried = nullptr;  // what they carry
  const Spatial* W[2] = {};                 // columns of the first two of them
  const OutboardAttachment* outboard = nullptr;
  const Spatial *mu = nullptr, *H = nullptr;
  const RotorStep* rotor = nullptr;  // of its drive, where it spins, or null
  const Spatial* U = nullptr;        // columns of the body frame, where a moving node holds it, or null
  Spatial* Z = nullptr;
  const Vec4d* D_0 = nullptr;
  Vec4d* L = nullptr;
  double *d_inverse = nullptr, *b = nullptr, *x = nullptr;  // b: of the hinge
  int i = 0, k = 0, r = 0, carrying = 0, chunks = 0;  // body; modes or active coordinates, hinge speeds, attachments
  int v = 0, vm = 0;                                  // as in Link
  double bounded = 0;  // 1: U = 0 and a diagonal modal mass, so that no load makes pivots of modes smaller than that
  double no_mode = 0;  // else the share of D_jj that is no inertia of a mode
  bool active = false;
  bool opens = false;  // the first on its attachment
};

// A turn about an axis through the body's origin: the rotation in the inboard frame is K0 + cos q K1 + sin q K2.
struct PivotJoint {
  Mat3 K[3];
  Vec4d p;     // the body's origin
  Vec4d axis;  // in the body
};

// Where one body has what its motion needs and leaves.
struct MotionStep {
  const Link* link = nullptr;
  const PivotJoint* pivot = nullptr;  // null: another kind of joint
  const WorldFrame* from = nullptr;   // what its joint sits on
  WorldFrame* frame = nullptr;
  Spatial* H = nullptr;
  const double *turn = nullptr, *speed = nullptr;  // of a pivot: sine, and kLanes further on the cosine; its rate
  const AttachmentFrame* attachments = nullptr;    // outboard ones
  WorldFrame* outboard = nullptr;
  int carrying = 0;
  bool on_node = false;
  bool same_origin = false;  // of what a pivot sits on
  bool renewed = false;      // every 16th body of a path: its rotation is made orthogonal again
};

// Where the four bodies of a BodyGroup have what they read and write together.
struct GroupStep {
  const WorldFrame* frame[kLanes] = {};
  const double *q[kLanes] = {}, *v[kLanes] = {}, *u[kLanes] = {};  // from the first mode on
  Inertia* P[kLanes] = {};
  Spatial* columns[kLanes] = {};  // mu
  Spatial* a[kLanes] = {};
  const double* x[kLanes] = {};
};
// The same of a NodeGroup.
struct NodeStep {
  const WorldFrame* frame[kLanes] = {};
  const double *q[kLanes] = {}, *v[kLanes] = {};
  AttachmentFrame* at[kLanes] = {};
  Spatial* columns[kLanes] = {};  // W
};

// Bodies that the sweeps take together: what their groups compute is in the cache when they read it.
struct SweepBlock {
  int begin = 0, end = 0;  // bodies
  int placed = 0;          // how many of `places` come before their motion,
  int started = 0;         // of `starts` before their elimination,
  int expanded = 0;        // of `expands` after their accelerations
};

// The data of AbaData itself.
struct AbaArrays {
  explicit AbaArrays(const Model& model);
  Kinematics kin;                  // those of the last call, by complete_kinematics
  std::vector<double> q, v, u;     // the state and the forces, with room behind them
  std::vector<WorldFrame> frames;  // (body)
  std::vector<Spatial> H;          // (at Unknowns::hinge) motion maps, at the bodies' origins
  std::vector<Spatial> U;          // (at link.inboard_columns) columns of the body frame, where a moving node holds it
  std::vector<ArticulatedBody> bodies;
  std::vector<ArticulatedAttachment> attachments;
  std::vector<Inertia> joint_P;  // (body) P+ of prescribed joints                                 inward
  // Scratch in which bodies and attachments take turns in few places, which stay in the cache (places.cpp): by start,
  std::vector<Inertia> P;                     // of bodies and what their frames carry, until their elimination
  std::vector<Spatial> mu;                    // their own coupling, in the fourth lane b
  std::vector<CarriedInertia> carried;        // of attachments, until the elimination of their bodies
  std::vector<AttachmentFrame> placed;        // attachments as their bodies see them, until those move
  std::vector<WorldFrame> attachment_frames;  // until the last body on them moves
  std::vector<Spatial> attachment_a;          // accelerations beyond the bias, until that body has its own
  std::vector<int> body_places;               // (body) in P and, body_columns each, in mu
  std::vector<int> carried_places;            // (outboard attachment) in carried
  std::vector<int> attachment_places;         // (outboard attachment) in placed, attachment_frames and attachment_a
  int body_columns = 0;
  bool keeps_attachments = false;         // sliders, `ruthless`: attachments stay in kin instead of `placed`
  std::vector<int> turning;               // (outboard attachment) how many columns of its body turn it; first ones
  std::vector<Unknowns> unknowns;         // (body)
  std::vector<ActiveModes> active;        // (body)
  State rest;                             // all zero
  std::vector<GroupModes> group_modes;    // (group)
  std::vector<FourSpatial> node_columns;  // (at node_group.modes) columns of undeformed attachments per unknown
  std::vector<AxisColumns> axis_columns;  // (at node_group.modes) the same, where both parts are along axes
  std::vector<int> node_unknowns;         // (node group) the most mode columns of a body
  std::vector<int> node_turning;          // (node group) those of them that turn the attachment come first
  std::vector<std::uint8_t> node_axes;    // (node group) axis_columns serve
  std::vector<Spatial> W;                 // (at attachment.columns) columns of attachments, at the origin   by start
  std::vector<Vec4d> D_0;                 // (at Unknowns::D) modal mass, armature
  std::vector<Vec4d> L;                   // (at Unknowns::D) D = L d L^T                                    inward
  std::vector<double> d_inverse;          // (unknown)                                                       inward
  std::vector<Spatial> Z;                 // (unknown) rows of D^-1 mu^T, in the fourth lane D^-1 b          inward
  std::vector<double> hinge_b;            // (at Unknowns::hinge) bias forces: D x + mu^T a + b = 0     by start
  std::vector<double, Vec4dAllocator> b;  // (unknown) the same of modes: solve_factored
  std::vector<Vec4d> four_b;              // (at group.shapes) those of the modes of active bodies     by start
  std::vector<double, Vec4dAllocator> b_modal;  // (at link.scalars) the same body by body: solve_factored
  std::vector<std::uint8_t> prescribed;         // (body) its hinge is prescribed, not eliminated           inward
  bool has_prescribed = false;                  // that of some body                                        inward
  std::vector<std::uint8_t> loaded;             // (body) a wrench waits in its z                           by start
  std::vector<double, Vec4dAllocator> x;        // (unknown) accelerations of active bodies; scratch behind them
  std::vector<Vec4d> D;                         // scratch of one body
  std::vector<Spatial> g;                       // (attachment of a body) the same
  std::vector<double, Vec4dAllocator> modal;    // the same
  std::vector<Spatial> node_scratch;            // (mode) the same
  std::vector<Vec4d> group_b;                   // scratch of four bodies
  std::vector<FourVectors> group_F;             // the same
  ImplicitTerms implicit;
  bool constant_columns = false;  // `ruthless`: mu of all groups are there
  VectorXd tau, zero;             // (nv) scratch
  int failure = -1;               // index of the speed without inertia, after Status::singular_mass
  bool failure_is_number = true;  // its pivot was, so that inertia is what is missing
  AbaStage stage = AbaStage::none;
  std::uint64_t stamp = 0;  // kin.stamp that `stage` belongs to

  std::vector<RotorStep> rotors;         // (layout.rotors)                                                  by start
  std::vector<BodyStep> steps;           // (body)
  std::vector<PivotJoint> pivots;        // equal ones are read from one place
  std::vector<MotionStep> motion_steps;  // (body, from 1 on)
  std::vector<GroupStep> group_steps;    // (group)
  std::vector<NodeStep> node_steps;      // (node group)
  std::vector<SweepBlock> blocks;        // from the base on
  std::vector<int> places, starts, expands;  // node groups; groups and, as -1 - g, node groups; active groups
  std::vector<int> hinge_speeds;             // (at Unknowns::hinge)
  std::vector<int> passive;                  // bodies whose joints have a spring or a damper
};

struct AbaData : AbaArrays {
  explicit AbaData(const Model& model);
  AbaData(const AbaData& other);
  AbaData& operator=(const AbaData& other) = delete;

  void set_stage(AbaStage reached) {
    stage = reached;
    stamp = kin.stamp;
  }
  // Throws InputError, naming the caller, where the last call with this workspace left less than `needed`.
  void check_stage(const Model& model, AbaStage needed, const char* caller) const;
};

// The motion of all bodies at a state, in world basis; kin has the state and the relative motion of nodes, its frames
// are left alone.
void compute_motion(const Model& model, const State& x, AbaData& ws);
// All of kin at the state of the last call, without wrenches on nodes.
void complete_kinematics(AbaData& ws);

// f_R = P_R a_R + z_R: the wrench that a prescribed joint passes, after a sweep that left the accelerations.
Spatial joint_wrench(const Layout& layout, int i, const AbaData& ws, const double* vdot);

}  // namespace limber

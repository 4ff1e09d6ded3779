// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// A 3x3 block by columns.  Named members, because compilers keep arrays of registers in memory.
struct Block {
  Vec4d x, y, z;
};

// A symmetric 6x6 matrix [A, B; B^T, C].  In the recursion, the fourth lanes hold a wrench z: z_ang in those of A,
// z_lin in those of B.
struct Inertia {
  Block A, B, C;
};

// Motion of a body or of an outboard attachment at a state, in world basis.
struct WorldFrame {
  Mat3 R;               // rotation
  Vec4d l;              // origin, relative to that of the parent body; for an attachment, to that of its own body
  Vec4d w, wdot, vdot;  // angular velocity; its rate, and the acceleration of the origin minus gravity, both at
                        // constant speeds
};

// Result of the recursion for one body, at its origin, in world basis.  Letters of theory §5.
struct alignas(64) ArticulatedBody {  // a sweep touches one cache line
  Spatial z;  // solve_factored, prescribed joints: bias wrench, then that on the joint side              inward
  Spatial a;  // acceleration of the body frame beyond the bias                                           outward
};

// The same for an outboard attachment, at the origin of its body.
struct ArticulatedAttachment {
  Spatial z;  // solve_factored: bias wrench                                                              inward
};
// Load of an attachment.  Valid from the elimination of the first body on it to the elimination of its own body.
struct CarriedInertia {
  Inertia Gamma;  // articulated inertia, with its bias wrench
  Block Bt;       // transpose of its block B
};

// The unknowns x of one body: its modes or active coordinates, then its hinge.
struct Unknowns {
  int modes = 0;          // all n, or the number of active coordinates
  int chunks = 0;         // registers per column of D
  std::size_t begin = 0;  // start of the scalars and columns per unknown, a multiple of kLanes
  std::size_t D = 0;      // start of D_0 and L
  std::size_t hinge = 0;  // start of the hinge map
  int shapes = 0;         // start of its modes in four_F; in this lane
  int lane = 0;
  int group = 0;
  bool active = false;
};

// Active coordinates x of one body: eta = T x + (1 - T T^T G) ..., of which only x moves the outboard attachments.
struct ActiveModes {
  std::vector<double, Vec4dAllocator> T;       // (active x n padded) columns
  std::vector<double, Vec4dAllocator> weight;  // (n padded) inverse of the diagonal modal mass
  double lost_ang = 0, lost_lin = 0;           // traces of the inertia that the other modes subtract     by start
};

// The same for four bodies (BodyGroup), in their own bases.
struct GroupModes {
  bool active = false;                          // at least one body has active coordinates
  int k = 0;                                    // maximum number of mode columns of a body
  Vec4d minus = {};                             // -1 if the body has active coordinates, else 0
  const Vec4d *T = nullptr, *weight = nullptr;  // (k x n), (n): own, or those of an equal group before
  std::vector<Vec4d> own_T, own_weight;
  struct Span {
    int begin = 0, end = 0;
  };
  std::vector<Span> spans;                                              // (k) modes that a coordinate combines
  enum class Form : std::uint8_t { any, beams, ten } form = Form::any;  // loops to use, coordinates.hpp
  std::vector<FourSpatial> mu;        // (k) coupling of the bodies alone; the linear part is constant   by start
  FourSymmetric lost_A = {}, C = {};  // what the other modes subtract from A; the remaining C      by start
  FourMatrices lost_B = {};           // what they subtract from B                                       by start
};

// A column of one attachment in each of four bodies: a rotation about one axis and a displacement along another.
struct AxisColumns {
  Vec4d ang, lin;
  int turn, move;  // axes
};

// Implicit steps: terms that set_implicit adds to the mass matrix.
struct ImplicitTerms {
  bool active = false;
  double c_D = 0, c_K = 0;
  VectorXd hinge_added;        // (nv) added to D of hinges
  VectorXd coupling;           // (nv) between motors and their joints, at the motors' indices
  std::vector<Vec4d> D_added;  // (at Unknowns::D) c_D D + c_K K of the modes, if the modal mass depends on the state
};

// A spinning rotor at a state.  It adds g axis to the coupling of the hinge with the parent's acceleration, and
// inertia axis axis^T and the torque `wrench` to the inertia and bias wrench at the parent.  theory §3, Drives.
struct RotorStep {
  Vec4d axis = zero();    // in world
  Vec4d wrench = zero();  // torque it requires from its parent if accelerations beyond the bias are zero
  double g = 0, inertia = 0;
  double bias = 0;  // spin acceleration in the bias motion
};

struct AbaData;

// Results of the last call that a workspace holds.
enum class AbaStage : std::uint8_t {
  none,           // none that other functions may use
  factors,        // of the mass matrix
  accelerations,  // factors, and accelerations of all bodies due to forces and bias
};

// Pointers to the data of one body that the sweeps read and write, and the kernels for its numbers of unknowns.
struct alignas(32) BodyStep {
  int (*eliminate)(const BodyStep& step, const double* given, double least, AbaData& ws) = nullptr;
  void (*accelerate)(const BodyStep& step, AbaData& ws, double* vdot) = nullptr;
  const Link* link = nullptr;
  const WorldFrame* frame = nullptr;
  ArticulatedBody* body = nullptr;
  const Inertia* P = nullptr;               // of the body and all bodies on its frame
  const Spatial* inboard_a = nullptr;       // acceleration at the inboard side of the joint
  CarriedInertia* inboard = nullptr;        // load of its inboard attachment, or null
  Inertia* parent = nullptr;                // receives its articulated inertia; null: the ground
  Spatial* outboard_a = nullptr;            // accelerations of the outboard attachments
  const CarriedInertia* carried = nullptr;  // their loads
  const Spatial* W[2] = {};                 // columns of the first two
  Spatial* kept_W[2] = {};                  // the same for the outward sweep: W, or where it is written past the cache
  const OutboardAttachment* outboard = nullptr;
  const Spatial *mu = nullptr, *H = nullptr;
  const RotorStep* rotor = nullptr;  // spinning rotor of its drive, or null
  const Spatial* U = nullptr;        // columns of the body frame if the joint sits on a moving node, or null
  Spatial* Z = nullptr;
  const Vec4d* D_0 = nullptr;
  Vec4d* L = nullptr;
  double *d_inverse = nullptr, *b = nullptr, *x = nullptr;  // b: of the hinge
  int i = 0, k = 0, r = 0, carrying = 0, chunks = 0;  // body; modes or active coordinates, hinge speeds, attachments
  int v = 0, vm = 0;                                  // as in Link
  double bounded = 0;  // 1: U = 0 and a diagonal modal mass, which then is a lower bound of the pivots of modes
  double no_mode = 0;  // otherwise: fraction of D_jj below which the pivot of a mode counts as zero
  bool active = false;
  bool opens = false;  // the first body eliminated on its attachment
};

// A revolute joint with its axis through the body's origin.  Rotation relative to the inboard frame:
// K0 + cos q K1 + sin q K2.
struct PivotJoint {
  Mat3 K[3];
  Vec4d p;     // the body's origin
  Vec4d axis;  // in the body
};

// Pointers to the input and output of compute_motion for one body.
struct MotionStep {
  const Link* link = nullptr;
  const PivotJoint* pivot = nullptr;  // null: another kind of joint
  const WorldFrame* from = nullptr;   // inboard side of the joint
  WorldFrame* frame = nullptr;
  Spatial* H = nullptr;
  const double *turn = nullptr, *speed = nullptr;  // of a pivot: sine, and cosine at + kLanes; joint rate
  const AttachmentFrame* attachments = nullptr;    // outboard attachments
  WorldFrame* outboard = nullptr;
  int carrying = 0;
  bool on_node = false;
  bool same_origin = false;  // of a pivot on an attachment: the body's origin is the attachment's
  bool renewed = false;      // every 16th body of a path: its rotation is re-orthogonalised
};

// Pointers to the data of the four bodies of a BodyGroup.
struct GroupStep {
  const WorldFrame* frame[kLanes] = {};
  const double *q[kLanes] = {}, *v[kLanes] = {}, *u[kLanes] = {};  // starting at the first mode
  Inertia* P[kLanes] = {};
  Spatial* columns[kLanes] = {};  // mu
  Spatial* a[kLanes] = {};
  const double* x[kLanes] = {};
};
// The same for a NodeGroup.
struct NodeStep {
  const WorldFrame* frame[kLanes] = {};
  const double *q[kLanes] = {}, *v[kLanes] = {};
  AttachmentFrame* at[kLanes] = {};
  Spatial* columns[kLanes] = {};      // W
  const AxisColumns* axes = nullptr;  // columns of undeformed attachments, or null if they have no such form
  int k = 0, turning = 0;             // as node_unknowns and node_turning
  bool clears = false;                // writes zeros to the angular parts of columns that do not turn
  bool on_node = false;               // joints of the bodies sit on moving nodes: W has the columns U
};

// Bodies that a sweep processes as one block, so that results of their groups are still in the cache when read.
struct SweepBlock {
  int begin = 0, end = 0;  // bodies
  int placed = 0;          // entries of `places` done before the block moves
  int started = 0;         // entries of `starts` done before its elimination
  int expanded = 0;        // entries of `expands` done after its accelerations
  // `repeats`: its steps are those of the preceding block plus `stride`, word by word, but for the bodies in `single`.
  bool repeats = false;
  std::uint64_t single = 0;
  std::array<std::uint64_t, sizeof(BodyStep) / 8> stride{};
};

// All members of AbaData; a base class, so that its copy constructor is the default one.
struct AbaArrays {
  explicit AbaArrays(const Model& model);
  Kinematics kin;                  // of the last call, by complete_kinematics
  std::vector<double> q, v, u;     // the state and the forces, padded
  std::vector<WorldFrame> frames;  // (body)
  std::vector<Spatial> H;          // (at Unknowns::hinge) motion maps, at the bodies' origins
  std::vector<Spatial> U;          // (at link.inboard_columns) columns of the body frame, for joints on moving nodes
  std::vector<ArticulatedBody> bodies;
  std::vector<ArticulatedAttachment> attachments;
  std::vector<Inertia> joint_P;  // (body) P+ of prescribed joints                                 inward
  // Scratch slots shared by bodies and attachments, few enough to stay in the cache (places.cpp).  By start:
  std::vector<Inertia> P;                     // of bodies and all bodies on their frames; until their elimination
  std::vector<Spatial> mu;                    // coupling of the body alone, b in the fourth lane
  std::vector<CarriedInertia> carried;        // of attachments; until the elimination of their bodies
  std::vector<AttachmentFrame> placed;        // attachments relative to their bodies; until those move
  std::vector<WorldFrame> attachment_frames;  // until the last body on them moves
  std::vector<Spatial> attachment_a;          // accelerations beyond the bias; until the last body on them has its own
  std::vector<Spatial> placed_W;       // of `streams`: columns of attachments; until the elimination of their bodies
  std::vector<int> body_places;        // (body) slot in P; in mu, times body_columns
  std::vector<int> column_places;      // (outboard attachment) slot in placed_W, or -1: has none
  std::vector<int> carried_places;     // (outboard attachment) slot in carried
  std::vector<int> attachment_places;  // (outboard attachment) slot in placed, attachment_frames, attachment_a
  int body_columns = 0;
  bool streams = false;                   // the factors are far larger than a cache: written past it
  bool keeps_attachments = false;         // sliders, `ruthless`: attachments stay in kin instead of `placed`
  std::vector<int> turning;               // (outboard attachment) number of leading columns of its body that rotate it
  std::vector<Unknowns> unknowns;         // (body)
  std::vector<ActiveModes> active;        // (body)
  State rest;                             // all zero
  std::vector<GroupModes> group_modes;    // (group)
  std::vector<FourSpatial> node_columns;  // (at node_group.modes) columns of undeformed attachments per unknown
  std::vector<AxisColumns> axis_columns;  // (at node_group.modes) the same, if both parts are along coordinate axes
  std::vector<int> node_unknowns;         // (node group) maximum number of mode columns of a body
  std::vector<int> node_turning;          // (node group) number of them that rotate the attachment; these come first
  std::vector<std::uint8_t> node_axes;    // (node group) whether axis_columns apply
  std::vector<Spatial> W;                 // (at attachment.columns) columns of attachments, at the origin   by start
  std::vector<Vec4d> D_0;                 // (at Unknowns::D) modal mass, armature
  std::vector<Vec4d> L;                   // (at Unknowns::D) D = L d L^T                                    inward
  std::vector<double, Vec4dAllocator> d_inverse;  // (unknown) inward
  std::vector<Spatial> Z;                 // (unknown) rows of D^-1 mu^T, D^-1 b in the fourth lane          inward
  std::vector<double> hinge_b;            // (at Unknowns::hinge) bias forces: D x + mu^T a + b = 0     by start
  std::vector<double, Vec4dAllocator> b;  // (unknown) the same for modes: solve_factored
  std::vector<Vec4d> four_b;              // (at group.shapes) bias forces of the modes of active bodies     by start
  std::vector<double, Vec4dAllocator> b_modal;  // (at link.scalars) the same, body by body: solve_factored
  std::vector<std::uint8_t> prescribed;         // (body) its hinge is prescribed, not eliminated           inward
  bool has_prescribed = false;                  // at least one body's                                      inward
  std::vector<std::uint8_t> loaded;             // (body) its z holds an external wrench not yet added      by start
  std::vector<double, Vec4dAllocator> x;        // (unknown) accelerations of active bodies; then scratch
  std::vector<Vec4d> D;                         // scratch of one body
  std::vector<Vec4d> body_L;                    // the same; of `streams`
  std::vector<Spatial> body_Z;                  // the same; of `streams`
  std::vector<double, Vec4dAllocator> body_d_inverse;  // the same; of `streams`
  std::vector<Spatial> g;                              // (attachment of a body) the same
  std::vector<double, Vec4dAllocator> modal;           // the same
  std::vector<Spatial> node_scratch;                   // (mode) the same
  std::vector<Vec4d> group_b;                          // scratch of four bodies
  std::vector<FourVectors> group_F;                    // the same
  ImplicitTerms implicit;
  bool constant_columns = false;  // `ruthless`: mu of all groups have been computed
  VectorXd tau, zero;             // (nv) scratch
  int failure = -1;               // index of the speed without inertia, after Status::singular_mass
  bool failure_is_number = true;  // its pivot was a number, not NaN: the inertia is zero
  AbaStage stage = AbaStage::none;
  std::uint64_t stamp = 0;  // kin.stamp that `stage` belongs to

  std::vector<RotorStep> rotors;         // (layout.rotors)                                                  by start
  std::vector<BodyStep> steps;           // (body)
  std::vector<BodyStep> block_steps;     // scratch: of the bodies of one block
  std::vector<PivotJoint> pivots;        // equal ones are stored once
  std::vector<MotionStep> motion_steps;  // (body), from 1
  std::vector<GroupStep> group_steps;    // (group)
  std::vector<NodeStep> node_steps;      // (node group)
  std::vector<SweepBlock> blocks;        // from the base outward
  std::vector<int> places, starts, expands;  // node groups; body groups, or node groups as -1 - g; active groups
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
  // Throws InputError, naming the caller, if the results in this workspace do not include `needed`.
  void check_stage(const Model& model, AbaStage needed, const char* caller) const;
};

// Motion of all bodies at a state, in world basis.  Writes the state and the relative motion of nodes to kin, but not
// its frames.
void compute_motion(const Model& model, const State& x, AbaData& ws);
// Computes all of kin at the state of the last call, without wrenches on nodes.
void complete_kinematics(AbaData& ws);

// f_R = P_R a_R + z_R: the wrench transmitted by a prescribed joint, after the outward sweep.
Spatial joint_wrench(const Layout& layout, int i, const AbaData& ws, const double* vdot);

}  // namespace limber

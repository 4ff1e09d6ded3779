// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine as plain tables, made from a Model once: what the batch kernels read, on processors and on GPUs alike.
// No constructors and no functions, so that the tables can be copied to a device byte by byte.
namespace limber {

enum class HingeForm : int { fixed, revolute, prismatic, cylindrical, universal, spherical, free, screws };

// Which of the nine numbers of a pair of shapes are not zero (BlockKind of the bodies' constants, and none at all).
enum class PairForm : int { none, any, diagonal, x, y, z };

// A node of a body; places in `numbers` are -1 where there is nothing.
struct BatchNode {
  int body = 0;
  int moves = 0;                // some column is not zero
  int gamma = -1, lambda = -1;  // (n x 3) columns of translation and of rotation
  int second = -1;              // (n x n x 3) Xi
  int active = -1;              // (k x 6) columns [lambda; gamma] of the active coordinates
  double position[3] = {};      // l0
  double rotation[9] = {};      // R0, by rows
  int turned = 0;               // R0 is not the identity
  // places in the store
  int A = -1, l = -1, W = -1;  // left Jacobian (9), position (3), columns at the body's origin (6 k)
  int frame_pose = -1;         // rotation (9), for poses
  int frame = -1;              // rotation (9) and motion (9), where bodies need it later
  int inertia = -1;            // (27) articulated inertia and bias wrench of what it carries
  int a = -1;                  // (6) acceleration
};

// A body and the joint that carries it.
struct alignas(16) BatchLink {
  HingeForm form = HingeForm::fixed;
  int parent = 0;
  int node = -1;                      // the moving node of the parent that the joint sits on; -1: the parent's frame
  int inboard = -1;                   // the moving node of the body that the joint sits on, in `nodes`; -1: its frame
  int first_node = 0, last_node = 0;  // the moving nodes of this body that carry others, in `nodes`
  int nr = 0, n = 0, ne = 0;          // hinge speeds, modes, modes and their products
  int k = 0;                          // modal columns of the elimination
  int active = 0;                     // these are active coordinates
  int prescribed = 0;                 // the hinge accelerations are given
  int varies = 0;                     // the hinge map depends on the state
  int passive = 0;                    // has a spring or a damper
  int centred = 0;                    // one revolute joint on the origin of the body: H is an axis alone
  int at_node = 0;                    // sits on a moving node of a beam, which meets what it carries at the node
  int on_node = 0;                    // and its own origin is always there
  int follows = 0;                    // its parent is the body before, and carries nothing else
  int followed = 0;                   // the next body follows this one
  int opens = 0;                      // the first in an inward sweep that adds to where it sits
  int keeps = 0;                      // some body that it carries does not follow
  int q = 0, v = 0, qm = 0, vm = 0;
  int first_load = 0, last_load = 0;  // external wrenches on its nodes, in `loads`
  int parameters = -1;                // its first row of parameters that differ from item to item; -1: none
  // joint
  double K[3][12] = {}, L[3][12] = {};  // rotation by rows, position
  double slide[3] = {}, axis[3] = {};
  double H[6][6] = {};
  double stiffness[6] = {}, damping[6] = {}, armature[6] = {}, added[6] = {};  // added: by an implicit step
  // body
  double m = 0, s[3] = {}, J[6] = {};
  int S = -1;            // (ne x 3)
  int first_pairs = -1;  // (ne x 9) numbers of C_a0
  int pairs = -1;        // (ne x ne x 9) numbers of C_ab
  int forms = -1;        // (ne x ne) in `indices`: PairForm
  int G = -1;            // (ne x ne)
  int mode_pairs = -1;   // (ne - n) x 2 in `indices`
  int mass_varies = 0;   // G depends on the state
  int mass_diagonal = 0, elastic_diagonal = 0;
  int K_modes = -1, D_modes = -1;  // (n) or (n x n)
  int D_0 = -1;                    // (n x n) modal mass with what an implicit step adds to it, or that alone
  int T = -1, weight = -1;         // (k x n), (n) active coordinates
  int beam = -1;                   // beam.hpp applies: its numbers (BeamNumber)
  int families[3] = {};            // its modes: bending in y, bending in z, torsion
  int usual = 0;                   // 2, 2 and 1 of them, all of which move its node
  // places in the store
  int motion = -1, R = -1, r = -1, world = -1, hinge = -1, U = -1;
  int inertia = -1, a = -1, F = -1, b = -1, Z = -1, x = -1, joint = -1;
  int columns = -1;  // of a beam: BeamColumns; Z, x are those of its hinge alone
};

// Numbers of a beam: first its own, then kBeamMode of each mode, then one for each pair of modes (n x n).  Its active
// coordinates are y1 z1 t y2 z2.
enum BeamNumber {
  kBeamLy,                // (3) turn = l0 y1, shift = l1 y1 + l2 y2
  kBeamLz = kBeamLy + 3,  // (3)
  kBeamLt = kBeamLz + 3,  // turn
  kBeamFy,                // (2) of y1 and y2: the constant number of F, and S
  kBeamSy = kBeamFy + 2,  // (2)
  kBeamFz = kBeamSy + 2,  // (2)
  kBeamSz = kBeamFz + 2,  // (2)
  kBeamFt = kBeamSz + 2,
  kBeamRestY,  // sum of weight S^2 less that of the active ones
  kBeamRestZ,
  kBeamHead
};
enum BeamModeNumber {
  kBeamS,   // of S, along the bending
  kBeamH,   // twice the number of the product of inertia
  kBeamF,   // the constant number of F
  kBeamM1,  // (h + f) / 2, (h - f) / 2 of kBeamH and kBeamF
  kBeamM2,
  kBeamShift,  // of the node
  kBeamTurn,
  kBeamQ1,  // its share in the active coordinates
  kBeamQ2,
  kBeamWeight,  // 1 / its mass
  kBeamMode
};
inline constexpr int kBeamColumns = 5;

// A wrench on a node: six rows of `load_values`.
struct BatchLoad {
  int node = -1;  // in `nodes`; -1: the frame of the body
  int world = 1;  // its basis: the world's or the node's own
  int row = 0;    // its first row
};

// Where chain.hpp applies: with 2, 2 and 1 modes of each family, with 4, 4 and 2, or rigid.
enum class ChainForm : int { none, rigid, beams, long_beams };

inline constexpr int kChainStageCount = 3;  // of chain.hpp

struct BatchTables {
  const BatchLink* links = nullptr;  // links[0]: the ground
  const BatchNode* nodes = nullptr;
  const BatchLoad* loads = nullptr;
  const double* numbers = nullptr;
  const int* indices = nullptr;
  int bodies = 0;  // with the ground
  int nq = 0, nv = 0;
  int store = 0;    // numbers per item between the sweeps
  int scratch = 0;  // and those of one body
  int worlds = 0;   // rotations in world are needed
  int ruthless = 0;
  ChainForm chain = ChainForm::none;
  int loads_count = 0, nodes_count = 0, numbers_count = 0;
  int serial = 0;  // of tables on a device: which these are
  int gains = -1;  // (nv) of chains: what an implicit step adds to the mass of each speed
  double gravity[3] = {};
  double c_D = 0, c_K = 0;  // of an implicit step
};

inline constexpr int kBatchBlock = 32;  // items whose rows a processor copies together

// Rows of parameters of one body that differ from item to item.
inline constexpr int kRigidRows = 10;   // m, s (3), J (xx yy zz xy xz yz)
inline constexpr int kElasticRows = 2;  // factors of stiffness and of damping of the modes
inline constexpr int kBatchRows = kRigidRows + kElasticRows;

}  // namespace limber

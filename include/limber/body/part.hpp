// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "limber/body/body.hpp"

namespace limber {

// ---- a finite-element part ----------------------------------------------------------------------

// One row of the matrices: direction 0, 1, 2 is the displacement of the node along x, y, z; 3, 4, 5 its rotation.
struct FeDof {
  int node = 0;
  int direction = 0;
};

// Nodes without rows of their own that move rigidly with a node that has six.
struct FeRigid {
  int reference = 0;
  std::vector<int> nodes;
};

// Matrices and mesh of a free part, in SI units.
struct FePart {
  Matrix3Xd positions;                    // (3 x N) undeformed nodes
  std::vector<long> labels;               // (N) their numbers, for messages; empty: 1 ... N
  std::vector<FeDof> dofs;                // (n)
  Eigen::SparseMatrix<double> stiffness;  // K (n x n), both triangles
  Eigen::SparseMatrix<double> mass;       // M (n x n), consistent or lumped
  std::vector<FeRigid> rigid;
  std::vector<std::array<int, 3>> triangles;  // surface for drawing, of nodes
};

// An attachment: q = (displacement, rotation) of a point among some nodes.
enum class FeCoupling {
  rigid,    // the nodes move rigidly with the point: u = B q (RBE2)
  average,  // the point moves with the average of the nodes: q = (B^T B)^-1 B^T u, no added stiffness (RBE3, equal
            // weights)
};
struct FeInterface {
  std::string name = {};
  std::vector<int> nodes = {};
  FeCoupling coupling = FeCoupling::rigid;
};

enum class FeMethod {
  craig_bampton,  // fixed-interface modes, and the static shapes of the interfaces: [CB], theory §7
  clamped,        // modes of the part held at the frame's interface, all others free
  free,           // elastic modes of the free part; joints sit on its nodes
};

struct FeOptions {
  FeMethod method = FeMethod::craig_bampton;
  int modes = 12;      // craig_bampton: fixed-interface modes; 6 more for each interface except the frame
  double max_hz = 0;   // > 0: all modes up to this frequency instead
  double damping = 0;  // ratio, of every mode
  int frame = 0;       // the interface whose point and axes (those of the mesh) are the body frame
  std::function<void(double)> progress = [](double) {};  // fraction done, 0 ... 1
};

// Figures of the reduction.
struct FeFacts {
  int dofs = 0, nodes = 0;
  double rigid_residual = 0;                    // largest entry of K R over that of K, R the six rigid motions
  double rigid_hertz = 0;                       // highest frequency of these motions, due to rounding in the file
  double first_hertz = 0;                       // lowest elastic frequency of the free part, as kept
  VectorXd fixed_hertz;                         // craig_bampton: of the fixed-interface modes
  VectorXd free_hertz;                          // (n) elastic frequencies of the free body with the modes kept
  Matrix3Xd effective_mass;                     // (3 x n) kg along x, y, z, of the body held at its frame
  Vector3d effective_share = Vector3d::Zero();  // their sums over the mass; 0 for method free
  double factor_bytes = 0;                      // memory of the factorised stiffness matrix
  std::vector<std::string> warnings;
};

struct FeReduction {
  Body body;        // modes mass-normalised, K and G diagonal, rising frequency; nodes are the interfaces
  MatrixXd shapes;  // (dofs x n)
  Vector3d origin = Vector3d::Zero();  // of the body frame, in the mesh
  FeFacts facts;
};

// A modal body from a part, its mass integrals exact for the elements (theory §2, §7): sparse throughout, one
// factorisation of K.  Throws InputError: matrices of wrong size, not symmetric or not finite; a part that is
// constrained, unconnected, or has more strain-free motions than the six rigid ones; a mass matrix that does not
// determine C_ab; interfaces that define no rotation or share nodes; dimensions and frequencies that no material has.
//   `mass_integrals` replaces those of M, for parts whose elements are known, such as beams: called with the
// body's shapes (dofs x n), returns the body with mass, S, C.
FeReduction reduce_part(const FePart& part, const std::vector<FeInterface>& interfaces, const FeOptions& options,
                        const std::function<Body(const MatrixXd&)>& mass_integrals = {});

// Elastic frequencies (n, Hz, increasing) of the free body, from its mass integrals with the rigid motions
// condensed, G - M_fr M_rr^-1 M_rf.
VectorXd compute_free_hertz(const Body& body);
// Inertia of the undeformed body for (eta, omega, v), theory §2 (n + 6 x n + 6).
MatrixXd rest_inertia(const Body& body);

// ---- data kept with the body --------------------------------------------------------------------

// Of a body from a modal-body file: docs/modal-body.md.  Body::modal points to one, without points.
struct PartSpec : ModalSpec {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::string file;   // name in the model
  std::string path;   // the same from the root of the file system
  std::string bytes;  // of the file, stored in recordings
  Rows places;        // (N x 3) of the surface
  Rows shapes;        // (3N x n)
  std::vector<std::array<int, 3>> triangles;
};
// Places and shapes of the nodes of the surface; of a fine mesh, of some of them.
void set_surface(const FePart& part, const FeReduction& reduction, PartSpec& out);
std::shared_ptr<const ModalSpec> share_part(PartSpec part);
// nullptr: the body is not from such a file.
const PartSpec* part_of(const Body& body);

}  // namespace limber

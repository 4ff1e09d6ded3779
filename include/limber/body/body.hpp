// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber {

// A frame fixed on the material of a body.  theory §2, Nodes.
struct Node {
  std::string name;
  Vector3d position = Vector3d::Zero();      // l0
  Matrix3d rotation = Matrix3d::Identity();  // R0
  Matrix3Xd translation;                     // gamma (3 x n)
  Matrix3Xd turn;                            // lambda (3 x n)
  std::array<MatrixXd, 3> second;            // Xi of the position, (n x n) for x, y, z; empty: none
};

// A product of two modal coordinates, taken as one more mode: eta_a eta_b (a < b) or eta_a^2 / 2.
// theory §2, Geometric stiffening.  Indices count from 0 over the modes.
struct ModePair {
  int a = 0;
  int b = 0;
};

struct RigidSpec;
struct BeamSpec;
struct ModalSpec;

// One body, in the form that every other form becomes: mass integrals, nodes, stiffness.  theory §2.
// Shapes are numbered 0: the undeformed position r; 1 ... n: the modes; then one per entry of `pairs`.
struct Body {
  std::string name;
  int modes = 0;                // n
  std::vector<ModePair> pairs;  // second-order shapes that are not zero (only for `stiffened`)
  bool second_order = false;    // was made with them, even if all are zero
  double mass = 0;              // m
  Matrix3Xd S;                  // (3 x shapes)        S_a  = sum m phi_a
  std::vector<Matrix3d> C;      // (shapes x shapes)   C_ab = sum m phi_a phi_b^T, at a * shapes() + b
  MatrixXd stiffness;           // K (n x n)
  MatrixXd damping;             // D (n x n)
  std::vector<Node> nodes;
  std::vector<std::string> mode_names;  // (n) "bending_y1", ... or "mode1", ...
  double length = 0;                    // reference length for deflections; 0: unknown
  // What it was made from, for pictures and files; none: made by hand.
  std::shared_ptr<const RigidSpec> rigid;
  std::shared_ptr<const BeamSpec> beam;
  std::shared_ptr<const ModalSpec> modal;

  int shapes() const { return 1 + modes + static_cast<int>(pairs.size()); }                        // r, modes and pairs
  const Matrix3d& c(int a, int b) const { return C[static_cast<std::size_t>(a) * shapes() + b]; }  // C_ab
  // Modal mass matrix G_ab = tr C_ab (n x n).
  MatrixXd modal_mass() const;
  // Index of the node with that name; node_index throws InputError with the names that there are.
  int node_index(const std::string& node_name) const;
  std::optional<int> find_node(const std::string& node_name) const;
};

// ---- where bodies come from ---------------------------------------------------------------------
// Each maker checks its input and throws InputError("... what is wrong; what to write instead"), without the
// name of the body or the file, which the caller adds.

struct RigidSpec {
  double mass = 0;
  Vector3d com = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();  // about the centre of mass
  std::vector<Node> nodes;              // translation and turn have no columns
};

// A mass point of a `modal` body.
struct MassPoint {
  double mass = 0;
  Vector3d position = Vector3d::Zero();  // r
  Matrix3Xd shape;                       // Phi (3 x n)
  std::array<MatrixXd, 3> second;        // Xi (n x n) for x, y, z; empty: none
};

struct ModalSpec {
  std::vector<MassPoint> points;
  MatrixXd stiffness;  // (n x n)
  MatrixXd damping;    // (n x n); empty: none
  std::vector<Node> nodes;
};

enum class BeamBasis { clamped_free, free_free, pinned_free, craig_bampton, polynomial, custom };
enum class BeamFamily { bending_y, bending_z, axial, torsion };  // their order in eta

struct BeamNode {
  std::string name;
  double at = 0;                             // 0 ... 1 along the beam
  Matrix3d rotation = Matrix3d::Identity();  // R0
};

// Euler-Bernoulli beam along x, root at the body frame.  theory §7.
struct BeamSpec {
  double length = 0;
  double mass_per_length = 0;
  double EIy = 0, EIz = 0, EA = 0, GJ = 0;            // 0: not given
  double rotary_inertia_y = 0, rotary_inertia_z = 0;  // mass moments of the section per length, kg m
  BeamBasis basis = BeamBasis::clamped_free;
  double tip_mass = 0, tip_inertia = 0;                    // load that the eigenshapes are computed with
  std::array<int, 4> modes{};                              // per BeamFamily
  std::array<std::vector<std::vector<double>>, 4> shapes;  // custom: per family and mode, coefficients of (x/L)^k
  std::vector<double> damping;                             // ratio: empty, one for all, or one per mode
  std::vector<BeamNode> nodes;                             // `root` and `tip` are added when missing
};

// `second_order`: also make the second-order shapes that `stiffened` needs.
Body make_rigid_body(const RigidSpec& spec);
Body make_modal_body(const ModalSpec& spec, bool second_order);
Body make_beam_body(const BeamSpec& spec, bool second_order);

// Throws InputError where sizes, symmetries or names of a body that was made by hand do not fit together.
void check_body(const Body& body);

}  // namespace limber

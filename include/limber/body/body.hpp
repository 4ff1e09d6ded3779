// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/body/section.hpp"
#include "limber/spatial/types.hpp"

namespace limber {

// A frame fixed in the material of a body.  theory §2, Nodes.
struct Node {
  std::string name = {};
  Vector3d position = Vector3d::Zero();      // l0
  Matrix3d rotation = Matrix3d::Identity();  // R0
  Matrix3Xd translation = {};                // gamma (3 x n)
  Matrix3Xd turn = {};                       // lambda (3 x n)
  std::array<MatrixXd, 3> second = {};       // Xi of the position, (n x n) for x, y, z; empty: none
};

// A product of two modal coordinates, treated as one more mode: eta_a eta_b (a < b) or eta_a^2 / 2.
// theory §2, Geometric stiffening.  Indices count from 0 over the modes.
struct ModePair {
  int a = 0;
  int b = 0;
};

enum class VisualKind { box, cylinder, sphere, mesh };

// A shape for drawing a rigid body, in its frame.
struct Visual {
  VisualKind kind = VisualKind::box;
  Vector3d size = Vector3d::Ones();  // m: edges; radius and length (along z); radius; scale of a mesh
  Pose pose = {};
  std::string file = {};  // of a mesh
};

struct RigidSpec;
struct BeamSpec;
struct ModalSpec;
struct PlateSpec;

// One body in the general form to which all others are converted: mass integrals, nodes, stiffness.  theory §2.
// Shapes are numbered 0: the undeformed position r; 1 ... n: the modes; then one per entry of `pairs`.
struct Body {
  std::string name;
  int modes = 0;                // n
  std::vector<ModePair> pairs;  // second-order shapes that are not zero (only for `stiffened`)
  bool second_order = false;    // made with second-order shapes, even if all are zero
  double mass = 0;              // m
  Matrix3Xd S;                  // (3 x shapes)        S_a  = sum m phi_a
  std::vector<Matrix3d> C;      // (shapes x shapes)   C_ab = sum m phi_a phi_b^T, at a * shapes() + b
  MatrixXd stiffness;           // K (n x n)
  MatrixXd damping;             // D (n x n)
  std::vector<Node> nodes;
  std::vector<std::string> mode_names;  // (n) "bending_y1", ... or "mode1", ...
  double length = 0;                    // reference length for deflections; 0: unknown
  // The specification it was made from, for drawing and files; none: made by hand.
  std::shared_ptr<const RigidSpec> rigid;
  std::shared_ptr<const BeamSpec> beam;
  std::shared_ptr<const ModalSpec> modal;
  std::shared_ptr<const PlateSpec> plate;
  std::vector<Visual> visuals;  // for drawing a rigid body; none: its inertia as a box

  int shapes() const { return 1 + modes + static_cast<int>(pairs.size()); }                        // r, modes and pairs
  const Matrix3d& c(int a, int b) const { return C[static_cast<std::size_t>(a) * shapes() + b]; }  // C_ab
  // Modal mass matrix G_ab = tr C_ab (n x n).
  MatrixXd modal_mass() const;
  // Index of the node with that name; node_index throws InputError that lists the existing names.
  int node_index(const std::string& node_name) const;
  std::optional<int> find_node(const std::string& node_name) const;
};

// ---- making bodies ------------------------------------------------------------------------------
// Each function checks its input and throws InputError("... what is wrong; what to write instead"), without the
// name of the body or the file, which the caller adds.

struct RigidSpec {
  double mass = 0;
  Vector3d com = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();  // about the centre of mass
  std::vector<Node> nodes = {};         // translation and turn have no columns
  std::vector<Visual> visuals = {};     // for drawing
};

// A mass point of a `modal` body.
struct MassPoint {
  double mass = 0;
  Vector3d position = Vector3d::Zero();  // r
  Matrix3Xd shape = {};                  // Phi (3 x n)
  std::array<MatrixXd, 3> second = {};   // Xi (n x n) for x, y, z; empty: none
};

struct ModalSpec {
  std::vector<MassPoint> points = {};
  MatrixXd stiffness = {};  // (n x n)
  MatrixXd damping = {};    // (n x n); empty: none
  std::vector<Node> nodes = {};
};

enum class BeamBasis { clamped_free, free_free, pinned_free, craig_bampton, polynomial, custom };
enum class BeamFamily { bending_y, bending_z, axial, torsion };  // their order in eta

struct BeamNode {
  std::string name = {};
  double at = 0;                             // 0 ... 1 along the beam
  Matrix3d rotation = Matrix3d::Identity();  // R0
};

// Mass and stiffnesses of a beam per length.
struct BeamSection {
  double mass_per_length = 0;
  double EIy = 0, EIz = 0, EA = 0, GJ = 0;            // 0: not given
  double rotary_inertia_y = 0, rotary_inertia_z = 0;  // mass moments of the section per length, kg m
};

// The section of a tapered beam at one station.  Between two stations the sizes of their sections are linear in x or,
// if one of them gives only numbers, the numbers of BeamSection.
struct BeamStation : BeamSection {
  double at = 0;                   // 0 ... 1 along the beam
  std::optional<Section> section;  // with `material`; the numbers then follow from both
  Material material;
};

// Euler-Bernoulli beam along x, root at the body frame.  theory §7.
struct BeamSpec : BeamSection {
  double length = 0;
  std::vector<BeamStation> stations;  // from 0 to 1, increasing: a tapered beam; its own numbers are then unused
  BeamBasis basis = BeamBasis::clamped_free;
  double tip_mass = 0, tip_inertia = 0;                    // tip load for the eigenfunctions
  std::array<int, 4> modes{};                              // per BeamFamily
  std::array<std::vector<std::vector<double>>, 4> shapes;  // custom: per family and mode, coefficients of (x/L)^k
  std::vector<double> damping;                             // ratio: empty, one for all, or one per mode
  std::vector<BeamNode> nodes;                             // `root` and `tip` are added when missing
};

enum class PlateEdge { free, simply_supported, clamped };

struct PlateNode {
  std::string name = {};
  std::array<double, 2> at{};                // 0 ... 1 along x and y
  Matrix3d rotation = Matrix3d::Identity();  // R0
};

// Rectangular thin plate in the plane z = 0, 0 <= x <= length, 0 <= y <= width.  theory §7, Plates.
struct PlateSpec {
  double length = 0, width = 0;
  double D = 0;                      // bending stiffness E h^3 / 12 (1 - nu^2), N m
  double poisson = 0.3;              // nu
  double mass_per_area = 0;          // kg/m^2
  std::array<PlateEdge, 4> edges{};  // fixed in the body frame: x = 0, x = length, y = 0, y = width
  int modes = 0;
  std::vector<double> damping = {};  // ratio: empty, one for all, or one per mode
  std::vector<PlateNode> nodes = {};
};

// The section of a beam at s = x/L, 0 ... 1.
BeamSection beam_section_at(const BeamSpec& spec, double s);

// `second_order`: also make the second-order shapes that `stiffened` needs.
Body make_rigid_body(const RigidSpec& spec);
Body make_modal_body(const ModalSpec& spec, bool second_order);
Body make_beam_body(const BeamSpec& spec, bool second_order);
Body make_plate_body(const PlateSpec& spec, bool second_order);

// Throws InputError if sizes, symmetries or names of a hand-made body are inconsistent.
void check_body(const Body& body);

}  // namespace limber

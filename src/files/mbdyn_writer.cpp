// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Modal data of MBDyn: record groups in the format of its modal joint (MBDyn 1.7, mbdyn/struct/modal.cc).
#include <fmt/format.h>

#include <string_view>

#include "limber/files/detail/output.hpp"
#include "limber/files/modal_body_file.hpp"

namespace limber {
namespace {

// (C32 - C23, C13 - C31, C21 - C12): of C = sum m b a^T it is sum m a x b.
Vector3d axial(const Matrix3d& C) { return {C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1)}; }

std::string row_text(const Eigen::RowVectorXd& row) {
  std::string out;
  for (const double x : row) out += fmt::format(" {:.17g}", x);
  return out + "\n";
}

class FemText {
 public:
  void group(int number, std::string_view title) { text += fmt::format("**\n** RECORD GROUP {}, {}\n", number, title); }
  void matrix(const MatrixXd& m) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) text += row_text(m.row(i));
  }
  std::string text;
};

void add_interfaces(const Body& body, FemText& out) {
  out.group(2, "FINITE ELEMENT NODE LIST");
  for (std::size_t k = 1; k <= body.nodes.size(); ++k) out.text += fmt::format(" {}", k);
  out.text += "\n";
  const Eigen::RowVectorXd zero = Eigen::RowVectorXd::Zero(body.modes);
  out.group(3, "INITIAL MODAL DISPLACEMENTS");
  out.matrix(zero);
  out.group(4, "INITIAL MODAL VELOCITIES");
  out.matrix(zero);
  for (int c = 0; c < 3; ++c) {
    out.group(5 + c, fmt::format("NODAL {} COORDINATES", "XYZ"[c]));
    for (const Node& node : body.nodes) out.matrix(node.position.row(c));
  }
  out.group(8, "MODE SHAPES");
  for (int a = 0; a < body.modes; ++a) {
    out.text += fmt::format("**    NORMAL MODE SHAPE #  {}\n", a + 1);
    for (const Node& node : body.nodes) {
      Eigen::RowVectorXd shape(6);
      shape << node.translation.col(a).transpose(), node.turn.col(a).transpose();
      out.matrix(shape);
    }
  }
}

// Integrals of the undeformed body: mass, centre of mass, inertia about it.
void add_rigid_inertia(const Body& body, FemText& out) {
  const Vector3d com = body.S.col(0) / body.mass;
  const Matrix3d C = body.C[0] - body.mass * com * com.transpose();
  out.group(12, "RIGID BODY INERTIA MATRIX");
  out.matrix(MatrixXd::Constant(1, 1, body.mass));
  out.matrix(com.transpose());
  out.matrix(C.trace() * Matrix3d::Identity() - C);
}

// The invariants of MBDyn are integrals of products of two shapes, a~ b~ = b a^T - (a . b) 1:
//   3: sum m phi_j        4: sum m r x phi_j        5: sum m phi_j x phi_k
//   8: -sum m r~ phi_j~   9: sum m phi_j~ phi_k~
void add_invariants(const Body& body, FemText& out) {
  const int n = body.modes;
  MatrixXd inv4(3, n), inv5(3, n * n), inv8(3, 3 * n), inv9(3, 3 * n * n);
  const Matrix3d one = Matrix3d::Identity();
  for (int j = 0; j < n; ++j) {
    const Matrix3d C = body.c(0, j + 1);
    inv4.col(j) = axial(C.transpose());
    inv8.middleCols(3 * j, 3) = C.trace() * one - C.transpose();
    for (int k = 0; k < n; ++k) {
      const Matrix3d D = body.c(j + 1, k + 1);
      inv5.col(j * n + k) = axial(D.transpose());
      inv9.middleCols(3 * (j * n + k), 3) = D.transpose() - D.trace() * one;
    }
  }
  out.group(14, "INVARIANT 3");
  out.matrix(body.S.middleCols(1, n));
  out.group(15, "INVARIANT 4");
  out.matrix(inv4);
  out.group(16, "INVARIANT 8");
  out.matrix(inv8);
  out.group(17, "INVARIANT 5");
  out.matrix(inv5);
  out.group(18, "INVARIANT 9");
  out.matrix(inv9);
}

bool is_fem(const std::string& path) { return OutputKind::starts_with(path, "** MBDyn MODAL DATA FILE", 64); }
constexpr OutputKind kFemKind = {"modal data of MBDyn", &is_fem};

}  // namespace

std::string mbdyn_text(const Body& body) {
  FemText out;
  out.text = "** MBDyn MODAL DATA FILE\n** NODE SET \"ALL\"\n";
  for (std::size_t k = 0; k < body.nodes.size(); ++k)
    out.text += fmt::format("** node {} is interface {}\n", k + 1, body.nodes[k].name);
  out.group(1, "HEADER");
  out.text += "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.\n";
  out.text += fmt::format("      REV0  {}  {}  0  0  0\n", body.nodes.size(), body.modes);
  add_interfaces(body, out);
  out.group(9, "MODAL MASS MATRIX");
  out.matrix(body.modal_mass());
  out.group(10, "MODAL STIFFNESS MATRIX");
  out.matrix(body.stiffness);
  add_rigid_inertia(body, out);
  out.group(13, "MODAL DAMPING MATRIX");
  out.matrix(body.damping);
  add_invariants(body, out);
  out.text += "**\n** END OF FILE\n";
  return out.text;
}

void write_mbdyn(const Body& body, const std::string& path, const std::string& never_overwrites) {
  write_whole_file(path, kFemKind, {never_overwrites}, mbdyn_text(body));
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/body.hpp"

#include <algorithm>

#include "checks.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

using body_impl::fail;

constexpr double kInertiaRounding = 1e-6;  // of the largest moment; inertias are often given to few digits

void check_inertia(const Matrix3d& J) {
  body_impl::check_finite(J, "inertia");
  const double size = J.cwiseAbs().maxCoeff();
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > kInertiaRounding * size)
    fail("inertia is not symmetric", "give a symmetric matrix");
  const Vector3d moments = eigenvalues_symmetric(J);
  if (moments(0) < -kInertiaRounding * size)
    fail("inertia has the negative principal moment " + body_impl::text(moments(0)),
         "give the inertia about the centre of mass, with positive moments");
  if (moments(2) - moments(0) - moments(1) > kInertiaRounding * size)
    fail("no mass has this inertia: its principal moment " + body_impl::text(moments(2)) +
             " is above the sum of the others, " + body_impl::text(moments(0) + moments(1)),
         "give the inertia about the centre of mass, in the order xx yy zz xy xz yz");
}

void check_modal(const ModalSpec& spec) {
  const int n = static_cast<int>(spec.stiffness.rows());
  body_impl::check_semidefinite(spec.stiffness, n, "stiffness");
  if (spec.damping.size() > 0) body_impl::check_semidefinite(spec.damping, n, "damping");
  double mass = 0;
  for (std::size_t i = 0; i < spec.points.size(); ++i) {
    const MassPoint& point = spec.points[i];
    const std::string of_point = " of point " + std::to_string(i + 1);
    body_impl::check_not_negative(point.mass, "mass" + of_point, "give 0 or a positive number");
    body_impl::check_finite(point.position, "position" + of_point);
    body_impl::check_size(point.shape, 3, n, "shape" + of_point);
    body_impl::check_finite(point.shape, "shape" + of_point);
    body_impl::check_second(point.second, n, "second" + of_point);
    mass += point.mass;
  }
  if (mass <= 0) fail("the body has no mass", "give at least one point with a mass above 0");
  body_impl::check_nodes(spec.nodes, n);
}

bool has_entry(const std::array<MatrixXd, 3>& second, int a, int b) {
  return std::any_of(second.begin(), second.end(), [&](const MatrixXd& Xi) { return Xi.size() > 0 && Xi(a, b) != 0; });
}

// Pairs of modes with a second-order shape at some point or node.
std::vector<ModePair> find_pairs(const ModalSpec& spec) {
  const int n = static_cast<int>(spec.stiffness.rows());
  std::vector<ModePair> pairs;
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b) {
      const auto moves = [&](const auto& x) { return has_entry(x.second, a, b) || has_entry(x.second, b, a); };
      if (std::any_of(spec.points.begin(), spec.points.end(), moves) ||
          std::any_of(spec.nodes.begin(), spec.nodes.end(), moves))
        pairs.push_back({a, b});
    }
  }
  return pairs;
}

// All shapes of one point: r, the modes, the pairs.  Pair (a, b) has shape Xi_ab, also for a = b (with coordinate
// eta_a^2 / 2).
Matrix3Xd point_shapes(const MassPoint& point, const std::vector<ModePair>& pairs) {
  const Eigen::Index n = point.shape.cols();
  Matrix3Xd phi = Matrix3Xd::Zero(3, 1 + n + static_cast<Eigen::Index>(pairs.size()));
  phi.col(0) = point.position;
  phi.middleCols(1, n) = point.shape;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [a, b] = pairs[p];
    for (int i = 0; i < 3; ++i) {
      const MatrixXd& Xi = point.second[i];
      if (Xi.size() > 0) phi(i, 1 + n + static_cast<Eigen::Index>(p)) = 0.5 * (Xi(a, b) + Xi(b, a));
    }
  }
  return phi;
}

// Fills in missing components with zeros unless all three are missing.
void complete_second(Node& node, int modes, bool wanted) {
  const auto given = [](const MatrixXd& Xi) { return Xi.size() > 0; };
  if (!wanted || std::none_of(node.second.begin(), node.second.end(), given)) {
    node.second = {};
    return;
  }
  for (MatrixXd& Xi : node.second)
    if (Xi.size() == 0) Xi = MatrixXd::Zero(modes, modes);
}

// S_a and C_ab of theory §2 as sums over the points, in chunks by matrix products.
void sum_points(const std::vector<MassPoint>& points, Body& body) {
  constexpr std::size_t kChunk = 256;
  const Eigen::Index shapes = body.shapes();
  body.S = Matrix3Xd::Zero(3, shapes);
  std::array<std::array<MatrixXd, 3>, 3> C;
  for (auto& row : C) row.fill(MatrixXd::Zero(shapes, shapes));
  for (std::size_t from = 0; from < points.size(); from += kChunk) {
    const std::size_t to = std::min(points.size(), from + kChunk);
    std::array<MatrixXd, 3> phi, weighted;  // (points x shapes) for x, y, z
    phi.fill(MatrixXd(static_cast<Eigen::Index>(to - from), shapes));
    weighted = phi;
    for (std::size_t k = from; k < to; ++k) {
      const Matrix3Xd shape = point_shapes(points[k], body.pairs);
      body.mass += points[k].mass;
      body.S += points[k].mass * shape;
      for (int i = 0; i < 3; ++i) {
        phi[i].row(static_cast<Eigen::Index>(k - from)) = shape.row(i);
        weighted[i].row(static_cast<Eigen::Index>(k - from)) = points[k].mass * shape.row(i);
      }
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) C[i][j].noalias() += phi[i].transpose() * weighted[j];
  }
  // C_ba = C_ab^T, exactly.
  body.C.assign(static_cast<std::size_t>(shapes * shapes), Matrix3d::Zero());
  for (Eigen::Index a = 0; a < shapes; ++a) {
    for (Eigen::Index b = a; b < shapes; ++b) {
      Matrix3d& block = body.C[static_cast<std::size_t>(a * shapes + b)];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block(i, j) = a == b ? C[std::min(i, j)][std::max(i, j)](a, b) : C[i][j](a, b);
      if (a != b) body.C[static_cast<std::size_t>(b * shapes + a)] = block.transpose();
    }
  }
}

}  // namespace

MatrixXd Body::modal_mass() const {
  MatrixXd G(modes, modes);
  for (int a = 0; a < modes; ++a)
    for (int b = 0; b < modes; ++b) G(a, b) = c(1 + a, 1 + b).trace();
  return G;
}

std::optional<int> Body::find_node(const std::string& node_name) const {
  const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == node_name; });
  return it == nodes.end() ? std::nullopt : std::optional(static_cast<int>(it - nodes.begin()));
}

int Body::node_index(const std::string& node_name) const {
  if (const auto found = find_node(node_name)) return *found;
  std::vector<std::string_view> known;
  for (const Node& node : nodes) known.push_back(node.name);
  throw InputError(show(node_name) + " is not a node;" + suggest(node_name, known) +
                   (known.empty() ? " the body has none" : " nodes: " + join(known)));
}

// C = sum m r r^T = (tr J / 2) 1 - J + m c c^T, J about the centre of mass.
Body make_rigid_body(const RigidSpec& spec) {
  body_impl::check_not_negative(spec.mass, "mass", "give 0 or a positive number");
  body_impl::check_finite(spec.com, "com");
  check_inertia(spec.inertia);
  body_impl::check_nodes(spec.nodes, 0);
  Body body;
  body.mass = spec.mass;
  body.S = spec.mass * spec.com;
  const Matrix3d J = 0.5 * (spec.inertia + spec.inertia.transpose());
  body.C = {0.5 * J.trace() * Matrix3d::Identity() - J + spec.mass * spec.com * spec.com.transpose()};
  body.nodes = spec.nodes;
  for (Node& node : body.nodes) node.second = {};
  body.visuals = spec.visuals;
  body.rigid = std::make_shared<const RigidSpec>(spec);
  return body;
}

Body make_modal_body(const ModalSpec& spec, bool second_order) {
  check_modal(spec);
  Body body;
  body.modes = static_cast<int>(spec.stiffness.rows());
  body.second_order = second_order;
  if (second_order) body.pairs = find_pairs(spec);
  sum_points(spec.points, body);
  body_impl::check_modal_mass(body.modal_mass());
  body.stiffness = 0.5 * (spec.stiffness + spec.stiffness.transpose());
  body.damping = MatrixXd::Zero(body.modes, body.modes);
  if (spec.damping.size() > 0) body.damping = 0.5 * (spec.damping + spec.damping.transpose());
  body.nodes = spec.nodes;
  for (Node& node : body.nodes) complete_second(node, body.modes, second_order);
  for (int a = 1; a <= body.modes; ++a) body.mode_names.push_back("mode" + std::to_string(a));
  body.modal = std::make_shared<const ModalSpec>(spec);
  return body;
}

}  // namespace limber

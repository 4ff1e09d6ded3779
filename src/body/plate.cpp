// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "checks.hpp"
#include "limber/body/body.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "plate_basis.hpp"

namespace limber {
namespace {

using body_impl::GaussRule;
using body_impl::MatrixR;
using body_impl::PolynomialTable;
using body_impl::Real;
using body_impl::VectorR;

constexpr int kMaxPlateModes = 100;

// The polynomials along one side, and their integrals over 0 ... 1.
struct Side {
  int at_0 = 0, at_1 = 0;  // boundary conditions at the ends: 0, 1 or 2
  int terms = 0;
  bool symmetric = false;       // the same conditions at both ends: polynomials are alternately even and odd
  MatrixXd bent, mixed, slope;  // int phi'' phi'', int phi phi'', int phi' phi'
  VectorXd mean, moment;        // int phi, int s phi
  PolynomialTable nodes;        // at the nodes
};

// A mode of the plate: w = sum c_ij X_i(x/L) Y_j(y/W) / sqrt(mass).
struct PlateMode {
  double lambda = 0;  // omega^2 mass_per_area L^4 / D
  MatrixXd c;         // (terms in x) x (terms in y), Frobenius norm 1
};

void check_edges_and_modes(const PlateSpec& spec) {
  if (spec.modes < 1 || spec.modes > kMaxPlateModes)
    body_impl::fail(std::to_string(spec.modes) + " modes of a plate",
                    "give a count from 1 to " + std::to_string(kMaxPlateModes));
  const int given = static_cast<int>(spec.damping.size());
  if (given > 1 && given != spec.modes)
    body_impl::fail(std::to_string(given) + " damping ratios are given for " + std::to_string(spec.modes) + " modes",
                    "give one number for all modes, or one per mode");
  for (const double ratio : spec.damping)
    body_impl::check_not_negative(ratio, "damping ratio", "give 0 or a positive number, such as 0.01");
}

void check_plate(const PlateSpec& spec) {
  body_impl::check_positive(spec.length, "length", "give the length of the plate in m, above 0");
  body_impl::check_positive(spec.width, "width", "give the width of the plate in m, above 0");
  body_impl::check_positive(spec.D, "D", "give the bending stiffness in N m, above 0");
  body_impl::check_positive(spec.mass_per_area, "mass per area", "give it in kg/m^2, above 0");
  body_impl::check_finite(spec.poisson, "poisson");
  if (spec.poisson < 0 || spec.poisson > 0.5)
    body_impl::fail("poisson is " + body_impl::text(spec.poisson),
                    "give Poisson's ratio, 0 to 0.5; of a material it is E / (2 G) - 1");
  constexpr double kSlenderest = 50;
  if (const double ratio = spec.length / spec.width; ratio > kSlenderest || ratio < 1 / kSlenderest)
    body_impl::fail("one side of the plate is more than 50 times the other", "use a beam");
  check_edges_and_modes(spec);
  std::vector<std::string> names;
  for (const PlateNode& node : spec.nodes) {
    body_impl::check_node_name(node.name, names);
    names.push_back(node.name);
    for (const double at : node.at) {
      body_impl::check_finite(at, "node " + body_impl::quoted(node.name) + ": at");
      if (at < 0 || at > 1)
        body_impl::fail("node " + body_impl::quoted(node.name) + " is at " + body_impl::text(at),
                        "give its place as fractions of length and width, 0 to 1");
    }
    body_impl::check_rotation(node.rotation, "rotation of node " + body_impl::quoted(node.name));
  }
}

// Number of terms along each side: about pi/4 (kL/pi + 1)(kW/pi + 1) modes have a wave number below k, and a half-wave
// takes pi/2 polynomials; a dozen more for accuracy.
std::array<int, 2> count_terms(const PlateSpec& spec) {
  const double wanted = 4 / std::numbers::pi * (spec.modes + 3), L = spec.length, W = spec.width;
  // (x L + 1)(x W + 1) = wanted, x = k / pi
  const double sum = L + W, x = (std::sqrt(sum * sum + 4 * L * W * std::max(0.0, wanted - 1)) - sum) / (2 * L * W);
  const auto terms = [&](double side) { return 12 + static_cast<int>(std::ceil(1.6 * x * side)); };
  return {terms(L), terms(W)};
}

Side make_side(PlateEdge first, PlateEdge last, int terms, const VectorR& nodes) {
  Side side;
  side.at_0 = static_cast<int>(first);
  side.at_1 = static_cast<int>(last);
  side.terms = terms;
  side.symmetric = first == last;
  const GaussRule& rule = body_impl::gauss_rule(terms + side.at_0 + side.at_1 + 2);
  const PolynomialTable t = body_impl::orthonormal_polynomials(rule.x, side.at_0, side.at_1, terms);
  side.nodes = body_impl::orthonormal_polynomials(nodes, side.at_0, side.at_1, terms);
  const auto integral = [&](const MatrixR& f, const MatrixR& g) -> MatrixXd {
    MatrixR I = f.transpose() * rule.w.asDiagonal() * g;
    if (side.symmetric) {
      for (Eigen::Index b = 0; b < I.cols(); ++b)
        for (Eigen::Index a = 1 - b % 2; a < I.rows(); a += 2) I(a, b) = 0;
    }
    return I.cast<double>();
  };
  side.bent = integral(t.curvature, t.curvature);
  side.mixed = integral(t.value, t.curvature);
  side.slope = integral(t.slope, t.slope);
  VectorR mean = t.value.transpose() * rule.w;
  if (side.symmetric)
    for (Eigen::Index k = 1; k < mean.size(); k += 2) mean(k) = 0;
  side.mean = mean.cast<double>();
  side.moment = (t.value.transpose() * rule.w.cwiseProduct(rule.x)).cast<double>();
  return side;
}

// The modes with the terms `in_x` and `in_y` only, which are uncoupled from all others.
//   lambda c = [X22 Y00 + r^4 X00 Y22 + nu r^2 (X20 Y02 + X02 Y20) + 2 (1 - nu) r^2 X11 Y11] c,    r = L / W
// from U = D/2 int w_xx^2 + w_yy^2 + 2 nu w_xx w_yy + 2 (1 - nu) w_xy^2.  [TWK §22] (41)
void add_modes(const PlateSpec& spec, const Side& X, const Side& Y, const std::vector<int>& in_x,
               const std::vector<int>& in_y, std::vector<PlateMode>& out) {
  const double r2 = std::pow(spec.length / spec.width, 2), nu = spec.poisson;
  const auto nx = static_cast<Eigen::Index>(in_x.size()), ny = static_cast<Eigen::Index>(in_y.size());
  MatrixXd K(nx * ny, nx * ny);
  for (Eigen::Index a = 0; a < nx * ny; ++a) {
    const int i = in_x[static_cast<std::size_t>(a / ny)], j = in_y[static_cast<std::size_t>(a % ny)];
    for (Eigen::Index b = 0; b <= a; ++b) {
      const int k = in_x[static_cast<std::size_t>(b / ny)], l = in_y[static_cast<std::size_t>(b % ny)];
      double sum = nu * r2 * (X.mixed(k, i) * Y.mixed(j, l) + X.mixed(i, k) * Y.mixed(l, j)) +
                   2 * (1 - nu) * r2 * X.slope(i, k) * Y.slope(j, l);
      if (j == l) sum += X.bent(i, k);
      if (i == k) sum += r2 * r2 * Y.bent(j, l);
      K(a, b) = K(b, a) = sum;
    }
  }
  // Solved for the inverse, whose largest eigenvalues are the lowest frequencies; otherwise rounding in the stiff terms
  // of slender plates would swamp them.  The shift makes the matrix regular on rigid motions.
  constexpr double kShift = 1;
  K.diagonal().array() += kShift;
  const MatrixXd inverse = Cholesky(K).solve(MatrixXd(MatrixXd::Identity(nx * ny, nx * ny)));
  const SymmetricEigen solved = eigen_symmetric(0.5 * (inverse + inverse.transpose()));
  const Eigen::Index keep = std::min<Eigen::Index>(nx * ny, spec.modes + 3);
  for (Eigen::Index m = 0; m < keep; ++m) {
    const Eigen::Index at = nx * ny - 1 - m;
    PlateMode mode{1 / solved.values(at) - kShift, MatrixXd::Zero(X.terms, Y.terms)};
    for (Eigen::Index k = 0; k < nx * ny; ++k)
      mode.c(in_x[static_cast<std::size_t>(k / ny)], in_y[static_cast<std::size_t>(k % ny)]) = solved.vectors(k, at);
    out.push_back(std::move(mode));
  }
}

// All terms of a side, or the even and the odd ones separately.
std::vector<std::vector<int>> split_terms(const Side& side) {
  std::vector<std::vector<int>> out(side.symmetric ? 2 : 1);
  for (int k = 0; k < side.terms; ++k) out[static_cast<std::size_t>(side.symmetric ? k % 2 : 0)].push_back(k);
  return out;
}

// Number of rigid motions w = a + b x + c y left by the edges; they are represented by the body frame.
int count_rigid_motions(const PlateSpec& spec) {
  const auto count = [&](PlateEdge kind) { return std::count(spec.edges.begin(), spec.edges.end(), kind); };
  if (count(PlateEdge::free) == 4) return 3;
  return count(PlateEdge::free) == 3 && count(PlateEdge::simply_supported) == 1 ? 1 : 0;
}

// Positive at the corner (L, W); if w = 0 there, positive mean; else the first coefficient that is not zero is
// positive.
void fix_sign(const Side& X, const Side& Y, PlateMode& mode) {
  constexpr double kVanishes = 1e-9;
  const Eigen::Index end_x = X.nodes.value.rows() - 1, end_y = Y.nodes.value.rows() - 1;
  const VectorXd x = X.nodes.value.row(end_x).cast<double>(), y = Y.nodes.value.row(end_y).cast<double>();
  double sign = x.dot(mode.c * y);
  if (std::abs(sign) < kVanishes) sign = X.mean.dot(mode.c * Y.mean);
  for (Eigen::Index k = 0; k < mode.c.size() && std::abs(sign) < kVanishes; ++k) sign = mode.c.data()[k];
  if (sign < 0) mode.c = -mode.c;
}

std::vector<PlateMode> solve_modes(const PlateSpec& spec, const Side& X, const Side& Y) {
  std::vector<PlateMode> modes;
  for (const auto& in_x : split_terms(X))
    for (const auto& in_y : split_terms(Y)) add_modes(spec, X, Y, in_x, in_y, modes);
  std::stable_sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.lambda < b.lambda; });
  modes.erase(modes.begin(), modes.begin() + count_rigid_motions(spec));
  modes.resize(static_cast<std::size_t>(spec.modes));
  for (PlateMode& mode : modes) fix_sign(X, Y, mode);
  return modes;
}

// S and C of shapes (0, 0, w); C_ab of two different modes is zero by orthogonality.
void set_plate_integrals(const PlateSpec& spec, const Side& X, const Side& Y, const std::vector<PlateMode>& modes,
                         Body& body) {
  const double L = spec.length, W = spec.width, m = spec.mass_per_area * L * W, root = std::sqrt(m);
  const auto shapes = static_cast<std::size_t>(body.shapes());
  body.mass = m;
  body.S = Matrix3Xd::Zero(3, body.shapes());
  body.C.assign(shapes * shapes, Matrix3d::Zero());
  body.S.col(0) = m / 2 * Vector3d(L, W, 0);
  body.C[0] << m * L * L / 3, m * L * W / 4, 0, m * L * W / 4, m * W * W / 3, 0, 0, 0, 0;
  for (std::size_t a = 1; a <= modes.size(); ++a) {
    const MatrixXd& c = modes[a - 1].c;
    body.S(2, static_cast<Eigen::Index>(a)) = root * X.mean.dot(c * Y.mean);
    Matrix3d& first = body.C[a];
    first(0, 2) = root * L * X.moment.dot(c * Y.mean);
    first(1, 2) = root * W * X.mean.dot(c * Y.moment);
    body.C[a * shapes] = first.transpose();
    body.C[a * shapes + a](2, 2) = 1;
  }
}

void set_plate_nodes(const PlateSpec& spec, const Side& X, const Side& Y, const std::vector<PlateMode>& modes,
                     Body& body) {
  const double root = std::sqrt(body.mass);
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const PlateNode& given = spec.nodes[i];
    const auto row = static_cast<Eigen::Index>(i);
    const auto at = [row](const MatrixR& table) -> VectorXd { return table.row(row).cast<double>(); };
    Node node;
    node.name = given.name;
    node.position = {given.at[0] * spec.length, given.at[1] * spec.width, 0};
    node.rotation = given.rotation;
    node.translation = node.turn = Matrix3Xd::Zero(3, body.modes);
    for (int a = 0; a < body.modes; ++a) {
      const MatrixXd& c = modes[static_cast<std::size_t>(a)].c;
      node.translation(2, a) = at(X.nodes.value).dot(c * at(Y.nodes.value)) / root;
      node.turn(0, a) = at(X.nodes.value).dot(c * at(Y.nodes.slope)) / (root * spec.width);    // w_y
      node.turn(1, a) = -at(X.nodes.slope).dot(c * at(Y.nodes.value)) / (root * spec.length);  // -w_x
    }
    body.nodes.push_back(std::move(node));
  }
}

void set_plate_stiffness(const PlateSpec& spec, const std::vector<PlateMode>& modes, Body& body) {
  const double unit = spec.D / (spec.mass_per_area * std::pow(spec.length, 4));
  body.stiffness = body.damping = MatrixXd::Zero(body.modes, body.modes);
  for (int a = 0; a < body.modes; ++a) {
    const double square = modes[static_cast<std::size_t>(a)].lambda * unit;
    const double ratio =
        spec.damping.empty() ? 0 : spec.damping[spec.damping.size() == 1 ? 0 : static_cast<std::size_t>(a)];
    body.stiffness(a, a) = square;
    body.damping(a, a) = 2 * ratio * std::sqrt(square);
    body.mode_names.push_back("mode" + std::to_string(a + 1));
    if (!(square > 0) || !std::isfinite(square) || !std::isfinite(body.damping(a, a)))
      body_impl::fail("the numbers of this plate are too large or too small to compute with", "check the units");
  }
}

}  // namespace

Body make_plate_body(const PlateSpec& spec, bool second_order) {
  check_plate(spec);
  // The nodes, and the corner (L, W) for the signs.
  const auto count = static_cast<Eigen::Index>(spec.nodes.size());
  VectorR s = VectorR::Ones(count + 1), t = s;
  for (Eigen::Index i = 0; i < count; ++i) {
    s(i) = spec.nodes[static_cast<std::size_t>(i)].at[0];
    t(i) = spec.nodes[static_cast<std::size_t>(i)].at[1];
  }
  const auto [nx, ny] = count_terms(spec);
  const Side X = make_side(spec.edges[0], spec.edges[1], nx, s), Y = make_side(spec.edges[2], spec.edges[3], ny, t);
  const std::vector<PlateMode> modes = solve_modes(spec, X, Y);
  Body body;
  body.modes = spec.modes;
  body.second_order = second_order;
  body.length = std::max(spec.length, spec.width);
  body.plate = std::make_shared<const PlateSpec>(spec);
  set_plate_integrals(spec, X, Y, modes, body);
  set_plate_stiffness(spec, modes, body);
  set_plate_nodes(spec, X, Y, modes, body);
  return body;
}

}  // namespace limber

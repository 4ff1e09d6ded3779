// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "body_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kUnknownRest = 1;  // the remainder of a modal series is estimated by its last term

// Of the softest elastic mode.
double first_frequency(const VectorXd& squares) {
  for (const double square : squares) {
    if (square > 1e-9 * squares.maxCoeff() && square > 0) return std::sqrt(square);
  }
  return 0;
}

double length_of(const Body& body) {
  double length = body.length;
  for (const Node& node : body.nodes) length = std::max(length, node.position.norm());
  return length;
}

// "bending_y" of "bending_y2".
std::string family(const std::string& mode) {
  const std::size_t end = mode.find_last_not_of("0123456789");
  return mode.substr(0, end == std::string::npos ? 0 : end + 1);
}

// int f(section, x) dx over a tapered beam, by the midpoint rule, which is accurate enough for warnings.
template <class Integrand>
double integrate_along(const BeamSpec& beam, const Integrand& f) {
  constexpr int kPoints = 200;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double s = (i + 0.5) / kPoints;
    sum += f(beam_section_at(beam, s), s * beam.length) * beam.length / kPoints;
  }
  return sum;
}

// Tip compliance of a beam with clamped root: L^3/3EI, L/EA or L/GJ.  [Gere, Goodno] app. H.
double exact_compliance(const BeamSpec& beam, const std::string& family) {
  const double L = beam.length;
  if (!beam.stations.empty())
    return integrate_along(beam, [&](const BeamSection& at, double x) {
      if (family == "bending_y") return (L - x) * (L - x) / at.EIz;
      if (family == "bending_z") return (L - x) * (L - x) / at.EIy;
      return 1 / (family == "axial" ? at.EA : at.GJ);
    });
  if (family == "bending_y") return L * L * L / (3 * beam.EIz);
  if (family == "bending_z") return L * L * L / (3 * beam.EIy);
  return L / (family == "axial" ? beam.EA : beam.GJ);
}

// Displacements of the ends of a beam by a mode, in the direction of its family: tip, root, and the slope at the root.
Vector3d end_shapes(const Body& body, const std::string& family, int mode) {
  const Node& root = body.nodes[0];
  const Node& tip = body.nodes[1];
  if (family == "bending_y") return {tip.translation(1, mode), root.translation(1, mode), root.turn(2, mode)};
  if (family == "bending_z") return {tip.translation(2, mode), root.translation(2, mode), -root.turn(1, mode)};
  if (family == "axial") return {tip.translation(0, mode), root.translation(0, mode), 0};
  return {tip.turn(0, mode), root.turn(0, mode), 0};
}

// For a load on the tip of a beam with clamped root: the displacement missing from the modes [first, last], which a
// static correction would add ([Craig, Kurdila] residual flexibility), relative to that of the last one: (c - g^T K^-1
// g) k / phi^2.
double static_rest(const Body& body, int first, int last) {
  const std::string name = family(body.mode_names[last]);
  const int n = last - first + 1;
  MatrixXd ends(3, n);
  for (int k = 0; k < n; ++k) ends.col(k) = end_shapes(body, name, first + k);
  MatrixXd held = MatrixXd::Identity(n, n);  // motions in which the root is at rest
  if (!ends.bottomRows(2).isZero(0)) held = null_space(ends.bottomRows(2));
  const MatrixXd K = held.transpose() * body.stiffness.block(first, first, n, n) * held;
  const VectorXd g = held.transpose() * ends.row(0).transpose();
  const double kept = held.cols() > 0 ? g.dot(Cholesky(K).solve(g)) : 0;
  const double own = ends(0, n - 1) - ends(1, n - 1) - body.length * ends(2, n - 1);
  const double missing = std::max(0.0, exact_compliance(*body.beam, name) - kept);
  return own != 0 ? missing * body.stiffness(last, last) / (own * own) : kUnknownRest;
}

// The largest displacement of a node by a shape; for a shape that only rotates nodes, at the length of the body.
double reach_of(const Body& body, double length, const VectorXd& shape, bool* turns_only = nullptr) {
  double moves = 0, turns = 0;
  for (const Node& node : body.nodes) {
    moves = std::max(moves, (node.translation * shape).norm());
    turns = std::max(turns, length * (node.turn * shape).norm());
  }
  if (turns_only != nullptr) *turns_only = moves == 0;
  return moves > 0 ? moves : turns;
}

// The modes of a beam are already its eigenmodes, family by family, except for tip loads of its basis.
void add_families(const Body& body, const MatrixXd& mass, BodyLimits& out) {
  const int n = body.modes;
  const auto ends = [&](int k) { return k + 1 == n || family(body.mode_names[k]) != family(body.mode_names[k + 1]); };
  for (int first = 0, last = 0; last < n; first = ++last) {
    while (!ends(last)) ++last;
    if (first == last) continue;
    const VectorXd unit = VectorXd::Unit(n, last);
    out.last.push_back({unit, std::sqrt(body.stiffness(last, last) / mass(last, last)),
                        reach_of(body, out.length, unit), static_rest(body, first, last)});
  }
}

// Critical load of a tapered beam in one plane, by the energy method with the buckled shape of a uniform one: int w'^2
// over int (w(L) - w)^2 / EI.  [Timoshenko, Gere, Theory of Elastic Stability] §2.8, 2.11.
double tapered_critical_load(const BeamSpec& beam, double BeamSection::*EI) {
  const double k = std::numbers::pi / (2 * beam.length);
  const double energy = integrate_along(
      beam, [&](const BeamSection& at, double x) { return std::cos(k * x) * std::cos(k * x) / (at.*EI); });
  return k * k * beam.length / (2 * energy);
}

// Euler's critical load pi^2 EI / (2 L)^2, in the softer of the planes with bending modes.
double critical_load(const BeamSpec& beam) {
  if (!beam.stations.empty()) {
    double load = std::numeric_limits<double>::infinity();
    if (beam.modes[static_cast<int>(BeamFamily::bending_y)] > 0)
      load = std::min(load, tapered_critical_load(beam, &BeamSection::EIz));
    if (beam.modes[static_cast<int>(BeamFamily::bending_z)] > 0)
      load = std::min(load, tapered_critical_load(beam, &BeamSection::EIy));
    return load;
  }
  double EI = std::numeric_limits<double>::infinity();
  if (beam.modes[static_cast<int>(BeamFamily::bending_y)] > 0) EI = std::min(EI, beam.EIz);
  if (beam.modes[static_cast<int>(BeamFamily::bending_z)] > 0) EI = std::min(EI, beam.EIy);
  return std::numbers::pi * std::numbers::pi * EI / (4 * beam.length * beam.length);
}

}  // namespace

BodyLimits find_limits(const Body& body) {
  BodyLimits out;
  out.length = length_of(body);
  const int n = body.modes;
  if (n == 0) return out;
  for (int k = 0; k < n; ++k) {
    bool turns_only = false;
    const double reach = reach_of(body, out.length, VectorXd::Unit(n, k), &turns_only);
    out.twist.push_back(turns_only ? reach : 0);
  }
  for (std::size_t k = 0; k < body.nodes.size(); ++k) {
    const Node& node = body.nodes[k];
    if (node.translation.isZero(0)) continue;
    DisplacedNode moving{static_cast<int>(k)};
    for (int c = 0; c < 3; ++c) {
      moving.moves[static_cast<std::size_t>(c)] = !node.translation.row(c).isZero(0);
      moving.bends[static_cast<std::size_t>(c)] = !node.second[static_cast<std::size_t>(c)].isZero(0);
    }
    out.moving.push_back(moving);
  }
  // Other bodies may have any modal coordinates: transform to their modes.
  const MatrixXd mass = body.modal_mass();
  const SymmetricEigen own = eigen_generalized(body.stiffness, mass);
  out.first_frequency = first_frequency(own.values);
  if (body.beam) {
    add_families(body, mass, out);
    out.critical_load = critical_load(*body.beam);
  } else if (n > 1 && own.values[n - 1] > 0) {
    const VectorXd shape = own.vectors.col(n - 1);
    out.last.push_back({mass * shape, std::sqrt(own.values[n - 1]), reach_of(body, out.length, shape), kUnknownRest});
  }
  return out;
}

std::vector<bool> find_held_links(const Model& model) {
  std::vector<bool> held(model.bodies.size());
  for (const Closure& closure : model.closures) {
    int a = closure.a.body, b = closure.b.body;
    while (a != b) {  // parents have lower numbers
      int& lower = a > b ? a : b;
      held[static_cast<std::size_t>(lower)] = true;
      lower = model.joints[lower].parent.body;
    }
  }
  return held;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "limber/body/body.hpp"

namespace limber::test {

// The beam of cases.md: L = 2, rho A = 3, EI = 100 in y, 400 in z.
inline BeamSpec thin_beam(BeamBasis basis, std::array<int, 4> modes) {
  BeamSpec spec;
  spec.length = 2;
  spec.mass_per_length = 3;
  spec.EIy = 400;
  spec.EIz = 100;
  spec.EA = 5e4;
  spec.GJ = 30;
  spec.basis = basis;
  spec.modes = modes;
  if (basis == BeamBasis::custom) {
    for (std::size_t f = 0; f < 4; ++f) {
      for (int k = 0; k < modes[f]; ++k) {
        std::vector<double> shape(static_cast<std::size_t>(k + (f < 2 ? 3 : 2)), 0.0);
        shape.back() = 1;
        spec.shapes[f].push_back(shape);
      }
    }
  }
  return spec;
}

inline BeamSpec thick_beam(BeamBasis basis, std::array<int, 4> modes) {
  BeamSpec spec = thin_beam(basis, modes);
  spec.rotary_inertia_y = 0.05;
  spec.rotary_inertia_z = 0.02;
  return spec;
}

inline double frequency(const Body& body, int mode) { return std::sqrt(body.stiffness(mode, mode)); }

// Gauss-Legendre rule on 0 ... 1, by std::legendre: independent of the library's.
struct Rule {
  VectorXd x, w;
};

inline Rule make_rule(int n) {
  Rule rule{VectorXd(n), VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    long double t = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L)), slope = 1;
    for (int pass = 0; pass < 8; ++pass) {
      const auto order = static_cast<unsigned>(n);
      slope = n * (std::legendre(order - 1, t) - t * std::legendre(order, t)) / (1 - t * t);
      t -= std::legendre(order, t) / slope;
    }
    rule.x(i) = static_cast<double>((1 + t) / 2);
    rule.w(i) = static_cast<double>(1 / ((1 - t * t) * slope * slope));
  }
  return rule;
}

// The same beam with a node at every point of the rule, after root and tip.
inline BeamSpec with_nodes(BeamSpec spec, const Rule& rule) {
  spec.nodes.clear();
  for (int i = 0; i < rule.x.size(); ++i)
    spec.nodes.push_back({"n" + std::to_string(i), rule.x(i), Matrix3d::Identity()});
  return spec;
}

// A beam of with_nodes as mass points: every station has its mass in four quarters that move with the section;
// second-order shapes move the whole section.  theory §7.
inline ModalSpec as_points(const BeamSpec& spec, const Body& beam, const Rule& rule) {
  ModalSpec points;
  points.stiffness = beam.stiffness;
  points.damping = beam.damping;
  points.nodes = beam.nodes;
  const double y = std::sqrt(2 * spec.rotary_inertia_z / spec.mass_per_length);
  const double z = std::sqrt(2 * spec.rotary_inertia_y / spec.mass_per_length);
  for (int i = 0; i < rule.x.size(); ++i) {
    const Node& node = beam.nodes[static_cast<std::size_t>(2 + i)];
    for (const Vector3d& offset : {Vector3d(0, y, 0), Vector3d(0, -y, 0), Vector3d(0, 0, z), Vector3d(0, 0, -z)}) {
      MassPoint point;
      point.mass = spec.mass_per_length * spec.length * rule.w(i) / 4;
      point.position = node.position + offset;
      point.shape = node.translation;
      for (int a = 0; a < beam.modes; ++a) {
        const Vector3d turn = node.turn.col(a);
        point.shape.col(a) +=
            Vector3d(turn.y() * offset.z() - turn.z() * offset.y(), -turn.x() * offset.z(), turn.x() * offset.y());
      }
      point.second = node.second;
      points.points.push_back(point);
    }
  }
  return points;
}

// K from the shapes themselves: EI int w'' w'' + EA int u' u' + GJ int psi' psi', with derivatives of the sampled
// values by Lagrange interpolation on the points of the rule (barycentric weights of Gauss points).
inline MatrixXd stiffness_of_shapes(const BeamSpec& spec, const Body& beam, const Rule& rule) {
  const Eigen::Index n = rule.x.size();
  VectorXd lambda(n);
  for (Eigen::Index i = 0; i < n; ++i)
    lambda(i) = (i % 2 == 0 ? 1 : -1) * std::sqrt(rule.x(i) * (1 - rule.x(i)) * rule.w(i));
  MatrixXd derive = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (i == j) continue;
      derive(i, j) = lambda(j) / lambda(i) / (rule.x(i) - rule.x(j)) / spec.length;
      derive(i, i) -= derive(i, j);
    }
  }
  std::array<MatrixXd, 4> strain;  // w'' in y, w'' in z, u', psi'
  strain.fill(MatrixXd(n, beam.modes));
  for (Eigen::Index i = 0; i < n; ++i) {
    const Node& node = beam.nodes[static_cast<std::size_t>(2 + i)];
    strain[0].row(i) = node.turn.row(2);
    strain[1].row(i) = -node.turn.row(1);
    strain[2].row(i) = node.translation.row(0);
    strain[3].row(i) = node.turn.row(0);
  }
  const double stiffness[] = {spec.EIz, spec.EIy, spec.EA, spec.GJ};
  MatrixXd K = MatrixXd::Zero(beam.modes, beam.modes);
  for (std::size_t f = 0; f < 4; ++f) {
    const MatrixXd e = derive * strain[f];
    K += stiffness[f] * spec.length * e.transpose() * rule.w.asDiagonal() * e;
  }
  return K;
}

}  // namespace limber::test

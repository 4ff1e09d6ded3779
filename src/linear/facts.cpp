// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "element_terms.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/manifold.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/system.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "segmented_facts.hpp"

namespace limber {
namespace {

double hertz(double omega_squared) { return std::sqrt(std::max(0.0, omega_squared)) / (2 * std::numbers::pi); }

bool is_nearly_diagonal(const MatrixXd& m) {
  constexpr double kRounding = 1e-10;
  for (Eigen::Index a = 0; a < m.rows(); ++a) {
    for (Eigen::Index b = 0; b < a; ++b) {
      if (std::abs(m(a, b)) > kRounding * std::sqrt(std::abs(m(a, a) * m(b, b)))) return false;
    }
  }
  return true;
}

// The columns that diagonalise (K, M): eigenvectors, scaled to x^T M x = 1.  Rising frequency.
struct Solution {
  VectorXd omega_squared;
  MatrixXd columns;
};

ModeFacts make_mode(const Body& body, const MatrixXd& G, const VectorXd& x) {
  ModeFacts mode;
  mode.shape = x;
  mode.modal_mass = x.dot(G * x);
  const double k = x.dot(body.stiffness * x), d = x.dot(body.damping * x);
  mode.hertz = hertz(k / mode.modal_mass);
  mode.damping_ratio = k > 0 ? d / (2 * std::sqrt(k * mode.modal_mass)) : std::numeric_limits<double>::quiet_NaN();
  // Momentum of the body per unit speed of the mode alone: linear S x, angular F x with F_a = ax(C_a0), theory §2.
  Vector3d S = Vector3d::Zero(), F = Vector3d::Zero();
  for (int a = 0; a < body.modes; ++a) {
    const Matrix3d& C = body.c(1 + a, 0);
    S += x[a] * body.S.col(1 + a);
    F += x[a] * Vector3d(C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1));
  }
  mode.effective_mass = S.cwiseAbs2() / mode.modal_mass;
  mode.effective_inertia = F.cwiseAbs2() / mode.modal_mass;
  return mode;
}

// K of all modes, joint springs and force elements.
MatrixXd stiffness_matrix(const Model& model, const State& x) {
  MatrixXd K = MatrixXd::Zero(model.nv, model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    K.diagonal().segment(joint.v, joint.stiffness.size()) = joint.stiffness;
    const int n = model.body(i).modes;
    if (n > 0) K.block(model.first_mode(i), model.first_mode(i), n, n) = model.body(i).stiffness;
    const int m = motor_index(model, i).v;
    if (m < 0) continue;
    const double k = joint.drive->stiffness, per_turn = 1 / joint.drive->ratio;
    K(joint.v, joint.v) += k;
    K(joint.v, m) = K(m, joint.v) = -k * per_turn;
    K(m, m) = k * per_turn * per_turn;
  }
  if (has_elements(model)) K += ElementTerms(model, x, VectorXd::Zero(model.nv), {}).compute_stiffness(x);
  return K;
}

// Speeds that are free when the joints are locked; joints with an elastic drive are locked at the motor.
std::vector<int> modal_speeds(const Model& model) {
  std::vector<int> out;
  for (int i = 1; i < model.body_count(); ++i) {
    if (motor_index(model, i).v >= 0) out.push_back(model.joints[i].v);
    for (int a = 0; a < model.body(i).modes; ++a) out.push_back(model.first_mode(i) + a);
  }
  return out;
}

// Reason why there are no frequencies; empty if there are.
std::string no_frequencies(const Model& model, const State& x, const MatrixXd& K) {
  if (K.isZero(0)) return "nothing is elastic";
  VectorXd vdot(model.nv);
  const VectorXd tau = VectorXd::Zero(model.nv);
  const auto aba = make_tree_dynamics(model, "aba");
  if ((*aba)(x, Forces{tau}, vdot) == Status::ok) return "";
  return aba->failure() < 0 ? "the mass matrix is singular at this configuration"
                            : fmt::format("'{}' has no inertia at this configuration", model.speeds[aba->failure()]);
}

// Basis of the motions permitted by the closures: columns, scaled to masses of about 1.
MatrixXd free_motions(const MatrixXd& C, const MatrixXd& M) {
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  if (C.rows() == 0) return scale.asDiagonal();
  constexpr double kDependent = 1e-9;
  return scale.asDiagonal() * null_space(C * scale.asDiagonal(), kDependent);
}

// Modes of K x = omega^2 M x with C x = 0.
Solution solve_modes(const MatrixXd& K, const MatrixXd& M, const MatrixXd& C) {
  const MatrixXd N = free_motions(C, M);
  if (N.cols() == 0) return {VectorXd(0), MatrixXd(M.rows(), 0)};
  const auto [squares, shapes] = eigen_generalized(N.transpose() * K * N, N.transpose() * M * N);
  return {squares, N * shapes};
}

MatrixXd closure_rows(const Model& model, const State& x) {
  if (model.closures.empty()) return MatrixXd(0, model.nv);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  ClosureWorkspace closures(model);
  compute_closures(model, kin, closures);
  MatrixXd C(closures.count(), model.nv);
  Matrix6X scratch(6, model.nv);
  compute_closure_jacobian(model, kin, closures, scratch, C);
  return C;
}

// Displaces each joint by a different small amount, e.g. away from a configuration with all links in line.
constexpr double kBeside = 0.05;  // rad or m
State beside(const Model& model, const State& x) {
  VectorXd aside = VectorXd::Zero(model.nv);
  for (int i = 1; i < model.body_count(); ++i)
    for (int k = 0; k < speed_count(model.joints[i].kind); ++k)
      aside[model.joints[i].v + k] = kBeside * std::sin(1.0 + model.joints[i].v + k);
  State out = x;
  move(model, x.q, aside, out.q);
  return out;
}

// A configuration that satisfies the closures: the nearest to the start or, if they are singular there, one close to
// it, as stated in facts.frequencies.caution.
void find_configuration(const Model& model, const State& start, ModelFacts& facts) {
  try {
    facts.at = find_rest(model, start);
  } catch (const InputError& e) {
    const std::string why = e.what();
    try {
      facts.at = find_rest(model, beside(model, start));
    } catch (const InputError&) {
      throw InputError(why + "; give another configuration with --at STATE");
    }
    facts.frequencies.caution =
        fmt::format("{}; this is a configuration near {}, with joints moved by up to {}; --at STATE chooses another",
                    why, facts.where, kBeside);
  }
}

}  // namespace

BodyFacts compute_body_facts(const Body& body) {
  BodyFacts facts;
  const Matrix3d& C = body.c(0, 0);
  facts.mass = body.mass;
  facts.inertia_about_frame = (C.trace() * Matrix3d::Identity() - C).diagonal();
  facts.inertia = facts.inertia_about_frame;
  if (body.mass > 0) {
    facts.com = body.S.col(0) / body.mass;
    const Vector3d square = facts.com.cwiseAbs2();
    facts.inertia -= body.mass * (square.sum() * Vector3d::Ones() - square);
  }
  if (body.modes == 0) return facts;
  const MatrixXd G = body.modal_mass();
  facts.mixed = !is_nearly_diagonal(G) || !is_nearly_diagonal(body.stiffness);
  const MatrixXd shapes = facts.mixed ? solve_modes(body.stiffness, G, MatrixXd(0, G.rows())).columns
                                      : MatrixXd::Identity(G.rows(), G.cols());
  for (int a = 0; a < body.modes; ++a) {
    facts.modes.push_back(make_mode(body, G, shapes.col(a)));
    facts.modes.back().name = facts.mixed ? fmt::format("shape {}", a + 1) : body.mode_names[a];
  }
  return facts;
}

FrequencyFacts compute_frequencies(const Model& model, const State& x) {
  FrequencyFacts facts;
  if (model.nv > kMaxForFrequencies) {
    facts.why_not = fmt::format("not calculated beyond {} coordinates", kMaxForFrequencies);
    return facts;
  }
  const State rest{x.t, x.q, VectorXd::Zero(model.nv)};
  const MatrixXd K = stiffness_matrix(model, rest);
  facts.why_not = no_frequencies(model, rest, K);
  if (!facts.why_not.empty()) return facts;
  CrbaWorkspace ws(model);
  MatrixXd M(model.nv, model.nv);
  crba(model, rest, ws, M);
  const MatrixXd C = closure_rows(model, rest);

  constexpr double kRigid = 1e-11;  // of the largest omega^2: rounding
  const Solution free = solve_modes(K, M, C);
  const double largest = free.omega_squared.size() > 0 ? free.omega_squared.maxCoeff() : 0;
  for (const double square : free.omega_squared) {
    if (square > kRigid * largest) {
      facts.joints_free.push_back(hertz(square));
    } else {
      ++facts.rigid;
    }
  }
  facts.free_shapes = free.columns.rightCols(static_cast<Eigen::Index>(facts.joints_free.size()));
  const std::vector<int> modal = modal_speeds(model);
  if (modal.empty() || static_cast<int>(modal.size()) == model.nv) return facts;
  const Solution locked = solve_modes(K(modal, modal), M(modal, modal), C(Eigen::all, modal));
  for (const double square : locked.omega_squared) facts.joints_locked.push_back(hertz(square));
  facts.locked_shapes = MatrixXd::Zero(model.nv, locked.columns.cols());
  facts.locked_shapes(modal, Eigen::all) = locked.columns;
  return facts;
}

State find_rest(const Model& model, const State& start) {
  State x{start.t, start.q, VectorXd::Zero(model.nv)};
  if (model.closures.empty()) return x;
  System system(model, {}, "aba");
  system.select_interval(0);
  system.assemble(x);
  return x;
}

ModelFacts compute_facts(const Model& model, const State& start, const std::string& where) {
  ModelFacts facts;
  facts.total_mass = total_mass(model);
  facts.at = {start.t, start.q, VectorXd::Zero(model.nv)};
  facts.where = where;
  try {
    find_configuration(model, start, facts);
    if (!model.closures.empty())
      facts.where += facts.frequencies.caution.empty() ? ", closed" : ", moved aside, closed";
    const std::string caution = facts.frequencies.caution;
    facts.frequencies = compute_frequencies(model, facts.at);
    facts.frequencies.caution = caution;
  } catch (const InputError& e) {
    facts.frequencies.why_not = e.what();
  }
  KinematicsWorkspace kin(model);
  compute_kinematics(model, facts.at, kin);
  compute_world_poses(model, kin);
  facts.center_of_mass = compute_center_of_mass(model, kin);
  std::unordered_map<const Body*, int> known;
  facts.shape_of.push_back(-1);
  for (int i = 1; i < model.body_count(); ++i) {
    const SegmentedBeam* beam = find_segmented(model, i);
    const Body& body = beam != nullptr ? *beam->whole : model.body(i);
    const auto [entry, is_new] = known.emplace(&body, static_cast<int>(facts.shapes.size()));
    if (is_new) facts.shapes.push_back(beam != nullptr ? compute_segmented_facts(body) : compute_body_facts(body));
    facts.shape_of.push_back(entry->second);
  }
  return facts;
}

std::string node_name(const Model& model, NodeRef node) {
  const std::string& body = model.body_names[node.body];
  return node.node == kBodyFrame ? body : body + "." + model.body(node.body).nodes[node.node].name;
}

const char* to_string(Elimination elimination) {
  switch (elimination) {
    case Elimination::automatic:
      return "automatic";
    case Elimination::all_modes:
      return "all_modes";
    case Elimination::active:
      return "active";
  }
  return "unknown";
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/linearize.hpp"

#include <algorithm>

#include "element_terms.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/model/drive.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/rotation.hpp"
#include "linear_terms.hpp"

namespace limber {
namespace {

using Kind = LinearOutput::Kind;

bool is_held(const LinearizeOptions& options, int i) { return !options.held.empty() && options.held[i] != 0; }
bool of_node(Kind kind) { return kind == Kind::place || kind == Kind::velocity || kind == Kind::acceleration; }

void check_options(const Model& model, const State& point, const LinearizeOptions& options) {
  check_state(model, point);
  if (!options.held.empty() && static_cast<int>(options.held.size()) != model.body_count()) {
    throw InputError("linearize: `held` needs one entry per body, or none");
  }
  if (options.tau.size() != 0 && options.tau.size() != model.nv) {
    throw InputError("linearize: tau needs " + std::to_string(model.nv) + " numbers, or none");
  }
}

int place_of(const Model& model, const std::vector<int>& place, int speed, const char* what) {
  if (speed < 0 || speed >= model.nv) {
    throw InputError(std::string("linearize: ") + what + " of speed " + std::to_string(speed) + "; there are " +
                     std::to_string(model.nv));
  }
  if (place[static_cast<std::size_t>(speed)] >= 0) return place[static_cast<std::size_t>(speed)];
  throw InputError(std::string("linearize: ") + what + " '" + model.speeds[static_cast<std::size_t>(speed)] +
                   "' belongs to a joint that is held");
}

// Open chains: all derivatives by recursion.
void compute_open_terms(const Model& model, const LinearizeOptions& options, const VectorXd& tau,
                        const std::vector<NodeRef>& nodes, DerivativesWorkspace& ws, LinearTerms& terms,
                        LinearSystem& system) {
  const State& x = system.point;
  terms.vdot_q = terms.vdot_v = terms.vdot_tau = terms.tau_q;  // sizes
  ElementTerms elements(model, x, tau, options.wrenches);
  std::vector<NodeRef> watched = nodes;
  if (elements.any()) watched.insert(watched.end(), elements.loads->nodes().begin(), elements.loads->nodes().end());
  watch_nodes(model, watched, ws);
  // Node velocities J v: the accelerations of a model at rest with vdot = v.
  State still = x;
  still.v.setZero();
  rnea_derivatives(model, still, x.v, {}, ws, terms.tau_q, terms.tau_v);
  terms.velocity_q = ws.node_dq();
  system.acceleration.setZero(model.nv);
  const Status status = forward_derivatives(model, x, Forces{elements.tau, elements.wrenches}, options.held, ws,
                                            system.acceleration, terms.vdot_q, terms.vdot_v, terms.vdot_tau);
  check_solved(model, status, ws.failure());
  rnea_derivatives(model, x, system.acceleration, elements.wrenches, ws, terms.tau_q, terms.tau_v);
  terms.node_q = ws.node_dq();
  terms.node_v = ws.node_dv();
  if (elements.any()) {
    elements.compute(x, terms.velocity_q.bottomRows(static_cast<Eigen::Index>(6 * elements.node_count())));
    terms.vdot_q += terms.vdot_tau * elements.by_q;
    terms.vdot_v += terms.vdot_tau * elements.by_v;
    terms.tau_q -= elements.by_q;
    terms.tau_v -= elements.by_v;
  }
  CrbaWorkspace cw(model);
  crba(model, x, cw, terms.M);
  const MatrixXd all = MatrixXd::Identity(model.nv, model.nv);
  system.basis = all(Eigen::all, system.free);
}

// Rows of C and D.
class Outputs {
 public:
  Outputs(const Model& model, const Kinematics& kin, const LinearTerms& terms, const std::vector<int>& place,
          LinearSystem& system)
      : model_(model), kin_(kin), terms_(terms), place_(place), system_(system), J_(6, model.nv) {}

  // `node`: index of the node among the outputs' nodes.
  void set(const LinearOutput& output, Eigen::Index row, Eigen::Index node) {
    const int n = system_.coordinates();
    auto by_q = system_.C.row(row).head(n);
    auto by_v = system_.C.row(row).tail(n);
    if (output.kind == Kind::coordinate || output.kind == Kind::rate) {
      place_of(model_, place_, output.speed, "output");
      (output.kind == Kind::rate ? by_v : by_q) = system_.basis.row(output.speed);
    }
    if (output.kind == Kind::curvature || output.kind == Kind::strain) by_q = strain_row(output) * system_.basis;
    if (!of_node(output.kind)) return;
    if (output.component < 0 || output.component > 5) throw InputError("linearize: components of nodes are 0 ... 5");
    compute_node_jacobian(model_, kin_, output.node, J_);
    const Eigen::RowVectorXd J = J_.row(output.component) * system_.basis;
    const Eigen::Index at = 6 * node + output.component;
    if (output.kind == Kind::place) by_q = J;
    if (output.kind == Kind::velocity) {
      by_q = terms_.velocity_q.row(at) * system_.basis;
      by_v = J;
    }
    if (output.kind == Kind::acceleration) {
      // d (J vdot + dJ/dt v): the accelerations vdot depend on the state and the inputs.
      by_q = terms_.node_q.row(at) * system_.basis + J * system_.A.bottomLeftCorner(n, n);
      by_v = terms_.node_v.row(at) * system_.basis + J * system_.A.bottomRightCorner(n, n);
      system_.D.row(row) = J * system_.B.bottomRows(n);
    }
  }

 private:
  // Rotations are lambda eta, positions l0 + gamma eta + eta^T Xi eta / 2 (theory §2); `ruthless` uses the undeformed
  // ones.
  Eigen::RowVectorXd strain_row(const LinearOutput& output) const {
    const NodeRef a = output.node, b = output.other;
    const bool fits = a.body == b.body && a.body > 0 && a.body < model_.body_count() && a.node >= 0 && b.node >= 0 &&
                      std::max(a.node, b.node) < static_cast<int>(model_.body(a.body).nodes.size());
    if (!fits) throw InputError("linearize: curvature and strain need two nodes of one body");
    const Body& body = model_.body(a.body);
    const Node &from = body.nodes[static_cast<std::size_t>(a.node)], &to = body.nodes[static_cast<std::size_t>(b.node)];
    const double distance = (to.position - from.position).norm();
    if (!(distance > 0)) throw InputError("linearize: curvature and strain need two nodes at different positions");
    const VectorXd eta = model_.fidelity == Fidelity::ruthless
                             ? VectorXd::Zero(body.modes)
                             : VectorXd(system_.point.q.segment(model_.first_mode_q(a.body), body.modes));
    const auto gamma = [&](const Node& node, int mode) {
      Vector3d column = node.translation.col(mode);
      for (int k = 0; k < 3 && node.second[0].size() > 0; ++k) column[k] += node.second[k].row(mode).dot(eta);
      return column;
    };
    Vector3d apart = to.position - from.position;
    for (int m = 0; m < body.modes; ++m) {
      apart += 0.5 * eta[m] * (gamma(to, m) - gamma(from, m) + to.translation.col(m) - from.translation.col(m));
    }
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(model_.nv);
    for (int m = 0; m < body.modes; ++m) {
      const double slope = output.kind == Kind::curvature ? (to.turn - from.turn)(output.component, m)
                                                          : apart.normalized().dot(gamma(to, m) - gamma(from, m));
      row[model_.first_mode(a.body) + m] = slope / distance;
    }
    return row;
  }

  const Model& model_;
  const Kinematics& kin_;
  const LinearTerms& terms_;
  const std::vector<int>& place_;
  LinearSystem& system_;
  Matrix6X J_;
};

void set_state_matrix(const Model& model, const LinearTerms& terms, const std::vector<int>& place,
                      LinearSystem& system) {
  const std::vector<int>& free = system.free;
  const int n = system.coordinates();
  system.M = system.basis.transpose() * terms.M * system.basis;
  system.stiffness = system.basis.transpose() * terms.tau_q * system.basis;
  system.damping = system.basis.transpose() * terms.tau_v * system.basis;
  system.A.setZero(2 * n, 2 * n);
  system.A.topRightCorner(n, n).setIdentity();
  if (model.closures.empty()) {
    add_frame_rates(model, system.point, place, system.A);
    system.A.bottomLeftCorner(n, n) = terms.vdot_q(free, free);
    system.A.bottomRightCorner(n, n) = terms.vdot_v(free, free);
  } else if (n > 0) {
    const Cholesky factor(system.M);
    system.A.bottomLeftCorner(n, n) = -factor.solve(system.stiffness);
    system.A.bottomRightCorner(n, n) = -factor.solve(system.damping);
  }
  for (const int k : free) system.states.push_back(model.speeds[static_cast<std::size_t>(k)]);
  for (const int k : free) system.states.push_back(model.speeds[static_cast<std::size_t>(k)] + ".rate");
}

void set_inputs(const Model& model, const LinearTerms& terms, const std::vector<int>& place,
                const std::vector<int>& inputs, LinearSystem& system) {
  const int n = system.coordinates();
  system.B.setZero(2 * n, static_cast<Eigen::Index>(inputs.size()));
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const int speed = inputs[j];
    place_of(model, place, speed, "input");
    auto column = system.B.col(static_cast<Eigen::Index>(j)).tail(n);
    if (model.closures.empty()) {
      column = terms.vdot_tau.col(speed)(system.free);
    } else if (n > 0) {
      column = Cholesky(system.M).solve(VectorXd(system.basis.row(speed).transpose()));
    }
    system.inputs.push_back(model.speeds[static_cast<std::size_t>(speed)]);
  }
}

}  // namespace

std::vector<int> free_speeds(const Model& model, const std::vector<std::uint8_t>& held, std::vector<int>& place) {
  std::vector<int> free;
  place.assign(static_cast<std::size_t>(model.nv), -1);
  for (int i = 1; i < model.body_count(); ++i) {
    const bool fixed = !held.empty() && held[static_cast<std::size_t>(i)] != 0;
    const int modes = model.first_mode(i), end = modes + model.body(i).modes;
    for (int k = fixed ? modes : model.joints[i].v; k < end; ++k) {
      place[static_cast<std::size_t>(k)] = static_cast<int>(free.size());
      free.push_back(k);
    }
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const int motor = motor_index(model, i).v;
    if (motor < 0 || (!held.empty() && held[static_cast<std::size_t>(i)] != 0)) continue;
    place[static_cast<std::size_t>(motor)] = static_cast<int>(free.size());
    free.push_back(motor);
  }
  return free;
}

void add_frame_rates(const Model& model, const State& x, const std::vector<int>& place, MatrixXd& A) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const int at = joint_traits(joint.kind).quaternion ? place[static_cast<std::size_t>(joint.v)] : -1;
    if (at < 0) continue;
    const Matrix3d w = skew(x.v.segment<3>(joint.v));
    A.block<3, 3>(at, at) -= w;
    if (speed_count(joint.kind) == 3) continue;  // spherical
    A.block<3, 3>(at + 3, at) -= skew(x.v.segment<3>(joint.v + 3));
    A.block<3, 3>(at + 3, at + 3) -= w;
  }
}

void check_solved(const Model& model, Status status, int failure) {
  if (status == Status::ok) return;
  if (status == Status::singular_mass && failure >= 0) {
    throw InputError("linearize: '" + model.speeds[static_cast<std::size_t>(failure)] +
                     "' has no inertia at this state; give it some, or hold it");
  }
  throw InputError(std::string("linearize: ") + to_string(status) + " at this state; choose another");
}

LinearSystem linearize(const Model& model, const State& point, const LinearizeOptions& options) {
  check_options(model, point, options);
  LinearSystem system;
  system.point = point;
  std::vector<int> place;
  system.free = free_speeds(model, options.held, place);
  std::vector<NodeRef> nodes;
  for (const LinearOutput& output : options.outputs) {
    if (of_node(output.kind)) nodes.push_back(output.node);
  }
  DerivativesWorkspace ws(model);
  LinearTerms terms(model, nodes.size());
  const VectorXd tau = options.tau.size() == 0 ? VectorXd::Zero(model.nv) : options.tau;
  if (model.closures.empty()) {
    compute_open_terms(model, options, tau, nodes, ws, terms, system);
  } else {
    compute_closed_terms(model, options, tau, std::vector<int>(system.free), ws, terms, system);
  }
  set_state_matrix(model, terms, place, system);
  set_inputs(model, terms, place, options.inputs, system);
  const auto outputs = static_cast<Eigen::Index>(options.outputs.size());
  system.C.setZero(outputs, system.A.cols());
  system.D.setZero(outputs, system.B.cols());
  Outputs rows(model, ws.kinematics(), terms, place, system);
  Eigen::Index node = 0;
  for (Eigen::Index i = 0; i < outputs; ++i) {
    const LinearOutput& output = options.outputs[static_cast<std::size_t>(i)];
    rows.set(output, i, node);
    node += of_node(output.kind) ? 1 : 0;
    system.outputs.push_back(output.name);
  }
  return system;
}

LinearizeOptions make_joint_options(const Model& model, std::vector<std::uint8_t> held) {
  LinearizeOptions options;
  options.held = std::move(held);
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (is_held(options, i) || joint_traits(joint.kind).quaternion) continue;
    for (int k = joint.v; k < model.first_mode(i); ++k) {
      options.inputs.push_back(k);
      LinearOutput output;
      output.speed = k;
      output.name = model.speeds[static_cast<std::size_t>(k)];
      options.outputs.push_back(output);
    }
  }
  return options;
}

std::string quantity_name(LinearOutput::Kind kind, int component) {
  const bool angular = component < 3;
  const std::string axis = std::string(".") + "xyz"[component % 3];
  switch (kind) {
    case Kind::coordinate:
      return "coordinate";
    case Kind::rate:
      return "rate";
    case Kind::place:
      return (angular ? "turn" : "position") + axis;
    case Kind::velocity:
      return (angular ? "spin" : "velocity") + axis;
    case Kind::acceleration:
      return (angular ? "angular_acceleration" : "acceleration") + axis;
    case Kind::curvature:
      return "curvature" + axis;
    case Kind::strain:
      return "strain";
  }
  return "unknown";
}

}  // namespace limber

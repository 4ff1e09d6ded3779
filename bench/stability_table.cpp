// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Is the recursion more accurate than the dense Cholesky factorisation?  The question is from [MS] §7.2;
// docs/algorithms.md has the answer.
//   build/bench/stability_table                                 errors of one evaluation, CSV
// build/bench/stability_table --run [SCENARIO]      simulations of the Canadarm by several algorithms, CSV
// The reference is M a = b in 128 bits (113 of mantissa; with the 64 of long double it would be less accurate than the
// recursions on long chains), with M assembled from the frames, columns and inertias computed by `compute_kinematics`
// in double: the same for all algorithms, so that only their own rounding is measured.
// Errors are in coordinates scaled to unit diagonal of M, so that they do not depend on units.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <functional>
#include <string>
#include <vector>

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/scenario/scenario.hpp"
#include "support/random.hpp"

namespace {

using namespace limber;
using Long = long double;
__extension__ using Quad = __float128;
using MatrixL = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using VectorL = Eigen::Matrix<Long, Eigen::Dynamic, 1>;
using MatrixQ = Eigen::Matrix<Quad, Eigen::Dynamic, Eigen::Dynamic>;
using VectorQ = Eigen::Matrix<Quad, Eigen::Dynamic, 1>;
using Matrix3Q = Eigen::Matrix<Quad, 3, 3>;

const std::vector<std::string> kAlgorithms = {"aba", "denoc", "crba", "dca"};

Matrix3Q skew(const Vector3d& a) {
  Matrix3Q out;
  out << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return out;
}

// Twists at the point l of a frame: X(l) J.  theory §1.
void shift(const Vector3d& l, MatrixQ& J) { J.bottomRows(3) -= skew(l) * J.topRows(3); }

// M_m of a body (modes, then rotation, then translation).  theory §2.
MatrixQ body_mass(const Link& link, int i, const Kinematics& kin) {
  const int n = link.n, width = kLanes * lanes_for(n);
  MatrixQ M = MatrixQ::Zero(n + 6, n + 6);
  const double* G = n > 0 ? kin.modal_mass(link, static_cast<std::size_t>(i)) : nullptr;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) M(j, k) = G[j * width + k];
    const Vector6 column = to_vector(kin.columns[link.columns + k]);
    M.block(n, k, 6, 1) = column.cast<Quad>();
    M.block(k, n, 1, 6) = column.cast<Quad>().transpose();
  }
  const LinkFrame& frame = kin.links[i];
  M.block(n, n, 3, 3) = to_matrix(frame.J).cast<Quad>();
  M.block(n, n + 3, 3, 3) = skew(to_vector(frame.s));
  M.block(n + 3, n, 3, 3) = -skew(to_vector(frame.s));
  M.block(n + 3, n + 3, 3, 3) = Quad(frame.m) * Matrix3Q::Identity();
  return M;
}

// M = sum over the bodies of B^T M_m B, B from speeds to (modal speeds, twist).  Joints are on body frames here.
MatrixQ mass_matrix(const Model& model, const Kinematics& kin) {
  const Layout& layout = *model.layout;
  MatrixQ M = MatrixQ::Zero(model.nv, model.nv);
  std::vector<MatrixQ> J(layout.links.size(), MatrixQ::Zero(6, model.nv));
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    MatrixQ& own = J[i];
    own = J[link.parent];
    if (link.attachment >= 0) {
      shift(to_vector(kin.attachments[link.attachment].l), own);
      const Spatial* Y = &kin.columns[layout.attachments[link.attachment].columns];
      const Link& parent = layout.links[link.parent];
      for (int k = 0; k < parent.n; ++k) own.col(parent.vm + k) += to_vector(Y[k]).cast<Quad>();
    }
    shift(to_vector(kin.links[i].r), own);
    const Matrix3Q Rt = to_matrix(kin.links[i].R).cast<Quad>().transpose();
    own.topRows(3) = (Rt * own.topRows(3)).eval();
    own.bottomRows(3) = (Rt * own.bottomRows(3)).eval();
    for (int k = 0; k < link.nr; ++k) own.col(link.v + k) += to_vector(kin.hinge_map(link)[k]).cast<Quad>();
    const int moved = link.vm + link.n;  // later ones do not move this body
    MatrixQ B = MatrixQ::Zero(link.n + 6, moved);
    for (int k = 0; k < link.n; ++k) B(k, link.vm + k) = 1;
    B.bottomRows(6) = own.leftCols(moved);
    M.topLeftCorner(moved, moved) += B.transpose() * (body_mass(link, i, kin) * B);
  }
  return M;
}

// M a = b by L D L^T.
VectorQ solve(MatrixQ L, VectorQ b) {
  const Eigen::Index n = b.size();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j + 1; i < n; ++i) {
      const Quad l = L(i, j) / L(j, j);
      for (Eigen::Index k = i; k < n; ++k) L(k, i) -= l * L(k, j);
    }
    for (Eigen::Index i = j + 1; i < n; ++i) L(i, j) /= L(j, j);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j + 1; i < n; ++i) b[i] -= L(i, j) * b[j];
  }
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    b[j] /= L(j, j);
    for (Eigen::Index i = j + 1; i < n; ++i) b[j] -= L(i, j) * b[i];
  }
  return b;
}

double condition(const MatrixL& M) {
  const Eigen::SelfAdjointEigenSolver<MatrixL> eigen(M, Eigen::EigenvaluesOnly);
  return static_cast<double>(eigen.eigenvalues().tail(1)[0] / eigen.eigenvalues()[0]);
}

// Results of one algorithm; the worst of the samples.
struct Errors {
  double forward = 0;  // |a - a*| / |a*|
  double backward =
      0;  // |M a - b| / (|M| |a| + |b|), infinity norms: the smallest relative change of M and b that explains a
  int refused = 0;  // statuses other than ok
};

struct Row {
  double condition = 0, scaled_condition = 0;
  std::vector<Errors> errors = std::vector<Errors>(kAlgorithms.size());
};

// At rest and without gravity, so that b = f - K eta.
void measure(const Model& model, const State& x, const VectorXd& f, Row& row) {
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  const MatrixQ M = mass_matrix(model, kin);
  VectorQ b = f.cast<Quad>();
  for (int i = 1; i < model.body_count(); ++i) {
    const Body& body = model.body(i);
    const int n = body.modes;
    const VectorQ eta = x.q.segment(model.first_mode_q(i), n).cast<Quad>();
    if (n > 0) b.segment(model.first_mode(i), n) -= body.stiffness.cast<Quad>() * eta;
  }
  // Scaled to about unit diagonal.
  const VectorXd inboard = M.diagonal().cast<double>().cwiseSqrt(), inverse = inboard.cwiseInverse();
  const MatrixQ Ms = inverse.cast<Quad>().asDiagonal() * M * inverse.cast<Quad>().asDiagonal();
  const VectorQ bs = b.cwiseProduct(inverse.cast<Quad>()), truth = solve(Ms, bs);
  row.condition = std::max(row.condition, condition(M.cast<Long>()));
  row.scaled_condition = std::max(row.scaled_condition, condition(Ms.cast<Long>()));
  const Long norm_M = Ms.cast<Long>().cwiseAbs().rowwise().sum().maxCoeff();
  const Long norm_b = bs.cast<Long>().cwiseAbs().maxCoeff(), norm_truth = truth.cast<Long>().norm();
  VectorXd vdot(model.nv);
  for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
    Errors& e = row.errors[k];
    if ((*make_forward_dynamics(model, kAlgorithms[k]))(x, {f, {}}, vdot) != Status::ok) {
      ++e.refused;
      continue;
    }
    const VectorQ a = vdot.cast<Quad>().cwiseProduct(inboard.cast<Quad>());
    const VectorL error = (a - truth).cast<Long>(), residual = (Ms * a - bs).cast<Long>();
    const Long size = norm_M * a.cast<Long>().cwiseAbs().maxCoeff() + norm_b;
    e.forward = std::max(e.forward, static_cast<double>(error.norm() / norm_truth));
    e.backward = std::max(e.backward, static_cast<double>(residual.cwiseAbs().maxCoeff() / size));
  }
}

void print(const std::string& family, double parameter, const Row& row) {
  fmt::print("{},{:g},{:.3g},{:.3g}", family, parameter, row.condition, row.scaled_condition);
  for (const Errors& e : row.errors) fmt::print(",{:.2g},{:.2g},{}", e.forward, e.backward, e.refused);
  fmt::print("\n");
  std::fflush(stdout);
}

// ---- models ----------------------------------------------------------------------------------------

struct Arm {
  std::vector<Body> bodies;  // each on the node `tip` of the previous one
  std::vector<JointKind> kinds;
  bool planar = true;  // otherwise axes alternate between z and y

  void add(Body body, JointKind kind) {
    body.name = "b" + std::to_string(bodies.size() + 1);
    bodies.push_back(std::move(body));
    kinds.push_back(kind);
  }
  Model build() const {
    ModelBuilder builder("arm");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const int child = builder.add_body(bodies[i]);
      Joint joint;
      joint.name = "j" + std::to_string(i + 1);
      joint.kind = kinds[i];
      joint.axis = planar || i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
      if (i > 0) joint.parent = {static_cast<int>(i), bodies[i - 1].node_index("tip")};
      builder.add_joint(std::move(joint), child);
    }
    return builder.build();
  }
};

// Uniform tube; rigid if it has no modes.
Body link(double length, double mass, int modes, double EI) {
  BeamSpec beam;
  beam.length = length;
  beam.mass_per_length = mass / length;
  beam.EIz = beam.EIy = EI;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-3 * mass / length;
  beam.modes = {modes, 0, 0, 0};
  return make_beam_body(beam, false);
}

Body block(double mass) {
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = 0.1 * mass * Matrix3d::Identity();
  return make_rigid_body(spec);
}

// [MS] table 2, with `modes` modes per link.
Arm canadarm(int modes) {
  Arm arm;
  arm.add(link(6, 140, modes, 1e5), JointKind::revolute);
  arm.add(link(7, 85, modes, 1e5), JointKind::revolute);
  arm.add(link(2, 95, modes, 1e5), JointKind::revolute);
  return arm;
}

// Worst of ten random states and forces (bent: angles within half a turn; otherwise straight to 1e-3).
Row sample(const Model& model, bool bent, int samples = 10) {
  Row row;
  test::Random random(1);
  for (int k = 0; k < samples; ++k) {
    State x = make_zero_state(model);
    VectorXd f(model.nv);
    for (int i = 1; i < model.body_count(); ++i) {
      const int n = model.body(i).modes;
      if (model.joints[i].kind == JointKind::revolute)
        x.q[model.joints[i].q] = random.uniform(-1, 1) * (bent ? 1.5 : 1e-3);
      x.q.segment(model.first_mode_q(i), n) = random.vector(n, 1e-3);
    }
    for (double& e : f) e = random.normal();
    measure(model, x, f, row);
  }
  return row;
}

void print_cases() {
  fmt::print("family,parameter,condition,scaled_condition");
  for (const std::string& name : kAlgorithms) fmt::print(",{0}_forward,{0}_backward,{0}_refused", name);
  fmt::print("\n");
  for (const int modes : {0, 1, 2, 4, 8, 16, 24})
    print("canadarm by modes", modes, sample(canadarm(modes).build(), true));
  for (const bool bent : {false, true}) {
    for (const int links : {2, 4, 8, 16, 32, 64, 128, 256}) {
      Arm arm;
      for (int i = 0; i < links; ++i) arm.add(link(1, 1, 0, 100), JointKind::revolute);
      print(bent ? "rigid chain bent" : "rigid chain straight", links, sample(arm.build(), bent, links > 100 ? 1 : 10));
    }
  }
  for (const int links : {2, 4, 8, 16, 32, 64}) {
    Arm arm;
    arm.planar = false;
    for (int i = 0; i < links; ++i) arm.add(link(1, 2, 3, 800), JointKind::revolute);
    print("flexible chain with 3 modes", links, sample(arm.build(), true, links > 40 ? 1 : 10));
  }
  for (int power = -6; power <= 10; power += 2) {
    Arm arm = canadarm(2);
    arm.add(block(100 * std::pow(10.0, power)), JointKind::fixed);
    print("canadarm by payload / 100 kg", std::pow(10.0, power), sample(arm.build(), true));
  }
  for (int power = 0; power >= -14; power -= 2) {
    Arm arm;
    for (int i = 0; i < 5; ++i) arm.add(link(1, i % 2 == 1 ? std::pow(10.0, power) : 1, 0, 100), JointKind::revolute);
    print("light links between by mass", std::pow(10.0, power), sample(arm.build(), true));
  }
  for (int power = 0; power >= -7; --power) {
    Arm arm;
    for (int i = 0; i < 5; ++i) arm.add(link(i % 2 == 1 ? std::pow(10.0, power) : 1, 1, 0, 100), JointKind::revolute);
    print("short links between by length", std::pow(10.0, power), sample(arm.build(), true));
  }
}

// ---- simulations -----------------------------------------------------------------------------------

struct Track : RunListener {
  std::vector<State> states;
  std::vector<double> balance;
  std::vector<VectorXd> torques;
  void record(const Record& record) override {
    states.push_back(record.motion.x);
    balance.push_back(record.balance);
    torques.push_back(record.torques);
  }
};

void print_run(const std::string& file) {
  const Scenario scenario = read_scenario(file);
  const Model& model = *scenario.model;
  const State start{0, scenario.initial.q, scenario.initial.v};
  RunOptions run = scenario.run;
  run.record_every = 0.1;
  std::vector<Track> tracks(kAlgorithms.size());
  std::vector<double> scale(kAlgorithms.size());
  for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
    SolverOptions solver = scenario.solver;
    solver.method = "rk4";  // fixed steps: all algorithms use the same times
    solver.step = 1e-3;
    System system(model, scenario.inputs, kAlgorithms[k]);
    const RunResult result = simulate(system, solver, run, start, tracks[k]);
    scale[k] = result.energy_scale;
    fmt::print(stderr, "{}: to t = {} s, {}\n", kAlgorithms[k], result.t, to_string(result.status));
  }
  fmt::print("t,condition,scaled_condition");
  for (const std::string& name : kAlgorithms)
    fmt::print(",{0}_forward,{0}_backward,{0}_refused,{0}_away_from_aba,{0}_energy_error", name);
  fmt::print("\n");
  for (std::size_t r = 0; r < tracks[0].states.size(); ++r) {
    State x = tracks[0].states[r];
    Row row;
    x.v.setZero();
    measure(model, x, tracks[0].torques[r], row);
    fmt::print("{:.1f},{:.4g},{:.4g}", x.t, row.condition, row.scaled_condition);
    for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
      fmt::print(",{:.2g},{:.2g},{}", row.errors[k].forward, row.errors[k].backward, row.errors[k].refused);
      const bool there = r < tracks[k].states.size();
      fmt::print(",{:.2g},{:.2g}",
                 there ? (tracks[k].states[r].q - tracks[0].states[r].q).lpNorm<Eigen::Infinity>() : NAN,
                 there ? tracks[k].balance[r] / scale[k] : NAN);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (!words.empty() && words[0] == "--run") {
      print_run(words.size() > 1 ? words[1] : "examples/canadarm/scenario.yaml");
    } else {
      print_cases();
    }
  } catch (const Error& e) {
    fmt::print(stderr, "stability_table: {}\n", e.what());
    return 1;
  }
  return 0;
}

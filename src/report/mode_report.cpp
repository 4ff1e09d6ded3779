// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/segments.hpp"
#include "limber/report/report.hpp"
#include "report/machine.hpp"
#include "report/provenance.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Modes of a page: names, and the motion of all bodies.
struct Modes {
  Json list = Json::array();
  std::vector<float> twists;  // (modes x bodies x 6) of body frames in world
  std::vector<float> eta;     // (modes x modes of all bodies)
};

// Twist of the elastic drive of joint i, at the joint; 0: it has none.
double transmission_twist(const Model& model, int i, const VectorXd& x) {
  const MotorIndex motor = motor_index(model, i);
  return motor.v < 0 ? 0 : x[motor.v] / model.joints[i].drive->ratio - x[model.joints[i].v];
}

// Damping ratio of a shape with x^T M x = 1: x^T D x / 2 omega.
double damping_ratio(const Model& model, const VectorXd& x, double hertz) {
  double power = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const auto hinge = x.segment(joint.v, joint.damping.size());
    const auto modes = x.segment(model.first_mode(i), model.body(i).modes);
    power += hinge.dot(joint.damping.cwiseProduct(hinge)) + modes.dot(model.body(i).damping * modes);
    if (joint.friction) power += joint.friction->viscous * hinge[0] * hinge[0];
    if (const double twist = transmission_twist(model, i, x); twist != 0) power += joint.drive->damping * twist * twist;
  }
  return power / (4 * M_PI * hertz);
}

// Shares of an energy by name, the largest first.
using Shares = std::vector<std::pair<double, std::string>>;

std::string list_shares(Shares shares, std::size_t most) {
  constexpr double kLeast = 0.1;
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  double all = 0;
  for (const auto& [share, name] : shares) all += share;
  std::string out;
  for (std::size_t k = 0; k < std::min(most, shares.size()) && (k == 0 || shares[k].first > kLeast * all); ++k)
    out += fmt::format("{}{} {:.0f} %", k > 0 ? ", " : "", shares[k].second, 100 * shares[k].first / all);
  return out;
}

// Twice the kinetic energy of an undeformed body whose frame has the twist [w; v] (in its own basis) and whose modes
// have the rates e: the sum of m |v + w x r + Phi e|^2 over its mass, by the integrals of theory §2.
double kinetic(const Body& body, const Vector3d& w, const Vector3d& v, const VectorXd& e) {
  const Matrix3d& C = body.c(0, 0);
  Vector3d S = Vector3d::Zero(), F = Vector3d::Zero();  // linear and angular momentum of the modes
  for (int a = 0; a < body.modes; ++a) {
    const Matrix3d& Ca = body.c(1 + a, 0);
    S += e[a] * body.S.col(1 + a);
    F += e[a] * Vector3d(Ca(2, 1) - Ca(1, 2), Ca(0, 2) - Ca(2, 0), Ca(1, 0) - Ca(0, 1));
  }
  const double rigid = body.mass * v.squaredNorm() + 2 * v.dot(w.cross(Vector3d(body.S.col(0)))) +
                       C.trace() * w.squaredNorm() - w.dot(C * w);
  return rigid + 2 * v.dot(S) + 2 * w.dot(F) + (body.modes > 0 ? e.dot(body.modal_mass() * e) : 0.0);
}

// Shares of the bodies in the kinetic energy of a shape.
Shares kinetic_shares(const Model& model, const Kinematics& kin, const VectorXd& x) {
  Shares out;
  for (int i = 1; i < model.body_count(); ++i) {
    const Vector6 twist = node_velocity(model, kin, {i, kBodyFrame}, x);
    const Matrix3d Rt = kin.world[static_cast<std::size_t>(i)].R.transpose();
    const VectorXd e = x.segment(model.first_mode(i), model.body(i).modes);
    out.emplace_back(kinetic(model.body(i), Rt * twist.head<3>(), Rt * twist.tail<3>(), e), model.body_names[i]);
    if (const MotorIndex motor = motor_index(model, i); motor.v >= 0)
      out.emplace_back(model.joints[i].drive->inertia * x[motor.v] * x[motor.v], "motor of " + model.joints[i].name);
  }
  return out;
}

// Shares in the strain energy: of the modes of each body, named by the mode with most of it, and of springs.
Shares strain_shares(const Model& model, const VectorXd& x) {
  Shares out;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const Body& body = model.body(i);
    const auto hinge = x.segment(joint.v, joint.stiffness.size());
    if (const double spring = hinge.dot(joint.stiffness.cwiseProduct(hinge)); spring > 0)
      out.emplace_back(spring, "spring of " + joint.name);
    if (const double twist = transmission_twist(model, i, x); twist != 0)
      out.emplace_back(joint.drive->stiffness * twist * twist, "drive of " + joint.name);
    if (body.modes == 0) continue;
    const VectorXd e = x.segment(model.first_mode(i), body.modes);
    Eigen::Index most = 0;
    e.cwiseAbs2().cwiseProduct(body.stiffness.diagonal()).maxCoeff(&most);
    out.emplace_back(e.dot(body.stiffness * e),
                     model.body_names[i] + " " + body.mode_names[static_cast<std::size_t>(most)]);
  }
  return out;
}

// A shape of the whole model: velocities of all bodies for the speeds x.
void add_machine_mode(const Model& model, const Kinematics& kin, const VectorXd& x, Modes& modes) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Vector6 twist = node_velocity(model, kin, {i, kBodyFrame}, x);
    for (const double value : twist) modes.twists.push_back(static_cast<float>(value));
  }
  for (int i = 1; i < model.body_count(); ++i)
    for (int a = 0; a < model.body(i).modes; ++a) modes.eta.push_back(static_cast<float>(x[model.first_mode(i) + a]));
}

void add_machine_modes(const Model& model, const Kinematics& kin, const std::vector<double>& hertz,
                       const MatrixXd& shapes, const char* group, Modes& modes) {
  for (std::size_t k = 0; k < hertz.size(); ++k) {
    const VectorXd x = shapes.col(static_cast<Eigen::Index>(k));
    const Shares moving = kinetic_shares(model, kin, x);
    const auto most =
        std::max_element(moving.begin(), moving.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    constexpr std::size_t kNamed = 3;
    Json entry = {{"name", fmt::format("mode {}: {}", k + 1, most->second)},
                  {"group", group},
                  {"hz", hertz[k]},
                  {"detail", fmt::format("moves: {}; strain: {}", list_shares(moving, kNamed),
                                         list_shares(strain_shares(model, x), kNamed))}};
    if (hertz[k] > 0) entry["damping"] = damping_ratio(model, x, hertz[k]);
    modes.list.push_back(std::move(entry));
    add_machine_mode(model, kin, x, modes);
  }
}

// The modes of one body with fixed frame.
void add_body_modes(const Model& model, int i, const BodyFacts& facts, Modes& modes) {
  const std::size_t bodies = static_cast<std::size_t>(model.body_count() - 1);
  const auto all = static_cast<std::size_t>(mode_count(model));
  std::size_t first = 0;
  for (int j = 1; j < i; ++j) first += static_cast<std::size_t>(model.body(j).modes);
  for (std::size_t a = 0; a < facts.modes.size(); ++a) {
    const ModeFacts& mode = facts.modes[a];
    Json entry = {{"name", mode.name}, {"group", "body " + model.body_names[i]}, {"hz", mode.hertz}, {"only", i - 1}};
    if (std::isfinite(mode.damping_ratio)) entry["damping"] = mode.damping_ratio;
    modes.list.push_back(std::move(entry));
    modes.twists.resize(modes.twists.size() + 6 * bodies, 0.0f);
    modes.eta.resize(modes.eta.size() + all, 0.0f);
    float* eta = modes.eta.data() + modes.eta.size() - all + first;
    for (Eigen::Index k = 0; k < mode.shape.size(); ++k) eta[k] = static_cast<float>(mode.shape[k]);
  }
}

// One of each distinct body: a model of a thousand equal links has one list.
void add_bodies(const Model& model, const ModelFacts& facts, Modes& modes) {
  constexpr std::size_t kMaxNumbers = 4'000'000;
  std::vector<bool> done(facts.shapes.size(), false);
  for (int i = 1; i < model.body_count(); ++i) {
    const auto shape = static_cast<std::size_t>(facts.shape_of[static_cast<std::size_t>(i)]);
    if (done[shape] || modes.twists.size() + modes.eta.size() > kMaxNumbers) continue;
    if (find_segmented(model, i) != nullptr) continue;  // its modes are those of the whole model
    done[shape] = true;
    add_body_modes(model, i, facts.shapes[shape], modes);
  }
}

Json summary_of(const Model& model, const ModelFacts& facts) {
  const FrequencyFacts& found = facts.frequencies;
  Json out = Json::array();
  const auto add = [&](const char* label, const std::string& value) {
    out.push_back({{"label", label}, {"value", value}});
  };
  add("bodies", std::to_string(count_bodies(model)));
  add("modes of bodies", std::to_string(mode_count(model)));
  add("configuration", facts.where);
  add("mass", fmt::format("{:.4g} kg", facts.total_mass));
  if (!found.why_not.empty()) add("modes of the machine", found.why_not);
  const bool locked = !found.joints_locked.empty();
  if (!found.joints_free.empty())
    add(locked ? "lowest, joints free" : "lowest frequency", fmt::format("{:.4g} Hz", found.joints_free[0]));
  if (locked) add("lowest, joints locked", fmt::format("{:.4g} Hz", found.joints_locked[0]));
  if (found.rigid > 0) add("motions without stiffness", std::to_string(found.rigid));
  return out;
}

}  // namespace

ReportFacts write_mode_report(const Model& model, const ModelFacts& facts, const std::string& target,
                              const ReportOptions& options) {
  check_page(target, options.never_overwrites);
  const FrequencyFacts& found = facts.frequencies;
  KinematicsWorkspace kin(model);
  compute_kinematics(model, facts.at, kin);
  compute_world_poses(model, kin);

  Modes modes;
  add_machine_modes(model, kin, found.joints_locked, found.locked_shapes, "machine, joints locked", modes);
  add_machine_modes(model, kin, found.joints_free, found.free_shapes,
                    found.joints_locked.empty() ? "machine" : "machine, joints free", modes);
  add_bodies(model, facts, modes);
  if (modes.list.empty()) throw InputError("this machine has no vibrations; give a body modes, or a joint stiffness");

  PageData page;
  page.header["kind"] = "modes";
  page.header["name"] = model.name.empty() ? "machine" : model.name;
  add_provenance(options.file, LIMBER_VERSION, {{"model", options.model_text}}, page);
  if (!found.caution.empty()) page.header["warnings"] = {found.caution};
  page.header["summary"] = summary_of(model, facts);
  add_machine(model, page);
  const std::size_t count = modes.list.size(), bodies = static_cast<std::size_t>(model.body_count() - 1);
  page.header["modes"] = std::move(modes.list);
  Picture picture;
  set_picture(model, kin, picture);
  page.add("poses", {bodies, 7}, picture.poses);
  page.add("mode_twists", {count, bodies, 6}, modes.twists);
  if (!picture.eta.empty()) page.add("mode_eta", {count, picture.eta.size()}, modes.eta);
  if (!picture.eta.empty()) page.add("rest_eta", {picture.eta.size()}, picture.eta);
  ReportFacts out;
  out.pictures = static_cast<long>(count);
  out.bytes = write_page(page, target, options.never_overwrites);
  return out;
}

}  // namespace limber

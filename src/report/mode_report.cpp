// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "limber/dynamics/energy.hpp"
#include "limber/linear/facts.hpp"
#include "limber/report/report.hpp"
#include "report/machine.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Modes of a page: names, and how everything moves.
struct Modes {
  Json list = Json::array();
  std::vector<float> twists;  // (modes x bodies x 6) of body frames in world
  std::vector<float> eta;     // (modes x modes of all bodies)
};

// Damping ratio of a shape with x^T M x = 1: x^T D x / 2 omega.
double damping_ratio(const Model& model, const VectorX& x, double hertz) {
  double power = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const auto hinge = x.segment(joint.v, joint.damping.size());
    const auto modes = x.segment(model.first_mode(i), model.body(i).modes);
    power += hinge.dot(joint.damping.cwiseProduct(hinge)) + modes.dot(model.body(i).damping * modes);
  }
  return power / (4 * M_PI * hertz);
}

// A shape of the whole machine: how fast everything moves when it moves along the speeds x.
void add_machine_mode(const Model& model, const Kinematics& kin, const VectorX& x, Modes& modes) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Vector6 twist = node_velocity(model, kin, {i, kBodyFrame}, x);
    for (const double value : twist) modes.twists.push_back(static_cast<float>(value));
  }
  for (int i = 1; i < model.body_count(); ++i)
    for (int a = 0; a < model.body(i).modes; ++a) modes.eta.push_back(static_cast<float>(x[model.first_mode(i) + a]));
}

void add_machine_modes(const Model& model, const Kinematics& kin, const std::vector<double>& hertz,
                       const MatrixX& shapes, const char* group, Modes& modes) {
  for (std::size_t k = 0; k < hertz.size(); ++k) {
    const VectorX x = shapes.col(static_cast<Eigen::Index>(k));
    Json entry = {{"name", fmt::format("mode {}", k + 1)}, {"group", group}, {"hz", hertz[k]}};
    if (hertz[k] > 0) entry["damping"] = damping_ratio(model, x, hertz[k]);
    modes.list.push_back(std::move(entry));
    add_machine_mode(model, kin, x, modes);
  }
}

// The modes of one body whose frame is held.
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

// One of each kind of body: a page of a thousand equal links has one list.
void add_bodies(const Model& model, const ModelFacts& facts, Modes& modes) {
  constexpr std::size_t kMaxNumbers = 4'000'000;
  std::vector<bool> done(facts.shapes.size(), false);
  for (int i = 1; i < model.body_count(); ++i) {
    const auto shape = static_cast<std::size_t>(facts.shape_of[static_cast<std::size_t>(i)]);
    if (done[shape] || modes.twists.size() + modes.eta.size() > kMaxNumbers) continue;
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
  add("bodies", std::to_string(model.body_count() - 1));
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
  Kinematics kin(model);
  compute_kinematics(model, facts.at, kin);
  compute_world_poses(model, kin);

  Modes modes;
  add_machine_modes(model, kin, found.joints_locked, found.locked_shapes, "machine, joints locked", modes);
  add_machine_modes(model, kin, found.joints_free, found.free_shapes,
                    found.joints_locked.empty() ? "machine" : "machine, joints free", modes);
  add_bodies(model, facts, modes);
  if (modes.list.empty()) throw InputError("nothing of this machine vibrates; give a body modes, or a joint stiffness");

  PageData page;
  page.header["kind"] = "modes";
  page.header["name"] = model.name.empty() ? "machine" : model.name;
  page.header["version"] = LIMBER_VERSION;
  page.header["summary"] = summary_of(model, facts);
  add_machine(model, page);
  const std::size_t count = modes.list.size(), bodies = static_cast<std::size_t>(model.body_count() - 1);
  page.header["modes"] = std::move(modes.list);
  Picture picture;
  set_picture(model, kin, picture);
  page.add("poses", {bodies, 7}, picture.poses);
  page.add("mode_twists", {count, bodies, 6}, modes.twists);
  if (!picture.eta.empty()) page.add("mode_eta", {count, picture.eta.size()}, modes.eta);
  ReportFacts out;
  out.pictures = static_cast<long>(count);
  out.bytes = write_page(page, target, options.never_overwrites);
  return out;
}

}  // namespace limber

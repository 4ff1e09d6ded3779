// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/body_info.hpp"

#include <fmt/format.h>

#include "apps/json.hpp"
#include "apps/terminal.hpp"
#include "limber/linear/facts.hpp"

namespace limber::apps {
namespace {

template <class Vector>
Json number_list(const Vector& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(value);
  return out;
}

std::string percent(double part, double whole) { return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : ""; }

}  // namespace

std::string body_info_text(const ModalBodyFile& file, bool all) {
  const BodyFacts facts = compute_body_facts(file.body);
  const Style style = style_for(stdout);
  constexpr std::size_t kFewRows = 24;
  const std::size_t most = all ? file.free_hertz.size() + 1 : kFewRows;
  std::string out = style.bold("Modal body") + "\n";
  for (const auto& [label, value] : file.facts) out += fmt::format("  {:<32}{}\n", fit(label, 30), fit(value, 300));
  out += fmt::format("  {:<32}{:.9g} kg\n", "mass", facts.mass);
  out +=
      fmt::format("  {:<32}{:.6g}, {:.6g}, {:.6g} m\n", "centre of mass", facts.com.x(), facts.com.y(), facts.com.z());
  out += fmt::format("  {:<32}{:.6g}, {:.6g}, {:.6g} kg m2\n", "inertia xx, yy, zz about it", facts.inertia.x(),
                     facts.inertia.y(), facts.inertia.z());
  Table nodes;
  nodes.column("Node")
      .column("x m", Table::Align::right)
      .column("y m", Table::Align::right)
      .column("z m", Table::Align::right);
  for (const Node& node : file.body.nodes)
    nodes.row(
        {node.name, short_number(node.position.x()), short_number(node.position.y()), short_number(node.position.z())});
  out += "\n" + nodes.render(style, most, "nodes");
  Table modes;
  const auto right = Table::Align::right;
  modes.column("Mode").column("Hz", right).column("free-free Hz", right).column("damping", right);
  modes.column("mass x %", right).column("y %", right).column("z %", right);
  Vector3d sum = Vector3d::Zero();
  for (std::size_t k = 0; k < facts.modes.size(); ++k) {
    const ModeFacts& mode = facts.modes[k];
    sum += mode.effective_mass;
    modes.row({mode.name, fmt::format("{:.7g}", mode.hertz),
               fmt::format("{:.7g}", file.free_hertz(static_cast<Eigen::Index>(k))), short_number(mode.damping_ratio),
               percent(mode.effective_mass.x(), facts.mass), percent(mode.effective_mass.y(), facts.mass),
               percent(mode.effective_mass.z(), facts.mass)});
  }
  modes.rule();
  modes.row(
      {"sum", "", "", "", percent(sum.x(), facts.mass), percent(sum.y(), facts.mass), percent(sum.z(), facts.mass)});
  out += "\n" + modes.render(style, most, "modes");
  for (const std::string& warning : file.warnings) out += fmt::format("\nNote: {}\n", fit(warning, 500));
  return out;
}

std::string body_info_json(const ModalBodyFile& file) {
  const BodyFacts facts = compute_body_facts(file.body);
  Json out = {{"kind", "modal body"}, {"mass", facts.mass}, {"com", number_list(facts.com)}};
  const Matrix3d& C = file.body.C[0];
  const Matrix3d J = C.trace() * Matrix3d::Identity() - C;
  out["inertia"] = number_list(facts.inertia);
  out["inertia_about_frame"] = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  out["nodes"] = Json::array();
  for (const Node& node : file.body.nodes)
    out["nodes"].push_back({{"name", node.name}, {"position", number_list(node.position)}});
  out["modes"] = Json::array();
  Vector3d sum = Vector3d::Zero();
  for (const ModeFacts& mode : facts.modes) {
    sum += mode.effective_mass;
    out["modes"].push_back({{"name", mode.name},
                            {"hertz", mode.hertz},
                            {"modal_mass", mode.modal_mass},
                            {"damping_ratio", std::isfinite(mode.damping_ratio) ? Json(mode.damping_ratio) : Json()},
                            {"effective_mass", number_list(mode.effective_mass)},
                            {"effective_inertia", number_list(mode.effective_inertia)}});
  }
  out["frequencies"] = Json::array();
  for (const ModeFacts& mode : facts.modes) out["frequencies"].push_back(mode.hertz);
  out["free_frequencies"] = number_list(file.free_hertz);
  out["effective_mass"] = number_list(sum);
  out["facts"] = Json::object();
  for (const auto& [label, value] : file.facts) out["facts"][label] = value;
  out["warnings"] = file.warnings;
  if (const PartSpec* part = part_of(file.body))
    out["surface"] = {{"nodes", part->places.rows()}, {"triangles", part->triangles.size()}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string body_model_text(const std::string& path) {
  return "{\"limber\": 1, \"name\": \"modal body\", \"bodies\": [{\"name\": \"part\", \"file\": " + Json(path).dump() +
         "}], \"joints\": [{\"name\": \"held\", \"type\": \"fixed\", \"parent\": \"world\", \"child\": \"part\"}]}";
}

}  // namespace limber::apps

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/plumes.hpp"

#include "limber/files/detail/model_names.hpp"
#include "limber/files/reader.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// Drawing data of each thruster: its node, the direction of its force there, and its full thrust.
nlohmann::ordered_json list_thrusters(const Model& model, const std::string& scenario_text) {
  auto out = nlohmann::ordered_json::array();
  const Document document = parse_document(scenario_text, "scenario");
  const Reader thrusters = Reader(document).at("control", "").at("attitude", "").at("thrusters", "");
  const ModelNames names(model);
  for (const Reader& one : thrusters.at("list", "").list()) {
    Vector3d direction = one.at("direction", "").vector3().normalized();
    const auto name = one.find("name"), frame = one.find("frame");
    const std::string node = one.at("node", "").text();
    const NodeRef at = names.node(one.at("node", ""));
    if (frame && frame->text() == "body" && at.node != kBodyFrame)
      direction =
          (model.body(at.body).nodes[static_cast<std::size_t>(at.node)].rotation.transpose() * direction).eval();
    out.push_back({{"name", name ? name->text() : node},
                   {"node", node},
                   {"direction", {direction[0], direction[1], direction[2]}},
                   {"force", one.at("force", "").positive()}});
  }
  return out;
}

}  // namespace

void add_thrusters(Making& making, const Model& model, const std::string& scenario_text,
                   std::span<const long> pictures) {
  const Recorded& recording = making.recorded;
  const int found = recording.find("control/thrust");
  if (found < 0) return;
  const auto columns = static_cast<std::size_t>(recording.series()[static_cast<std::size_t>(found)].columns);
  try {
    nlohmann::ordered_json list = list_thrusters(model, scenario_text);
    if (list.size() != columns) return;
    std::vector<float> thrust;
    std::vector<double> row(columns);
    for (const long i : pictures) {
      recording.read(found, i, 1, 0, static_cast<int>(columns), row.data());
      thrust.insert(thrust.end(), row.begin(), row.end());
    }
    making.page.header["thrusters"] = std::move(list);
    making.page.add("thrust", {pictures.size(), columns}, thrust, columns);
  } catch (const InputError&) {  // a recording of another kind of file: drawn without thrusters
  }
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "files/body_reader.hpp"
#include "files/names.hpp"
#include "files/section_reader.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kMaxPlateModes = 100;

// D = E h^3 / 12 (1 - nu^2), nu = E / (2 G) - 1
void read_thickness(const Reader& plate, PlateSpec& spec) {
  for (const std::string_view key : {"D", "mass_per_area", "poisson"})
    if (const auto given = plate.find(key))
      given->fail("follows from thickness and material; leave it out, or leave these out and give D and mass_per_area");
  const double h = plate.at("thickness", "thickness: 0.002").positive();
  const Reader at = plate.at("material", "material: aluminium");
  const Material material = read_material(at);
  spec.poisson = material.E / (2 * material.G) - 1;
  if (spec.poisson < 0 || spec.poisson > 0.5)
    at.fail(
        fmt::format("has Poisson's ratio E / (2 G) - 1 = {:.4g}; an isotropic plate needs 0 to 0.5, so G from E/3 to "
                    "E/2",
                    spec.poisson));
  spec.D = material.E * h * h * h / (12 * (1 - spec.poisson * spec.poisson));
  spec.mass_per_area = material.density * h;
}

void read_plate_nodes(const Reader& body, PlateSpec& spec) {
  const auto nodes = body.find("nodes");
  if (!nodes) return;
  nodes->length(kMaxNodes);
  Names names;
  for (const Reader& node : nodes->list()) {
    node.check_keys({"name", "at", "rpy"});
    PlateNode made;
    const Reader at = node.at("at", "at: [0.5, 0.5]");
    const VectorXd place = at.numbers(2);
    if (place.minCoeff() < 0 || place.maxCoeff() > 1) at.fail("must be fractions of length and width, from 0 to 1");
    made.at = {place[0], place[1]};
    if (const auto rpy = node.find("rpy")) made.rotation = rpy->rpy();
    made.name = names.take(node, "name: corner");
    spec.nodes.push_back(std::move(made));
  }
}

}  // namespace

Body read_plate(const Reader& body, bool second_order) {
  const Reader plate = body.at("plate", "");
  plate.check_keys(
      {"length", "width", "thickness", "material", "D", "mass_per_area", "poisson", "edges", "modes", "damping"});
  PlateSpec spec;
  spec.length = plate.at("length", "length: 2").positive();
  spec.width = plate.at("width", "width: 1").positive();
  if (plate.has("thickness") || plate.has("material")) {
    read_thickness(plate, spec);
  } else {
    if (!plate.has("D") && !plate.has("mass_per_area"))
      plate.fail_item("missing keys in plate; write thickness and material, or D and mass_per_area");
    spec.D = plate.at("D", "D: 50").positive();
    spec.mass_per_area = plate.at("mass_per_area", "mass_per_area: 5.4").positive();
    if (const auto poisson = plate.find("poisson")) {
      spec.poisson = poisson->number();
      if (spec.poisson < 0 || spec.poisson > 0.5) poisson->fail("must be from 0 to 0.5");
    }
  }
  const Reader edges = plate.at("edges", "edges: [clamped, free, free, free], at x = 0, x = length, y = 0, y = width");
  if (!edges.is_list() || edges.length(1000) != 4)
    edges.fail(
        "must be a list of 4, at x = 0, x = length, y = 0, y = width; write for example [clamped, free, free, "
        "free]");
  for (std::size_t i = 0; i < 4; ++i) spec.edges[i] = static_cast<PlateEdge>(edges.list()[i].choice(kPlateEdges));
  spec.modes = plate.at("modes", "modes: 6").whole_number(1, kMaxPlateModes);
  if (const auto damping = plate.find("damping")) {
    const VectorXd ratios = damping->number_or_numbers(damping->is_list() ? spec.modes : 1);
    spec.damping.assign(ratios.begin(), ratios.end());
  }
  read_plate_nodes(body, spec);
  try {
    return make_plate_body(spec, second_order);
  } catch (const InputError& e) {
    plate.fail_item(e.what());
  }
}

}  // namespace limber

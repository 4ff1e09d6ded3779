// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/outline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/body/part.hpp"
#include "limber/linear/facts.hpp"
#include "report/visuals.hpp"

namespace limber {
namespace {

constexpr Eigen::Index kMaxSecond = 2'000'000;  // numbers: beyond, only first-order shapes are drawn

// Rows x, y, z of station i from Xi of a node or a point.
void set_second(const std::array<MatrixXd, 3>& Xi, Eigen::Index i, RowMatrix& second) {
  for (int c = 0; c < 3; ++c)
    if (Xi[c].size() > 0) second.row(3 * i + c) = rows_in_line(Xi[c]);
}

void set_size(Eigen::Index stations, int n, bool second_order, Outline& out) {
  const Eigen::Index products = Eigen::Index{n} * n;
  out.places.setZero(stations, 3);
  out.shapes.setZero(3 * stations, n);
  if (second_order && n > 0 && 3 * stations * products <= kMaxSecond) out.second.setZero(3 * stations, products);
}

// Nodes at each station and at two points close to it, by differences of which the strain is computed.
constexpr double kBeside = 1e-3;

std::string station_name(int i, int stations) {
  return i == 0 ? "root" : i == stations - 1 ? "tip" : std::to_string(i);
}

Body with_stations(const BeamSpec& spec, bool second_order, int stations) {
  BeamSpec dense = spec;
  dense.nodes.clear();
  for (int i = 0; i < stations; ++i) {
    const double s = static_cast<double>(i) / (stations - 1);
    const std::string name = station_name(i, stations);
    dense.nodes.push_back({name, s, Matrix3d::Identity()});
    dense.nodes.push_back({name + "-", std::max(0.0, s - kBeside), Matrix3d::Identity()});
    dense.nodes.push_back({name + "+", std::min(1.0, s + kBeside), Matrix3d::Identity()});
  }
  return make_beam_body(dense, second_order);
}

// Curvatures, stretch and twist of a section times the square roots of their stiffnesses: theory §7, K = int bent bent.
void set_beam_strain(const BeamSection& spec, const Node& before, const Node& behind, Eigen::Index i, Outline& out) {
  const double step = behind.position.x() - before.position.x();
  const MatrixXd turn = (behind.turn - before.turn) / step, stretch = (behind.translation - before.translation) / step;
  out.strain.row(4 * i) = (std::sqrt(spec.EIz) * turn.row(2)).cast<float>();
  out.strain.row(4 * i + 1) = (std::sqrt(spec.EIy) * turn.row(1)).cast<float>();
  out.strain.row(4 * i + 2) = (std::sqrt(spec.EA) * stretch.row(0)).cast<float>();
  out.strain.row(4 * i + 3) = (std::sqrt(spec.GJ) * turn.row(0)).cast<float>();
}

Outline beam_outline(const BeamSpec& spec, bool second_order, int stations) {
  const Body body = with_stations(spec, second_order, stations);
  Outline out;
  set_size(stations, body.modes, second_order, out);
  out.strain_rows = 4;
  out.strain.setZero(4 * stations, body.modes);
  out.turns.setZero(3 * stations, body.modes);
  for (int i = 0; i < stations; ++i) {
    const auto at = [&](const char* end) -> const Node& {  // the nodes are not in the order of the list
      return body.nodes[static_cast<std::size_t>(body.node_index(station_name(i, stations) + end))];
    };
    out.places.row(i) = at("").position.transpose().cast<float>();
    out.shapes.middleRows(3 * i, 3) = at("").translation.cast<float>();
    out.turns.middleRows(3 * i, 3) = at("").turn.cast<float>();
    if (out.second.size() > 0) set_second(at("").second, i, out.second);
    const double s = static_cast<double>(i) / (stations - 1);
    set_beam_strain(beam_section_at(spec, s), at("-"), at("+"), i, out);
  }
  out.lines.emplace_back(stations);
  std::iota(out.lines[0].begin(), out.lines[0].end(), 0);
  return out;
}

// A grid of (stations)^2 points with two triangles in each cell.
Outline plate_outline(const PlateSpec& spec, bool second_order, int stations) {
  PlateSpec dense = spec;
  dense.nodes.clear();
  for (int i = 0; i < stations; ++i) {
    for (int k = 0; k < stations; ++k) {
      const double x = static_cast<double>(i) / (stations - 1), y = static_cast<double>(k) / (stations - 1);
      dense.nodes.push_back({std::to_string(i) + "-" + std::to_string(k), {x, y}, Matrix3d::Identity()});
    }
  }
  const Body body = make_plate_body(dense, second_order);
  Outline out;
  set_size(stations * stations, body.modes, second_order && !body.pairs.empty(), out);
  for (Eigen::Index i = 0; i < stations * stations; ++i) {
    const Node& node = body.nodes[static_cast<std::size_t>(i)];
    out.places.row(i) = node.position.transpose().cast<float>();
    out.shapes.middleRows(3 * i, 3) = node.translation.cast<float>();
    if (out.second.size() > 0) set_second(node.second, i, out.second);
  }
  const int fields = stations - 1;
  for (int i = 0; i < fields; ++i) {
    for (int k = 0; k < fields; ++k) {
      const int corner = i * stations + k, next = corner + stations;
      out.triangles.push_back({corner, next, next + 1});
      out.triangles.push_back({corner, next + 1, corner + 1});
    }
  }
  return out;
}

// The mass points; a few thousand are sufficient for drawing.
Outline modal_outline(const ModalSpec& spec, int modes, bool second_order) {
  constexpr std::size_t kMaxPoints = 5000;
  const std::size_t step = 1 + (spec.points.size() - 1) / kMaxPoints;
  const auto count = static_cast<Eigen::Index>((spec.points.size() + step - 1) / step);
  Outline out;
  set_size(count, modes, second_order, out);
  for (Eigen::Index i = 0; i < count; ++i) {
    const MassPoint& point = spec.points[static_cast<std::size_t>(i) * step];
    out.places.row(i) = point.position.transpose().cast<float>();
    if (point.shape.cols() == modes) out.shapes.middleRows(3 * i, 3) = point.shape.cast<float>();
    if (out.second.size() > 0) set_second(point.second, i, out.second);
  }
  return out;
}

// A box with the inertia of the body, unless this is the inertia of a rod.
void add_box(const Body& body, Outline& out) {
  if (!(body.mass > 0)) return;
  const BodyFacts facts = compute_body_facts(body);
  const Vector3d square = 6 * (Vector3d::Constant(facts.inertia.sum()) - 2 * facts.inertia) / body.mass;
  Vector3d edges = square.cwiseMax(0).cwiseSqrt();
  const double longest = edges.maxCoeff(), middle = edges.sum() - longest - edges.minCoeff();
  constexpr double kSlender = 0.05;
  if (!(longest > 0) || (!out.lines.empty() && middle < kSlender * longest)) return;
  edges = edges.cwiseMax(kSlender * longest);
  out.boxes.push_back({facts.com.x(), facts.com.y(), facts.com.z(), edges.x(), edges.y(), edges.z()});
}

// Rods from the frame to the nodes, and a box.
Outline rigid_outline(const Body& body) {
  if (Outline drawn = visual_outline(body); !drawn.triangles.empty()) return drawn;
  Outline out;
  std::vector<Vector3d> places = {Vector3d::Zero()};
  for (const Node& node : body.nodes) {
    if (node.position.isZero(0)) continue;
    out.lines.push_back({0, static_cast<int>(places.size())});
    places.push_back(node.position);
  }
  if (const Vector3d com = body.S.col(0) / std::max(body.mass, 1e-300); body.mass > 0 && !com.isZero(1e-12)) {
    out.lines.push_back({0, static_cast<int>(places.size())});
    places.push_back(com);
  }
  set_size(static_cast<Eigen::Index>(places.size()), 0, false, out);
  for (std::size_t i = 0; i < places.size(); ++i)
    out.places.row(static_cast<Eigen::Index>(i)) = places[i].transpose().cast<float>();
  add_box(body, out);
  return out;
}

Outline part_outline(const PartSpec& part) {
  Outline out;
  out.places = part.places;
  out.shapes = part.shapes;
  out.triangles = part.triangles;
  return out;
}

}  // namespace

Outline make_outline(const Body& body, Fidelity fidelity, int stations) {
  const bool second_order = fidelity == Fidelity::stiffened;
  if (const PartSpec* part = part_of(body); part != nullptr && !part->triangles.empty()) return part_outline(*part);
  if (body.beam) return beam_outline(*body.beam, second_order, stations);
  if (body.plate) return plate_outline(*body.plate, second_order, stations);
  if (body.modal && !body.modal->points.empty()) return modal_outline(*body.modal, body.modes, second_order);
  return rigid_outline(body);
}

}  // namespace limber

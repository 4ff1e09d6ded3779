// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "tapered.hpp"

#include <algorithm>
#include <cmath>

#include "beam_modes.hpp"
#include "checks.hpp"
#include "plate_basis.hpp"

namespace limber::body_impl {
namespace {

enum Direction { kInY, kInZ, kAlong, kTwist };  // BeamFamily as an index

constexpr int kDegree = 9;           // of the elements
constexpr int kGauss = 2 * kDegree;  // points per element: exact for four slopes (foreshortening) times a linear mass

// Elements over 0 ... 1, their Gauss points in order, then the node positions, the tip last.
struct Mesh {
  std::vector<Real> ends;    // (elements + 1)
  VectorR s, w;              // positions; weights of the Gauss points
  std::vector<int> element;  // (points)

  int elements() const { return static_cast<int>(ends.size()) - 1; }
  Eigen::Index points() const { return w.size(); }
  Real size(int e) const { return ends[static_cast<std::size_t>(e) + 1] - ends[static_cast<std::size_t>(e)]; }
};

// At least four elements, none longer than the highest mode permits, each between two neighbouring stations.
Mesh make_mesh(const BeamSpec& spec, const std::vector<BeamNode>& nodes) {
  const int highest = *std::max_element(spec.modes.begin(), spec.modes.end());
  const Real longest = 1 / static_cast<Real>(4 + highest / 2);
  Mesh mesh;
  mesh.ends.push_back(0);
  for (std::size_t i = 0; i + 1 < spec.stations.size(); ++i) {
    const Real from = spec.stations[i].at, to = spec.stations[i + 1].at;
    const int parts = static_cast<int>(std::ceil((to - from) / longest - 1e-9L));
    for (int k = 1; k <= parts; ++k) mesh.ends.push_back(k == parts ? to : from + (to - from) * k / parts);
  }
  const GaussRule& rule = gauss_rule(kGauss);
  const Eigen::Index points = Eigen::Index{kGauss} * mesh.elements(), count = static_cast<Eigen::Index>(nodes.size());
  mesh.s.resize(points + count + 1);
  mesh.w.resize(points);
  for (int e = 0; e < mesh.elements(); ++e) {
    mesh.s.segment(Eigen::Index{kGauss} * e, kGauss) =
        (mesh.ends[static_cast<std::size_t>(e)] + mesh.size(e) * rule.x.array()).matrix();
    mesh.w.segment(Eigen::Index{kGauss} * e, kGauss) = mesh.size(e) * rule.w;
    mesh.element.insert(mesh.element.end(), kGauss, e);
  }
  for (Eigen::Index i = 0; i <= count; ++i) {
    const Real at = i < count ? static_cast<Real>(nodes[static_cast<std::size_t>(i)].at) : Real{1};
    const auto after = std::upper_bound(mesh.ends.begin() + 1, mesh.ends.end() - 1, at);
    mesh.s(points + i) = at;
    mesh.element.push_back(static_cast<int>(after - mesh.ends.begin()) - 1);
  }
  return mesh;
}

// Nodal shapes (bending: cubic Hermite for values and slopes; else linear), then bubble polynomials, which vanish at
// the ends of their element, with their slopes in bending.
ShapeTable element_shapes(const Mesh& mesh, bool bending) {
  const int ends = bending ? 2 : 1, inner = kDegree - 2 * ends + 1;
  const Eigen::Index columns = Eigen::Index{ends} * (mesh.elements() + 1) + Eigen::Index{inner} * mesh.elements();
  ShapeTable t;
  t.value = t.slope = t.bent = MatrixR::Zero(mesh.s.size(), columns);
  const auto set = [&](Eigen::Index i, Eigen::Index column, Real h, Real value, Real slope, Real curvature) {
    t.value(i, column) = value;
    t.slope(i, column) = slope / h;
    t.bent(i, column) = bending ? curvature / (h * h) : slope / h;
  };
  VectorR place(mesh.s.size());  // position in the element
  for (Eigen::Index i = 0; i < place.size(); ++i) {
    const int e = mesh.element[static_cast<std::size_t>(i)];
    place(i) = (mesh.s(i) - mesh.ends[static_cast<std::size_t>(e)]) / mesh.size(e);
  }
  const PolynomialTable bubbles = orthonormal_polynomials(place, ends, ends, inner);
  for (Eigen::Index i = 0; i < place.size(); ++i) {
    const int e = mesh.element[static_cast<std::size_t>(i)];
    const Real x = place(i), h = mesh.size(e);
    const Eigen::Index first = Eigen::Index{ends} * e;
    if (bending) {
      set(i, first, h, 1 + x * x * (2 * x - 3), 6 * x * (x - 1), 12 * x - 6);
      set(i, first + 1, h, h * x * (1 + x * (x - 2)), h * (1 + x * (3 * x - 4)), h * (6 * x - 4));
      set(i, first + 2, h, x * x * (3 - 2 * x), 6 * x * (1 - x), 6 - 12 * x);
      set(i, first + 3, h, h * x * x * (x - 1), h * x * (3 * x - 2), h * (6 * x - 2));
    } else {
      set(i, first, h, 1 - x, -1, 0);
      set(i, first + 1, h, x, 1, 0);
    }
    const Eigen::Index inside = Eigen::Index{ends} * (mesh.elements() + 1) + Eigen::Index{inner} * e;
    for (int k = 0; k < inner; ++k)
      set(i, inside + k, h, bubbles.value(i, k), bubbles.slope(i, k), bubbles.curvature(i, k));
  }
  return t;
}

// Shapes without those fixed at the root by the basis; `rigid`: number of remaining motions of 0 Hz.
ShapeTable hold_root(const ShapeTable& all, BeamBasis basis, bool bending, int& rigid) {
  const bool floating = basis == BeamBasis::free_free;
  const int held = floating ? 0 : bending && basis == BeamBasis::clamped_free ? 2 : 1;
  rigid = floating ? (bending ? 2 : 1) : bending && held == 1 ? 1 : 0;
  const Eigen::Index rest = all.value.cols() - held;
  return {all.value.rightCols(rest), all.slope.rightCols(rest), all.bent.rightCols(rest)};
}

// Section properties at the Gauss points.
Weights make_weights(const Mesh& mesh, const std::vector<BeamSection>& sections, double length, int family) {
  const Real L = length;
  Weights out{VectorR(mesh.points()), {}, VectorR(mesh.points())};
  VectorR rotary(mesh.points());
  for (Eigen::Index i = 0; i < mesh.points(); ++i) {
    const BeamSection& section = sections[static_cast<std::size_t>(i)];
    const Real w = mesh.w(i), polar = static_cast<Real>(section.rotary_inertia_y) + section.rotary_inertia_z;
    const Real stiffness = family == kInY     ? section.EIz
                           : family == kInZ   ? section.EIy
                           : family == kAlong ? section.EA
                                              : section.GJ;
    out.mass(i) = w * L * (family == kTwist ? polar : Real{section.mass_per_length});
    out.bent(i) = w * stiffness / (family < kAlong ? L * L * L : L);
    rotary(i) = w / L * (family == kInY ? section.rotary_inertia_z : section.rotary_inertia_y);
  }
  if (family < kAlong && rotary.maxCoeff() > 0) out.rotary = rotary;
  return out;
}

// The tip load as one more Gauss point at s = 1.
Weights with_tip(const BeamSpec& spec, const Weights& weights, int family) {
  Weights out = weights;
  const auto append = [](VectorR& v, Real x) {
    v.conservativeResize(v.size() + 1);
    v(v.size() - 1) = x;
  };
  append(out.mass, family == kTwist ? spec.tip_inertia : spec.tip_mass);
  append(out.bent, 0);
  if (family < kAlong) {
    if (out.rotary.size() == 0) out.rotary = VectorR::Zero(weights.mass.size());
    append(out.rotary, spec.tip_inertia / (static_cast<Real>(spec.length) * spec.length));
  }
  return out;
}

ShapeTable times(const ShapeTable& table, const MatrixR& T) {
  return {table.value * T, table.slope * T, table.bent * T};
}

// Modes of one family: omega in rad/s, mass-normalised; a tip load changes the shapes, but adds no mass.
FamilyModes solve_family(const BeamSpec& spec, const Mesh& mesh, const std::vector<BeamSection>& sections, int family) {
  const int n = spec.modes[static_cast<std::size_t>(family)];
  FamilyModes out;
  if (n == 0) return out;
  int rigid = 0;
  const auto kind = static_cast<BeamFamily>(family);
  ShapeTable shapes = hold_root(element_shapes(mesh, family < kAlong), spec.basis, family < kAlong, rigid);
  const Weights weights = make_weights(mesh, sections, spec.length, family);
  if (spec.tip_mass > 0 || spec.tip_inertia > 0) {
    // The row of the tip, the last one, directly after the Gauss points.
    const auto move_tip = [&](const MatrixR& m) {
      MatrixR moved(mesh.points() + 1, m.cols());
      moved << m.topRows(mesh.points()), m.bottomRows(1);
      return moved;
    };
    const ShapeTable loaded{move_tip(shapes.value), move_tip(shapes.slope), move_tip(shapes.bent)};
    shapes = times(shapes, reduce_shapes(loaded, with_tip(spec, weights, family), kind, rigid).T.leftCols(n));
    rigid = 0;
  }
  const Reduction reduced = reduce_shapes(shapes, weights, kind, rigid);
  const ShapeTable modes = times(shapes, reduced.T.leftCols(n));
  out = {reduced.omega.head(n), modes.value, modes.slope};
  fix_signs(out);
  return out;
}

// ---- the body ---------------------------------------------------------------------------------------

// gamma and lambda of the section in one row of the tables.  theory §7.
struct SectionMotion {
  Matrix3Xd translation, turn;
};

SectionMotion section_motion(const std::array<FamilyModes, 4>& families, Eigen::Index row, double length) {
  int modes = 0;
  for (const FamilyModes& family : families) modes += family.count();
  SectionMotion out{Matrix3Xd::Zero(3, modes), Matrix3Xd::Zero(3, modes)};
  int a = 0;
  for (int f = 0; f < 4; ++f) {
    const FamilyModes& family = families[static_cast<std::size_t>(f)];
    for (int k = 0; k < family.count(); ++k, ++a) {
      const auto value = static_cast<double>(family.value(row, k));
      const double slope = static_cast<double>(family.slope(row, k)) / length;
      if (f == kInY) out.translation(1, a) = value, out.turn(2, a) = slope;
      if (f == kInZ) out.translation(2, a) = value, out.turn(1, a) = -slope;
      if (f == kAlong) out.translation(0, a) = value;
      if (f == kTwist) out.turn(0, a) = value;
    }
  }
  return out;
}

// Xi_ab = -int_0^x phi_a' phi_b' dx in each row of the tables, for the bending modes of one plane.
std::vector<MatrixXd> foreshortening(const BeamSpec& spec, const Mesh& mesh,
                                     const std::array<FamilyModes, 4>& families) {
  const int modes = families[0].count() + families[1].count() + families[2].count() + families[3].count();
  std::vector<MatrixXd> out(static_cast<std::size_t>(mesh.s.size()), MatrixXd::Zero(modes, modes));
  for (const int f : {kInY, kInZ}) {
    const FamilyModes& family = families[static_cast<std::size_t>(f)];
    const int n = family.count(), first = f == kInY ? 0 : families[0].count();
    if (n == 0) continue;
    std::vector<MatrixR> before(static_cast<std::size_t>(mesh.elements()) + 1, MatrixR::Zero(n, n));
    const auto within = [&](int e, const auto& weights) -> MatrixR {
      const auto slope = family.slope.middleRows(Eigen::Index{kGauss} * e, kGauss);
      return mesh.size(e) * (slope.transpose() * weights.asDiagonal() * slope);
    };
    for (int e = 0; e < mesh.elements(); ++e)
      before[static_cast<std::size_t>(e) + 1] = before[static_cast<std::size_t>(e)] + within(e, gauss_rule(kGauss).w);
    for (Eigen::Index i = 0; i < mesh.s.size(); ++i) {
      const int e = mesh.element[static_cast<std::size_t>(i)];
      const Real place = (mesh.s(i) - mesh.ends[static_cast<std::size_t>(e)]) / mesh.size(e);
      const VectorR weights = running_weights(kGauss, VectorR::Constant(1, place)).row(0).transpose();
      const MatrixR sum = before[static_cast<std::size_t>(e)] + within(e, weights);
      const MatrixXd part = -(0.5L * (sum + sum.transpose()) / spec.length).cast<double>();
      out[static_cast<std::size_t>(i)].block(first, first, n, n) = part;
    }
  }
  return out;
}

// The mass of a Gauss point, in four quarters where the section has rotary inertia.  theory §7.
void add_points(const BeamSection& section, double mass, double x, const SectionMotion& motion, const MatrixXd* Xi,
                std::vector<MassPoint>& out) {
  const double y = std::sqrt(2 * section.rotary_inertia_z / section.mass_per_length);
  const double z = std::sqrt(2 * section.rotary_inertia_y / section.mass_per_length);
  std::vector<Vector3d> offsets = {Vector3d::Zero()};
  if (y > 0 || z > 0) offsets = {{0, y, 0}, {0, -y, 0}, {0, 0, z}, {0, 0, -z}};
  for (const Vector3d& d : offsets) {
    MassPoint point;
    point.mass = mass / static_cast<double>(offsets.size());
    point.position = Vector3d(x, 0, 0) + d;
    point.shape = motion.translation;
    for (Eigen::Index a = 0; a < point.shape.cols(); ++a) point.shape.col(a) += Vector3d(motion.turn.col(a)).cross(d);
    if (Xi != nullptr)
      point.second = {*Xi, MatrixXd::Zero(Xi->rows(), Xi->cols()), MatrixXd::Zero(Xi->rows(), Xi->cols())};
    out.push_back(std::move(point));
  }
}

// Sets to zero the integrals that vanish in theory, the modal mass of two different modes among them: sums over points
// give rounding there.
void clean(Body& body) {
  constexpr double kNothing = 1e-13;
  const int shapes = body.shapes();
  const auto size = [&](int a, int i) { return std::sqrt(std::abs(body.c(a, a)(i, i))); };
  const auto block = [&](int a, int b) -> Matrix3d& { return body.C[static_cast<std::size_t>(a * shapes + b)]; };
  for (int a = 0; a < shapes; ++a) {
    for (int i = 0; i < 3; ++i)
      if (std::abs(body.S(i, a)) <= kNothing * size(a, i) * std::sqrt(body.mass)) body.S(i, a) = 0;
    for (int b = a + 1; b < shapes; ++b) {
      Matrix3d& C = block(a, b);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          if (std::abs(C(i, j)) <= kNothing * size(a, i) * size(b, j)) C(i, j) = 0;
      if (a > 0 && b <= body.modes) {
        Eigen::Index most = 0;
        C.diagonal().cwiseAbs().maxCoeff(&most);
        C(most, most) = 0;
        C(most, most) = -C.trace();
      }
      block(b, a) = C.transpose();
    }
  }
}

void set_stiffness_and_names(const BeamSpec& spec, const std::array<FamilyModes, 4>& families, ModalSpec& modal,
                             std::vector<std::string>& names) {
  std::vector<double> omega;
  for (int f = 0; f < 4; ++f) {
    for (int k = 0; k < families[static_cast<std::size_t>(f)].count(); ++k) {
      omega.push_back(static_cast<double>(families[static_cast<std::size_t>(f)].omega(k)));
      names.push_back(to_string(static_cast<BeamFamily>(f)) + std::to_string(k + 1));
    }
  }
  const auto n = static_cast<Eigen::Index>(omega.size());
  modal.stiffness = modal.damping = MatrixXd::Zero(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    const double ratio =
        spec.damping.empty() ? 0 : spec.damping[spec.damping.size() == 1 ? 0 : static_cast<std::size_t>(a)];
    const double w = omega[static_cast<std::size_t>(a)];
    modal.stiffness(a, a) = w * w;
    modal.damping(a, a) = 2 * ratio * w;
    if (!(w * w > 0) || !std::isfinite(w * w))
      fail("the numbers of this beam are too large or too small to compute with", "check the units");
  }
}

}  // namespace

std::vector<BeamNode> make_beam_nodes(const BeamSpec& spec) {
  std::vector<BeamNode> nodes{{"root", 0.0, Matrix3d::Identity()}, {"tip", 1.0, Matrix3d::Identity()}};
  for (const BeamNode& node : spec.nodes) {
    if (node.name == "root")
      nodes[0] = node;
    else if (node.name == "tip")
      nodes[1] = node;
    else
      nodes.push_back(node);
  }
  return nodes;
}

BeamSection numbers_of(const BeamStation& station) {
  if (station.section) return make_beam_section(*station.section, station.material);
  return station;
}

Body make_tapered_body(const BeamSpec& spec, bool second_order) {
  const std::vector<BeamNode> nodes = make_beam_nodes(spec);
  const Mesh mesh = make_mesh(spec, nodes);
  std::vector<BeamSection> sections;
  for (Eigen::Index i = 0; i < mesh.points(); ++i)
    sections.push_back(beam_section_at(spec, static_cast<double>(mesh.s(i))));
  std::array<FamilyModes, 4> families;
  for (int f = 0; f < 4; ++f) families[static_cast<std::size_t>(f)] = solve_family(spec, mesh, sections, f);

  ModalSpec modal;
  std::vector<std::string> names;
  set_stiffness_and_names(spec, families, modal, names);
  std::vector<MatrixXd> Xi;
  if (second_order) Xi = foreshortening(spec, mesh, families);
  for (Eigen::Index i = 0; i < mesh.points(); ++i) {
    const BeamSection& section = sections[static_cast<std::size_t>(i)];
    const double mass = static_cast<double>(mesh.w(i)) * section.mass_per_length * spec.length;
    add_points(section, mass, static_cast<double>(mesh.s(i)) * spec.length, section_motion(families, i, spec.length),
               second_order ? &Xi[static_cast<std::size_t>(i)] : nullptr, modal.points);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Eigen::Index row = mesh.points() + static_cast<Eigen::Index>(i);
    const SectionMotion motion = section_motion(families, row, spec.length);
    Node node{nodes[i].name, {nodes[i].at * spec.length, 0, 0}, nodes[i].rotation, motion.translation, motion.turn, {}};
    if (second_order && nodes[i].at > 0 && names.size() > 0) {
      node.second.fill(MatrixXd::Zero(modal.stiffness.rows(), modal.stiffness.rows()));
      node.second[0] = Xi[static_cast<std::size_t>(row)];
    }
    modal.nodes.push_back(std::move(node));
  }
  Body body = make_modal_body(modal, second_order);
  clean(body);
  body.modal = nullptr;
  body.beam = std::make_shared<const BeamSpec>(spec);
  body.length = spec.length;
  body.mode_names = names;
  return body;
}

}  // namespace limber::body_impl

namespace limber {

BeamSection beam_section_at(const BeamSpec& spec, double s) {
  if (spec.stations.empty()) return spec;
  std::size_t i = 0;
  while (i + 2 < spec.stations.size() && spec.stations[i + 1].at <= s) ++i;
  const BeamStation &a = spec.stations[i], &b = spec.stations[i + 1];
  const double t = (s - a.at) / (b.at - a.at);
  const auto between = [t](double x, double y) { return (1 - t) * x + t * y; };
  if (a.section && b.section && a.section->kind == b.section->kind) {
    Section section = *a.section;
    for (std::size_t k = 0; k < section.size.size(); ++k)
      section.size[k] = between(a.section->size[k], b.section->size[k]);
    return make_beam_section(section, {between(a.material.E, b.material.E), between(a.material.G, b.material.G),
                                       between(a.material.density, b.material.density)});
  }
  const BeamSection from = body_impl::numbers_of(a), to = body_impl::numbers_of(b);
  BeamSection out;
  for (const auto number : {&BeamSection::mass_per_length, &BeamSection::EIy, &BeamSection::EIz, &BeamSection::EA,
                            &BeamSection::GJ, &BeamSection::rotary_inertia_y, &BeamSection::rotary_inertia_z})
    out.*number = between(from.*number, to.*number);
  return out;
}

}  // namespace limber

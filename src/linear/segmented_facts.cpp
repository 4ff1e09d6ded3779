// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "segmented_facts.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/model/segments.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr std::array<const char*, 4> kFamilyNames = {"bending_y", "bending_z", "axial", "torsion"};

// A model of the beam alone, attached to the world.
Model make_held_beam(const Body& whole) {
  ModelBuilder builder;
  builder.fidelity(whole.second_order ? Fidelity::stiffened : Fidelity::full);
  Body body = whole;
  body.name = "beam";
  Joint joint;
  joint.name = "root";
  builder.add_joint(joint, builder.add_body(std::move(body)));
  return builder.build();
}

// Index of the family with most of the strain energy of a shape.
std::size_t family_of(const Model& model, const VectorXd& stiffness, const VectorXd& shape) {
  std::array<double, 4> share{};
  for (int k = 0; k < model.nv; ++k) {
    for (std::size_t f = 0; f < share.size(); ++f)
      if (model.speeds[k].find(std::string(".") + kFamilyNames[f]) != std::string::npos)
        share[f] += stiffness[k] * shape[k] * shape[k];
  }
  return static_cast<std::size_t>(std::max_element(share.begin(), share.end()) - share.begin());
}

}  // namespace

BodyFacts compute_segmented_facts(const Body& whole) {
  BodyFacts facts = compute_body_facts(whole);
  facts.modes.clear();
  facts.mixed = true;
  const Model model = make_held_beam(whole);
  if (model.nv == 0 || model.nv > kMaxForFrequencies) return facts;
  VectorXd K(model.nv), D(model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const int n = model.body(i).modes;
    K.segment(model.first_mode(i), n) = model.body(i).stiffness.diagonal();
    D.segment(model.first_mode(i), n) = model.body(i).damping.diagonal();
  }
  State x = make_zero_state(model);
  MatrixXd M(model.nv, model.nv);
  CrbaWorkspace crba_ws(model);
  crba(model, x, crba_ws, M);
  const SymmetricEigen modes = eigen_generalized(MatrixXd(K.asDiagonal()), M);
  RneaWorkspace ws(model);
  std::array<int, 4> count{};
  for (int a = 0; a < model.nv; ++a) {
    ModeFacts mode;
    mode.shape = modes.vectors.col(a);
    const std::size_t family = family_of(model, K, mode.shape);
    mode.name = kFamilyNames[family] + std::to_string(++count[family]);
    mode.modal_mass = mode.shape.dot(M * mode.shape);
    const double omega = std::sqrt(std::max(0.0, modes.values[a]));
    mode.hertz = omega / (2 * std::numbers::pi);
    mode.damping_ratio = omega > 0 ? mode.shape.dot(D.cwiseProduct(mode.shape)) / (2 * omega * mode.modal_mass)
                                   : std::numeric_limits<double>::quiet_NaN();
    x.v = mode.shape;
    const Momentum momentum = compute_momentum(model, x, ws);
    mode.effective_mass = momentum.linear.cwiseAbs2() / mode.modal_mass;
    mode.effective_inertia = momentum.angular.cwiseAbs2() / mode.modal_mass;
    facts.modes.push_back(std::move(mode));
  }
  return facts;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/adaptation.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

void check_range(const AdaptationOptions::Range& range, const char* name) {
  if (range[0] > 0 && range[0] <= 1 && range[1] >= 1 && range[0] < range[1] && std::isfinite(range[1])) return;
  throw InputError(std::string("the range of the ") + name +
                   " must be two factors around 1, the lower above 0; write e.g. [0.7, 1.3]");
}

Model scale_mass(const Model& model, int i, double factor) {
  Body body = model.body(i);
  body.mass *= factor;
  body.S *= factor;
  for (Matrix3d& C : body.C) C *= factor;
  if (body.rigid) {
    RigidSpec spec = *body.rigid;
    spec.mass *= factor;
    spec.inertia *= factor;
    body.rigid = std::make_shared<const RigidSpec>(spec);
  }
  Model out = model;
  out.set_body(i, std::move(body));
  return out;
}

// Damping ratios are unchanged.
Model scale_stiffness(const Model& model, double factor) {
  Model out = model;
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(i).modes == 0) continue;
    Body body = model.body(i);
    body.stiffness *= factor;
    body.damping *= std::sqrt(factor);
    out.set_body(i, std::move(body));
  }
  return out;
}

// The deflection, and so the prediction, is proportional to the compliance 1/f of a stiffness factor f.
double compliance_weight(double factor, double end) { return (1 / factor - 1) / (1 / end - 1); }

}  // namespace

void check_adaptation(const AdaptationOptions& options, const Model& model) {
  if (options.payload.empty() && !options.stiffness)
    throw InputError("an adaptation needs something to adapt; write payload: {body: load} or stiffness: {}");
  if (!options.payload.empty()) {
    check_range(options.payload_range, "payload");
    if (model.body(model.body_index(options.payload)).modes > 0)
      throw InputError("the payload '" + options.payload + "' bends; name a rigid body");
    if (!(options.payload_range[1] > 1)) throw InputError("the range of the payload must reach above 1");
  }
  if (options.stiffness) {
    check_range(options.stiffness_range, "stiffness");
    if (!(options.stiffness_range[0] < 1)) throw InputError("the range of the stiffness must reach below 1");
  }
  if (!(options.time > 0 && std::isfinite(options.time)))
    throw InputError("the time of the adaptation must be above 0");
}

std::vector<Model> make_adapted_models(const AdaptationOptions& options, const Model& model) {
  std::vector<Model> out;
  if (!options.payload.empty())
    out.push_back(scale_mass(model, model.body_index(options.payload), options.payload_range[1]));
  if (options.stiffness) out.push_back(scale_stiffness(model, options.stiffness_range[0]));
  return out;
}

Adaptation::Adaptation(const AdaptationOptions& options, double period, VectorXd noise)
    : payload_(!options.payload.empty()),
      stiffness_(options.stiffness),
      keep_(std::exp(-period / options.time)),
      scale_(noise.cwiseSqrt().cwiseInverse()) {
  if (payload_) {
    end_.push_back(options.payload_range[1]);
    low_.push_back((options.payload_range[0] - 1) / (options.payload_range[1] - 1));
    high_.push_back(1);
  }
  if (stiffness_) {
    end_.push_back(options.stiffness_range[0]);
    low_.push_back(compliance_weight(options.stiffness_range[1], options.stiffness_range[0]));
    high_.push_back(1);
  }
  const auto n = static_cast<Eigen::Index>(end_.size());
  A_.setZero(4);
  b_.setZero(n);
  c_ = b_;
  for (VectorXd& d : d_) d.setZero(scale_.size());
  factors_.setOnes(2);
}

void Adaptation::reset() {
  A_.setZero();
  b_.setZero();
  c_.setZero();
  factors_.setOnes();
}

void Adaptation::update(ConstVec own, const std::vector<const VectorXd*>& others) {
  A_ *= keep_;
  b_ *= keep_;
  for (std::size_t i = 0; i < others.size(); ++i) {
    d_[i] = (*others[i] - own).cwiseProduct(scale_);
    b_[static_cast<Eigen::Index>(i)] += (d_[i].array() * scale_.array() * own.array()).sum();
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (std::size_t j = 0; j < others.size(); ++j) A_[static_cast<Eigen::Index>(2 * i + j)] += d_[i].dot(d_[j]);
  }
  solve();
}

// (A + 1) c = -b within the ranges: the minimum of a box-constrained quadratic, exact for one and two unknowns.
void Adaptation::solve() {
  const auto at = [&](int i, int j) { return A_[2 * i + j] + (i == j ? 1 : 0); };
  const auto n = static_cast<int>(c_.size());
  const auto alone = [&](int i) {  // minimum over one unknown, the other fixed
    const double other = n > 1 ? at(i, 1 - i) * c_[1 - i] : 0;
    return std::clamp((-b_[i] - other) / at(i, i), low_[static_cast<std::size_t>(i)],
                      high_[static_cast<std::size_t>(i)]);
  };
  if (n == 1) {
    c_[0] = alone(0);
  } else {
    const double det = at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
    c_[0] = (-b_[0] * at(1, 1) + b_[1] * at(0, 1)) / det;
    c_[1] = (-b_[1] * at(0, 0) + b_[0] * at(1, 0)) / det;
    const auto inside = [&](int i) {
      return c_[i] >= low_[static_cast<std::size_t>(i)] && c_[i] <= high_[static_cast<std::size_t>(i)];
    };
    if (!inside(0) || !inside(1)) {
      // On the boundary: coordinate descent, which converges for a convex quadratic in a box.
      for (int i = 0; i < 2; ++i)
        c_[i] = std::clamp(c_[i], low_[static_cast<std::size_t>(i)], high_[static_cast<std::size_t>(i)]);
      for (int pass = 0; pass < 20; ++pass) {
        for (int i = 0; i < 2; ++i) c_[i] = alone(i);
      }
    }
  }
  if (payload_) factors_[0] = 1 + c_[0] * (end_[0] - 1);
  if (stiffness_) factors_[1] = 1 / (1 + c_[n - 1] * (1 / end_.back() - 1));
}

}  // namespace limber

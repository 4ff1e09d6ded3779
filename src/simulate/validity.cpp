// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/validity.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

// Where the assumptions of a model end, for a warning: beyond them the neglected terms are about a tenth of the kept.
constexpr double kLargeDeflection = 0.1;  // of a length: linear modes neglect its square, and slopes beyond 15 degrees
constexpr double kManyInHighest = 0.1;    // of the modal energy: higher modes, which are missing, would move too
constexpr double kFastSpin = 0.3;         // of the first frequency: stiffening changes its square by the spin's square

double first_frequency(const Body& body) {
  if (body.modes == 0) return 0;
  // The softest mode that is elastic at all.
  const VectorXd squares = eigenvalues_generalized(body.stiffness, body.modal_mass());
  for (const double square : squares) {
    if (square > 1e-9 * squares.maxCoeff() && square > 0) return std::sqrt(square);
  }
  return 0;
}

double length_of(const Body& body) {
  double length = body.length;
  for (const Node& node : body.nodes) length = std::max(length, node.position.norm());
  return length;
}

// "bending_y" of "bending_y2".
std::string family(const std::string& mode) {
  const std::size_t end = mode.find_last_not_of("0123456789");
  return mode.substr(0, end == std::string::npos ? 0 : end + 1);
}

void keep(Validity::Largest& largest, double value, int body, double t) {
  if (value > largest.value) largest = {value, body, t};
}

std::string percent(double share) { return text(100 * share, 3) + " %"; }

std::string place(const Model& model, const Validity::Largest& largest) {
  return "body '" + model.body_names[largest.body] + "' (t = " + text(largest.t, 4) + " s)";
}

}  // namespace

ValidityMonitor::ValidityMonitor(const Model& model) : model_(model) {
  std::unordered_map<const Body*, int> known;  // equal bodies share their data
  for (int i = 0; i < model.body_count(); ++i) {
    const int same = known.emplace(model.bodies[i].get(), i).first->second;
    length_.push_back(same < i ? length_[same] : length_of(model.body(i)));
    first_frequency_.push_back(same < i ? first_frequency_[same] : first_frequency(model.body(i)));
    highest_.emplace_back();
    const auto& names = model.body(i).mode_names;
    for (int k = 0; k < model.body(i).modes; ++k) {
      const bool last = k + 1 == model.body(i).modes || family(names[k]) != family(names[k + 1]);
      const bool alone = k == 0 || family(names[k]) != family(names[k - 1]);
      if (last && !alone) highest_.back().push_back(k);
    }
  }
  energy_.assign(model.bodies.size(), 0);
  highest_energy_.resize(model.bodies.size());
}

void ValidityMonitor::watch(const Kinematics& kin, double t) {
  const Layout& layout = *model_.layout;
  for (int i = 1; i < model_.body_count(); ++i) {
    const Link& link = layout.links[i];
    if (link.n == 0) continue;
    const double* eta = &kin.eta[link.scalars];
    const double* rate = &kin.etadot[link.scalars];
    for (const Node& node : model_.body(i).nodes) {
      if (length_[i] == 0) break;
      const Eigen::Map<const VectorXd> x(eta, link.n);
      keep(validity_.deflection, (node.translation.lazyProduct(x)).norm() / length_[i], i, t);
    }
    watch_modes(i, eta, rate, t);
    if (model_.fidelity != Fidelity::stiffened && first_frequency_[i] > 0) {
      keep(validity_.spin, to_vector(kin.links[i].V.ang).norm() / first_frequency_[i], i, t);
    }
  }
}

// Modal energies, as if modes were alone.
void ValidityMonitor::watch_modes(int i, const double* eta, const double* rate, double t) {
  const Body& body = model_.body(i);
  const int n = body.modes, shapes = body.shapes();
  const auto energy = [&](int k) {
    const double mass = body.C[static_cast<std::size_t>(k + 1) * shapes + k + 1].trace();
    return 0.5 * (body.stiffness(k, k) * eta[k] * eta[k] + mass * rate[k] * rate[k]);
  };
  double total = 0;
  for (int k = 0; k < n; ++k) total += energy(k);
  energy_[i] = std::max(energy_[i], total);
  for (const int k : highest_[i]) keep(highest_energy_[i], energy(k), i, t);
}

Validity ValidityMonitor::validity() const {
  Validity out = validity_;
  for (const auto& highest : highest_energy_) {
    if (highest.body < 0 || energy_[highest.body] == 0) continue;
    keep(out.highest_mode, highest.value / energy_[highest.body], highest.body, highest.t);
  }
  return out;
}

std::vector<std::string> warnings(const Model& model, const Validity& validity) {
  std::vector<std::string> lines;
  if (const auto& d = validity.deflection; d.value > kLargeDeflection) {
    lines.push_back(place(model, d) + " deflects by " + percent(d.value) +
                    " of its length; linear modes hold for small deflections only: split it into shorter bodies");
  }
  if (const auto& h = validity.highest_mode; h.value > kManyInHighest) {
    lines.push_back(place(model, h) + " has " + percent(h.value) +
                    " of its modal energy in the highest kept mode of a family; give it more modes");
  }
  if (const auto& s = validity.spin; s.value > kFastSpin) {
    lines.push_back(place(model, s) + " turns at " + percent(s.value) +
                    " of its first natural frequency; without stiffening its bending is too soft: write fidelity: "
                    "stiffened");
  }
  return lines;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/static_check.hpp"

#include <cmath>
#include <limits>

#include "body_limits.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

std::vector<std::string> static_warnings(const Model& model, const State& x) {
  ValidityMonitor monitor(model);
  State at_rest = x;
  at_rest.t = std::numeric_limits<double>::quiet_NaN();  // reported as "at rest"
  at_rest.v.setZero();
  monitor.watch(at_rest);
  // At the joint limits.
  for (const auto end : {&JointStop::lower, &JointStop::upper}) {
    State there = at_rest;
    for (const Joint& joint : model.joints)
      if (joint.stop && std::isfinite((*joint.stop).*end)) there.q[joint.q] = (*joint.stop).*end;
    monitor.watch(there);
  }
  // Closure forces are not known here.
  if (monitor.watches_axial() && model.closures.empty()) {
    System system(model, {});
    const VectorXd& axial = system.compute_axial_forces(at_rest);
    for (int i = 1; i < axial.size(); ++i) monitor.watch_axial(i, axial[i], at_rest.t);
  }
  std::vector<std::string> lines = warnings(model, monitor.validity());
  if (model.fidelity == Fidelity::stiffened || model.closures.empty()) return lines;
  const std::vector<bool> held = find_held_links(model);
  for (int i = 1; i < model.body_count(); ++i) {
    const BodyLimits limits = held[static_cast<std::size_t>(i)] ? find_limits(model.body(i)) : BodyLimits();
    if (!std::isfinite(limits.critical_load)) continue;
    lines.push_back("body '" + model.body_names[i] +
                    "' bends in a closed chain; without stiffening its chord does not shorten, but grows by about the "
                    "square of the deflection over twice its length: where that matters write fidelity: stiffened");
    break;
  }
  return lines;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/segment_advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/dynamics/rnea.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/validity.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {

// A segment of length L / k under the bending moment P L at the root of a cantilever with tip load P deflects by P L
// (L/k)^2 / 2 EI: 3 / 2k of the share P L^2 / 3 EI of the whole.
int advised_segments(const Model& model, int body, double share) {
  constexpr double kLargest = 0.1, kTipLoad = 1.5;
  const SegmentedBeam* beam = find_segmented(model, body);
  const double wanted = beam != nullptr ? share / kLargest * beam->segments() : kTipLoad * share / kLargest;
  return std::clamp(static_cast<int>(std::ceil(std::min(wanted, 1.0 * kMaxSegments))), 2, kMaxSegments);
}

std::vector<std::string> segment_advice(const Model& model, const State& x) {
  std::vector<std::string> lines;
  State at{std::numeric_limits<double>::quiet_NaN(), x.q, VectorXd::Zero(model.nv)};
  RneaWorkspace ws(model);
  VectorXd force(model.nv);
  rnea(model, at, VectorXd::Zero(model.nv), {}, ws, force);
  for (int i = 1; i < model.body_count(); ++i) {
    const Body& body = model.body(i);
    if (!body.beam || body.modes == 0 || !(body.length > 0)) continue;
    // The first step of Newton's method: K deta = -(forces at rest).
    const VectorXd weight = force.segment(model.first_mode(i), body.modes);
    const VectorXd eta =
        x.q.segment(model.first_mode_q(i), body.modes) - weight.cwiseQuotient(body.stiffness.diagonal());
    const Node& tip = body.nodes[static_cast<std::size_t>(1)];
    const double share = (tip.translation * eta).norm() / body.length;
    constexpr double kLarge = 0.1;
    if (!(share > kLarge) || !std::isfinite(share)) continue;
    lines.push_back("body '" + model.body_names[i] + "' bends by about " + text(100 * share, 3) +
                    " % of its length under weight; write segments: " +
                    std::to_string(advised_segments(model, i, share)) + " in its beam");
    if (find_segmented(model, i) != nullptr) break;
  }
  return lines;
}

}  // namespace limber

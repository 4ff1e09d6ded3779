// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/slider.hpp"

#include <algorithm>
#include <numbers>

#include "checks.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/segments.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {

bool has_sliders(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& j) { return j.kind == kSlider; });
}

void refuse_sliders(const Model& model, const std::string& caller) {
  for (const Joint& joint : model.joints) {
    if (joint.kind == kSlider)
      throw InputError(caller + " does not support joints of type slider ('" + joint.name +
                       "'); use aba, crba or hybrid, or a prismatic joint on a node");
  }
}

JointStop default_slider_stop(double length, double mass) {
  constexpr double kHertz = 10, kRatio = 0.1;
  const double omega = 2 * std::numbers::pi * kHertz;
  return {0, length, mass * omega * omega, 2 * kRatio * mass * omega};
}

namespace model_impl {

void finish_slider(const Model& model, int i, Joint& joint) {
  const auto fail = [&](const std::string& what) { refuse("joint", joint.name, what); };
  const int parent = joint.parent.body;
  const std::string name = "'" + model.body_names[parent] + "'";
  const Body& beam = model.body(parent);
  if (find_segmented(model, parent) != nullptr)
    fail("a slider needs a beam without segments, but " + name + " has segments; remove them, and give it more modes");
  if (parent == kGround || !beam.beam || beam.modes == 0)
    fail("a slider runs along a flexible beam, but its parent is " + name +
         "; name a beam with modes, or use prismatic");
  if (joint.parent.node != kBodyFrame)
    fail("a slider runs along the whole beam; write parent: " + model.body_names[parent] + ", without a node");
  if (model.fidelity == Fidelity::ruthless)
    fail("a slider follows the deformed beam, which fidelity ruthless does not model; write full or stiffened");
  if (joint.drive && joint.drive->axis)
    fail(
        "drive: a slider does not support a rotor with an axis; leave the axis out, its inertia then acts on the "
        "slider "
        "alone");
  if (!joint.stop) {
    double mass = model.body(i).mass;
    for (int k = 1; !(mass > 0) && k < model.body_count(); ++k) mass += model.body(k).mass;
    joint.stop = default_slider_stop(beam.length, mass);
    return;
  }
  const JointStop& stop = *joint.stop;
  if (stop.lower < 0 || stop.upper > beam.length)
    fail("its limits reach beyond the beam; give lower and upper from 0 to " + text(beam.length, 6));
}

}  // namespace model_impl
}  // namespace limber

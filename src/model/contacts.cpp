// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/contacts.hpp"

#include <cmath>

namespace limber {
namespace {

[[noreturn]] void refuse_contact(const Contact& contact, const std::string& what) {
  throw InputError("contact '" + contact.name + "': " + what);
}

bool holds_node(const Model& model, NodeRef at) {
  const bool body = at.body >= kGround && at.body < model.body_count();
  return body && at.node >= kBodyFrame && at.node < static_cast<int>(model.body(at.body).nodes.size());
}

// -ln e of the damping ratio z.  [Schwager, Poeschel 2007] (18), (20), with z = cos b or cosh b.
double loss(double z) {
  if (z < 1) return 2 * std::acos(z) * z / std::sqrt(1 - z * z);
  if (z > 1) return 2 * std::acosh(z) * z / std::sqrt(z * z - 1);
  return 2;
}

}  // namespace

const char* to_string(Contact::Shape shape) {
  constexpr const char* kNames[] = {"plane", "box", "cylinder"};
  return kNames[static_cast<int>(shape)];
}

void check_contacts(const Model& model, const Contacts& contacts) {
  for (const Contact& c : contacts.list) {
    if (!holds_node(model, c.point.node) || !holds_node(model, c.on.node)) refuse_contact(c, "there is no such node");
    if (c.point.node.body == c.on.node.body)
      refuse_contact(c, "point and shape are on one body; choose different bodies");
    if (!(c.stiffness > 0) || !std::isfinite(c.stiffness)) refuse_contact(c, "stiffness must be above 0");
    const bool sizes = c.radius >= 0 && c.damping >= 0 && c.friction >= 0 && c.stick_stiffness >= 0 &&
                       c.stick_damping >= 0 && c.slip_speed > 0;
    if (!sizes) refuse_contact(c, "radius, damping and friction must not be negative, slip_speed must be above 0");
    if (c.restitution && !(*c.restitution > 0 && *c.restitution <= 1))
      refuse_contact(c, "restitution must lie above 0 and at most at 1");
    const int sizes_needed = c.shape == Contact::Shape::plane ? 0 : c.shape == Contact::Shape::box ? 3 : 2;
    for (int k = 0; k < sizes_needed; ++k)
      if (!(c.size[k] > 0)) refuse_contact(c, "the sizes of its shape must be above 0");
  }
}

double damping_of_restitution(double e, double k, double m) {
  const double wanted = -std::log(e);
  double low = 0, high = 1;
  while (loss(high) < wanted) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (loss(middle) < wanted ? low : high) = middle;
  }
  return (low + high) * std::sqrt(k * m);
}

}  // namespace limber

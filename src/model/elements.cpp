// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/elements.hpp"

#include <cmath>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

using Kind = ForceElement::Kind;

[[noreturn]] void refuse_element(const ForceElement& element, const std::string& what) {
  throw InputError("element '" + element.name + "': " + what);
}

bool is_node(const Model& model, NodeRef at) {
  const bool body = at.body >= kGround && at.body < model.body_count();
  return body && at.node >= kBodyFrame && at.node < static_cast<int>(model.body(at.body).nodes.size());
}

void check_bushing(const ForceElement& element, const MatrixXd& m, const char* what) {
  constexpr double kSame = 1e-10;
  if (m.rows() != 6 || m.cols() != 6) refuse_element(element, std::string(what) + " needs 6 x 6 numbers");
  const double size = m.cwiseAbs().maxCoeff();
  if (!std::isfinite(size)) refuse_element(element, std::string(what) + " is not finite");
  if ((m - m.transpose()).cwiseAbs().maxCoeff() > kSame * size)
    refuse_element(element, std::string(what) + " is not symmetric");
  const MatrixXd shifted = m + MatrixXd(kSame * std::max(size, 1e-300) * MatrixXd::Identity(6, 6));
  if (!Cholesky(shifted).positive_definite())
    refuse_element(element, std::string(what) + " is indefinite; make it positive semidefinite");
}

void check_ends(const Model& model, const ForceElement& element) {
  if (element.joint >= 0) {
    const bool known = element.joint > kGround && element.joint < model.body_count();
    if (!known) refuse_element(element, "there is no such joint");
    if (speed_count(model.joints[element.joint].kind) != 1 || position_count(model.joints[element.joint].kind) != 1)
      refuse_element(element, "joint '" + model.joints[element.joint].name +
                                  "' must have one coordinate; choose a revolute or prismatic one");
    return;
  }
  std::vector<ElementEnd> ends = element.over;
  ends.push_back(element.a);
  ends.push_back(element.b);
  bool moving = false;
  for (const ElementEnd& end : ends) {
    if (!is_node(model, end.node)) refuse_element(element, "there is no such node");
    moving = moving || end.node.body != element.a.node.body;
  }
  if (!moving) refuse_element(element, "both ends are on one body; choose ends on different bodies");
}

}  // namespace

const char* to_string(Kind kind) {
  constexpr const char* kNames[] = {"spring", "bushing", "rope", "actuator"};
  return kNames[static_cast<int>(kind)];
}

void check_elements(const Model& model, const ForceElements& elements) {
  for (const ForceElement& element : elements.list) {
    check_ends(model, element);
    if (!(element.stiffness >= 0 && element.damping >= 0 && std::isfinite(element.stiffness + element.damping)))
      refuse_element(element, "stiffness and damping must be finite and not negative");
    if (!std::isfinite(element.length)) refuse_element(element, "length must be finite");
    if (element.kind == Kind::bushing) {
      check_bushing(element, element.K, "stiffness");
      check_bushing(element, element.D, "damping");
    }
    if (element.kind == Kind::rope && !(element.stiffness > 0 && element.length > 0))
      refuse_element(element, "a rope needs a stiffness and a length above 0");
  }
  for (const JointRest& rest : elements.rests) {
    if (rest.joint <= kGround || rest.joint >= model.body_count() ||
        rest.position.size() != speed_count(model.joints[rest.joint].kind))
      throw InputError("rest position: there is no such joint, or it has another number of coordinates");
  }
}

}  // namespace limber

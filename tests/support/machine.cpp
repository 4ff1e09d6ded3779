// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/machine.hpp"

#include <string>

#include "limber/spatial/detail/solvers.hpp"

namespace limber::test {
namespace {

struct Maker {
  bool second_order;
  Body operator()(const RigidSpec& s) const { return make_rigid_body(s); }
  Body operator()(const ModalSpec& s) const { return make_modal_body(s, second_order); }
  Body operator()(const BeamSpec& s) const { return make_beam_body(s, second_order); }
};

}  // namespace

Model make_model(const Machine& machine, Elimination elimination) {
  ModelBuilder builder("test");
  builder.gravity(machine.gravity).fidelity(machine.fidelity).elimination(elimination);
  const Maker maker{machine.fidelity == Fidelity::stiffened};
  for (std::size_t i = 0; i < machine.bodies.size(); ++i) {
    Body body = std::visit(maker, machine.bodies[i]);
    body.name = "b" + std::to_string(i + 1);
    builder.add_body(std::move(body));
  }
  for (std::size_t i = 0; i < machine.joints.size(); ++i) {
    Joint joint = machine.joints[i];
    joint.name = "j" + std::to_string(i + 1);
    builder.add_joint(std::move(joint), static_cast<int>(i) + 1);
  }
  return builder.build();
}

// Second moment about the centre of mass: C = tr(J)/2 - J = sum s_i e_i e_i^T; two points of m/6 at +-sqrt(3 s_i/m) e_i
// have the second moment s_i e_i e_i^T.
std::vector<MassPoint> mass_points(const RigidSpec& spec) {
  const Matrix3d C = 0.5 * spec.inertia.trace() * Matrix3d::Identity() - spec.inertia;
  const SymmetricEigen eigen = eigen_symmetric(C);
  std::vector<MassPoint> points;
  for (int i = 0; i < 3; ++i) {
    const Vector3d offset = std::sqrt(3 * std::max(eigen.values[i], 0.0) / spec.mass) * eigen.vectors.col(i);
    for (const double side : {-1.0, 1.0}) {
      points.push_back({spec.mass / 6, spec.com + side * offset, Matrix3Xd(3, 0), {}});
    }
  }
  return points;
}

int mode_count(const BodySpec& spec) {
  if (std::holds_alternative<RigidSpec>(spec)) return 0;
  if (const auto* modal = std::get_if<ModalSpec>(&spec)) return static_cast<int>(modal->stiffness.rows());
  int n = 0;
  for (const int k : std::get<BeamSpec>(spec).modes) n += k;
  return n;
}

}  // namespace limber::test

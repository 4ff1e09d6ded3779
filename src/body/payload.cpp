// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/payload.hpp"

#include "checks.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// A shape of the points of a payload: phi(d) = c + B d.
struct AffineShape {
  Vector3d c = Vector3d::Zero();
  Matrix3d B = Matrix3d::Zero();
};

// In the order of the shapes of a body: position, modes, pairs.  theory §2.
std::vector<AffineShape> load_shapes(const Body& body, int node) {
  std::vector<AffineShape> out(static_cast<std::size_t>(body.shapes()));
  out[0].B = Matrix3d::Identity();
  if (node < 0) return out;
  const Node& at = body.nodes[static_cast<std::size_t>(node)];
  out[0] = {at.position, at.rotation};
  const auto turn = [&](int a) { return skew(at.turn.col(a)); };
  for (int a = 0; a < body.modes; ++a)
    out[static_cast<std::size_t>(1 + a)] = {at.translation.col(a), turn(a) * at.rotation};
  for (std::size_t p = 0; p < body.pairs.size(); ++p) {
    const auto [a, b] = body.pairs[p];
    AffineShape& shape = out[static_cast<std::size_t>(1 + body.modes) + p];
    for (int i = 0; i < 3; ++i) {
      if (at.second[i].size() > 0) shape.c[i] = 0.5 * (at.second[i](a, b) + at.second[i](b, a));
    }
    // exp(lambda eta) = 1 + ... + (lambda eta)~^2 / 2.
    shape.B = 0.5 * (turn(a) * turn(b) + turn(b) * turn(a)) * at.rotation;
  }
  return out;
}

}  // namespace

// With m, s = sum m d and Q = sum m d d^T of the payload:
//   S_a += m c_a + B_a s,   C_ab += m c_a c_b^T + c_a (B_b s)^T + (B_a s) c_b^T + B_a Q B_b^T
Body with_payload(const Body& body, int node, const RigidSpec& load) {
  if (node < -1 || node >= static_cast<int>(body.nodes.size()))
    body_impl::fail("the payload is on a node that does not exist", "name one of the body's nodes");
  const Body rigid = make_rigid_body(load);
  const double m = rigid.mass;
  const Vector3d s = rigid.S.col(0);
  const Matrix3d& Q = rigid.C[0];
  const std::vector<AffineShape> phi = load_shapes(body, node);
  Body out = body;
  out.mass += m;
  for (std::size_t a = 0; a < phi.size(); ++a) {
    const Vector3d Bs = phi[a].B * s;
    out.S.col(static_cast<Eigen::Index>(a)) += m * phi[a].c + Bs;
    for (std::size_t b = a; b < phi.size(); ++b) {
      const Matrix3d block = m * phi[a].c * phi[b].c.transpose() + phi[a].c * (phi[b].B * s).transpose() +
                             Bs * phi[b].c.transpose() + phi[a].B * Q * phi[b].B.transpose();
      out.C[a * phi.size() + b] += a == b ? Matrix3d(0.5 * (block + block.transpose())) : block;
      if (a != b) out.C[b * phi.size() + a] += block.transpose();
    }
  }
  return out;
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/content.hpp"

#include "checks.hpp"
#include "limber/body/segmented.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {

std::string content_key(const Body& body) {
  std::string key;
  const auto add = [&key](const auto& matrix) {
    const auto size = matrix.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key.append(reinterpret_cast<const char*>(matrix.data()), sizeof(double) * static_cast<std::size_t>(size));
  };
  add(Eigen::Matrix<double, 1, 1>(body.mass));
  add(body.S);
  for (const Matrix3d& C : body.C) add(C);
  add(body.stiffness);
  add(body.damping);
  key += body.second_order ? "2;" : "1;";
  for (const ModePair& pair : body.pairs) key += std::to_string(pair.a) + "," + std::to_string(pair.b) + ";";
  for (const Node& node : body.nodes) {
    key += node.name + '\n';
    add(node.position);
    add(node.rotation);
    add(node.translation);
    add(node.turn);
    for (const MatrixXd& second : node.second) add(second);
  }
  for (const std::string& name : body.mode_names) key += name + '\n';
  for (const Visual& visual : body.visuals) {
    key += std::to_string(static_cast<int>(visual.kind)) + visual.file + '\n';
    add(visual.size);
    add(visual.pose.p);
    add(visual.pose.R);
  }
  if (const SegmentedSpec* cut = segmented_of(body)) key += "segments " + std::to_string(cut->segments) + '\n';
  return key;
}

void check_body(const Body& body) {
  using body_impl::fail;
  const int n = body.modes;
  if (n < 0) fail("modes is negative", "give the number of modes");
  for (const ModePair& pair : body.pairs) {
    if (pair.a < 0 || pair.b < pair.a || pair.b >= n)
      fail("pair (" + std::to_string(pair.a) + ", " + std::to_string(pair.b) + ") is not of modes 0 to " +
               std::to_string(n - 1),
           "give pairs a <= b");
  }
  body_impl::check_not_negative(body.mass, "mass", "give 0 or a positive number");
  const auto shapes = static_cast<std::size_t>(body.shapes());
  body_impl::check_size(body.S, 3, body.shapes(), "S");
  body_impl::check_finite(body.S, "S");
  if (body.C.size() != shapes * shapes)
    fail("C has " + std::to_string(body.C.size()) + " blocks", "give " + std::to_string(shapes * shapes));
  for (std::size_t a = 0; a < shapes; ++a) {
    for (std::size_t b = a; b < shapes; ++b) {
      const Matrix3d &ab = body.C[a * shapes + b], &ba = body.C[b * shapes + a];
      const std::string block = "block (" + std::to_string(a) + ", " + std::to_string(b) + ") of C";
      body_impl::check_finite(ab, block);
      if ((ab - ba.transpose()).cwiseAbs().maxCoeff() > 1e-9 * ab.cwiseAbs().maxCoeff())
        fail(block + " is not the transpose of its opposite", "set C_ba = C_ab^T");
    }
  }
  for (const auto* matrix : {&body.stiffness, &body.damping}) {
    const std::string what = matrix == &body.stiffness ? "stiffness" : "damping";
    body_impl::check_size(*matrix, n, n, what);
    body_impl::check_finite(*matrix, what);
  }
  if (static_cast<int>(body.mode_names.size()) != n)
    fail("mode_names has " + std::to_string(body.mode_names.size()) + " entries", "give " + std::to_string(n));
  body_impl::check_nodes(body.nodes, n);
}

}  // namespace limber

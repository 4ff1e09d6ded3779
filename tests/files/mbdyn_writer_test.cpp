// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Modal data of MBDyn: its invariants are sums over the mass points, as its modal joint computes them from lumped
// masses.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "limber/files/modal_body_file.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

constexpr int kModes = 3;

ModalSpec random_points() {
  std::srand(7);
  ModalSpec spec;
  for (int i = 0; i < 9; ++i) {
    MassPoint point;
    point.mass = 0.3 + 0.1 * i;
    point.position = Vector3d::Random();
    point.shape = Matrix3Xd::Random(3, kModes);
    spec.points.push_back(point);
  }
  spec.stiffness = Vector3d(100, 250, 900).asDiagonal();
  spec.damping = Vector3d(0.1, 0.2, 0.3).asDiagonal();
  Node node;
  node.name = "tip";
  node.position = {1, 2, 3};
  node.translation = Matrix3Xd::Random(3, kModes);
  node.turn = Matrix3Xd::Random(3, kModes);
  spec.nodes = {node};
  return spec;
}

// The numbers of each record group, without comments.
std::map<int, std::vector<double>> groups_of(const std::string& text) {
  std::map<int, std::vector<double>> out;
  std::istringstream lines(text);
  int group = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("** RECORD GROUP ")) group = std::stoi(line.substr(16));
    if (line.starts_with("**")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word != "REV0") out[group].push_back(std::stod(word));
  }
  return out;
}

void expect_rows(const std::vector<double>& found, const MatrixXd& wanted) {
  ASSERT_EQ(found.size(), static_cast<std::size_t>(wanted.size()));
  for (Eigen::Index i = 0; i < wanted.rows(); ++i)
    for (Eigen::Index k = 0; k < wanted.cols(); ++k)
      EXPECT_NEAR(found[static_cast<std::size_t>(i * wanted.cols() + k)], wanted(i, k), 1e-13) << i << ", " << k;
}

TEST(MbdynWriter, InvariantsAreSumsOverThePoints) {
  const ModalSpec spec = random_points();
  auto found = groups_of(mbdyn_text(make_modal_body(spec, false)));
  Vector3d first = Vector3d::Zero();
  double mass = 0;
  MatrixXd inv3 = MatrixXd::Zero(3, kModes), inv4 = inv3, inv5 = MatrixXd::Zero(3, kModes * kModes);
  MatrixXd inv8 = MatrixXd::Zero(3, 3 * kModes), inv9 = MatrixXd::Zero(3, 3 * kModes * kModes);
  MatrixXd modal = MatrixXd::Zero(kModes, kModes);
  for (const MassPoint& p : spec.points) {
    mass += p.mass;
    first += p.mass * p.position;
    for (int j = 0; j < kModes; ++j) {
      const Vector3d u = p.shape.col(j);
      inv3.col(j) += p.mass * u;
      inv4.col(j) += p.mass * p.position.cross(u);
      inv8.middleCols(3 * j, 3) -= p.mass * skew(p.position) * skew(u);
      for (int k = 0; k < kModes; ++k) {
        const Vector3d w = p.shape.col(k);
        inv5.col(j * kModes + k) += p.mass * u.cross(w);
        inv9.middleCols(3 * (j * kModes + k), 3) += p.mass * skew(u) * skew(w);
        modal(j, k) += p.mass * u.dot(w);
      }
    }
  }
  Matrix3d J = Matrix3d::Zero();
  for (const MassPoint& p : spec.points)
    J -= p.mass * skew(Vector3d(p.position - first / mass)) * skew(Vector3d(p.position - first / mass));
  expect_rows(found[14], inv3);
  expect_rows(found[15], inv4);
  expect_rows(found[16], inv8);
  expect_rows(found[17], inv5);
  expect_rows(found[18], inv9);
  expect_rows(found[9], modal);
  expect_rows(found[10], spec.stiffness);
  expect_rows(found[13], spec.damping);
  ASSERT_EQ(found[12].size(), 13U);
  EXPECT_NEAR(found[12][0], mass, 1e-13);
  expect_rows({found[12].begin() + 1, found[12].begin() + 4}, (first / mass).transpose());
  expect_rows({found[12].begin() + 4, found[12].end()}, J);
  EXPECT_EQ(found[1], (std::vector<double>{1, 3, 0, 0, 0}));
  EXPECT_EQ(found[2], std::vector<double>{1});
  EXPECT_EQ(found[6], std::vector<double>{2});
  MatrixXd shapes(kModes, 6);
  shapes << spec.nodes[0].translation.transpose(), spec.nodes[0].turn.transpose();
  expect_rows(found[8], shapes);
}

}  // namespace
}  // namespace limber

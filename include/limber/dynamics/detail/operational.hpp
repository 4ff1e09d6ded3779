// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/operational.hpp"

namespace limber {

// The six unit wrenches on one node, propagated inward.
struct UnitWrenches {
  int body = 0;  // where they are
  int from = 0;  // the previous body, 0: they start here
  Spatial z[6];  // on the frame of the body; once its modes are passed, on the joint side
};

struct OperationalData {
  explicit OperationalData(const Model& model);
  std::vector<UnitWrenches> wrenches;  // (node)
  std::vector<int> carried;            // (body) number of the nodes that it carries
  std::vector<Mat6> W;                 // (body) mobility: acceleration of the joint side per wrench there
  std::vector<Mat6> through;           // (body) wrench on the joint side of the parent per wrench on the inboard frame
  std::vector<double> e, x;            // (6 unit wrenches of a node, padded modes) modal forces e, D_f^-1 e
  std::vector<Spatial> columns;        // (mode) Pi of one node
};

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/operational.hpp"

namespace limber {

// The six unit wrenches on one node, propagated inward.
struct UnitWrenches {
  int body = 0;  // the body they have reached
  int from = 0;  // the previous body; 0: the node is on this body
  Spatial z[6];  // on the frame of the body; after its elimination, on the joint side
};

struct OperationalData {
  explicit OperationalData(const Model& model);
  std::vector<UnitWrenches> wrenches;  // (node)
  std::vector<int> carried;            // (body) number of nodes that it carries
  std::vector<Mat6> W;                 // (body) mobility: acceleration of the joint side per wrench there
  std::vector<Mat6> through;           // (body) wrench on the joint side of the parent per wrench on the inboard frame
  std::vector<double> e, x;            // (6 unit wrenches of a node, padded modes) modal forces e, D_f^-1 e
  std::vector<Spatial> columns;        // (mode) Pi of one node
};

}  // namespace limber

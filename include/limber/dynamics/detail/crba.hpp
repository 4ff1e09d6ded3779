// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/detail/rnea.hpp"

namespace limber {

struct CrbaData {
  explicit CrbaData(const Model& model);
  RneaData rnea;
  std::vector<Mat6> inertia;             // (body) composite inertia of the body and all outboard bodies
  std::vector<Mat6> attachment_inertia;  // (outboard attachment) composite inertia of all bodies it carries
  std::vector<Spatial> column;           // (modes of one body) scratch
  MatrixXd M;                            // (nv x nv) for crba_forward
  VectorXd bias, zero;                   // (nv)
  VectorXd scale;                        // (nv) scale of rounding errors on the diagonal of M
};

}  // namespace limber

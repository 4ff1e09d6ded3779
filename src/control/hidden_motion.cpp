// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/hidden_motion.hpp"

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

std::optional<HiddenMotion> find_hidden_motion(const Predictor& predictor, const MatrixXd& C) {
  constexpr double kDecays = 1e-7, kZero = 1e-8, kStill = 1e-5;  // per sample; of the motion; rad per sample
  const Eigen::Index n = predictor.machine.coordinates();
  const GeneralEigen eigen = eigen_general(predictor.A);
  std::optional<HiddenMotion> out;
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    const auto v = eigen.vectors.col(k);
    if (std::abs(eigen.values[k]) < 1 - kDecays || (C * v).norm() > kZero * C.norm() * v.norm()) continue;
    const bool vibrates = std::abs(std::arg(eigen.values[k])) > kStill && std::abs(eigen.values[k]) < 1 + kDecays;
    if (out && (!out->vibrates || vibrates)) continue;
    Eigen::Index most = 0;
    v.head(n).cwiseAbs().maxCoeff(&most);
    out = HiddenMotion{vibrates, static_cast<int>(most)};
  }
  return out;
}

}  // namespace limber

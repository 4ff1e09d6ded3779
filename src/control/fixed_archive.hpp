// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/archive.hpp"

namespace limber {

// Vectors and matrices of fixed size, to or from an archive.
template <class... Fixed>
void transfer_fixed(Archive& archive, Fixed&... parts) {
  const auto one = [&](auto& x) {
    for (Eigen::Index k = 0; k < x.size(); ++k) archive(x.data()[k]);
  };
  (one(parts), ...);
}
inline void transfer_turn(Archive& archive, Eigen::Quaterniond& turn) { transfer_fixed(archive, turn.coeffs()); }

}  // namespace limber

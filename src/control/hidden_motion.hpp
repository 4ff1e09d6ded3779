// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/control/predictor.hpp"

namespace limber {

// A free motion that neither decays nor is observed: A v = z v with |z| >= 1, C v = 0 (test of Popov, Belevitch and
// Hautus).  One of constant or growing speed before a vibration.
struct HiddenMotion {
  bool vibrates = false;
  int speed = 0;  // the one that moves most
};
std::optional<HiddenMotion> find_hidden_motion(const Predictor& predictor, const MatrixXd& C);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// The controllers of an adaptation that run in parallel on other models, and the combination of their commands with
// those of the main controller.
struct ModelBank {
  std::vector<std::unique_ptr<Controller>> others;
  Adaptation adaptation;
  std::vector<const VectorXd*> innovations;  // of the others
  VectorXd commands;                         // scratch
};

// options: from prepare_control; nullptr if there is no adaptation.
std::unique_ptr<ModelBank> make_bank(const ControlOptions& options);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// The controllers that run beside one with adaptation, on other models, and how their commands are combined with its
// own.
struct ModelBank {
  std::vector<std::unique_ptr<Controller>> others;
  Adaptation adaptation;
  std::vector<const VectorXd*> innovations;  // of the others
  VectorXd commands;                         // scratch
};

// options: as prepare_control gives them; nullptr: without adaptation.
std::unique_ptr<ModelBank> make_bank(const ControlOptions& options);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "limber/linear/analysis.hpp"

namespace limber::apps {

// Results of `limber linearize`.
struct Linearization {
  LinearSystem system;
  std::string where;           // "the zero state", "the state of x.json", "the equilibrium near ..."
  std::optional<bool> stable;  // of a computed equilibrium
  bool equilibrium = false;    // no accelerations, and A is constant along the motion
  std::string warning;         // reason why A is valid for an instant only
  std::vector<VibrationMode> modes;
  VectorXcd poles;
  struct Zeros {
    int input = 0, output = 0;
    VectorXcd values;
  };
  std::vector<Zeros> zeros;  // of every pair, unless there are too many
  bool zeros_left_out = false;
  std::optional<VectorXcd> all_zeros;  // of all inputs and outputs together, if there are several of either
};

// Text tables, and one JSON object.
std::string linearization_text(const Model& model, const Linearization& found, std::FILE* out);
// `file`: the name of `out`, for messages; empty: standard output.
void write_linearization(const Model& model, const Linearization& found, std::FILE* out, const std::string& file = "");

}  // namespace limber::apps

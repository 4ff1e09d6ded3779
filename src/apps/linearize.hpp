// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "limber/linear/analysis.hpp"

namespace limber::apps {

// What `limber linearize` found.
struct Linearization {
  LinearSystem system;
  std::string where;           // "the zero state", "the state of x.json", "the equilibrium near ..."
  std::optional<bool> stable;  // of an equilibrium that was looked for
  bool equilibrium = false;    // no accelerations, and A stays the same where the point moves
  std::string warning;         // why A holds for a moment only
  std::vector<VibrationMode> modes;
  VectorXcd poles;
  struct Zeros {
    int input = 0, output = 0;
    VectorXcd values;
  };
  std::vector<Zeros> zeros;  // of every pair, unless there are too many
  bool zeros_left_out = false;
  std::optional<VectorXcd> all_zeros;  // of all inputs and outputs together, where there is more than one of either
};

// Tables for people, and one JSON object.
std::string linearization_text(const Model& model, const Linearization& found, std::FILE* out);
void write_linearization(const Model& model, const Linearization& found, std::FILE* out);

}  // namespace limber::apps

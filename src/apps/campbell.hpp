// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/linear/campbell.hpp"

namespace limber::apps {

// Options of `limber linearize --campbell`.
struct CampbellCommand {
  std::string range, rotor;  // "0:20:0.5", a joint
  bool free = false, json = false;
  std::string output_file, csv, page;  // empty: none
};

// Speeds of "FROM:TO:STEP" or of one number.  Throws InputError.
std::vector<double> parse_speeds(const std::string& range);
// The joint of that name, or the only possible rotor.  Throws InputError.
int find_rotor(const Model& model, const std::string& name);

// Computes and writes everything.  `options`: inputs and held joints; `files`: never overwritten, the model first.
int run_campbell(const Model& model, const State& start, RotorOptions options, const CampbellCommand& command,
                 const std::vector<std::string>& files);

// Text tables, CSV, JSON.
std::string campbell_text(const Model& model, const RotorOptions& options, const Campbell& found, std::FILE* out);
std::string campbell_csv(const Campbell& found);
// `file`: the name of `out`, for messages; empty: standard output.
void write_campbell(const Model& model, const RotorOptions& options, const Campbell& found, std::FILE* out,
                    const std::string& file = "");

}  // namespace limber::apps

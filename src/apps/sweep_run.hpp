// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/study/sweep.hpp"

namespace limber::apps {

struct SweepCommand {
  std::string study, output;
  int threads = 0;
  bool resume = false, json = false, quiet = false;
};

// Sweeps with a progress bar, then prints what came of it; `workers`, in words: "on 2 threads".  The exit code.
int run_sweep(const SweepCommand& command, const Study& study, Team& team, const std::string& workers);

// "study.yaml" -> "study.h5", here.
std::string study_output(const std::string& study, const std::string& end);

// As `limber-mpi` takes a command, which `limber` starts in its own place under mpirun.
std::vector<std::string> mpi_arguments(const SweepCommand& command);
SweepCommand parse_mpi_arguments(const std::vector<std::string>& arguments);

}  // namespace limber::apps

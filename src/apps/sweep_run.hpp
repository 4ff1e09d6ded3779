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

// Sweeps with a progress bar, then prints the outcome; `workers`: e.g. "on 2 threads".  Returns the exit code.
int run_sweep(const SweepCommand& command, const Study& study, Team& team, const std::string& workers);

// "study.yaml" -> "study.h5", in the current folder.
std::string study_output(const std::string& study, const std::string& end);

// Arguments of `limber-mpi` for a command; `limber` replaces itself by it under mpirun.
std::vector<std::string> mpi_arguments(const SweepCommand& command);
SweepCommand parse_mpi_arguments(const std::vector<std::string>& arguments);

}  // namespace limber::apps

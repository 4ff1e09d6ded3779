// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "limber/files/overrides.hpp"
#include "limber/model/model.hpp"

namespace limber::apps {

// The selected command; returns the exit code.  Throws InputError for bad input.
using Action = std::function<int()>;

// Each adds one command to the program and sets `action` if the command line selects it.
void add_run(CLI::App& program, Action& action);
void add_view(CLI::App& program, Action& action);
void add_control(CLI::App& program, Action& action);
void add_plant(CLI::App& program, Action& action);
void add_eval(CLI::App& program, Action& action);
void add_info(CLI::App& program, Action& action);
void add_check(CLI::App& program, Action& action);
void add_linearize(CLI::App& program, Action& action);
void add_modes(CLI::App& program, Action& action);
void add_import(CLI::App& program, Action& action);
void add_export(CLI::App& program, Action& action);
void add_learn(CLI::App& program, Action& action);
void add_sweep(CLI::App& program, Action& action);
void add_tune(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);

// The contents of a file named on the command line; "-" is the standard input.
std::string read_argument(const std::string& path);
std::string name_of_argument(const std::string& path);  // for messages
Model read_model_argument(const std::string& path, const std::vector<std::string>& set = {});
// --set PATH=VALUE, which may be repeated.
void add_set(CLI::App& command, std::vector<std::string>& set);

}  // namespace limber::apps

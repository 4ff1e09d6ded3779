// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "limber/control/loop.hpp"
#include "limber/files/overrides.hpp"
#include "limber/simulate/simulate.hpp"

namespace limber {

struct AttitudeOptions;  // control/attitude.hpp

// The controller of a scenario.
struct ControlScenario {
  ControlOptions options;              // with the sensors as modelled by the controller
  SensorOptions sensors;               // of the machine
  std::string model_file, model_text;  // of the controller's model; the file is empty when it is that of the machine
};

// A model and an experiment with it.  docs/scenario-format.md.
struct Scenario {
  std::string name;
  std::string text;        // of the whole file
  std::string model_text;  // of the model file; of a model inside the scenario, the same in one line
  std::string file, model_file;
  Overrides set;  // overrides of the files, by full path; included in the texts
  std::shared_ptr<const Model> model;
  State initial;             // checked; joints with prescribed motion have its position and speed at t = 0
  bool equilibrium = false;  // it starts at rest, in static equilibrium near `initial`
  std::vector<int> held;     // joints held at their `initial` position in it; default: the driven joints
  std::vector<int> kept;     // joints that the assembly of closed chains does not move
  Inputs inputs;
  SolverOptions solver;
  RunOptions run;
  std::shared_ptr<const ControlScenario> control;   // may be null
  std::shared_ptr<const AttitudeOptions> attitude;  // may be null
  struct RecordChoice {
    std::vector<NodeRef> nodes;
    bool energy = true;
  } record;
};

inline constexpr double kMaxRecords = 5e8;          // of a recording: 4 GiB per column
inline constexpr double kMaxSteps = 1e12;           // of a fixed or longest length
inline constexpr double kShortestDuration = 1e-12;  // s

// A scenario file, YAML or JSON, and its model.  Every key is checked; the first error is an InputError
// "FILE:LINE: inputs[2].torque what is wrong; what to write instead".  An error in the model file names that file.
// `set`: overrides of values of both files, checked like these.
Scenario read_scenario(const std::string& path, const Overrides& set = {});
// `folder`: the folder of the relative path of the model file; "" is the current one.
Scenario parse_scenario(std::string_view text, const std::string& name_for_messages, const std::string& folder,
                        const Overrides& set = {});

}  // namespace limber

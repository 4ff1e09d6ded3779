// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/model/drive.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// The limits of one drive: what it can exert at a speed.
struct DriveLimit {
  int joint = 0, v = 0;                // v: of the motor, where the transmission is elastic, else of the joint
  double motor_turns = 1;              // motor speed over that of v
  double effort = 0, velocity = 0;     // on v; 0: none
  std::shared_ptr<const Drive> drive;  // whose motor has limits, or null
  bool cut = false;                    // by the last call of apply
  bool counted = false;                // at the last count
  long spells = 0;                     // how often it began to be cut
  double seconds = 0;                  // how long it was
  // What acts of a wanted effort.
  double limited(double wanted, double rate) const;
};

struct DriveLimits {
  std::vector<DriveLimit> drives;

  // Null: no joint has limits that act.  `prescribed`: (body) joints whose motion is, which are not cut.
  static std::unique_ptr<DriveLimits> make(const Model& model, const std::vector<std::uint8_t>& prescribed);
  void apply(const State& x, VectorXd& tau);
  // Into the counts: what the last call of apply cut, for a time `span`.
  void count(double span);
  std::vector<Saturation> saturation(const Model& model) const;
  void transfer(Archive& archive);
};

}  // namespace limber

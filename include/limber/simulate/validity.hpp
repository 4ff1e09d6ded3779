// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/dynamics/kinematics.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// The largest deflection of a node from its undeformed position, in the body frame.
struct LargestDeflection {
  double value = 0, t = 0;
  NodeRef node;
};

// The largest deviations of a run from the assumptions of its model.
struct Validity {
  struct Largest {
    double value = 0;
    int body = -1;
    double t = 0;
  };
  LargestDeflection largest_deflection;
  Largest deflection;   // of a node over the length of its body
  Largest truncation;   // estimated displacement of nodes by omitted modes, over the body's largest
  Largest spin;         // of a body over its first frequency; not watched in `stiffened`
  Largest compression;  // of a beam over its critical load; not watched in `stiffened`
  Largest tension;      // the same in tension
  Largest slide;        // error of a beam's deflection due to a sliding load; `body` is the load
};

// One line for each assumption that did not hold.
std::vector<std::string> warnings(const Model& model, const Validity& validity);

// Monitors a run.  Only the constructor allocates.
class ValidityMonitor {
 public:
  explicit ValidityMonitor(const Model& model);
  explicit ValidityMonitor(const Model&&) = delete;  // it keeps a reference
  ~ValidityMonitor();
  ValidityMonitor(ValidityMonitor&&) noexcept;
  void watch(const State& x);                         // deflections and travels
  void watch(const State& x, const Kinematics& kin);  // and spins; kin: of x
  // The axial force in a beam (N, tension positive), as an equivalent load on its tip.
  void watch_axial(int body, double force, double t);
  bool watches_axial() const;       // a beam can buckle, or be stiffened
  Validity validity() const;        // over all calls
  void transfer(Archive& archive);  // to or from an archive

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber

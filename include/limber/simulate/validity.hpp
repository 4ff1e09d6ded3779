// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/dynamics/kinematics.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// How far a run went from what its model assumes.
struct Validity {
  struct Largest {
    double value = 0;
    int body = -1;
    double t = 0;
  };
  Largest deflection;    // of a node over the length of its body
  Largest highest_mode;  // share of the modal energy of a body in the highest mode of a family
  Largest spin;          // of a body over its first frequency; not watched in `stiffened`
};

// One plain line for each assumption that did not hold.
std::vector<std::string> warnings(const Model& model, const Validity& validity);

// Follows a run.
class ValidityMonitor {
 public:
  explicit ValidityMonitor(const Model& model);
  explicit ValidityMonitor(const Model&&) = delete;                                  // it keeps a reference
  void watch(const Kinematics& kin, double t);                                       // after every step
  Validity validity() const;                                                         // of all that was watched
  void transfer(Archive& archive) { archive(validity_, energy_, highest_energy_); }  // to or from an archive

 private:
  void watch_modes(int body, const double* eta, const double* rate, double t);

  const Model& model_;
  Validity validity_;
  std::vector<double> length_, first_frequency_;   // (body)
  std::vector<std::vector<int>> highest_;          // (body) the last modes of families of two or more
  std::vector<double> energy_;                     // (body) largest modal energy so far
  std::vector<Validity::Largest> highest_energy_;  // (body) and that of a highest mode
};

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// Detects singular configurations of a closed chain, also between two steps: there the margin of the closures falls
// linearly to zero and rises again, and the motion is not unique beyond this point.
class SingularWatch {
 public:
  explicit SingularWatch(System& system) : system_(system) {}
  // x: a state after System::project.
  void start(const State& x);
  // After a step to such a state.  True: it passed a singular configuration, at the time at().
  bool passed(const State& x);
  double at() const { return at_; }
  // Whether the last state was near a singular configuration: a step that ends close to it may fail instead of passing.
  bool near() const { return seen_.last.margin < kNear * seen_.largest; }
  // Discards the last step.
  void take_back() { seen_ = back_; }
  void transfer(Archive& archive) { archive(seen_, back_); }

 private:
  struct Point {
    State x;
    double margin = 0;
    void transfer(Archive& archive) { archive(x, margin); }
  };
  struct Seen {
    Point before, last;
    double largest = 0;
    void transfer(Archive& archive) { archive(before, last, largest); }
  };

  static constexpr double kNear = 0.1;
  bool search(const Point& a, const Point& b);
  double margin_between(const Point& a, const Point& b, double share);
  void take(const State& x, Point& out);

  System& system_;
  Seen seen_, back_;  // now, and before the last step
  Point now_;
  State between_;
  VectorXd way_, part_;
  double at_ = 0;
};

}  // namespace limber

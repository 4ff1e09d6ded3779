// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// Sees when a closed chain goes through a singular configuration, even between two steps: there the margin of the
// closures falls to zero along a straight line and rises again, and the motion is not unique beyond this point.
class SingularWatch {
 public:
  explicit SingularWatch(System& system) : system_(system) {}
  // From a state that System::project was last called for.
  void start(const State& x);
  // After a step to such a state.  True: it went through one; at() is when.
  bool passed(const State& x);
  double at() const { return at_; }
  // Whether the last state was near one: a step that ends beside it may fail instead of passing.
  bool near() const { return seen_.last.margin < kNear * seen_.largest; }
  // The last step is taken back.
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

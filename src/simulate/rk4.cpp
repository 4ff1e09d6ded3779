// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "simulate/flow.hpp"
#include "steppers.hpp"

namespace limber {
namespace {

// The classical method of order 4, with a fixed step.
class Rk4 final : public Stepper {
 public:
  Rk4(System& system, const SolverOptions& options)
      : Stepper(system), flow_(system), h_(options.step), z_(flow_.size()) {
    for (VectorXd& k : k_) k.setZero(flow_.size());
    stage_ = z_;
  }

  Status do_start(const Motion& from) override {
    now_ = from;
    return Status::ok;
  }

  Status adjust(const Motion& m) override { return do_start(m); }

  Status do_step(double limit) override {
    const double t = now_.x.t;
    const auto [h, last] = step_length(t, limit, h_);
    flow_.set_base(now_, z_);
    constexpr double kNodes[] = {0, 0.5, 0.5, 1};
    stage_ = z_;
    for (int s = 0; s < 4; ++s) {
      if (s > 0) stage_ = z_ + kNodes[s] * h * k_[s - 1];
      ++counts_.evaluations;
      if (const Status status = flow_.rate(t + kNodes[s] * h, stage_, k_[s]); status != Status::ok) return status;
    }
    z_ += h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
    flow_.read(last ? limit : t + h, z_, now_);
    ++counts_.steps;
    return Status::ok;
  }

  const Motion& now() const override { return now_; }
  void at(double, Motion& out) const override { out = now_; }
  bool dense() const override { return false; }
  void do_transfer(Archive& archive) override { archive(now_); }

 private:
  Flow flow_;
  double h_;
  Motion now_;
  VectorXd z_, stage_, k_[4];
};

}  // namespace

std::unique_ptr<Stepper> make_rk4(System& system, const SolverOptions& options) {
  return std::make_unique<Rk4>(system, options);
}

}  // namespace limber

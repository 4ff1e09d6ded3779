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
    now_ = from_ = from;
    return Status::ok;
  }

  Status adjust(const Motion& m) override { return do_start(m); }

  Status do_step(double limit) override {
    const auto [h, last] = step_length(now_.x.t, limit, h_);
    from_ = now_;
    ++counts_.steps;
    return advance(h, last ? limit : from_.x.t + h);
  }

  Status do_cut(double t) override { return advance(t - from_.x.t, t); }

  const Motion& now() const override { return now_; }
  void do_at(double, Motion& out) const override { out = now_; }
  int degree() const override { return 0; }
  void do_transfer(Archive& archive) override { archive(now_); }

 private:
  // From from_ by h, to the time t.
  Status advance(double h, double t) {
    flow_.set_base(from_, z_);
    constexpr double kNodes[] = {0, 0.5, 0.5, 1};
    stage_ = z_;
    for (int s = 0; s < 4; ++s) {
      if (s > 0) stage_ = z_ + kNodes[s] * h * k_[s - 1];
      ++counts_.evaluations;
      const Status status = flow_.rate(from_.x.t + kNodes[s] * h, stage_, k_[s]);
      if (status != Status::ok) return status;
    }
    z_ += h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
    flow_.read(t, z_, now_);
    return Status::ok;
  }

  Flow flow_;
  double h_;
  Motion now_, from_;
  VectorXd z_, stage_, k_[4];
};

}  // namespace

std::unique_ptr<Stepper> make_rk4(System& system, const SolverOptions& options) {
  return std::make_unique<Rk4>(system, options);
}

}  // namespace limber

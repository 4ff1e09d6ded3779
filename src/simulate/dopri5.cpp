// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/flow.hpp"
#include "steppers.hpp"

namespace limber {
namespace {

// Dormand and Prince's pair 5(4) with its dense output.  [HNW] Hairer, Norsett, Wanner, Solving ODEs I, table II.5.2
// and §II.6.
constexpr int kStages = 7;
constexpr double kNodes[kStages] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
constexpr double kA[kStages][kStages - 1] = {{},
                                             {1. / 5},
                                             {3. / 40, 9. / 40},
                                             {44. / 45, -56. / 15, 32. / 9},
                                             {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                             {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                             {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
constexpr double kError[kStages] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
constexpr double kDense[kStages] = {-12715105075. / 11282082432,  0,
                                    87487479700. / 32700410799,   -10690763975. / 1880347072,
                                    701980252875. / 199316789632, -1453857185. / 822651844,
                                    69997945. / 29380423};

// Step-size control: proportional-integral, [HNW] §IV.2 (the defaults of their program).
constexpr double kBeta = 0.04, kExponent = 0.2 - 0.75 * kBeta, kSafety = 0.9, kLeast = 0.2, kMax = 10;

// out = z + h (c_0 k_0 + c_1 k_1 + ...), the first `count` terms, in one pass over memory.
template <int... J>
void combine(std::integer_sequence<int, J...>, const VectorXd& z, double h, const double* c, const VectorXd* k,
             VectorXd& out) {
  const Eigen::Index n = z.size();
  const double* in[] = {k[J].data()...};
  const double scaled[] = {h * c[J]...};
  double* to = out.data();
  for (Eigen::Index i = 0; i < n; ++i) to[i] = z.data()[i] + (... + (scaled[J] * in[J][i]));
}
void combine(int count, const VectorXd& z, double h, const double* c, const VectorXd* k, VectorXd& out) {
  constexpr auto kUp = []<int N>(std::integral_constant<int, N>) { return std::make_integer_sequence<int, N>{}; };
  const auto run = [&](auto n) { combine(kUp(n), z, h, c, k, out); };
  switch (count) {
    case 1:
      return run(std::integral_constant<int, 1>{});
    case 2:
      return run(std::integral_constant<int, 2>{});
    case 3:
      return run(std::integral_constant<int, 3>{});
    case 4:
      return run(std::integral_constant<int, 4>{});
    case 5:
      return run(std::integral_constant<int, 5>{});
    case 6:
      return run(std::integral_constant<int, 6>{});
    default:
      return run(std::integral_constant<int, 7>{});
  }
}

class Dopri5 final : public Stepper {
 public:
  Dopri5(System& system, const SolverOptions& options) : Stepper(system), flow_(system), options_(options) {
    for (VectorXd& k : k_) k.setZero(flow_.size());
    z0_.setZero(flow_.size());
    z_ = scale0_ = scale_ = error_ = dense_ = zero_ = z0_;
  }

  Status do_start(const Motion& from) override {
    now_ = from;
    before_ = from.x.t;
    flow_.set_base(now_, z0_);
    z_ = z0_;
    error_before_ = 1e-4;
    first_ = true;
    fresh_ = scaled_ = false;
    return evaluate(now_.x.t, z0_, k_[0]);
  }

  Status adjust(const Motion& m) override {
    now_ = m;
    fresh_ = scaled_ = false;
    flow_.set_base(now_, z0_);
    return evaluate(now_.x.t, z0_, k_[0]);
  }

  Status do_step(double limit) override {
    const double t = now_.x.t;
    // First same as last: f at the end of the last step is f at the new origin of the chart, except for the chart's
    // part.
    if (fresh_) k_[0].swap(k_[kStages - 1]);
    fresh_ = false;
    flow_.set_base(now_, z0_);
    flow_.rate_at_base(z0_, k_[0]);
    if (scaled_) scale0_.swap(scale_);  // computed at the end of the last step
    if (!scaled_) compute_scales(flow_.system(), flow_.base(), z0_, scale0_);
    scaled_ = false;
    if (first_) {
      choose_first_step(limit);
      first_ = false;
    }
    bool rejected = false;
    for (;;) {
      h_ = std::min(h_, options_.max_step);
      // Hit the limit exactly, and avoid a tiny last step.
      double h = h_;
      const bool last = t + 1.01 * h >= limit;
      if (last) {
        h = limit - t;
      } else if (t + 2 * h > limit) {
        h = 0.5 * (limit - t);
      }
      constexpr double kSmallest = 16 * 2.2e-16;
      if (!last && h <= kSmallest * std::max(1.0, std::abs(t))) return Status::no_convergence;
      double error = 0;
      const Status status = attempt(t, h, error);
      if (status == Status::ok && error <= 1) {
        accept(t, last ? limit : t + h, h, error, rejected);
        return Status::ok;
      }
      // Not finite: the step was far too long, or the problem itself has become singular.
      ++counts_.rejected;
      rejected = true;
      if (status != Status::ok && h <= kTrouble * std::max(1.0, std::abs(t))) return status;
      h_ = h * (status == Status::ok ? std::max(kLeast, kSafety * std::pow(error, -0.2)) : kLeast);
      if (h_ <= kSmallest * std::max(1.0, std::abs(t))) return Status::no_convergence;
    }
  }

  const Motion& now() const override { return now_; }

  // [HNW] (6.11) with the coefficients of their program.
  void do_at(double t, Motion& out) const override {
    const double h = now_.x.t - before_, x = h == 0 ? 1 : (t - before_) / h;
    if (!dense_known_) combine(kStages, zero_, 1, kDense, k_, dense_);
    dense_known_ = true;
    // z0 + x (r2 + (1-x)(r3 + x (r4 + (1-x) r5)))
    const auto difference = z_ - z0_;
    const auto r3 = h * k_[0] - difference;
    const auto r4 = difference - h * k_[6] - r3;
    error_ = z0_ + x * (difference + (1 - x) * (r3 + x * (r4 + (1 - x) * h * dense_)));
    flow_.read(t, error_, out);
  }
  int degree() const override { return 4; }
  Status do_cut(double t) override {
    double error = 0;  // not checked: smaller than for the whole step
    if (const Status status = attempt(before_, t - before_, error); status != Status::ok) return status;
    dense_known_ = false;
    flow_.read(t, z_, now_);
    return Status::ok;
  }
  void do_transfer(Archive& archive) override {
    archive(flow_, h_, before_, error_before_, first_, fresh_, now_, z0_, z_);
    for (VectorXd& k : k_) archive(k);
    dense_known_ = scaled_ = false;
  }

 private:
  static constexpr double kTrouble = 1e-10, kFirst = 1e-12;

  Status evaluate(double t, const VectorXd& z, VectorXd& dz) {
    ++counts_.evaluations;
    return flow_.rate(t, z, dz);
  }

  // One step of size h: computes z_, and its error in units of the tolerance.
  Status attempt(double t, double h, double& error) {
    for (int s = 1; s < kStages; ++s) {
      combine(s, z0_, h, kA[s], k_, z_);
      if (const Status status = evaluate(t + kNodes[s] * h, z_, k_[s]); status != Status::ok) return status;
    }
    combine(kStages, zero_, h, kError, k_, error_);
    compute_scales(flow_.system(), flow_.base(), z_, scale_);
    error = norm(error_);
    return std::isfinite(error) ? Status::ok : Status::not_finite;
  }

  double norm(const VectorXd& x) const {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < x.size(); ++i) {
      if (scale0_[i] < 0) continue;
      const double e = x[i] / (options_.atol + options_.rtol * std::max(scale0_[i], scale_[i]));
      sum += e * e;
      ++count;
    }
    return count == 0 ? 0 : std::sqrt(sum / count);
  }

  void accept(double t, double t_end, double h, double error, bool rejected) {
    ++counts_.steps;
    before_ = t;
    dense_known_ = false;
    flow_.read(t_end, z_, now_);
    const double factor = std::clamp(
        kSafety * std::pow(error_before_, kBeta) * std::pow(std::max(error, 1e-10), -kExponent), kLeast, kMax);
    h_ = h * (rejected ? std::min(factor, 1.0) : factor);
    error_before_ = std::max(error, 1e-4);
    fresh_ = scaled_ = true;
  }

  // [HNW] §II.4, Starting step size.
  void choose_first_step(double limit) {
    scale_ = scale0_;
    const double d0 = norm(z0_), d1 = norm(k_[0]);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::max(h, kFirst * std::max(1.0, std::abs(now_.x.t)));  // a speed may be mere rounding
    h = std::min({h, limit - now_.x.t, options_.max_step});
    z_ = z0_ + h * k_[0];
    if (const Status status = evaluate(now_.x.t + h, z_, k_[1]); status != Status::ok) {
      h_ = h;  // a failure will show up in the step itself
      return;
    }
    error_ = (k_[1] - k_[0]) / h;
    const double d2 = std::max(norm(error_), d1);
    h_ = std::min({100 * h, d2 <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / d2, 0.2), options_.max_step});
  }

  mutable Flow flow_;
  SolverOptions options_;
  double h_ = 0, before_ = 0, error_before_ = 1e-4;
  bool first_ = true, fresh_ = false;
  bool scaled_ = false;  // scale_ is that of now_
  mutable bool dense_known_ = false;
  Motion now_;
  VectorXd z0_, z_, k_[kStages], scale0_, scale_, zero_;
  mutable VectorXd error_, dense_;
};

}  // namespace

std::unique_ptr<Stepper> make_dopri5(System& system, const SolverOptions& options) {
  return std::make_unique<Dopri5>(system, options);
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/model/manifold.hpp"
#include "steppers.hpp"

namespace limber {
namespace {

// Weights of the generalized-alpha method for a spectral radius rho at infinite frequency.  [Chung, Hulbert 1993]
//   (1-am) a' + am a = A             the acceleration that the equation of motion holds for, at the time
//   x_f = x + (1-af)(x' - x)         at this state
//   v' = v + h ((1-g) a + g a'),     x' = x + h v + h^2 ((1/2-b) a + b a')
struct Weights {
  double am, af, g, b;
  explicit Weights(double rho) : am((2 * rho - 1) / (rho + 1)), af(rho / (rho + 1)), g(0.5 - am + af), b(0) {
    b = 0.25 * (1 - am + af) * (1 - am + af);
  }
};

// The O(N) step of theory §5: forces at the generalized midpoint of [Chung, Hulbert], with displacements on the
// manifold as in [Bruls, Cardona 2010].  For rho = 1 it is the implicit midpoint rule and keeps nothing of the step
// before.
class Implicit final : public Stepper {
 public:
  Implicit(System& system, const SolverOptions& options)
      : Stepper(system), system_(system), h_(options.step), passes_(options.passes), w_(options.rho_inf) {
    const int nv = system.model().nv;
    a_.setZero(nv);
    A_ = dq_ = dq_f_ = next_ = a_from_ = a_;
  }

  Status do_start(const Motion& from) override {
    now_ = middle_ = from_ = from;
    h_set_ = 0;
    ++counts_.evaluations;
    const Status status = system_.accelerate(now_.x, a_);
    A_ = a_;
    return status;
  }

  Status adjust(const Motion& m) override {
    now_ = m;
    return Status::ok;
  }

  Status do_step(double limit) override {
    const auto [h, last] = step_length(now_.x.t, limit, h_);
    from_ = now_;
    a_from_ = a_;
    ++counts_.steps;
    return advance(h, last ? limit : now_.x.t + h);
  }

  Status cut(double t) override {
    now_ = from_;
    a_ = a_from_;
    return advance(t - now_.x.t, t);
  }

  const Motion& now() const override { return now_; }
  void at(double, Motion& out) const override { out = now_; }
  int degree() const override { return 0; }
  void do_transfer(Archive& archive) override { archive(now_, middle_, a_, A_, h_set_); }

 private:
  // From now_ over h, to the time t.
  Status advance(double h, double t) {
    const double share = 1 - w_.af;
    if (std::abs(h - h_set_) > 1e-12 * h) {
      system_.set_implicit(share * w_.g * h / (1 - w_.am), share * w_.b * h * h / (1 - w_.am));
      h_set_ = h;
    }
    Powers powers;
    middle_.x.t = now_.x.t + share * h;
    for (int pass = 0; pass < passes_; ++pass) {
      set_middle(h);
      ++counts_.evaluations;
      if (const Status status = system_.accelerate_implicit(middle_.x, A_, &powers); status != Status::ok) {
        return status;
      }
    }
    finish(h, t, powers);
    return Status::ok;
  }

  // a' from A, then the displacement and the speeds at the end.
  void set_end(double h) {
    next_ = (A_ - w_.am * a_) / (1 - w_.am);
    dq_ = h * now_.x.v + h * h * ((0.5 - w_.b) * a_ + w_.b * next_);
  }

  // The state that the equation of motion holds for.
  void set_middle(double h) {
    set_end(h);
    const double share = 1 - w_.af;
    dq_f_ = share * dq_;
    move(system_.model(), now_.x.q, dq_f_, middle_.x.q);
    middle_.x.v = now_.x.v + share * h * ((1 - w_.g) * a_ + w_.g * next_);
    system_.prescribe(middle_.x);
  }

  void finish(double h, double t, const Powers& powers) {
    set_end(h);
    move(system_.model(), now_.x.q, dq_, now_.x.q);
    now_.x.v += h * ((1 - w_.g) * a_ + w_.g * next_);
    now_.x.t = t;
    system_.prescribe(now_.x);
    a_ = next_;
    now_.work += h * powers.work;
    now_.dissipated += h * powers.dissipated;
  }

  System& system_;
  double h_, h_set_ = 0;
  int passes_;
  Weights w_;
  Motion now_, middle_, from_;
  VectorXd a_from_;
  VectorXd a_, A_;  // acceleration of the method at the last step, and the one of the equation of motion
  VectorXd next_, dq_, dq_f_;
};

}  // namespace

std::unique_ptr<Stepper> make_implicit(System& system, const SolverOptions& options) {
  return std::make_unique<Implicit>(system, options);
}

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "contact_phases.hpp"
#include "limber/model/manifold.hpp"
#include "steppers.hpp"

namespace limber {
namespace {

// Weights of the generalized-alpha method for a spectral radius rho at infinite frequency.  [Chung, Hulbert 1993]
// (1-am) a' + am a = A             A: the acceleration that satisfies the equation of motion,
// x_f = x + (1-af)(x' - x)         at this state
// v' = v + h ((1-g) a + g a'),     x' = x + h v + h^2 ((1/2-b) a + b a')
struct Weights {
  double am, af, g, b;
  explicit Weights(double rho) : am((2 * rho - 1) / (rho + 1)), af(rho / (rho + 1)), g(0.5 - am + af), b(0) {
    b = 0.25 * (1 - am + af) * (1 - am + af);
  }
};

constexpr double kSameStep = 1e-9;              // relative
constexpr double kGamma = 0.29289321881345248;  // 1 - 1/sqrt(2)

// The O(N) step of theory §5: forces at the generalized midpoint of [Chung, Hulbert], with displacements on the
// manifold as in [Bruls, Cardona 2010].  For rho = 1 it is the implicit midpoint rule, without memory of the previous
// step.
// While stops, contacts, ropes or stuck friction are active and rho < 1, steps are those of the L-stable diagonally
// implicit method of two stages and order two [Alexander 1977].  It has no memory of the previous step and never gains
// energy on linear springs and dampers (von Neumann's theorem, [Hairer, Wanner] IV.11); with generalized alpha, the
// stored acceleration a of an impact that the step does not resolve, d v/m of its damper, would cause a rebound
// velocity of h a.
class Implicit final : public Stepper {
 public:
  Implicit(System& system, const SolverOptions& options)
      : Stepper(system),
        system_(system),
        h_(options.step),
        passes_(options.passes),
        damps_(options.rho_inf < 1),
        w_(options.rho_inf) {
    const int nv = system.model().nv;
    a_.setZero(nv);
    A_ = A1_ = v1_ = dq_ = dq_f_ = next_ = a_from_ = a_;
  }

  Status do_start(const Motion& from) override {
    now_ = middle_ = from_ = from;
    h_set_ = 0;
    held_ = damps_ && holds(system_);
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

  Status do_cut(double t) override {
    now_ = from_;
    a_ = a_from_;
    return advance(t - now_.x.t, t);
  }

  const Motion& now() const override { return now_; }
  void do_at(double, Motion& out) const override { out = now_; }
  int degree() const override { return 0; }
  void do_transfer(Archive& archive) override { archive(now_, middle_, a_, A_, h_set_, held_); }

 private:
  // From now_ by h, to the time t.
  Status advance(double h, double t) {
    Powers powers;
    const Status status = held_ ? advance_held(h, powers) : advance_free(h, powers);
    if (status != Status::ok) return status;
    now_.x.t = t;
    system_.prescribe(now_.x);
    now_.work += h * powers.work;
    now_.dissipated += h * powers.dissipated;
    return Status::ok;
  }

  // Equal steps differ by rounding of the times.  The matrix affects only the iteration.
  void set_implicit(double h, double c_D, double c_K) {
    if (std::abs(h - h_set_) <= kSameStep * h) return;
    system_.set_implicit(c_D, c_K);
    h_set_ = h;
  }

  // Solves for A at the state middle_, which `set` computes from A; `powers` of the last pass.
  template <class Set>
  Status solve(const Set& set, Powers& powers) {
    for (int pass = 0; pass < passes_; ++pass) {
      set();
      move(system_.model(), now_.x.q, dq_f_, middle_.x.q);
      system_.prescribe(middle_.x);
      ++counts_.evaluations;
      const bool last = pass + 1 == passes_;
      if (const Status status = system_.accelerate_implicit(middle_.x, A_, last ? &powers : nullptr);
          status != Status::ok) {
        return status;
      }
    }
    return Status::ok;
  }

  // ---- generalized alpha ----
  Status advance_free(double h, Powers& powers) {
    const double share = 1 - w_.af;
    set_implicit(h, share * w_.g * h / (1 - w_.am), share * w_.b * h * h / (1 - w_.am));
    middle_.x.t = now_.x.t + share * h;
    const auto set_middle = [&] {
      set_end(h);
      dq_f_ = share * dq_;
      middle_.x.v = now_.x.v + share * h * ((1 - w_.g) * a_ + w_.g * next_);
    };
    if (const Status status = solve(set_middle, powers); status != Status::ok) return status;
    set_end(h);
    move(system_.model(), now_.x.q, dq_, now_.x.q);
    now_.x.v += h * ((1 - w_.g) * a_ + w_.g * next_);
    a_ = next_;
    return Status::ok;
  }

  // a' from A, then the displacement at the end.
  void set_end(double h) {
    next_ = (A_ - w_.am * a_) / (1 - w_.am);
    dq_ = h * now_.x.v + h * h * ((0.5 - w_.b) * a_ + w_.b * next_);
  }

  // ---- two stages ----
  //   V1 = v + c h A1,                   q1 = q + c h V1                        c = 1 - 1/sqrt(2)
  //   v' = v + h ((1 - c) A1 + c A2),    q' = q + h ((1 - c) V1 + c v')
  Status advance_held(double h, Powers& powers) {
    constexpr double c = kGamma;
    set_implicit(h, c * h, c * c * h * h);
    Powers first;
    middle_.x.t = now_.x.t + c * h;
    const auto set_first = [&] {
      v1_ = now_.x.v + c * h * A_;
      middle_.x.v = v1_;
      dq_f_ = c * h * v1_;
    };
    if (const Status status = solve(set_first, first); status != Status::ok) return status;
    set_first();
    A1_ = A_;
    middle_.x.t = now_.x.t + h;
    const auto set_second = [&] {
      middle_.x.v = now_.x.v + h * ((1 - c) * A1_ + c * A_);
      dq_f_ = h * ((1 - c) * v1_ + c * middle_.x.v);
    };
    if (const Status status = solve(set_second, powers); status != Status::ok) return status;
    set_second();
    move(system_.model(), now_.x.q, dq_f_, now_.x.q);
    now_.x.v = middle_.x.v;
    a_ = A_;
    powers.work = (1 - c) * first.work + c * powers.work;
    powers.dissipated = (1 - c) * first.dissipated + c * powers.dissipated;
    return Status::ok;
  }

  System& system_;
  double h_, h_set_ = 0;
  int passes_;
  bool damps_, held_ = false;
  Weights w_;
  Motion now_, middle_, from_;
  VectorXd a_from_;
  VectorXd a_, A_;  // acceleration of the method at the last step, and the one of the equation of motion
  VectorXd A1_, v1_, next_, dq_, dq_f_;
};

}  // namespace

std::unique_ptr<Stepper> make_implicit(System& system, const SolverOptions& options) {
  return std::make_unique<Implicit>(system, options);
}

}  // namespace limber

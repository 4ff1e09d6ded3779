// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "steppers.hpp"

#ifndef LIMBER_HAS_CVODE

namespace limber {

std::unique_ptr<Stepper> make_cvode(System&, const SolverOptions&) {
  throw InputError(
      "solver: method cvode is not part of this build; install libsundials-dev and build again, or choose dopri5 or "
      "implicit");
}

}  // namespace limber

#else

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>

#include "simulate/flow.hpp"

namespace limber {
namespace {

constexpr int kMaxDense = 600;         // states; above, the linear systems of BDF are solved by GMRES
constexpr double kHorizon = 1000;      // s: CVODE needs a finite time to aim at
constexpr double kLongestChart = 1.5;  // rad; beyond it the chart is moved and the method restarted

// SUNDIALS objects are freed by functions of their own.
template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* p) const {
    Free(p);
  }
};
using VectorHandle = std::unique_ptr<std::remove_pointer_t<N_Vector>, Freed<N_VDestroy> >;
using MatrixHandle = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Freed<SUNMatDestroy> >;
using LinearHandle = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Freed<SUNLinSolFree> >;
using NonlinearHandle = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, Freed<SUNNonlinSolFree> >;

struct Context {
  SUNContext context = nullptr;
  Context() { SUNContext_Create(nullptr, &context); }
  ~Context() { SUNContext_Free(&context); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

// The variable-order methods of SUNDIALS.  The chart is kept while rotations from it are small, because the method
// stores past steps in it.
class Cvode final : public Stepper {
 public:
  Cvode(System& system, const SolverOptions& options) : Stepper(system), flow_(system), options_(options) {
    const int n = flow_.size();
    z_.reset(N_VNew_Serial(n, context_.context));
    tolerance_.reset(N_VClone(z_.get()));
    memory_ = CVodeCreate(options.formula == "adams" ? CV_ADAMS : CV_BDF, context_.context);
    check(memory_ == nullptr ? -1 : CV_SUCCESS);
    N_VConst(0, z_.get());
    check(CVodeInit(memory_, rate, 0, z_.get()));
    check(CVodeSetUserData(memory_, this));
    check(CVodeSetErrHandlerFn(
        memory_, [](int, const char*, const char*, char*, void*) {}, nullptr));
    check(CVodeWFtolerances(memory_, weights));
    check(CVodeSetMaxNumSteps(memory_, -1));
    if (std::isfinite(options.max_step)) check(CVodeSetMaxStep(memory_, options.max_step));
    if (system.has_closures()) {
      if (options.formula == "adams") {
        throw InputError("solver: cvode with formula adams cannot hold closures; choose bdf, dopri5 or implicit");
      }
      check(CVodeSetProjFn(memory_, project));
    }
    if (options.formula == "adams") {
      nonlinear_.reset(SUNNonlinSol_FixedPoint(z_.get(), 0, context_.context));
      check(CVodeSetNonlinearSolver(memory_, nonlinear_.get()));
    } else if (n <= kMaxDense) {
      matrix_.reset(SUNDenseMatrix(n, n, context_.context));
      linear_.reset(SUNLinSol_Dense(z_.get(), matrix_.get(), context_.context));
      check(CVodeSetLinearSolver(memory_, linear_.get(), matrix_.get()));
    } else {
      linear_.reset(SUNLinSol_SPGMR(z_.get(), SUN_PREC_NONE, 0, context_.context));
      check(CVodeSetLinearSolver(memory_, linear_.get(), nullptr));
    }
  }
  ~Cvode() override { CVodeFree(&memory_); }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  Status do_start(const Motion& from) override {
    now_ = projected_ = from;
    return restart();
  }

  // CVODE projects internally, within its steps.
  Status adjust(const Motion& m) override {
    now_ = m;
    return Status::ok;
  }

  Status release(const Motion& m) override { return do_start(m); }

  Status do_step(double limit) override {
    if (cut_ || rotation() > kLongestChart) {
      if (const Status status = restart(); status != Status::ok) return status;
    }
    double t = now_.x.t;
    if (!std::isfinite(limit)) limit = t + kHorizon;
    CVodeSetStopTime(memory_, limit);
    status_ = Status::ok;
    const int flag = CVode(memory_, limit, z_.get(), &t, CV_ONE_STEP);
    long failed = 0;
    CVodeGetNumErrTestFails(memory_, &failed);
    counts_.rejected = rejected_before_ + failed;
    if (flag < 0) return status_ != Status::ok ? status_ : Status::no_convergence;
    ++counts_.steps;
    flow_.read(flag == CV_TSTOP_RETURN ? limit : t, vector(), now_);
    return now_.x.q.allFinite() && now_.x.v.allFinite() ? Status::ok : Status::not_finite;
  }

  const Motion& now() const override { return now_; }
  void do_at(double t, Motion& out) const override {
    CVodeGetDky(memory_, t, 0, tolerance_.get());
    flow_.read(t, Eigen::Map<VectorXd>(N_VGetArrayPointer(tolerance_.get()), flow_.size()), out);
  }
  int degree() const override {
    int order = 1;
    CVodeGetLastOrder(memory_, &order);
    return std::max(1, order);
  }
  // The interpolating polynomial of CVODE is its solution.
  Status do_cut(double t) override {
    do_at(t, now_);
    cut_ = true;
    return Status::ok;
  }
  // The step history of CVODE is not accessible.
  bool resumable() const override { return false; }
  void do_transfer(Archive& archive) override {
    archive(now_);
    if (archive.reads() && do_start(now_) != Status::ok)
      throw NumericalError("cvode cannot start from the saved state");
    archive(rejected_before_);
  }

 private:
  static void check(int flag) {
    if (flag < 0) throw std::runtime_error("CVODE cannot be set up (" + std::to_string(flag) + ")");
  }
  static Eigen::Map<VectorXd> map(N_Vector x) { return {N_VGetArrayPointer(x), N_VGetLength(x)}; }
  Eigen::Map<VectorXd> vector() const { return map(z_.get()); }

  static int rate(double t, N_Vector z, N_Vector dz, void* self) {
    Cvode& own = *static_cast<Cvode*>(self);
    Eigen::Map<VectorXd> out = map(dz);
    ++own.counts_.evaluations;
    own.status_ = own.flow_.rate(t, map(z), out);
    return own.status_ == Status::ok ? 0 : 1;  // 1: try a shorter step
  }
  // 1 / (atol + rtol |.|), with the magnitudes of the coordinates themselves; components without one get a loose
  // tolerance.
  static int weights(N_Vector z, N_Vector out, void* self) {
    Cvode& own = *static_cast<Cvode*>(self);
    Eigen::Map<VectorXd> w = map(out);
    compute_scales(own.flow_.system(), own.flow_.base(), map(z), w);
    for (double& x : w) x = x < 0 ? 1e-20 : 1 / (own.options_.atol + own.options_.rtol * x);
    return 0;
  }

  // Projection onto the closures: corr = correction to z.  [CVODE user guide, Projection]
  static int project(double t, N_Vector z, N_Vector correction, double, N_Vector, void* self) {
    Cvode& own = *static_cast<Cvode*>(self);
    own.flow_.read(t, map(z), own.projected_);
    own.status_ = own.flow_.system().project(own.projected_.x);
    if (own.status_ != Status::ok) return 1;
    Eigen::Map<VectorXd> out = map(correction);
    own.flow_.write(own.projected_, out);
    out -= map(z);
    return 0;
  }

  Status restart() {
    long failed = 0;
    CVodeGetNumErrTestFails(memory_, &failed);
    rejected_before_ += failed;
    cut_ = false;
    Eigen::Map<VectorXd> z = vector();
    flow_.set_base(now_, z);
    return CVodeReInit(memory_, now_.x.t, z_.get()) == CV_SUCCESS ? Status::ok : Status::no_convergence;
  }

  // The largest rotation from the origin of the chart.
  double rotation() const {
    double largest = 0;
    for (const Joint& joint : flow_.model().joints) {
      if (position_count(joint.kind) == speed_count(joint.kind)) continue;
      largest = std::max(largest, vector().segment<3>(joint.v).norm());
    }
    return largest;
  }

  mutable Flow flow_;
  SolverOptions options_;
  Context context_;  // must outlive the objects created in it
  VectorHandle z_, tolerance_;
  MatrixHandle matrix_;
  LinearHandle linear_;
  NonlinearHandle nonlinear_;
  void* memory_ = nullptr;
  Motion now_, projected_;
  Status status_ = Status::ok;
  bool cut_ = false;  // now_ is inside CVODE's last step
  long rejected_before_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_cvode(System& system, const SolverOptions& options) {
  return std::make_unique<Cvode>(system, options);
}

}  // namespace limber

#endif

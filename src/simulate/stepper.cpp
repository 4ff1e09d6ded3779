// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/stepper.hpp"

#include <cmath>

#include "limber/model/detail/layout.hpp"
#include "limber/spatial/detail/text.hpp"
#include "simulate/flow.hpp"
#include "steppers.hpp"

namespace limber {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Stepper> (*make)(System&, const SolverOptions&);
};
constexpr Entry kSteppers[] = {
    {"rk4", make_rk4}, {"dopri5", make_dopri5}, {"implicit", make_implicit}, {"cvode", make_cvode}};

void check(bool good, const char* what) {
  if (!good) throw InputError(std::string("solver: ") + what);
}

void check_options(const SolverOptions& o) {
  check(std::isfinite(o.step) && o.step > 0, "step must be a number above 0");
  check(std::isfinite(o.rtol) && o.rtol >= 1e-14, "rtol must be at least 1e-14, where rounding is");
  check(std::isfinite(o.atol) && o.atol > 0, "atol must be a number above 0");
  check(o.max_step > 0, "max_step must be above 0");
  check(o.rho_inf >= 0 && o.rho_inf <= 1, "rho_inf must lie between 0 and 1");
  check(o.passes >= 1 && o.passes <= 100, "passes must lie between 1 and 100");
  check(o.formula == "bdf" || o.formula == "adams", "formula must be bdf or adams");
}

}  // namespace

void compute_scales(const System& system, ConstVec q0, ConstVec z, Vec scale) {
  const Model& model = system.model();
  const auto& links = model.layout->links;
  scale.head(2 * model.nv).setConstant(-1);
  scale.tail(2).setConstant(-1);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    const int quaternion = link.quaternion ? 1 : 0;  // its three rotations come first
    for (int k = 0; k < link.nr && !system.is_prescribed(static_cast<int>(i)); ++k) {
      const bool angle = link.quaternion && k < 3;
      const int v = link.v + k;
      scale[v] = angle ? 1 : std::abs(q0[link.q + k + quaternion] + z[v]);
      scale[model.nv + v] = std::abs(z[model.nv + v]);
    }
    for (int k = 0; k < link.n; ++k) {
      scale[link.vm + k] = std::abs(q0[link.qm + k] + z[link.vm + k]);
      scale[model.nv + link.vm + k] = std::abs(z[model.nv + link.vm + k]);
    }
  }
  for_motors(*model.layout, [&](const Link&, int q, int v) {
    scale[v] = std::abs(q0[q] + z[v]);
    scale[model.nv + v] = std::abs(z[model.nv + v]);
  });
}

Status Stepper::start(const Motion& from) {
  const Model& model = system_.model();
  if (from.x.q.size() != model.nq || from.x.v.size() != model.nv) {
    throw InputError("a stepper starts from a state of its model: " + std::to_string(model.nq) + " coordinates and " +
                     std::to_string(model.nv) + " speeds, but got " + std::to_string(from.x.q.size()) + " and " +
                     std::to_string(from.x.v.size()));
  }
  if (!system_.is_assembled())
    throw InputError("Stepper::start: the chains of the model are not closed; call System::assemble first");
  started_ = true;
  from_ = to_ = from.x.t;
  return do_start(from);
}

Status Stepper::step(double limit) {
  if (!started_) throw InputError("Stepper::step before start; call start first");
  const double from = now().x.t;
  if (!(limit > from)) {
    throw InputError("Stepper::step: the limit of " + text(limit) + " s must be after the present time, " + text(from) +
                     " s");
  }
  const Status status = do_step(limit);
  from_ = from;
  to_ = now().x.t;
  return status;
}

Status Stepper::cut(double t) {
  if (!(t > from_ && t <= to_)) throw InputError("Stepper::cut: t = " + text(t) + " s is not inside the last step");
  return do_cut(t);
}

void Stepper::at(double t, Motion& out) const {
  if (from_ == to_ || !dense()) throw InputError("Stepper::at needs a step before it, and a method that is dense()");
  do_at(t, out);
}

void Stepper::transfer(Archive& archive) {
  archive(started_, from_, to_);
  do_transfer(archive);
  archive(counts_);
}

std::vector<std::string> stepper_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kSteppers) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Stepper> make_stepper(System& system, const SolverOptions& options) {
  check_options(options);
  std::string known;
  for (const Entry& entry : kSteppers) {
    if (options.method == entry.name) return entry.make(system, options);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("solver: unknown method '" + options.method + "'; choose one of " + known);
}

}  // namespace limber

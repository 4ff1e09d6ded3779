// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains of a System.
#include <algorithm>
#include <cmath>

#include "limber/model/manifold.hpp"
#include "limber/simulate/system.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

constexpr double kMet = 1e-11;        // m or rad: errors of closures after a projection
constexpr double kAssembled = 1e-12;  // at the start
constexpr double kNearby = 1e-2;      // rad or m: displacement at which the rank is checked again
constexpr double kStill = 1e-9;       // of unit speeds after projection: the closures permit no motion

}  // namespace

// Turns the accelerations of the open tree into those of the closed chain.
Status System::close(const State& x, AbaWorkspace& ws, Vec vdot) {
  Status status;
  if (other_) {
    status = close_other(model_, x, ws, *closures_, vdot);
  } else {
    status = close_hybrid(model_, ws, *closures_, vdot, needed_);
    take_needed_torques();  // now with the closure forces
  }
  if (status == Status::singular_mass) return explain(status, x, vdot, ws.failure());
  for (int k = 0; k < closure_error_.size(); ++k) closure_error_[k] = closures_->closure_error(k);
  closure_force_ = closures_->forces();
  if (status == Status::no_convergence) {
    failure_ = "the closures cannot be satisfied at t = " + text(x.t) + " s: prescribed motions work against them";
    return status;
  }
  if (status != Status::ok) return explain(status, x, vdot, -1);
  if (closures_->rank() < rank_) {
    failure_ = "the closures are singular at t = " + text(x.t) + " s (" + std::to_string(closures_->rank()) + " of " +
               std::to_string(rank_) + " constraints left): the motion is not unique beyond this point";
    return Status::singular_closure;
  }
  return Status::ok;
}

void System::keep(std::vector<std::uint8_t> joints) {
  kept_ = prescribed_;
  for (std::size_t i = 0; i < std::min(joints.size(), kept_.size()); ++i) kept_[i] |= joints[i];
}

void System::assemble(State& x) {
  if (!closures_) return;
  prescribe(x);
  const char* const cure = kept_ == prescribed_ ? "" : ", or keep fewer joints";
  if (project_position(model_, x, kept_, kAssembled, *stiff_, *closures_) < 0) {
    int worst = 0;
    for (int k = 1; k < closure_error_.size(); ++k) {
      if (closures_->closure_error(k) > closures_->closure_error(worst)) worst = k;
    }
    throw InputError("closure '" + model_.closures[worst].name + "' cannot be satisfied: an error of " +
                     text(closures_->closure_error(worst), 4) +
                     " m or rad remains; start nearer to a state in which the chain is closed, or check its lengths" +
                     cure);
  }
  const Status status = project_velocity(model_, x, kept_, aba_, *closures_);
  if (status == Status::no_convergence) {
    throw InputError(
        std::string("the closures cannot be satisfied by any speeds: prescribed motions work against them") + cure);
  }
  if (status != Status::ok) throw InputError(std::string("the closures cannot be solved: ") + to_string(status));
  rank_ = closures_->rank();
  // From here on the kept joints are free.
  if (kept_ != prescribed_ && project_velocity(model_, x, prescribed_, aba_, *closures_) != Status::ok) return;
  rank_ = closures_->rank();
  // Near a singular configuration there are more independent constraints: compare with the rank a little way off.
  State near = x;
  for (int k = 0; k < model_.nv; ++k) near.v[k] = std::sin(1.0 + 1.7 * k);
  if (project_velocity(model_, near, prescribed_, aba_, *closures_) != Status::ok) return;
  const double longest = near.v.lpNorm<Eigen::Infinity>();
  if (longest < kStill) return;
  near.v *= kNearby / longest;
  move(model_, x.q, near.v, near.q);
  if (project_position(model_, near, prescribed_, kMet, *stiff_, *closures_) < 0) return;
  if (project_velocity(model_, near, prescribed_, aba_, *closures_) != Status::ok) return;
  if (closures_->rank() > rank_) {
    throw InputError("the closures are singular in the initial state (" + std::to_string(rank_) + " of " +
                     std::to_string(closures_->rank()) +
                     " constraints): the motion is not unique beyond this point; start in another position");
  }
}

std::string assembly_note(const Model& model, const State& given, const State& used) {
  constexpr double kChanged = 1e-9;
  constexpr std::size_t kShown = 6;
  struct Change {
    double size;
    std::string text;
  };
  std::vector<Change> changes;
  const auto compare = [&](const VectorXd& a, const VectorXd& b, const std::vector<std::string>& names,
                           const char* of) {
    for (Eigen::Index k = 0; k < a.size(); ++k) {
      const double size = std::abs(b[k] - a[k]);
      if (size <= kChanged * std::max(1.0, std::abs(a[k]))) continue;
      changes.push_back(
          {size, of + ("'" + names[static_cast<std::size_t>(k)] + "' from ") + text(a[k], 6) + " to " + text(b[k], 6)});
    }
  };
  compare(given.q, used.q, model.coordinates, "");
  compare(given.v, used.v, model.speeds, "the speed of ");
  if (changes.empty()) return "";
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.size > b.size; });
  std::string out = "assembly of the closed chain moved ";
  for (std::size_t k = 0; k < std::min(changes.size(), kShown); ++k) out += (k > 0 ? ", " : "") + changes[k].text;
  if (changes.size() > kShown) out += " and " + std::to_string(changes.size() - kShown) + " more by less";
  return out + "; give a state that closes the chain, or name joints that must stay in initial: {keep: [...]}";
}

std::string System::closure_note() const {
  if (!closures_ || rank_ < 0 || rank_ == closures_->count()) return "";
  return std::to_string(closures_->count() - rank_) + " of " + std::to_string(closures_->count()) +
         " closure constraints are redundant; the constraint forces are those of minimum norm";
}

Status System::project(State& x) {
  if (!closures_) return Status::ok;
  prescribe(x);
  if (project_position(model_, x, prescribed_, kMet, *stiff_, *closures_) < 0) {
    failure_ = "the closures cannot be satisfied at t = " + text(x.t) + " s";
    return Status::no_convergence;
  }
  const Status status = project_velocity(model_, x, prescribed_, aba_, *closures_);
  if (status == Status::ok || status == Status::no_convergence)
    return Status::ok;  // conflicts show up in the accelerations
  return explain(status, x, x.v, aba_.failure());
}

}  // namespace limber

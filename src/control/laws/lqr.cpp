// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Linear-quadratic regulator about the reference, with gains scheduled along the motion.
#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "limber/model/manifold.hpp"

namespace limber {
namespace {

class Lqr final : public Law {
 public:
  explicit Lqr(const ControlOptions& options)
      : model_(*options.model), gains_(make_schedule(options, [&](const Predictor& predictor) {
          return compute_lqr_gain(*options.model, options.driven, predictor, *options.lqr);
        })) {
    dq_.setZero(model_.nv);
    dx_.setZero(2 * model_.nv);
  }

  // K (x_reference - x).
  Status update(ControlSample& s) override {
    chart_coordinates(model_, s.estimate->q, s.reference.q, dq_);
    dx_.head(model_.nv) = dq_;
    dx_.tail(model_.nv) = s.reference.v - s.estimate->v;
    s.feedback.noalias() += gains_.at(s.reference.t) * dx_;
    return Status::ok;
  }

 private:
  const Model& model_;
  Schedule gains_;
  VectorXd dq_, dx_;
};

}  // namespace

std::unique_ptr<Law> make_lqr_law(const ControlOptions& options) {
  return options.lqr ? std::make_unique<Lqr>(options) : nullptr;
}

}  // namespace limber

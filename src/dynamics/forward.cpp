// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/forward.hpp"

#include <utility>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/study/book.hpp"
#include "limber/dynamics/study/denoc.hpp"
#include "limber/dynamics/study/operators.hpp"
#include "limber/dynamics/study/two_stage.hpp"

namespace limber {
namespace {

// An algorithm for trees with its workspace.
template <typename Workspace, auto compute>
class Algorithm final : public ForwardDynamics {
 public:
  explicit Algorithm(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return compute(model_, x, forces, ws_, vdot);
  }
  int failure() const override {
    if constexpr (requires { ws_.failure(); }) return ws_.failure();
    return -1;
  }

 private:
  const Model& model_;
  Workspace ws_;
};

// Solves the tree by any algorithm, then the closures by their multipliers.
class Closed final : public ForwardDynamics {
 public:
  Closed(const Model& model, std::unique_ptr<ForwardDynamics> tree)
      : model_(model), tree_(std::move(tree)), ws_(model), closures_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    failure_ = -1;
    if (const Status status = (*tree_)(x, forces, vdot); status != Status::ok) {
      failure_ = tree_->failure();
      return status;
    }
    const Status status = close_other(model_, x, ws_, closures_, vdot);
    if (status == Status::singular_mass) failure_ = ws_.failure();
    return status;
  }
  int failure() const override { return failure_; }

 private:
  const Model& model_;
  std::unique_ptr<ForwardDynamics> tree_;
  AbaWorkspace ws_;
  ClosureWorkspace closures_;
  int failure_ = -1;
};

template <typename Workspace, auto compute>
std::unique_ptr<ForwardDynamics> make(const Model& model) {
  return std::make_unique<Algorithm<Workspace, compute>>(model);
}

struct Entry {
  const char* name;
  std::unique_ptr<ForwardDynamics> (*make)(const Model&);
};
constexpr Entry kAlgorithms[] = {{"aba", make<AbaWorkspace, aba>},
                                 {"crba", make<CrbaWorkspace, crba_forward>},
                                 {"dca", make<DcaWorkspace, dca>},
                                 {"denoc", make<DenocWorkspace, denoc>},
                                 {"two_stage", make<TwoStageWorkspace, two_stage>},
                                 {"book", make<BookWorkspace, book>},
                                 {"operators", make<OperatorsWorkspace, operators_forward>}};

}  // namespace

std::vector<std::string> forward_dynamics_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kAlgorithms) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<ForwardDynamics> make_tree_dynamics(const Model& model, std::string_view name) {
  std::string known;
  for (const Entry& entry : kAlgorithms) {
    if (name == entry.name) return entry.make(model);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("unknown algorithm '" + std::string(name) + "'; choose one of " + known);
}

std::unique_ptr<ForwardDynamics> make_forward_dynamics(const Model& model, std::string_view name) {
  auto tree = make_tree_dynamics(model, name);
  if (model.closures.empty()) return tree;
  return std::make_unique<Closed>(model, std::move(tree));
}

}  // namespace limber

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

class Aba final : public ForwardDynamics {
 public:
  explicit Aba(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return aba(model_, x, forces, ws_, vdot);
  }
  int failure() const override { return ws_.failure(); }

 private:
  const Model& model_;
  AbaWorkspace ws_;
};

class Crba final : public ForwardDynamics {
 public:
  explicit Crba(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return crba_forward(model_, x, forces, ws_, vdot);
  }

 private:
  const Model& model_;
  CrbaWorkspace ws_;
};

class Denoc final : public ForwardDynamics {
 public:
  explicit Denoc(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return denoc(model_, x, forces, ws_, vdot);
  }
  int failure() const override { return ws_.failure(); }

 private:
  const Model& model_;
  DenocWorkspace ws_;
};

class TwoStage final : public ForwardDynamics {
 public:
  explicit TwoStage(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return two_stage(model_, x, forces, ws_, vdot);
  }
  int failure() const override { return ws_.failure(); }

 private:
  const Model& model_;
  TwoStageWorkspace ws_;
};

class Book final : public ForwardDynamics {
 public:
  explicit Book(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return book(model_, x, forces, ws_, vdot);
  }

 private:
  const Model& model_;
  BookWorkspace ws_;
};

class Operators final : public ForwardDynamics {
 public:
  explicit Operators(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return operators_forward(model_, x, forces, ws_, vdot);
  }
  int failure() const override { return ws_.failure(); }

 private:
  const Model& model_;
  OperatorsWorkspace ws_;
};

class Dca final : public ForwardDynamics {
 public:
  explicit Dca(const Model& model) : model_(model), ws_(model) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return dca(model_, x, forces, ws_, vdot);
  }
  int failure() const override { return ws_.failure(); }

 private:
  const Model& model_;
  DcaWorkspace ws_;
};

// The tree by any algorithm, then its closures by their multipliers.
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

template <typename Algorithm>
std::unique_ptr<ForwardDynamics> make(const Model& model) {
  return std::make_unique<Algorithm>(model);
}

struct Entry {
  const char* name;
  std::unique_ptr<ForwardDynamics> (*make)(const Model&);
};
constexpr Entry kAlgorithms[] = {{"aba", make<Aba>},
                                 {"crba", make<Crba>},
                                 {"dca", make<Dca>},
                                 {"denoc", make<Denoc>},
                                 {"two_stage", make<TwoStage>},
                                 {"book", make<Book>},
                                 {"operators", make<Operators>}};

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

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Python's Model: a const limber::Model, and workspaces that it lends to calls which bring none.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bind.hpp"
#include "limber/dynamics/batch.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/dynamics/operational.hpp"

namespace limber::python {

// Every workspace of one model and one thread; each is made when it is first used.
class Work {
 public:
  explicit Work(std::shared_ptr<const Model> model_) : model(std::move(model_)), x(make_zero_state(*model)) {
    tau.setZero(model->nv);
    zero.setZero(model->nv);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  AbaWorkspace& aba() { return made(aba_); }
  RneaWorkspace& rnea() { return made(rnea_); }
  CrbaWorkspace& crba() { return made(crba_); }
  DerivativesWorkspace& derivatives() { return made(derivatives_); }
  KinematicsWorkspace& kinematics() { return made(kinematics_); }
  ClosureWorkspace& closures() { return made(closures_); }
  OperationalWorkspace& operational() { return made(operational_); }
  ForwardDynamics& forward(const std::string& name) {
    if (!forward_ || forward_name_ != name) forward_ = make_forward_dynamics(*model, name);
    forward_name_ = name;
    return *forward_;
  }

  const std::shared_ptr<const Model> model;
  State x;                           // of the call
  VectorXd tau, zero;                // (nv) of the call; zeros
  std::vector<NodeWrench> wrenches;  // of the call
  std::atomic<bool> busy = false;    // a call uses it

 private:
  template <class T>
  T& made(std::optional<T>& workspace) {
    if (!workspace) workspace.emplace(*model);
    return *workspace;
  }
  std::optional<AbaWorkspace> aba_;
  std::optional<RneaWorkspace> rnea_;
  std::optional<CrbaWorkspace> crba_;
  std::optional<DerivativesWorkspace> derivatives_;
  std::optional<KinematicsWorkspace> kinematics_;
  std::optional<ClosureWorkspace> closures_;
  std::optional<OperationalWorkspace> operational_;
  std::unique_ptr<ForwardDynamics> forward_;
  std::string forward_name_;
};

// A batch engine of so many items on one thread, with arrays that it reads and writes: a row per coordinate.
struct Engine {
  Engine(const Model& model, int items)
      : batch(model, items, {.threads = 1, .lanes = 0}), q(model.nq, items), v(model.nv, items), u(model.nv, items) {}
  BatchAba batch;
  BatchArray q, v, u, out;
};

// What is lent and comes back; any thread may ask.
template <class T>
class Pool {
 public:
  template <class Make>
  std::unique_ptr<T> take(Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> out = std::move(idle_.back());
        idle_.pop_back();
        return out;
      }
    }
    return make();
  }
  void give_back(std::unique_ptr<T> item) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(item));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> idle_;
};

inline constexpr int kSmallBatch = 32, kLargeBatch = 256;

struct PyModel {
  explicit PyModel(std::shared_ptr<const Model> model_) : model(std::move(model_)) {}
  explicit PyModel(Model model_) : PyModel(std::make_shared<const Model>(std::move(model_))) {}
  std::unique_ptr<Work> take() {
    return works.take([&] { return std::make_unique<Work>(model); });
  }
  std::unique_ptr<Engine> take_engine(int items) {
    return engines(items).take([&] { return std::make_unique<Engine>(*model, items); });
  }
  Pool<Engine>& engines(int items) { return items == kSmallBatch ? small : large; }

  const std::shared_ptr<const Model> model;
  Pool<Work> works;
  Pool<Engine> small, large;
};

// One workspace for the time of a call: the caller's, or one of the model's.
class Lent {
 public:
  // Throws InputError: of another model, in use by another thread.
  Lent(PyModel& model, Work* given);
  ~Lent();
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  Work* operator->() const { return work_; }
  Work& operator*() const { return *work_; }

 private:
  PyModel& model_;
  Work* work_;
  std::unique_ptr<Work> own_;
};

// A node by its name, "fore.tip", or a NodeRef.
NodeRef node_of(const Model& model, py::handle node);
// [(node, wrench, frame), ...]; None: none.
void read_wrenches(const Model& model, py::handle wrenches, std::vector<NodeWrench>& out);
// Names of joints as flags by body; None: none.
std::vector<std::uint8_t> read_joints(const Model& model, py::handle joints);
// Throws NumericalError: what failed at a state, and where.
[[noreturn]] void fail(const char* what, const Model& model, Status status, int speed);
inline void check(const char* what, const Model& model, Status status, int speed) {
  if (status != Status::ok) fail(what, model, status, speed);
}

// A named tuple of limber/_tuples.py.
py::object named_tuple(const char* name, const py::tuple& values);

}  // namespace limber::python

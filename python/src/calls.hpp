// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the functions of dynamics have in common: arguments into a workspace, and the lock of the interpreter let go.
#pragma once

#include <functional>

#include "arrays.hpp"
#include "work.hpp"

namespace limber::python {

// Other Python threads run while it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

inline Wanted wanted_q(const Model& model) { return {"q", model.nq, "nq"}; }
inline Wanted wanted_v(const Model& model, const char* name = "v") { return {name, model.nv, "nv"}; }

// q and v of one state, checked, in the workspace.
void set_state(const Model& model, const Numbers& q, const Numbers& v, Work& work);
// The same from arguments that must be one state; v may be None: at rest.
void set_state(const Model& model, py::handle q, py::handle v, Work& work);
// A vector (nv), checked; None: zeros of the workspace.  Not `away`, where that is written to.
ConstVec read_forces(const Model& model, const Numbers& given, const char* name, Work& work, const double* away);

// The arguments of a call on one state or a batch.
struct States {
  Numbers q, v, u;  // u: forces or accelerations
  bool batch() const { return q.batch(); }
  Index items() const { return q.items; }
};
// u_name: "tau"; None for v or u: zeros.  Throws InputError: some are batches and some are not, other numbers of items.
States read_states(const Model& model, py::handle q, py::handle v, py::handle u, const char* u_name);

// work(first, count) on all cores for all items, in pieces of `piece`; the interpreter's lock must be free.  A signal
// ends it early, with the exception pending (signals.hpp); Statuses::finish raises it.
void for_pieces(Index items, Index piece, const std::function<void(Index first, Index count)>& work);
// The state of item k into a workspace; not_finite or a bad quaternion: false.
bool set_item(const Model& model, const States& x, Index k, Work& work);

// Statuses of items as an array of uint8, given or not.  Without it the first failure is a NumericalError.
class Statuses {
 public:
  Statuses(py::handle given, Index items);
  std::uint8_t* data() { return data_; }
  void finish(const char* what) const;

 private:
  std::vector<std::uint8_t> own_;
  std::uint8_t* data_;
  Index items_;
  bool given_;
};

// One batch of forward or inverse dynamics: (K, nv) to `out`.
void run_forward(PyModel& model, const States& x, double* out, std::uint8_t* status);
void run_inverse(PyModel& model, const States& x, double* out, std::uint8_t* status);
// (K, 4) energies; (K, 12) poses.
void run_energy(PyModel& model, const States& x, double* out, std::uint8_t* status);
void run_poses(PyModel& model, NodeRef node, const States& x, double* out, std::uint8_t* status);

}  // namespace limber::python

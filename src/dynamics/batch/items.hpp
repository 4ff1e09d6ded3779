// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calls.hpp"
#include "limber/dynamics/batch.hpp"
#include "machine.hpp"

// What batches on processors and on devices share.
namespace limber {

// The items of a batch: what differs from one to the other.
struct BatchItems {
  BatchItems(const Model& m, int items);
  void set_rigid(int body, const std::vector<RigidSpec>& specs);
  void set_stiffness(int body, const ConstVec& stiffness, const ConstVec& damping);
  // Throws InputError unless x has so many rows and a column per item.
  void check(const char* name, const ConstBatch& x, int rows) const;

  const Model* model;
  int count;
  BatchChoice choice;
  BatchArray parameters;  // (kBatchRows per body with its own, items)
  bool changed = false;   // since somebody cleared it
};

// Throws InputError where a model has forces that only the systems of simulate know: stops, friction, drives, elements,
// contacts.
void refuse_in_rollouts(const Model& model);
// Weights of a method, checked; without the state.
BatchStepping make_stepping(const RolloutOptions& options);
// c_D and c_K of its steps.  theory §5.
double implicit_damping(const BatchStepping& s);
double implicit_stiffness(const BatchStepping& s);

// From what a kernel told of an item.
Status batch_status(double failure, double broken, bool finite);

}  // namespace limber

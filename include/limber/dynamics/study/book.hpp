// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/forces.hpp"
#include "limber/dynamics/workspace.hpp"

namespace limber {

struct BookData;
extern template class Workspace<BookData>;
class BookWorkspace : public Workspace<BookData> {  // one per thread
 public:
  // Throws InputError, naming the item, for models that the paper does not cover.
  explicit BookWorkspace(const Model& model);
};

// Forward dynamics by Book's recursive Lagrangian formulation: dense inertia matrix, 4x4 transformations, link
// transformations linear in the deflections.  [Book] (58)-(90), theory §6.  O(N^2) 4x4 products, then Cholesky.
//
// Covers chains of revolute and fixed joints on bodies whose modes do not move their inboard node, fidelity `full`, no
// wrenches on nodes; throws InputError otherwise.  Its small rotations add like vectors, so its equations differ from
// those of the other algorithms: they agree without deformation and differ at first order in the deflections.
[[nodiscard]] Status book(const Model& model, const State& x, const Forces& forces, BookData& ws, Vec vdot);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/body/body.hpp"
#include "limber/spatial/detail/vec4d.hpp"

namespace limber {

// The integrals C_ab of a mode a with one shape b: tr C 1 - (C + C^T)/2 (xx yy zz xy xz yz), then ax(C).
struct ShapePair {
  int b = 0;
  std::array<double, 9> numbers{};
};

// A node's constants, one column per mode.
struct NodeConstants {
  Vec4d position;             // l0
  Mat3 rotation;              // R0
  std::vector<Vec4d> gamma;   // (n)
  std::vector<Vec4d> lambda;  // (n)
  std::vector<Vec4d> second;  // (n x n) Xi; empty: none
  bool moves = false;         // some column is not zero
};

// One body's constants in the order of the sweeps.  Made from a Body, immutable.
struct BodyConstants {
  const Body* source = nullptr;  // compared, never read
  int n = 0;                     // modes
  int ne = 0;                    // modes and products of modes: more than n only in `stiffened`
  double m = 0;
  Vec4d s = zero();                    // S_0
  Mat3 J;                              // tr(C_00) 1 - C_00
  std::vector<Vec4d> S;                // (ne) S_a, one mode a column
  std::vector<ShapePair> shape_pairs;  // of each mode: b = 0 comes first; zero pairs are omitted
  std::vector<int> pair_begin;         // (ne + 1)
  std::vector<ModePair> pairs;
  std::vector<double> G;          // (ne x ne) modal masses tr C_ab
  std::vector<double> G_rows;     // the same (n x n), rows padded to whole lanes; empty when it depends on the state
  std::vector<double> G_inverse;  // (n, padded with zeros) when G is diagonal, else empty
  std::vector<double> K, D;       // (n) when both are diagonal, else (n x n)
  bool elastic_diagonal = true;
  std::vector<NodeConstants> nodes;

  bool mass_diagonal() const { return !G_inverse.empty(); }
};

BodyConstants make_constants(const Body& body);

}  // namespace limber

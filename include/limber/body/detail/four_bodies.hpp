// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include "limber/body/detail/constants.hpp"
#include "limber/spatial/detail/four.hpp"

// The constants of four bodies of the same form, one in each lane: what a body computes without its neighbours, four
// compute at once.
namespace limber {

// Families of shapes: those of a beam (bending in y and z, axial, torsion) couple in few of the nine numbers of C_ab.
// The pairs of a mode stand in the order of these kinds, which is found out from the numbers themselves.
enum class PairKind {
  any,       // nine numbers
  diagonal,  // shapes along the same axis: inertia xx, yy, zz
  x,         // shapes along y and z: inertia yz, axial x
  y,         // along x and z: inertia xz, axial y
  z,         // along x and y: inertia xy, axial z
};
inline constexpr int kPairKinds = 5;

// A node of each of the four.
struct FourNodes {
  FourVectors position;
  FourMatrices rotation;
  bool turned = false;              // some rotation is not the identity
  std::vector<FourVectors> gamma;   // (n)
  std::vector<FourVectors> lambda;  // (n)
  std::vector<FourVectors> second;  // (n x n) Xi; empty: none
};

struct FourBodies {
  // The pairs of one mode with other shapes.
  struct Pairs {
    FourSymmetric inertia;  // with the undeformed body, b = 0
    FourVectors axial;
    int begin = 0;                      // in `shape`
    int numbers = 0;                    // in `numbers`
    std::array<int, kPairKinds> end{};  // of each kind, in `shape`
  };
  int n = 0, ne = 0;
  Vec4d m;
  FourVectors s;
  FourSymmetric J;
  std::vector<FourVectors> S;      // (ne)
  std::vector<Pairs> pairs_of;     // (ne)
  std::vector<int> shape;          // kLanes (b - 1) of each pair: where its numbers start
  std::vector<Vec4d> numbers;      // 9, 3, 2, 2 or 2 of each pair, by its kind
  std::vector<ModePair> products;  // of modes: ne - n of them

  // Products of modes alone, `stiffened`: modal masses G_e of all shapes with the modes (ne x n), and those with the
  // products that are not zero.
  struct ProductMass {
    int shape = 0, product = 0;
    Vec4d mass;
  };
  std::vector<Vec4d> G;
  std::vector<ProductMass> product_masses;
};

// Bodies whose forms have equal names may be in the same four.
std::string form_of(const BodyConstants& constants);
FourBodies make_four_bodies(std::span<const BodyConstants* const, kLanes> bodies);
FourNodes make_four_nodes(std::span<const NodeConstants* const, kLanes> nodes, int n);

}  // namespace limber

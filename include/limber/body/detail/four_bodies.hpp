// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include "limber/body/detail/constants.hpp"
#include "limber/spatial/detail/four.hpp"

// The constants of four bodies of the same form, one in each lane: computations that need no neighbour are done for
// four bodies at once.
namespace limber {

// Families of shapes: those of a beam (bending in y and z, axial, torsion) couple in few of the nine numbers of C_ab.
// The pairs of a mode are in the order of these kinds, which are determined from the numbers themselves.
enum class PairKind {
  any,       // nine numbers
  diagonal,  // shapes along the same axis: inertia xx, yy, zz
  x,         // shapes along y and z: inertia yz, axial x
  y,         // along x and z: inertia xz, axial y
  z,         // along x and y: inertia xy, axial z
};
inline constexpr int kPairKinds = 5;

// Shapes of a beam along x, in this order.  axes: of the three moments J of two of its shapes, the first is the modal
// mass G, the second is stored, the third is their difference.
enum class ShapeFamily { bending_y, bending_z, axial, torsion };
inline constexpr int kShapeFamilies = 4;
struct FamilyAxes {
  int axes[3];
  int f, S;  // with the undeformed body: axis of F, which J is opposite to (-1: J is that of the first and third axis);
             // of S
  int partner[kShapeFamilies];  // axis of F with a shape of another family, -1: none
  double sign[kShapeFamilies];  // J opposite to that axis is this times F / 2

  constexpr int family_at(int axis) const {
    for (int family = 0; family < kShapeFamilies; ++family) {
      if (axis >= 0 && partner[family] == axis) return family;
    }
    return -1;
  }
  constexpr double half(int axis) const { return family_at(axis) < 0 ? 0 : 0.5 * sign[family_at(axis)]; }
};
inline constexpr FamilyAxes kFamilyAxes[kShapeFamilies] = {
    {{2, 1, 0}, 2, 1, {-1, 0, 2, 1}, {0, 1, -1, -1}},
    {{1, 2, 0}, 1, 2, {0, -1, 1, 2}, {-1, 0, 1, 1}},
    {{1, 0, 2}, -1, 0, {2, 1, -1, -1}, {1, -1, 0, 0}},
    {{0, 1, 2}, 0, -1, {1, 2, -1, -1}, {1, -1, 0, 0}},
};

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

  // If all shapes are those of a beam with mass-orthogonal modes, by family: two shapes of one family need only one
  // number and the modal mass, shapes of two families one number.  theory §2, Families of shapes.
  struct BeamMode {
    Vec4d g, f, S;  // modal mass; F and S with the undeformed body, each along the family's axis
    Vec4d h, h_0;   // J with the undeformed body, minus the part given by F; the sum of both
  };
  struct Range {
    int begin = 0, end = 0;
  };
  std::array<Range, kShapeFamilies> families{};
  std::vector<BeamMode> beam_modes;  // (n); empty: other shapes
  std::vector<Vec4d> beam_pairs;     // (n x n) within a family J along its second axis, else F along the pair's axis

  std::vector<Vec4d> K, D;  // (n) when both are diagonal, else (n x n)
  bool elastic_diagonal = true;

  // Products of modes alone, `stiffened`: modal masses G_e of all shapes with the modes (ne x n), and those with the
  // products that are not zero.
  struct ProductMass {
    int shape = 0, product = 0;
    Vec4d mass;
  };
  std::vector<Vec4d> G;
  std::vector<ProductMass> product_masses;
};

// Bodies with equal form names may be in the same group of four.
std::string form_of(const BodyConstants& constants);
FourBodies make_four_bodies(std::span<const BodyConstants* const, kLanes> bodies);
FourNodes make_four_nodes(std::span<const NodeConstants* const, kLanes> nodes, int n);

}  // namespace limber

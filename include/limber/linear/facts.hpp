// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// One mode of a body with its frame held.
struct ModeFacts {
  std::string name;
  double hertz = 0;
  double modal_mass = 0;
  double damping_ratio = 0;  // NaN for a mode without stiffness
  VectorXd shape;            // modal coordinates
  // Effective modal mass and inertia for base excitation along, or about, x, y, z:
  //   S_a^2 / G and ax(C_a0)^2 / G; over all modes of a clamped beam they sum to its mass and its inertia.
  Vector3d effective_mass = Vector3d::Zero(), effective_inertia = Vector3d::Zero();
};

// One body, undeformed.
struct BodyFacts {
  double mass = 0;
  Vector3d com = Vector3d::Zero();                  // in the body frame
  Vector3d inertia = Vector3d::Zero();              // xx, yy, zz about the centre of mass
  Vector3d inertia_about_frame = Vector3d::Zero();  // and about the frame's origin
  std::vector<ModeFacts> modes;
  bool mixed = false;  // the modes are combinations of the coordinates, because K or G is not diagonal
};
BodyFacts compute_body_facts(const Body& body);  // of the body held at its frame

// Natural frequencies of the machine at a configuration that satisfies its closures, with the stiffness of modes, joint
// springs and force elements only: no gravity, no motion.  Shapes are speeds, one column per frequency.
struct FrequencyFacts {
  std::string why_not;                  // the reason if there are none
  std::string caution;                  // a reason to doubt them here, and a cure
  int rigid = 0;                        // motions without stiffness
  std::vector<double> joints_free;      // Hz, without the `rigid` zeros
  std::vector<double> joints_locked;    // Hz, all hinges held
  MatrixXd free_shapes, locked_shapes;  // (nv x frequencies)
};
inline constexpr int kMaxForFrequencies = 200;                           // coordinates
FrequencyFacts compute_frequencies(const Model& model, const State& x);  // at the configuration of x
// The nearest state at rest that satisfies the closures.  Throws InputError if there is none.
State find_rest(const Model& model, const State& start);

struct ModelFacts {
  double total_mass = 0;
  State at;                                    // the configuration, with the closures satisfied if possible
  std::string where;                           // its name: "the zero state"
  Vector3d center_of_mass = Vector3d::Zero();  // in world, there
  std::vector<BodyFacts> shapes;               // of distinct bodies
  std::vector<int> shape_of;                   // (body) index into shapes; the ground has none
  FrequencyFacts frequencies;
};
ModelFacts compute_facts(const Model& model, const State& start, const std::string& where);  // near start

// "world", "boom", "boom.tip".
std::string node_name(const Model& model, NodeRef node);
const char* to_string(Elimination elimination);

}  // namespace limber

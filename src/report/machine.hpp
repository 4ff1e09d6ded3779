// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/kinematics.hpp"
#include "report/page.hpp"

namespace limber {

// Adds bodies, nodes and joints of a model, and their shapes, to the data of a page.
void add_machine(const Model& model, PageData& page);

// Data of one frame of the 3D view: the pose of each body (position, quaternion w x y z) and all modal coordinates.
struct Picture {
  std::vector<float> poses;  // (bodies x 7)
  std::vector<float> eta;    // (modes of all bodies)
};
// At the state of kin, with poses in world.  Signs of quaternions are chosen closest to the previous `picture`.
void set_picture(const Model& model, const Kinematics& kin, Picture& picture);
int mode_count(const Model& model);

}  // namespace limber

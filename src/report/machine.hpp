// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/kinematics.hpp"
#include "report/page.hpp"

namespace limber {

// Bodies, nodes and joints of a machine, and what they look like, into the data of a page.
void add_machine(const Model& model, PageData& page);

// Numbers of a picture: the pose of each body (place, quaternion w x y z) and all modal coordinates.
struct Picture {
  std::vector<float> poses;  // (bodies x 7)
  std::vector<float> eta;    // (modes of all bodies)
};
// At the state of kin, with poses in world.  Quaternions keep the sign nearer to what `picture` held.
void set_picture(const Model& model, const Kinematics& kin, Picture& picture);
int mode_count(const Model& model);

}  // namespace limber

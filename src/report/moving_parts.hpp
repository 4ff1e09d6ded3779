// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/model/model.hpp"
#include "report/page.hpp"

namespace limber {

// Data of the 3D view besides poses and modes: angles of the rotors of drives (rad) and positions of sliders (m), in
// the order of their joints.
struct MovingParts {
  std::vector<int> drives, sliders;  // joints
  explicit MovingParts(const Model& model);

  // One row per frame.
  std::vector<float> angles, places;
  void add_row(const Model& model, ConstVec q);
  void add_to(PageData& page, std::size_t pictures);
};

// Positions and axes of the rotors: `rotors` of the page.
nlohmann::ordered_json make_rotors(const Model& model, const std::vector<int>& first_node);
// Contacts: `contacts`.
nlohmann::ordered_json make_contacts(const Model& model, const std::vector<int>& first_node);
// A position on a node and its rotation there.
nlohmann::ordered_json make_page_place(NodeRef at, const Pose& pose, const std::vector<int>& first_node);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// What bodies compute without their neighbours, four at a time.  theory §2.

// Outboard attachments as their bodies see them, V and a relative: before the motion of the bodies is known.
void move_nodes(const NodeGroup& group, Kinematics& kin, GroupScratch& scratch);
// With V and a of the bodies: columns [F; S], J, s, p_r and p_f, and G where that depends on the state.
void load_bodies(const Layout& layout, const BodyGroup& group, Kinematics& kin, GroupScratch& scratch);

}  // namespace limber

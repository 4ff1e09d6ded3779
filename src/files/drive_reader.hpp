// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// The keys drive and friction of a joint.
void read_drive(const Reader& joint_at, Joint& joint);
void read_friction(const Reader& joint_at, Joint& joint);

}  // namespace limber

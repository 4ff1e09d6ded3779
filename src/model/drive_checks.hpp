// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

namespace limber::model_impl {

// Throw InputError, naming the joint.  Normalises the drive's axis.
void check_drive(Joint& joint);
void check_friction(const Joint& joint);

}  // namespace limber::model_impl

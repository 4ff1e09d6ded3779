// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

namespace limber {

// Throws InputError, naming the coordinate, if the mass matrix is singular in every configuration, e.g. for a massless
// leaf body or a line beam that can rotate about its own axis.  A model that is singular only in some configurations
// passes; there, the algorithms return Status::singular_mass.
void check_inertia(const Model& model);

}  // namespace limber

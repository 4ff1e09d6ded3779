// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

// Two flexible links under gravity, the second on the tip of the first.
limber::Model make_arm();

// Checks the forces that hold the arm level and its accelerations without forces against each other.  True: they agree.
bool check_arm();

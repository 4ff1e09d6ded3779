// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

// Two flexible links under gravity, the second on the tip of the first.
limber::Model make_arm();

// Forces that hold the arm level, and its accelerations under none: a check of each against the other.  True: they
// agree.
bool check_arm();

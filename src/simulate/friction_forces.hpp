// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

// What friction of the joints keeps between evaluations.
struct FrictionForces {};

}  // namespace limber

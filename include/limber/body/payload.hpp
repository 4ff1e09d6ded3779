// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/body.hpp"

namespace limber {

// The body with a rigid load on a node, or on its own frame (node = -1); com and inertia of the load are in the frame
// of the node.  Points of the load move with the node: phi_a(d) = gamma_a + lambda_a x d, d from the node; to second
// order also with Xi and the second-order part of the rotation, so that `full` and `stiffened` hold as for the body
// itself. Modes, nodes and names stay.  O(shapes^2).
Body with_payload(const Body& body, int node, const RigidSpec& load);

}  // namespace limber

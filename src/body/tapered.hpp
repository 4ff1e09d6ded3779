// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/body/body.hpp"

namespace limber::body_impl {

// Root, tip, then the user's nodes.
std::vector<BeamNode> make_beam_nodes(const BeamSpec& spec);

// Properties of a station, from its section if it has one.
BeamSection numbers_of(const BeamStation& station);

// A checked beam with stations: finite elements of degree 9 between them, in the modes of the basis.
Body make_tapered_body(const BeamSpec& spec, bool second_order);

}  // namespace limber::body_impl

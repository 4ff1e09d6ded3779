// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/body/body.hpp"

namespace limber::body_impl {

// root, tip, then the user's own.
std::vector<BeamNode> make_beam_nodes(const BeamSpec& spec);

// The numbers of a station, from its section where it has one.
BeamSection numbers_of(const BeamStation& station);

// A beam with stations, which has been checked: finite elements of degree 9 between them, in the modes of the basis.
Body make_tapered_body(const BeamSpec& spec, bool second_order);

}  // namespace limber::body_impl

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/body.hpp"
#include "limber/files/reader.hpp"

namespace limber {

// `steel`, ..., or {E, G, density}.
Material read_material(const Reader& material);

// {tube: {diameter: 0.1, wall: 0.003}}, ...
Section read_section(const Reader& section);

// Keys of a beam or of one of its stations: section and material, or mass and stiffnesses; `length`: divisor of `mass`;
// 0: `mass` is not permitted.
void read_beam_section(const Reader& at, double length, BeamSection& out);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/linear/campbell.hpp"

namespace limber {

// Frequencies and damping over the speed of the rotor, with the lines of 1, 2, 3 ... times its speed, as an SVG
// picture. The lowest kDrawnBranches branches are drawn.
inline constexpr std::size_t kDrawnBranches = 12;
std::string campbell_svg(const Campbell& found);

// The picture alone if the name ends in .svg, otherwise an HTML page with the picture and its numbers.  Throws
// FileError "PATH: ..." if it cannot or must not be written; check_campbell_page does so before any work.
void write_campbell_page(const Model& model, const Campbell& found, const std::string& rotor, const std::string& path,
                         const std::vector<std::string>& never_overwrites);
void check_campbell_page(const std::string& path, const std::vector<std::string>& never_overwrites);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/files/reader.hpp"
#include "limber/study/study.hpp"

namespace limber {

// The list `results` of a study whose parameters are known.
std::vector<StudyResult> read_results(const Reader& list, const Study& study);

}  // namespace limber

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/page.hpp"

namespace limber {

// Origin of a page: the name of its file, without folders, and its modification time ("2026-05-04 07:30 UTC"); version
// of the program; texts, {name, text}; empty texts are omitted.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;
void add_provenance(const std::string& path, const std::string& version, const NamedTexts& texts, PageData& page);

}  // namespace limber

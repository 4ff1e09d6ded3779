// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace limber::python {

// Comments of the public headers, by scripts/header_docs, rising by name.
struct HeaderDoc {
  const char* name;
  const char* text;
};
extern const int kHeaderDocs;
extern const HeaderDoc kHeaderDocTable[];

// The comment of "aba", "Simulation::step"; empty: it has none.
std::string header_doc(std::string_view name);

}  // namespace limber::python

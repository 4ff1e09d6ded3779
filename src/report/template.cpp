// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The page of viewer/dist, embedded in the program.
#include "report/page.hpp"

__asm__(
    ".pushsection .rodata, \"a\"\n"
    ".global limber_viewer_begin, limber_viewer_end\n"
    ".hidden limber_viewer_begin, limber_viewer_end\n"
    "limber_viewer_begin: .incbin \"" LIMBER_VIEWER
    "\"\n"
    "limber_viewer_end: .byte 0\n"
    ".popsection\n");

extern "C" {
extern const char limber_viewer_begin[], limber_viewer_end[];
}

namespace limber {

std::string_view page_template() {
  return {limber_viewer_begin, static_cast<std::size_t>(limber_viewer_end - limber_viewer_begin)};
}

}  // namespace limber

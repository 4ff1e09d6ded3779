// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Nastran punch files and bulk data.
//   limber_fe_nastran_fuzz tests/fuzz/corpus-fe-nastran -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include "fe_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return limber::fuzz::read_or_refuse(data, size, [](limber::fe::Lines& lines) {
    limber::fe::Mesh mesh;
    const limber::fe::Punch punch = limber::fe::read_punch(lines, mesh);
    if (punch.matrices.size() < 2) return;
    limber::fe::join_named(mesh, punch.matrices.begin()->second, punch.matrices.rbegin()->second, "fuzz");
  });
}

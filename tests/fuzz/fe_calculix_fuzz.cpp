// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows and matrices of CalculiX.
//   limber_fe_calculix_fuzz tests/fuzz/corpus-fe-calculix -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include "fe_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limber::fuzz::read_or_refuse(data, size, [](limber::fe::Lines& lines) { limber::fe::read_rows(lines); });
  return limber::fuzz::read_or_refuse(
      data, size, [](limber::fe::Lines& lines) { limber::fe::read_triplets(lines, 300).matrix(300, "fuzz"); });
}

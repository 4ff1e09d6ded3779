// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// MatrixMarket files and tables of nodes.
//   limber_fe_matrices_fuzz tests/fuzz/corpus-fe-matrices -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include "fe_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limber::fuzz::read_or_refuse(data, size, [](limber::fe::Lines& lines) {
    limber::fe::Mesh mesh;
    limber::fe::read_node_table(lines, mesh);
  });
  return limber::fuzz::read_or_refuse(data, size,
                                      [](limber::fe::Lines& lines) { limber::fe::read_matrix_market(lines); });
}

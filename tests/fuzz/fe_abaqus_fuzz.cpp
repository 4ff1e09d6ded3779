// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices of Abaqus.
//   limber_fe_abaqus_fuzz tests/fuzz/corpus-fe-abaqus -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include "fe_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return limber::fuzz::read_or_refuse(data, size, [](limber::fe::Lines& lines) {
    const limber::fe::NamedMatrix m = limber::fe::read_abaqus_matrix(lines);
    limber::fe::Mesh mesh;
    for (const auto& row : m.rows) mesh.add_node(lines, row.node, limber::Vector3d::Zero());
    limber::fe::join_named(mesh, m, m, "fuzz");
  });
}

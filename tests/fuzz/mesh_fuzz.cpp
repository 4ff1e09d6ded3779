// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// STL and OBJ: triangles, or an InputError of one line; stored contents can be read again.
//   limber_mesh_fuzz tests/fuzz/corpus-mesh -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "files/mesh_file.hpp"
#include "limber/spatial/status.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"fuzz.stl", "fuzz.obj"}) {
    try {
      const limber::VisualMesh mesh = limber::parse_mesh(bytes, name);
      if (limber::parse_mesh(mesh.bytes, "again").triangles.size() != mesh.triangles.size()) std::abort();
    } catch (const limber::InputError& e) {
      if (std::strncmp(e.what(), "fuzz", 4) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
    }
  }
  return 0;
}

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Input decks of CalculiX and Abaqus; an include returns the beginning of the deck again.
//   limber_fe_deck_fuzz tests/fuzz/corpus-fe-deck -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include "fe_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using limber::fe::Lines;
  return limber::fuzz::read_or_refuse(data, size, [&](Lines& lines) {
    const std::string again(reinterpret_cast<const char*>(data), size / 4);
    limber::fe::Mesh mesh;
    limber::fe::read_deck(
        lines, [&](const std::string&) { return Lines(again, "fuzz"); }, mesh);
    limber::FeModel model;
    mesh.finish(model);
  });
}

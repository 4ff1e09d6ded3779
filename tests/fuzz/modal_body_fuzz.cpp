// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes either become a modal body usable in a model, or one line of error.  The file is read in a separate
// process, which may crash; this one must not.  Without a memory limit: its watchdog thread conflicts with fork.
//   limber_modal_body_fuzz tests/fuzz/corpus-modal-body -max_len=40000 -timeout=30 -rss_limit_mb=0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limber/body/part.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/spatial/status.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const limber::ModalBodyFile file =
        limber::parse_modal_body(std::string(reinterpret_cast<const char*>(data), size), "fuzz.h5");
    if (!(file.body.mass > 0) || !limber::rest_inertia(file.body).allFinite()) std::abort();
  } catch (const limber::Error& e) {
    if (std::strncmp(e.what(), "fuzz.h5", 7) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}

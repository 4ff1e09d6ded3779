// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace limber::test {

// Size and alignment of a public type; name is null after the last entry.
struct PublicSize {
  const char* name;
  std::size_t size, alignment;
};

// As compiled without -march, for AVX2, for AVX-512: constants only, no code of these objects is executed.
extern const PublicSize kSizesPlain[], kSizesV3[], kSizesV4[];

}  // namespace limber::test

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace limber::test {

// Size and alignment of a type of the public headers; name is null behind the last.
struct PublicSize {
  const char* name;
  std::size_t size, alignment;
};

// As compiled without -march, for AVX2, for AVX-512: constants only, no code of these objects is ever run.
extern const PublicSize kSizesPlain[], kSizesV3[], kSizesV4[];

}  // namespace limber::test

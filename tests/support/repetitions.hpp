// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber::test {

// Repetitions of a test with random input: `few` under a sanitizer, where each takes ten times as long.
constexpr int repetitions([[maybe_unused]] int all, [[maybe_unused]] int few) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return few;
#else
  return all;
#endif
}

}  // namespace limber::test

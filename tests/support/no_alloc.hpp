// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sanitizer has its own malloc, and other C libraries offer no way past ours: the guard then sees nothing.
#include <cstdlib>  // defines __GLIBC__
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define LIMBER_TEST_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LIMBER_TEST_COUNTS_MALLOC 0
#endif
#endif
#ifndef LIMBER_TEST_COUNTS_MALLOC
#define LIMBER_TEST_COUNTS_MALLOC 1
#endif

namespace limber::test {

inline constexpr bool kNoAllocWorks = LIMBER_TEST_COUNTS_MALLOC != 0;

// While one is alive, a heap call by this thread (malloc and all that is built on it) fails the test when the guard
// ends.  Guards nest.
class NoAlloc {
 public:
  NoAlloc();
  ~NoAlloc();
  NoAlloc(const NoAlloc&) = delete;
  NoAlloc& operator=(const NoAlloc&) = delete;
  // Heap calls by this thread since the guard began; always 0 where the guard does not work.
  long calls() const;

 private:
  long before_ = 0;
};

}  // namespace limber::test

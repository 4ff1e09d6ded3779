// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sanitizers have their own malloc, and other C libraries have no hook for ours: the guard then counts nothing.
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

// During its lifetime, a heap call by this thread (malloc and everything based on it) fails the test when the guard
// ends.  Guards can be nested.
class NoAlloc {
 public:
  NoAlloc();
  ~NoAlloc();
  NoAlloc(const NoAlloc&) = delete;
  NoAlloc& operator=(const NoAlloc&) = delete;
  // Number of heap calls by this thread since the guard began; always 0 if counting is not supported.
  long calls() const;

 private:
  long before_ = 0;
};

}  // namespace limber::test

// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/no_alloc.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>

namespace limber::test {
namespace {

constinit thread_local long g_calls = 0;

#if LIMBER_TEST_COUNTS_MALLOC
void* counted(void* p) {
  ++g_calls;
  return p;
}
#endif

}  // namespace

NoAlloc::NoAlloc() : before_(g_calls) {}

NoAlloc::~NoAlloc() {
  const long n = calls();
  if (n != 0) ADD_FAILURE() << n << " heap allocation(s) where none is allowed";
}

long NoAlloc::calls() const { return g_calls - before_; }

}  // namespace limber::test

// Allocation functions that replace those of glibc; `free` remains glibc's own.  Eigen calls malloc, and so does
// operator new of libstdc++, so all allocations are counted.
#if LIMBER_TEST_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return limber::test::counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return limber::test::counted(__libc_calloc(count, size)); }
void* realloc(void* old, std::size_t size) { return limber::test::counted(__libc_realloc(old, size)); }
void* memalign(std::size_t alignment, std::size_t size) {
  return limber::test::counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return limber::test::counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* p = limber::test::counted(__libc_memalign(alignment, size));
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
}
#endif

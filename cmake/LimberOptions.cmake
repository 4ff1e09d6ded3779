# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Cache options, and limber_options(target), which every target of ours goes through.
include_guard()
include(CheckCXXSourceRuns)

option(LIMBER_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_PROGRAM "Build the program limber" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_PYTHON "Build the Python package where Python, NumPy and pybind11 are found" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_INSTALL "Add rules that install limber" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_BENCH "Add the benchmarks (target `bench`, not built by default)" OFF)
option(LIMBER_FUZZ "Build the fuzzers in tests/fuzz (clang only)" OFF)
option(LIMBER_PRECOMPILE "Parse the headers of Eigen and GoogleTest once: halves the build" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_UNITY "Compile the sources of a room together: halves the build" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
set(LIMBER_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread; empty: none")

# The oldest machine to run on: AVX2 and FMA where this machine has them.
check_cxx_source_runs("
  int main() {
    __builtin_cpu_init();
    return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
  }" LIMBER_HAS_X86_64_V3)
set(limber_default_arch "")
if(LIMBER_HAS_X86_64_V3)
  set(limber_default_arch x86-64-v3)
endif()
set(LIMBER_ARCH "${limber_default_arch}" CACHE STRING "-march of limber's own code; empty: the compiler's default")

if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Link and install liblimber.so; off: one static archive per room" OFF)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
  endif()
  find_program(LIMBER_CCACHE ccache)
  if(LIMBER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER) # what it asks for with precompiled headers
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${LIMBER_CCACHE})
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
if(LIMBER_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "LIMBER_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
endif()

set(limber_warnings -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wformat=2 -Wnon-virtual-dtor -Woverloaded-virtual
    -Wold-style-cast -Wundef -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND limber_warnings -Wduplicated-cond -Wlogical-op)
  # These see ghosts in optimised code of Eigen and of the standard strings (GCC 12).
  list(APPEND limber_warnings -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict
       -Wno-free-nonheap-object)
endif()
# Sanitizers confuse the warnings that follow values; the plain builds are the ones that must be clean.
if(LIMBER_SANITIZE)
  set(limber_warnings -w)
elseif(LIMBER_WERROR)
  list(APPEND limber_warnings -Werror)
endif()

# With -std=c++20 GCC fuses no multiply-add unless told to.  Never -ffast-math: NaN and infinity are caught, not assumed away.
# psabi: GCC's note that 32-byte vectors are passed otherwise with and without AVX; none of ours crosses a call.
set(limber_flags -ffp-contract=fast -fno-math-errno -Wno-psabi)
if(LIMBER_ARCH)
  list(APPEND limber_flags -march=${LIMBER_ARCH})
endif()
set(limber_link_flags "")
if(LIMBER_SANITIZE)
  list(APPEND limber_flags -fno-omit-frame-pointer -fsanitize=${LIMBER_SANITIZE} -fno-sanitize-recover=all)
  list(APPEND limber_link_flags -fsanitize=${LIMBER_SANITIZE})
  if(LIMBER_SANITIZE MATCHES address AND NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    find_program(LIMBER_LLD ld.lld) # LLVM's linker takes a fifth of the time of GNU's
    if(LIMBER_LLD)
      list(APPEND limber_link_flags -fuse-ld=lld)
    endif()
  endif()
  # Of the rooms where the time of a run goes (docs/decisions/0030-make-test.md).  The rest is built with -O0, which takes
  # 0.4 times as long; so is everything for the thread sanitizer, whose tests are short.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(limber_sanitized_optimisation -O1)
  elseif(LIMBER_SANITIZE MATCHES thread)
    set(limber_sanitized_optimisation -O0)
  else() # -O1 of clang inlines nothing, and takes as long as -O2
    set(limber_sanitized_optimisation -O2)
  endif()
  list(APPEND limber_flags ${limber_sanitized_optimisation})
  if(LIMBER_SANITIZE MATCHES thread)
    # Eigen without its own vector instructions: each of its loops is instantiated once in place of twice.  The layout of its
    # types stays (docs/decisions/0012-eigen-alignment.md).
    list(APPEND limber_flags -DEIGEN_DONT_VECTORIZE -DEIGEN_MAX_STATIC_ALIGN_BYTES=16)
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU) # clang does not define what GCC does
    foreach(name IN ITEMS address thread)
      if(LIMBER_SANITIZE MATCHES ${name})
        string(TOUPPER ${name} macro)
        list(APPEND limber_flags -D__SANITIZE_${macro}__=1)
      endif()
    endforeach()
  endif()
  if(LIMBER_SANITIZE MATCHES "address.*undefined")
    # The address sanitizer finds most of what these do, and in Eigen code they cost two to four times the build.
    # Alone, `undefined` has them all.
    # pointer-overflow: clang reports the blocks of Eigen's empty matrices, which are never followed.
    list(APPEND limber_flags -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
endif()
if(LIMBER_FUZZ)
  list(APPEND limber_flags -fsanitize=fuzzer-no-link)
endif()

# Language, warnings and machine flags of one of our targets.  Nothing here reaches our users.
function(limber_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${limber_warnings} ${limber_flags})
  target_link_options(${target} PRIVATE ${limber_link_flags})
  target_compile_definitions(${target} PRIVATE LIMBER_VERSION="${PROJECT_VERSION}")
  if(limber_eigen) # before the installed one
    target_include_directories(${target} SYSTEM BEFORE PRIVATE ${limber_eigen})
  endif()
endfunction()

# limber_plain_when_sanitized(target): without optimisation in builds with sanitizers, which takes a third of the time.
function(limber_plain_when_sanitized target)
  if(LIMBER_SANITIZE AND NOT LIMBER_FUZZ)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# limber_uncollected(target): GCC's collector of garbage may wait: a tenth of the time.
function(limber_uncollected target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1000000)
  endif()
endfunction()

# limber_unity(target n): its sources compiled together, n at a time, and so without precompiled headers.  They share
# their unnamed namespaces then, which locals may shadow.
function(limber_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wshadow=local)
  endif()
  limber_uncollected(${target})
endfunction()

# limber_precompile(target headers...): headers parsed once.  The first target with given headers builds them, the
# others share; all of them must be built with the same flags.
function(limber_precompile target)
  if(NOT LIMBER_PRECOMPILE)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "limber_precompiled_${ARGN}" owner)
  get_property(first GLOBAL PROPERTY ${owner})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY ${owner} ${target})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # for ccache
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

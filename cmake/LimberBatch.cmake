# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber_batch_sources(): the kernels of batches, the same source for each kind of registers; which of them runs is chosen
# at run time.  docs/decisions/0020-batch.md
include_guard()

function(limber_batch_sources)
  set(folder src/dynamics/batch)
  set(kernels ${folder}/kernels_plain.cpp ${folder}/kernels_avx2.cpp ${folder}/kernels_avx512.cpp
              ${folder}/halves_plain.cpp)
  set_source_files_properties(${kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  set(plain "")
  if(LIMBER_SANITIZE AND NOT LIMBER_FUZZ) # a fifth of the build; tests of batches are short
    set(plain -O0)
  endif()
  set_source_files_properties(${folder}/kernels_plain.cpp ${folder}/halves_plain.cpp PROPERTIES COMPILE_OPTIONS "${plain}")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(avx2 ${plain} -mavx2 -mfma)
    set(avx512 ${avx2} -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
    if(LIMBER_SANITIZE MATCHES undefined) # three times the build; the plain registers have it, from the same source
      list(APPEND avx2 -fno-sanitize=undefined)
      list(APPEND avx512 -fno-sanitize=undefined)
    endif()
    set_source_files_properties(${folder}/kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "${avx2}")
    set_source_files_properties(${folder}/kernels_avx512.cpp PROPERTIES COMPILE_OPTIONS "${avx512}")
  endif()
endfunction()

# limber_gpu_sources(): batches on GPUs, where nvcc is found.  A macro: languages are enabled at the top alone.
#   AUTO  in release builds of limber itself that have nvcc: the kernels take about a minute to compile, and what is
#         installed needs the CUDA toolkit then
#   ON    they must be there
#   OFF   without
set(LIMBER_GPU OFF CACHE STRING "Batches on GPUs: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE LIMBER_GPU PROPERTY STRINGS AUTO ON OFF)
macro(limber_gpu_sources)
  set(limber_gpu_wanted ${LIMBER_GPU})
  if(LIMBER_GPU STREQUAL AUTO AND (NOT PROJECT_IS_TOP_LEVEL OR LIMBER_SANITIZE OR LIMBER_FUZZ OR
                                   NOT CMAKE_BUILD_TYPE STREQUAL Release OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU))
    set(limber_gpu_wanted OFF)
  endif()
  if(limber_gpu_wanted)
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(limber_gpu_wanted AND CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Architectures of GPUs")
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    file(GLOB gpu_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dynamics/gpu/*.cu)
    add_library(limber_cuda OBJECT ${gpu_sources})
    set_target_properties(limber_cuda PROPERTIES CUDA_STANDARD 20 POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY Static)
    target_compile_options(limber_cuda PRIVATE -O3 --expt-relaxed-constexpr -Xcompiler=-Wno-psabi)
    target_include_directories(limber_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_sources(limber_dynamics PRIVATE $<TARGET_OBJECTS:limber_cuda>)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/dynamics/gpu/no_device.cpp PROPERTIES COMPILE_DEFINITIONS LIMBER_HAS_CUDA)
    limber_link_privately(dynamics $<LINK_ONLY:CUDA::cudart_static>) # no compiler of C++ sees its headers
    list(APPEND LIMBER_PACKAGES_dynamics CUDAToolkit)
  elseif(limber_gpu_wanted STREQUAL ON)
    message(FATAL_ERROR "LIMBER_GPU is ON and nvcc is not found; set CMAKE_CUDA_COMPILER, or LIMBER_GPU to AUTO or OFF")
  elseif(limber_gpu_wanted)
    message(STATUS "nvcc not found: no batches on GPUs")
  endif()
endmacro()

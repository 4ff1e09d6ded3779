# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber_batch_sources(): the kernels of batches, the same source for each kind of registers; which of them runs is chosen
# at run time.  docs/decisions/0020-batch.md
include_guard()

function(limber_batch_sources)
  set(folder src/dynamics/batch)
  set(kernels ${folder}/kernels_plain.cpp ${folder}/kernels_avx2.cpp ${folder}/kernels_avx512.cpp)
  set_source_files_properties(${kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${folder}/kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
    set_source_files_properties(${folder}/kernels_avx512.cpp PROPERTIES COMPILE_OPTIONS
                                "-mavx2;-mfma;-mavx512f;-mavx512dq;-mavx512vl;-mprefer-vector-width=512")
  endif()
endfunction()

# limber_gpu_sources(): batches on GPUs, where nvcc is found.
option(LIMBER_GPU "Build batches on GPUs where nvcc is found" ON)
function(limber_gpu_sources)
  if(NOT LIMBER_GPU)
    return()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "nvcc not found: no batches on GPUs")
    return()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Architectures of GPUs")
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  add_library(limber_cuda OBJECT ${PROJECT_SOURCE_DIR}/src/dynamics/gpu/device.cu)
  set_target_properties(limber_cuda PROPERTIES CUDA_STANDARD 20 POSITION_INDEPENDENT_CODE ON CUDA_RUNTIME_LIBRARY Static)
  target_compile_options(limber_cuda PRIVATE -O3 --expt-relaxed-constexpr -Xcompiler=-Wno-psabi)
  target_include_directories(limber_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_sources(limber_dynamics PRIVATE $<TARGET_OBJECTS:limber_cuda>)
  target_compile_definitions(limber_dynamics PRIVATE LIMBER_HAS_CUDA)
  limber_link_privately(dynamics CUDA::cudart_static)
  set(LIMBER_PACKAGES_dynamics "${LIMBER_PACKAGES_dynamics};CUDAToolkit" PARENT_SCOPE)
endfunction()

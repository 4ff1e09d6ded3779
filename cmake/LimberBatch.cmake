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

# limber_gpu_sources(): batches on GPUs, where they are asked for and nvcc is found.  A macro: languages are enabled at the
# top alone.
option(LIMBER_GPU "Build batches on GPUs where nvcc is found" OFF)
macro(limber_gpu_sources)
  if(LIMBER_GPU)
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(LIMBER_GPU AND CMAKE_CUDA_COMPILER)
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
    list(APPEND LIMBER_PACKAGES_dynamics CUDAToolkit)
  elseif(LIMBER_GPU)
    message(STATUS "nvcc not found: no batches on GPUs")
  endif()
endmacro()

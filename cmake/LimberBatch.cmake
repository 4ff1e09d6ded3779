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

# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber as a dependency: installed from this build tree once, static and shared, then small programs against it.
set(limber_consumer_dir ${CMAKE_CURRENT_LIST_DIR})

# limber_consumer_test(name script NAME=VALUE...)
function(limber_consumer_test name script)
  list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE definitions)
  add_test(NAME consumer_${name} COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
           -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DGENERATOR=${CMAKE_GENERATOR} ${definitions}
           -P ${limber_consumer_dir}/${script}.cmake)
  set_tests_properties(consumer_${name} PROPERTIES LABELS consumer TIMEOUT 3600 FIXTURES_REQUIRED limber_installed
                       SKIP_REGULAR_EXPRESSION "skipped: no ")
endfunction()

find_program(LIMBER_GXX g++)
find_program(LIMBER_CLANGXX clang++)
find_program(LIMBER_PKG_CONFIG pkg-config)
get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
set(gxx COMPILER=${LIMBER_GXX} NAME=g++)
set(clangxx COMPILER=${LIMBER_CLANGXX} NAME=clang++)
set(checks -DPLUGIN=ON,-DSANITIZE=ON)
if(LIMBER_ARCH)
  string(APPEND checks ,-DMARCH=${LIMBER_ARCH})
endif()

limber_consumer_test(install install)
set_tests_properties(consumer_install PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP limber_installed)
limber_consumer_test(gcc_static find_package ${gxx} KIND=static EVERYTHING=ON OPTIONS=${checks})
limber_consumer_test(gcc_shared find_package ${gxx} KIND=shared EVERYTHING=ON OPTIONS=-DPLUGIN=ON)
limber_consumer_test(clang_static find_package ${clangxx} KIND=static)
limber_consumer_test(clang_shared find_package ${clangxx} KIND=shared)
limber_consumer_test(pkg_config pkg_config COMPILER=${CMAKE_CXX_COMPILER} PKG_CONFIG=${LIMBER_PKG_CONFIG})
set(fast_compiler ${CMAKE_CXX_COMPILER})
if(LIMBER_CLANGXX) # parses faster; the other compiler has compiled headers and sources in the library
  set(fast_compiler ${LIMBER_CLANGXX})
endif()
limber_consumer_test(subdirectory subdirectory COMPILER=${fast_compiler})
limber_consumer_test(headers headers COMPILER=${fast_compiler} EIGEN=${eigen})

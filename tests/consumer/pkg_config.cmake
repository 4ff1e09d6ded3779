# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Compiler and pkg-config only: the program everything.cpp against both packages.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
if(NOT PKG_CONFIG)
  message("skipped: no pkg-config")
  return()
endif()
set(tree ${work}/pkg-config)
file(REMOVE_RECURSE ${tree})
file(MAKE_DIRECTORY ${tree})
foreach(kind IN ITEMS static shared)
  set(ENV{PKG_CONFIG_PATH} ${work}/${kind}/${LIBDIR}/pkgconfig)
  foreach(what IN ITEMS cflags libs)
    execute_process(COMMAND ${PKG_CONFIG} --${what} limber OUTPUT_VARIABLE ${what} COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${what} UNIX_COMMAND "${${what}}")
  endforeach()
  if(kind STREQUAL static) # one object file for both
    step(${COMPILER} -std=c++20 ${cflags} -c ${CMAKE_CURRENT_LIST_DIR}/everything.cpp -o ${tree}/everything.o)
  endif()
  step(${COMPILER} ${tree}/everything.o ${libs} -o ${tree}/everything-${kind})
  step(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${work}/${kind}/${LIBDIR} ${tree}/everything-${kind})
endforeach()

# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber as a subdirectory of another project: configures all of it, and builds a program that uses the first room,
# with its headers parsed once.  Linking of rooms uses the same CMake code as a build of limber alone.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(tree ${work}/subdirectory)
file(REMOVE_RECURSE ${tree})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subdirectory -B ${tree} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
     -D LIMBER=${SOURCE} -D LIMBER_UNITY=ON -D LIMBER_PRECOMPILE=ON)
step(${CMAKE_COMMAND} --build ${tree} --target turn)
step(${tree}/turn)
step(${CMAKE_COMMAND} --install ${tree} --prefix ${tree}/prefix) # installs no files of limber
if(EXISTS ${tree}/prefix)
  message(FATAL_ERROR "limber installed itself with the project around it: ${tree}/prefix")
endif()

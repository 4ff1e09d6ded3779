# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber as a part of another project: configures all of it, and builds a program that needs the first room, with its
# headers parsed once.  That rooms link is the same CMake code in a build of limber by itself.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(tree ${work}/subdirectory)
file(REMOVE_RECURSE ${tree})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subdirectory -B ${tree} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
     -D LIMBER=${SOURCE} -D LIMBER_UNITY=ON -D LIMBER_PRECOMPILE=ON)
step(${CMAKE_COMMAND} --build ${tree} --target turn)
step(${tree}/turn)
step(${CMAKE_COMMAND} --install ${tree} --prefix ${tree}/prefix) # installs nothing of limber's
if(EXISTS ${tree}/prefix)
  message(FATAL_ERROR "limber installed itself with the project around it: ${tree}/prefix")
endif()

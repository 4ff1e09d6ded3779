# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs this project with COMPILER, called NAME, against the package of the KIND, static or
# shared.  OPTIONS: of CMakeLists.txt, as -DNAME=VALUE,-DNAME=VALUE.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
if(NOT COMPILER)
  message("skipped: no ${NAME}")
  return()
endif()
set(tree ${work}/${NAME}-${KIND})
file(REMOVE_RECURSE ${tree})
set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_PREFIX_PATH=${work}/${KIND})
string(REPLACE "," ";" options "${OPTIONS}")

# Users of `dynamics` need none of the dependencies of other rooms.
foreach(package IN ITEMS HDF5 CLI11 yaml-cpp fmt ZLIB nlohmann_json SUNDIALS)
  list(APPEND others -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
step(${configure} -B ${tree} -D "COMPONENTS=dynamics ${KIND}" ${others} ${options})
step(${CMAKE_COMMAND} --build ${tree})
file(GLOB programs ${tree}/consumer ${tree}/consumer_*)
foreach(program IN LISTS programs)
  step(${program})
endforeach()
if(EXISTS ${tree}/load)
  step(${tree}/load ${tree}/libplugin.so)
endif()

# All rooms; missing dependencies are reported by name.
if(NOT EVERYTHING)
  return()
endif()
step(${configure} -B ${tree}-all -D EVERYTHING=ON)
step(${CMAKE_COMMAND} --build ${tree}-all)
step(${tree}-all/everything)
refused("no component .nosuch. is installed" ${configure} -B ${tree}-none -D COMPONENTS=nosuch)
if(KIND STREQUAL static)
  refused("no component .shared. is installed" ${configure} -B ${tree}-none -D COMPONENTS=shared)
  refused("HDF5" ${configure} -B ${tree}-none -D COMPONENTS=files -D CMAKE_DISABLE_FIND_PACKAGE_HDF5=ON)
endif()

# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Engines that `limber bench --peers` compares with, where they are installed: libmujoco-dev, libsimbody-dev.
include_guard()

# limber_peer(name headers libraries...): bench/<name>_arm.cpp in the program.
function(limber_peer name headers)
  string(TOUPPER ${name} upper)
  add_library(limber_${name} OBJECT ${PROJECT_SOURCE_DIR}/bench/${name}_arm.cpp)
  target_compile_features(limber_${name} PRIVATE cxx_std_17)
  set_target_properties(limber_${name} PROPERTIES CXX_STANDARD 17)
  target_include_directories(limber_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src SYSTEM PRIVATE ${headers})
  target_compile_options(limber_${name} PRIVATE -UNDEBUG -Wno-deprecated-declarations) # Simbody's package is built with its assertions, which are members of its classes
  target_link_libraries(limber_${name} PRIVATE fmt::fmt)
  target_sources(limber PRIVATE $<TARGET_OBJECTS:limber_${name}>)
  target_link_libraries(limber PRIVATE ${ARGN})
  target_compile_definitions(limber PRIVATE LIMBER_HAS_${upper})
endfunction()

find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  limber_peer(mujoco ${MUJOCO_INCLUDE_DIR} ${MUJOCO_LIBRARY})
else()
  message(STATUS "MuJoCo not found: limber bench --peers without it")
endif()

find_path(SIMBODY_INCLUDE_DIR Simbody.h PATH_SUFFIXES simbody)
find_library(SIMBODY_LIBRARY SimTKsimbody)
find_library(SIMBODY_MATH SimTKmath)
find_library(SIMBODY_COMMON SimTKcommon)
if(SIMBODY_INCLUDE_DIR AND SIMBODY_LIBRARY AND SIMBODY_MATH AND SIMBODY_COMMON)
  limber_peer(simbody ${SIMBODY_INCLUDE_DIR} ${SIMBODY_LIBRARY} ${SIMBODY_MATH} ${SIMBODY_COMMON})
else()
  message(STATUS "Simbody not found: limber bench --peers without it")
endif()

# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Engines that `limber bench --peers` compares with, where they are installed: libmujoco-dev, libsimbody-dev.
include_guard()

find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  target_include_directories(limber SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(limber PRIVATE ${MUJOCO_LIBRARY})
  target_compile_definitions(limber PRIVATE LIMBER_HAS_MUJOCO)
else()
  message(STATUS "MuJoCo not found: limber bench --peers without it")
endif()

find_path(SIMBODY_INCLUDE_DIR Simbody.h PATH_SUFFIXES simbody)
find_library(SIMBODY_LIBRARY SimTKsimbody)
find_library(SIMBODY_MATH SimTKmath)
find_library(SIMBODY_COMMON SimTKcommon)
if(SIMBODY_INCLUDE_DIR AND SIMBODY_LIBRARY AND SIMBODY_MATH AND SIMBODY_COMMON)
  target_include_directories(limber SYSTEM PRIVATE ${SIMBODY_INCLUDE_DIR})
  target_link_libraries(limber PRIVATE ${SIMBODY_LIBRARY} ${SIMBODY_MATH} ${SIMBODY_COMMON})
  target_compile_definitions(limber PRIVATE LIMBER_HAS_SIMBODY)
else()
  message(STATUS "Simbody not found: limber bench --peers without it")
endif()

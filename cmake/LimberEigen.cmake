# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber_lean_eigen(result): a copy of Eigen's headers with a shorter IndexedViewMethods.h (eigen/) and without reshapes, which
# limber does not use.  Each expression of Eigen is a class, and each class declares these members: a sixth of the time of
# the compilers goes there.  Layout and code of the types stay the same; users have Eigen as it is installed.
# docs/decisions/0030-make-test.md
include_guard()

function(limber_lean_eigen result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(installed Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  set(plugins Eigen/src/plugins)
  if(NOT Eigen3_VERSION VERSION_LESS 3.5 OR NOT EXISTS ${installed}/${plugins}/IndexedViewMethods.h)
    return() # another Eigen: as it is
  endif()
  set(lean ${CMAKE_BINARY_DIR}/eigen)
  if(NOT EXISTS ${lean}/complete OR ${installed}/Eigen/Core IS_NEWER_THAN ${lean}/complete)
    file(REMOVE_RECURSE ${lean})
    file(COPY ${installed}/Eigen ${installed}/unsupported DESTINATION ${lean})
    file(WRITE ${lean}/${plugins}/ReshapedMethods.h "")
    file(TOUCH ${lean}/complete)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/eigen/IndexedViewMethods.h ${lean}/${plugins}/IndexedViewMethods.h COPYONLY)
  set(${result} ${lean} PARENT_SCOPE)
endfunction()

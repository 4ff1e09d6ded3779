# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build tree BUILD as a static and as a shared package, and moves both: nothing may refer to the build
# tree, the source tree or the original prefix.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
foreach(kind IN ITEMS static shared)
  foreach(component IN ITEMS limber_headers limber_${kind})
    step(${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${work}/first/${kind})
  endforeach()
  file(RENAME ${work}/first/${kind} ${work}/${kind})
  file(GLOB_RECURSE texts ${work}/${kind}/*.cmake ${work}/${kind}/*.pc)
  foreach(text IN LISTS texts)
    file(READ ${text} content)
    foreach(place IN ITEMS ${BUILD} ${SOURCE} ${work}/first)
      string(FIND "${content}" "${place}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${text} names ${place}: it cannot be moved")
      endif()
    endforeach()
  endforeach()
endforeach()

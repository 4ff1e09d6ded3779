# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Every public header compiles alone, without a warning, and includes none of `detail`.  What nearly all of them include
# is parsed once.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(include ${work}/static/include)
set(tree ${work}/headers)
file(REMOVE_RECURSE ${tree})
file(WRITE ${tree}/common.hpp "")
foreach(name IN ITEMS Eigen/Core Eigen/Geometry memory string vector)
  file(APPEND ${tree}/common.hpp "#include <${name}>\n")
endforeach()
set(compile ${COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror -I${include} -isystem ${EIGEN})
step(${compile} -x c++-header ${tree}/common.hpp -o ${tree}/common.hpp.gch)

file(GLOB_RECURSE headers RELATIVE ${include} ${include}/limber/*.hpp)
list(FILTER headers EXCLUDE REGEX "/detail/")
list(LENGTH headers count)
if(count LESS 40)
  message(FATAL_ERROR "${count} public headers in ${include}: too few to be all")
endif()
set(alone ${tree}/alone.cpp)
foreach(header IN LISTS headers)
  file(STRINGS ${include}/${header} inner REGEX "#include.*/detail/")
  if(inner)
    message(FATAL_ERROR "${header}: ${inner}; what is in detail is not for users")
  endif()
  file(WRITE ${alone} "#include \"${header}\"\n#include \"${header}\"\n")
  step(${compile} -include ${tree}/common.hpp -fsyntax-only ${alone})
endforeach()
message("${count} public headers")

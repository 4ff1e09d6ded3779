# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# PROGRAM must succeed in a new folder, and print what the file EXPECTED says where there is one.
file(REMOVE_RECURSE ${PROGRAM}.run)
file(MAKE_DIRECTORY ${PROGRAM}.run)
execute_process(COMMAND ${PROGRAM} WORKING_DIRECTORY ${PROGRAM}.run OUTPUT_VARIABLE output RESULT_VARIABLE result)
set(expected "${output}")
if(EXISTS ${EXPECTED})
  file(READ ${EXPECTED} expected)
endif()
if(NOT result EQUAL 0 OR output STREQUAL "" OR NOT output STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} ended with ${result} and printed\n${output}instead of\n${expected}")
endif()

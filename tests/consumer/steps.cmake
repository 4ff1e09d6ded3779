# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Common parts of the consumer tests.  BUILD: limber's build tree.
set(work ${BUILD}/consumer)

# step(command...): must succeed; prints its output on failure.
function(step)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}\nended with: ${result}")
  endif()
endfunction()

# refused(pattern command...): must fail with a message that matches the pattern.
function(refused pattern)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(result EQUAL 0 OR NOT output MATCHES "${pattern}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}\nshould fail with: ${pattern}")
  endif()
endfunction()

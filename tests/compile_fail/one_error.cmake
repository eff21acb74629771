# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles SOURCE by COMMAND, which must fail by one error alone, with REASON in its words.
execute_process(COMMAND ${COMMAND} ${SOURCE} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
string(REGEX MATCHALL "error: " errors "${output}")
list(LENGTH errors count)
string(FIND "${output}" "${REASON}" found)
if(NOT count EQUAL 1 OR found EQUAL -1)
  message(FATAL_ERROR "${count} errors, where one with \"${REASON}\" is meant:\n${output}")
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D PROGRAM=<program> -D ARGUMENTS=<a;b> -D EXPECTED=<file> -P same_output.cmake
# The program ends with 0, and its output is that file, to the byte.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE exit_code OUTPUT_VARIABLE output ERROR_VARIABLE error)
file(READ ${EXPECTED} expected)
if(NOT exit_code STREQUAL 0 OR NOT output STREQUAL expected OR NOT error STREQUAL "")
  message(FATAL_ERROR "expected\n${expected}\ngot exit code ${exit_code} and\n${output}${error}")
endif()

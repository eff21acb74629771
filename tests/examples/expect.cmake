# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a program and checks its exit code, lines of its output and its error message:
#
#   cmake -DPROGRAM=... -DARGUMENTS=a;b -DEXIT_CODE=0 -DOUTPUT=line;line -DERROR=text -DERROR_ANY=no -P expect.cmake
#
# Each OUTPUT is a whole line, in which repeated spaces count as one. ERROR is the end of the error output's first line;
# without it that output must be empty; with ERROR_ANY it must not be empty.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS}
  RESULT_VARIABLE exit_code OUTPUT_VARIABLE output ERROR_VARIABLE error)
string(APPEND said "exit code ${exit_code}\n${output}${error}")

if(NOT exit_code STREQUAL EXIT_CODE)
  message(FATAL_ERROR "expected exit code ${EXIT_CODE}, got ${said}")
endif()
string(REGEX REPLACE " +" " " lines "\n${output}")
string(REGEX REPLACE "\n " "\n" lines "${lines}")
foreach(line IN LISTS OUTPUT)
  string(FIND "${lines}" "\n${line}\n" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "expected the line '${line}', got ${said}")
  endif()
endforeach()
if(ERROR_ANY AND error STREQUAL "")
  message(FATAL_ERROR "expected an error message, got ${said}")
elseif(NOT ERROR_ANY)
  string(REGEX REPLACE "\n.*" "" error_line "${error}")
  string(LENGTH "${error_line}" length)
  string(LENGTH "${ERROR}" expected_length)
  math(EXPR begin "${length} - ${expected_length}")
  if(begin LESS 0 OR (ERROR STREQUAL "" AND length GREATER 0))
    message(FATAL_ERROR "expected the error '${ERROR}', got ${said}")
  endif()
  string(SUBSTRING "${error_line}" ${begin} -1 error_end)
  if(NOT error_end STREQUAL ERROR)
    message(FATAL_ERROR "expected the error '${ERROR}', got ${said}")
  endif()
endif()

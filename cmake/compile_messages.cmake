# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D OUTPUT=<file> -P compile_messages.cmake -- <compiler> <argument>...
# Runs the compiler, which must refuse what it is given, and writes its messages to OUTPUT.
cmake_minimum_required(VERSION 3.25)
set(command "")
set(in_command OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  if(in_command)
    list(APPEND command "${CMAKE_ARGV${index}}")
  elseif(CMAKE_ARGV${index} STREQUAL "--")
    set(in_command ON)
  endif()
endforeach()
execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_FILE ${OUTPUT} ERROR_FILE ${OUTPUT})
if(result EQUAL 0)
  message(FATAL_ERROR "It compiles: ${command}")
endif()

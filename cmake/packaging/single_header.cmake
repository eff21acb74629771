# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D INCLUDE_DIRECTORY=<include/> -D OUTPUT=<file> [-D HEADERS=<header>;<header>...] -P single_header.cmake
# Writes one header that stands for HEADERS, by default warpfold/warpfold.cuh, and for all that they include of this project.
#
# Each header takes the place of the first line that includes it. So the emulator stands where config.hpp includes it, under
# `#if !defined(__CUDACC__)`: one file serves nvcc and, with WARPFOLD_EMULATOR, a plain C++20 compiler. Headers of other
# libraries stay included.
cmake_minimum_required(VERSION 3.25)
cmake_path(ABSOLUTE_PATH INCLUDE_DIRECTORY)
if(NOT HEADERS)
  set(HEADERS warpfold/warpfold.cuh)
endif()
set(own_include "\n *# *include *<((warpfold|cuda_emulator)/[^>]+)>")

# Sets `result` to how many conditions are open at the end of `text`.
function(count_open_conditions text result)
  string(REGEX MATCHALL "\n *# *if" opened "${text}")
  string(REGEX MATCHALL "\n *# *endif" closed "${text}")
  list(LENGTH opened opened)
  list(LENGTH closed closed)
  math(EXPR open "${opened} - ${closed}")
  set(${result} ${open} PARENT_SCOPE)
endfunction()

# Appends a header to the global property `single_header`. `depth`: how many conditions are open in the headers around it.
# Nothing here may become a list: the text is full of brackets and semicolons.
function(append_header header depth)
  get_property(known GLOBAL PROPERTY depth_of_${header})
  if(NOT "${known}" STREQUAL "")
    if(known GREATER depth)
      message(FATAL_ERROR "${header} is first included under a condition, and later without it")
    endif()
    return()
  endif()
  set_property(GLOBAL PROPERTY depth_of_${header} ${depth})
  file(READ ${INCLUDE_DIRECTORY}/${header} text)
  string(REGEX REPLACE "\n#pragma once[^\n]*" "" text "\n${text}")
  string(REPLACE "\n// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" "" text "${text}")

  set_property(GLOBAL APPEND_STRING PROPERTY single_header "\n// ---- ${header}")
  string(REGEX MATCHALL "${own_include}" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "${own_include}" _ "${line}")
    set(included ${CMAKE_MATCH_1})
    string(FIND "${text}" "${line}" place)
    string(LENGTH "${line}" length)
    string(SUBSTRING "${text}" 0 ${place} before)
    math(EXPR place "${place} + ${length}")
    string(SUBSTRING "${text}" ${place} -1 text)
    set_property(GLOBAL APPEND_STRING PROPERTY single_header "${before}")
    count_open_conditions("${before}" open)
    math(EXPR depth "${depth} + ${open}")
    append_header(${included} ${depth})
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY single_header "${text}")
endfunction()

file(READ ${INCLUDE_DIRECTORY}/warpfold/version.hpp version)
set(numbers "")
foreach(part IN ITEMS MAJOR MINOR PATCH)
  string(REGEX MATCH "VERSION_${part} ([0-9]+)" _ "${version}")
  list(APPEND numbers ${CMAKE_MATCH_1})
endforeach()
list(JOIN numbers "." version)
foreach(header IN LISTS HEADERS)
  append_header(${header} 0)
endforeach()
get_property(text GLOBAL PROPERTY single_header)
string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
list(JOIN HEADERS ", " headers)
string(PREPEND text "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warpfold ${version}, generated: ${headers} and all that this includes, in one file. Use it instead of the folder of
// headers, never together with it.
#pragma once
")
file(WRITE ${OUTPUT} "${text}")

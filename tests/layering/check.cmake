# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D INCLUDE_DIRECTORY=<include/> -P check.cmake
# Includes go strictly downward through these layers, within a folder as they like; a header keeps to its length.
#
#   public -> warpfold_strategies -> {reduce, segmented, by_key, scan, segmented_scan, axes, exact, quantifiers, top_k, host_memory}
#          -> segments -> host -> grid -> block -> warp -> thread -> arch -> config
#
# A feature (the folders in braces) never includes another one. The sources' strategies, in a folder beside warpfold/,
# may include features. The emulator knows nothing of Warpfold.
cmake_minimum_required(VERSION 3.25)
cmake_path(ABSOLUTE_PATH INCLUDE_DIRECTORY)

# Every header belongs to the first layer whose pattern it matches.
set(layers
  "0:(version|standard)[.]hpp"
  "1:config[.]hpp"
  "2:arch/.*|(conversion|int128)[.]hpp"
  "3:(operators|equal_to|folded_type|stream_argument|item_count)[.]hpp"
  "4:operator_traits[.]hpp"
  "5:thread/.*|(iterators|narrowing)[.]hpp"
  "6:warp/.*"
  "7:block/.*|fused[.]hpp"
  "8:error[.]hpp|canonical_tree[.]hpp|options[.]hpp|(arg|vector)_operators[.]hpp"
  "9:(arg_by_operators|call_options|segments|log_sum_exp_operator|moments_of|strided|top_k_operators)[.]hpp"
  "9:grid/.*|outputs[.]hpp"
  "10:host/.*|canonical_nodes[.]hpp"
  "11:segments/.*"
  "12:(reduce|segmented|by_key|scan|segmented_scan|axes|exact|quantifiers|top_k|host_memory)/.*|fuse[.]hpp"
  "13:warpfold_strategies/.*|statistics[.]hpp"
  "14:workspace[.]cuh"
  "16:(arg_reduce_by|device_count|host_memory|quantifiers|scan_axes|top_k_axes|vector_reductions)[.]cuh"
  "17:(accumulation|arg_reduce|device_count_(axes|by_key|scan|scan_axes|scan_by_key)|host_memory_(scan|segments))[.]cuh"
  "17:ranks/.*"
  "18:(ranks|warpfold)[.]cuh"
  "19:ranks_(axes|by_key|scan|segments)[.]cuh"
  "15:[^/]*[.](cuh|hpp)")
# What runs inside a user's kernel knows nothing of the host.
set(device_layers 2 3 4 5 6 7 9)
set(host_headers
  "cuda_runtime|atomic|chrono|cstdio|exception|iostream|map|memory|mutex|source_location|sstream|stdexcept|string|thread|unordered_map|vector")
set(length_limit 300)
set(column_limit 120)

set(mistakes "")
macro(mistake text)
  string(APPEND mistakes "  ${header}:${number}: ${text}\n")
endmacro()

# Sets `text` to the file's, and `lines` to its lines.
macro(read_lines file)
  file(READ ${file} text)
  string(REGEX REPLACE "[][;\\]" "|" text "${text}")  # these mean something in a list, and nothing in an include line
  string(REGEX REPLACE "\n$" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
endmacro()

macro(check_columns line_text)
  string(LENGTH "${line_text}" columns)
  if(columns GREATER column_limit)
    mistake("has ${columns} columns, more than ${column_limit}")
  endif()
endmacro()

function(layer_of header result)
  foreach(entry IN LISTS layers)
    string(REGEX MATCH "^([0-9]+):(.*)$" _ "${entry}")
    set(layer ${CMAKE_MATCH_1})
    if(header MATCHES "^(${CMAKE_MATCH_2})$")
      set(${result} ${layer} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} none PARENT_SCOPE)
endfunction()

function(folder_of header result)
  cmake_path(GET header PARENT_PATH folder)
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE headers RELATIVE ${INCLUDE_DIRECTORY}
  ${INCLUDE_DIRECTORY}/warpfold/* ${INCLUDE_DIRECTORY}/warpfold_strategies/*)
list(FILTER headers EXCLUDE REGEX "[.]md$")
foreach(path IN LISTS headers)
  string(REGEX REPLACE "^warpfold/" "" header ${path})
  set(number 1)
  layer_of(${header} layer)
  folder_of(${header} folder)
  if(layer STREQUAL none)
    mistake("belongs to no layer")
    continue()
  endif()

  read_lines(${INCLUDE_DIRECTORY}/${path})
  list(LENGTH lines line_count)
  if(line_count GREATER length_limit)
    mistake("has ${line_count} lines, more than ${length_limit}")
  endif()
  if(NOT text MATCHES "#pragma once")
    mistake("has no #pragma once")
  endif()

  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    check_columns("${line}")
    if(NOT line MATCHES "^ *# *include *[<\"]([^>\"]+)[>\"]")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})
    if(included MATCHES "^(cub|thrust)/")
      mistake("includes ${included}: CUB and Thrust are for bench/ only")
    elseif(included STREQUAL cuda/atomic)
      mistake("includes cuda/atomic, which costs every user seconds of compile time")
    elseif(layer IN_LIST device_layers AND included MATCHES "^(${host_headers})(_api)?([.]h)?$")
      mistake("includes ${included}: device layers include no host API")
    elseif(included MATCHES "^warpfold(_strategies)?/")
      set(included_path ${included})
      string(REGEX REPLACE "^warpfold/" "" included ${included})
      layer_of(${included} included_layer)
      folder_of(${included} included_folder)
      if(NOT EXISTS ${INCLUDE_DIRECTORY}/${included_path})
        mistake("includes ${included_path}, which does not exist")
      elseif(NOT (included_layer LESS layer OR (folder AND folder STREQUAL included_folder)))
        mistake("includes ${included_path}, which is not below it")
      endif()
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE emulator_headers RELATIVE ${INCLUDE_DIRECTORY}/cuda_emulator ${INCLUDE_DIRECTORY}/cuda_emulator/*.hpp)
foreach(header IN LISTS emulator_headers)
  read_lines(${INCLUDE_DIRECTORY}/cuda_emulator/${header})
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    check_columns("${line}")
    if(line MATCHES "^ *# *include *[<\"]warpfold(_strategies)?/")
      mistake("includes Warpfold, of which the emulator knows nothing")
    endif()
  endforeach()
endforeach()

list(LENGTH headers count)
if(mistakes OR count EQUAL 0)
  message(FATAL_ERROR "${count} headers checked in ${INCLUDE_DIRECTORY}/warpfold:\n${mistakes}")
endif()
message(STATUS "${count} headers keep to their layers")

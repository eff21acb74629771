# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D OUTPUT=<file> -D FILES=<test>;<test>... -P test_unit.cmake
# Writes one translation unit of several test files. Each file stands in a namespace of its own, after everything that any of
# them includes. So no include line may depend on a condition. A file that specialises a template of the library stands
# last, outside any namespace.
cmake_minimum_required(VERSION 3.25)
set(includes "")
set(bodies "")
set(global_bodies "")
foreach(file IN LISTS FILES)
  cmake_path(GET file PARENT_PATH folder)
  file(STRINGS ${file} lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "\"(.*)\"" _ "${line}")
    if(CMAKE_MATCH_1 AND EXISTS ${folder}/${CMAKE_MATCH_1})  # beside the test
      set(line "#include \"${folder}/${CMAKE_MATCH_1}\"")
    endif()
    list(APPEND includes "${line}")
  endforeach()
  file(STRINGS ${file} specialisations REGEX "^template <> [a-z ]*(warpfold|std)::")
  if(specialisations)
    string(APPEND global_bodies "\n#include \"${file}\"\n")
    continue()
  endif()
  cmake_path(GET folder FILENAME folder_name)
  cmake_path(GET file STEM name)
  string(APPEND bodies "\nnamespace ${folder_name}_${name}_cu {\n"
    "namespace wf_test { using namespace ::wf_test; }\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${OUTPUT} "${includes}\nnamespace wf_test {}\n${bodies}${global_bodies}")

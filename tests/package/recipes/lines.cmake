# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D SOURCE=<project> -D WORK=<directory> -P lines.cmake -- <option of CMake>...
# The lines of CMake that cmake/packaging/README.md shows work in a project, with the sources here for those they would fetch.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../script.cmake)
file(READ ${SOURCE}/cmake/packaging/README.md readme)
string(REGEX MATCHALL "\n```cmake\n[^`]+" blocks "${readme}")
list(LENGTH blocks count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${count} blocks of CMake; this expects FetchContent's and CPM's")
endif()
file(REMOVE_RECURSE ${WORK})
set(number 0)
foreach(block IN LISTS blocks)
  string(REGEX REPLACE "^\n```cmake\n" "" block "${block}")
  math(EXPR number "${number} + 1")
  # CPM takes the same variable as a folder to use instead of a download, if it is there; this does no more.
  file(WRITE ${WORK}/${number}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(lines LANGUAGES CXX)
macro(CPMAddPackage package)
  add_subdirectory(${SOURCE} warpfold)
endmacro()
add_executable(app main.cpp)
${block}
if(NOT TARGET warpfold::warpfold)
  message(FATAL_ERROR \"no target\")
endif()
")
  file(WRITE ${WORK}/${number}/main.cpp "int main() {}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/${number} -B ${WORK}/${number}/build
    -DFETCHCONTENT_SOURCE_DIR_WARPFOLD=${SOURCE} -DFETCHCONTENT_FULLY_DISCONNECTED=ON ${options} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

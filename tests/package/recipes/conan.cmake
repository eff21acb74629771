# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D RECIPE=<folder> -D VERSION=<version> -D PYTHON=<program> -D CONAN=<program, or empty> -D PREFIX=<an installed
#       Warpfold> -D WORK=<directory> -P conan.cmake -- <option of CMake>...
# Makes the package and builds the recipe's own test: by Conan if it is here, else by what stands in for it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../script.cmake)
if(CONAN)
  set(ENV{CONAN_HOME} ${WORK}/home)
  execute_process(COMMAND ${CONAN} profile detect --force OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${CONAN} create ${RECIPE} --version ${VERSION} --no-remote
    -s build_type=Debug -s compiler.cppstd=20 COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/conan_stand_in.py ${RECIPE} ${VERSION} ${WORK}
  COMMAND_ERROR_IS_FATAL ANY)
expect_same_tree(${WORK}/package/include ${PREFIX}/include)
if(NOT EXISTS ${WORK}/package/licenses/LICENSE)
  message(FATAL_ERROR "the package has no licence")
endif()
set(build ${WORK}/build)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${RECIPE}/test_package -B ${build} -Dwarpfold_DIR=${WORK}/generators ${options}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${build}/test_package COMMAND_ERROR_IS_FATAL ANY)

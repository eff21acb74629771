# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D PKG_CONFIG=<program> -D PREFIX=<an installed Warpfold> -D VERSION=<version> -D COMPILER=<C++ compiler>
#       -D SOURCE=<file> -D TOOLKIT=<directory> -D WORK=<directory> -P pkg_config.cmake
# The files for pkg-config are valid, find the headers wherever the tree lies, and build a program for the CPU.
cmake_minimum_required(VERSION 3.25)
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/share/pkgconfig)
function(ask result)
  execute_process(COMMAND ${PKG_CONFIG} --print-errors ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

foreach(name IN ITEMS warpfold warpfold-emulator)
  ask(_ --validate ${name})
  ask(version --modversion ${name})
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "${name} has the version ${version}, not ${VERSION}")
  endif()
endforeach()
ask(include --variable=includedir warpfold)
cmake_path(NORMAL_PATH include)
if(NOT include STREQUAL "${PREFIX}/include")
  message(FATAL_ERROR "the headers are in ${PREFIX}/include, not in ${include}")
endif()

file(MAKE_DIRECTORY ${WORK})
ask(flags --cflags --libs --define-variable=cuda=${TOOLKIT} warpfold-emulator)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${COMPILER} -std=c++20 -x c++ ${SOURCE} -x none ${flags} -o program
  WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ./program WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)

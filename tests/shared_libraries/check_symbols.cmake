# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D NM=<nm> -D LIBRARY=<file> -P check_symbols.cmake
# A library that uses Warpfold exports nothing of it but what the catching of its exceptions needs. (The emulator is
# one machine for the whole process, so its own symbols are shared.)
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} --dynamic --defined-only --demangle ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "sum_with_offset")
  message(FATAL_ERROR "${LIBRARY} does not export its own function: is this the right file?\n${symbols}")
endif()
string(REGEX REPLACE "[][;\\]" "" symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
list(FILTER symbols INCLUDE REGEX "warpfold::")
list(FILTER symbols EXCLUDE REGEX " (typeinfo|typeinfo name|vtable) for warpfold::[a-z0-9_:]*error$")
list(FILTER symbols EXCLUDE REGEX "warpfold::emulator::")
if(symbols)
  list(JOIN symbols "\n" symbols)
  message(FATAL_ERROR "${LIBRARY} exports symbols that belong to Warpfold:\n${symbols}")
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D NM=<nm> -D LIBRARY=<file> -P check_symbols.cmake
# A library that uses Warpfold exports no kernels, and no functions that launch or cache. It may export functions that only
# compute, symbols for catching exceptions, instantiations of std::, and the emulator, of which a process has one.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} --dynamic --defined-only --demangle ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "sum_with_offset" OR NOT symbols MATCHES "typeinfo for warpfold::cuda_error")
  message(FATAL_ERROR "${LIBRARY} does not export what it should: is this the right file?\n${symbols}")
endif()
string(REGEX REPLACE "[][;\\]" "" symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "cuda_emulator::|^[0-9a-f]+ . ([a-z]+ )?std::")
list(FILTER symbols EXCLUDE REGEX "warpfold::host_side::(check_[a-z_]*|current_device|device_attribute)[(<]")
set(hidden_version "v[0-9]+[a-z0-9_]*::")
list(FILTER symbols INCLUDE REGEX
  "_kernel[<(]|guard variable for warpfold::|warpfold::([a-z_]+::)?${hidden_version}|warpfold::(host|reduction|segmented|by_key|strategies)::|warpfold::[a-z_]*(reduce|launch|workspace)[a-z_]*[<(:]")
if(symbols)
  list(JOIN symbols "\n" symbols)
  message(FATAL_ERROR "${LIBRARY} exports what must stay its own:\n${symbols}")
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How Warpfold's own programs are declared:
#
#   warpfold_add_test(name SOURCES file... [LABELS label...] [EXTENDED_LAMBDA] [LIBRARIES target...])
#   warpfold_add_bench(name SOURCES file...)
#   warpfold_add_example(name SOURCES file... [EXTENDED_LAMBDA])
#
# A .cu file is CUDA on the GPU backend and C++ on the emulator. Strict warnings are these targets' alone.

function(warpfold_configure_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg EXTENDED_LAMBDA "" "")
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror>)
  if(WARPFOLD_USE_EMULATOR)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE warpfold::emulator)
  else()
    target_link_libraries(${name} PRIVATE warpfold::warpfold CUDA::toolkit)
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror>")
    if(arg_EXTENDED_LAMBDA)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)
    endif()
  endif()
endfunction()

function(warpfold_flag result value)
  if(value)
    set(${result} EXTENDED_LAMBDA PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

function(warpfold_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg EXTENDED_LAMBDA "" "SOURCES;LABELS;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  warpfold_flag(flag "${arg_EXTENDED_LAMBDA}")
  warpfold_configure_target(${name} ${flag})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()

function(warpfold_add_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg EXTENDED_LAMBDA "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  warpfold_flag(flag "${arg_EXTENDED_LAMBDA}")
  warpfold_configure_target(${name} ${flag})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} benchmark::benchmark)
endfunction()

function(warpfold_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg EXTENDED_LAMBDA "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  warpfold_flag(flag "${arg_EXTENDED_LAMBDA}")
  warpfold_configure_target(${name} ${flag})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
endfunction()

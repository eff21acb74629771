# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How Warpfold's own programs are declared:
#
#   warpfold_add_test(name SOURCES file... [LABELS label...] [LIBRARIES target...] [EXTENDED_LAMBDA] [OWN_HEADERS])
#   warpfold_add_bench(name SOURCES file... [LIBRARIES target...] [EXTENDED_LAMBDA])
#   warpfold_add_example(name SOURCES file... [LIBRARIES target...] [EXTENDED_LAMBDA])
#
# A .cu file is CUDA on the GPU backend and C++ on the emulator.

# Warnings are errors here, and here only: those who link Warpfold get none of these flags.
set(warpfold_warnings -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warpfold_warnings -Wno-restrict)  # a false alarm at "text" + std::string, GCC's bug 105651
endif()

function(warpfold_set_backend name)
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warpfold_warnings}>")
  if(WARPFOLD_USE_EMULATOR)
    get_target_property(sources ${name} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cu$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE warpfold::emulator)
  else()
    list(JOIN warpfold_warnings "," host_warnings)
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=${host_warnings}>")
    target_link_libraries(${name} PRIVATE warpfold::warpfold CUDA::toolkit)
  endif()
endfunction()

function(warpfold_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA;OWN_HEADERS" "" "SOURCES;LABELS;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  warpfold_set_backend(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  if(arg_EXTENDED_LAMBDA)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)
  endif()
endfunction()

# Nothing for the tests in `tests_left_out`. OWN_HEADERS: without the precompiled headers, where it matters what is defined
# or included first.
function(warpfold_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA;OWN_HEADERS" "" "SOURCES;LABELS;LIBRARIES")
  if(name IN_LIST tests_left_out)
    return()
  endif()
  warpfold_add_program(${name} ${ARGN} LIBRARIES GTest::gtest_main)
  if(TARGET precompiled AND NOT arg_OWN_HEADERS)
    target_precompile_headers(${name} REUSE_FROM precompiled)
  endif()
  # Listed when ctest starts, so that a build without a GPU runs nothing.
  gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  if(arg_LABELS)  # its own LABELS property would lose all labels but the first
    set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(WRITE ${labels_file}
      "foreach(test IN LISTS ${name}_TESTS)\n  set_tests_properties(\${test} PROPERTIES LABELS \"${arg_LABELS}\")\nendforeach()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels_file})
  endif()
endfunction()

function(warpfold_add_bench name)
  warpfold_add_program(${name} ${ARGN} LIBRARIES benchmark::benchmark)
endfunction()

function(warpfold_add_example name)
  warpfold_add_program(${name} ${ARGN})
endfunction()

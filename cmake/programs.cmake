# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How Warpfold's own programs are declared:
#
#   warpfold_add_tests(program FILES glob... [UNITS count] [LABEL label] [EXTENDED_LAMBDA] [LEFT_OUT] [UNSANITIZED])
#   warpfold_add_test(name SOURCES file... [LABEL label] [LIBRARIES target...] [OWN_HEADERS] [UNSANITIZED])
#   warpfold_add_compile_test(name SOURCE file [DEFINITIONS macro...] [ANSWER regex] [PRECOMPILED])
#   warpfold_add_refused_source(name SOURCE file DEFINITIONS macro... [PRECOMPILED])
#   warpfold_add_message_test(name REFUSED name ANSWER regex)
#   warpfold_add_bench(name SOURCES file... [LIBRARIES target...] [EXTENDED_LAMBDA])
#   warpfold_add_example(name SOURCES file... [LIBRARIES target...] [EXTENDED_LAMBDA])
#
# A .cu file is CUDA on the GPU backend and C++ on the emulator.

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
  # For precompiled headers, ccache needs a compiler option and must ignore their defines and times.
  set(ccache ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${ccache})
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# GCC collects no garbage below 1 GB of memory, which takes a sixth off its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=1000;--param=ggc-min-heapsize=1000000>")
endif()

# Warnings are errors here, and here only: those who link Warpfold get none of these flags.
set(warpfold_warnings -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warpfold_warnings -Wno-restrict)  # a false alarm at "text" + std::string, GCC's bug 105651
endif()

# AddressSanitizer, except for variables on the stack, and UndefinedBehaviorSanitizer: for all tests that are not UNSANITIZED.
# tests/CMakeLists.txt says which ON and KERNELS leave out. KERNELS also leaves out the messages of undefined behaviour, which
# are a third of the compiler's work: the program stops with SIGILL, and the same test under ON says why. And it leaves out
# the overflow of pointers, a seventh of the work: AddressSanitizer sees the accesses.
set(WARPFOLD_SANITIZE OFF CACHE STRING
  "Build the tests under AddressSanitizer and UndefinedBehaviorSanitizer, in the emulator: OFF, KERNELS or ON")
set_property(CACHE WARPFOLD_SANITIZE PROPERTY STRINGS OFF KERNELS ON)
# In that mode, which is CI's, tests are left out that .github/TESTS.md lists.
set(time_is_short OFF)
if(WARPFOLD_SANITIZE STREQUAL KERNELS AND WARPFOLD_USE_EMULATOR)
  set(time_is_short ON)
endif()
function(warpfold_sanitize name)
  if(WARPFOLD_SANITIZE AND WARPFOLD_USE_EMULATOR)
    set(checks -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr)
    target_compile_options(${name} PRIVATE ${checks} -fno-sanitize-recover=all -fno-omit-frame-pointer --param=asan-stack=0)
    if(WARPFOLD_SANITIZE STREQUAL KERNELS)
      target_compile_options(${name} PRIVATE -fsanitize-undefined-trap-on-error -fno-sanitize=pointer-overflow)
    endif()
    target_link_options(${name} PRIVATE ${checks})
  endif()
endfunction()

option(WARPFOLD_SPLIT_ACCESSES "In the emulator, threads switch between plain accesses, too; not with WARPFOLD_SANITIZE" OFF)
function(warpfold_set_backend name)
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warpfold_warnings}>")
  if(WARPFOLD_USE_EMULATOR)
    get_target_property(sources ${name} SOURCES)
    list(FILTER sources INCLUDE REGEX "[.]cu$")
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE warpfold::emulator)
    if(WARPFOLD_SPLIT_ACCESSES)
      _cuda_emulate_split_accesses(${name})
    elseif(CUDA_EMULATOR_RACES)
      _cuda_emulate_races(${name})
    endif()
  else()
    list(JOIN warpfold_warnings "," host_warnings)
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=${host_warnings}>")
    target_link_libraries(${name} PRIVATE warpfold::warpfold CUDA::toolkit)
  endif()
endfunction()

function(warpfold_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA;OWN_HEADERS;UNSANITIZED" "LABEL" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  warpfold_set_backend(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  if(arg_EXTENDED_LAMBDA)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)
  endif()
endfunction()

# OWN_HEADERS: without the precompiled headers, where it matters what is defined or included first.
function(warpfold_set_up_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_HEADERS;UNSANITIZED" "" "")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set(precompiled precompiled)
  if(NOT arg_UNSANITIZED)
    warpfold_sanitize(${name})
    if(TARGET precompiled_sanitized)
      set(precompiled precompiled_sanitized)
    endif()
  endif()
  if(TARGET ${precompiled} AND NOT arg_OWN_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${precompiled})
  endif()
endfunction()

# Adds the cases of a program to ctest, as program/suite.case, with a label if one is given. A run of everything,
# `ctest -C Whole -E /`, runs the program in four processes instead: starting a process takes longer than most cases.
function(warpfold_discover_tests name)
  set(properties TIMEOUT 600)
  if(ARGN)
    list(APPEND properties LABELS ${ARGN})
    set_property(GLOBAL APPEND PROPERTY warpfold_programs_labelled_${ARGN} ${name})
  endif()
  # Listed when ctest starts, so that a build without a GPU runs nothing.
  gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
  foreach(shard RANGE 3)
    add_test(NAME ${name}.shard_${shard} COMMAND ${name} --gtest_brief=1 CONFIGURATIONS Whole)
    set_tests_properties(${name}.shard_${shard} PROPERTIES ${properties}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

function(warpfold_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_HEADERS;UNSANITIZED" "LABEL" "SOURCES;LIBRARIES")
  warpfold_add_program(${name} ${ARGN} LIBRARIES GTest::gtest_main)
  set(options "")
  foreach(option IN ITEMS OWN_HEADERS UNSANITIZED)
    if(arg_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  warpfold_set_up_test(${name} ${options})
  warpfold_discover_tests(${name} ${arg_LABEL})
endfunction()

# Writes one translation unit of several test files: test_unit.cmake says how.
function(warpfold_write_unit source)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${source} "-DFILES=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/test_unit.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/test_unit.cmake VERBATIM)
endfunction()

# A program of the test files that match the globs and that no call before this one took. They are compiled as `count` units
# (1 if not said), because a unit parses headers and instantiates kernels once for all its files. WARPFOLD_TEST_UNITS=OFF
# makes each file a unit. Further calls add units to the same program.
#
# Each file is also a program of its own, folder_name_test, which only people build.
function(warpfold_add_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA;LEFT_OUT;UNSANITIZED" "UNITS;LABEL" "FILES")
  list(TRANSFORM arg_FILES PREPEND ${PROJECT_SOURCE_DIR}/tests/)
  file(GLOB files CONFIGURE_DEPENDS ${arg_FILES})
  get_property(taken GLOBAL PROPERTY warpfold_test_files)
  list(REMOVE_ITEM files ${taken})
  if(NOT files)
    message(FATAL_ERROR "No test file is left for the program ${program}: ${arg_FILES}")
  endif()
  set_property(GLOBAL APPEND PROPERTY warpfold_test_files ${files})
  set(options "")
  if(arg_EXTENDED_LAMBDA)
    set(options EXTENDED_LAMBDA)
  endif()
  set(unsanitized "")
  if(arg_UNSANITIZED)
    set(unsanitized UNSANITIZED)
  endif()
  foreach(file IN LISTS files)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
    string(REGEX REPLACE "[.](cu|cpp)$" "" name ${name})
    string(REPLACE "/" "_" name ${name})
    warpfold_add_program(${name} SOURCES ${file} LIBRARIES GTest::gtest_main ${options})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    warpfold_set_up_test(${name} ${unsanitized})
  endforeach()
  if(arg_LEFT_OUT)
    return()
  endif()

  list(LENGTH files count)
  if(NOT arg_UNITS)
    set(arg_UNITS 1)
  endif()
  if(arg_UNITS GREATER count OR NOT WARPFOLD_TEST_UNITS)
    set(arg_UNITS ${count})
  endif()
  if(NOT TARGET ${program})
    warpfold_add_program(${program} SOURCES "" LIBRARIES GTest::gtest_main ${options})
    target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # of included files
    warpfold_set_up_test(${program} ${unsanitized})
    warpfold_discover_tests(${program} ${arg_LABEL})
  endif()
  get_property(unit TARGET ${program} PROPERTY warpfold_units)
  foreach(first RANGE 1 ${arg_UNITS})
    set(unit_files "")
    math(EXPR index "${first} - 1")
    while(index LESS count)
      list(GET files ${index} file)
      list(APPEND unit_files ${file})
      math(EXPR index "${index} + ${arg_UNITS}")
    endwhile()
    math(EXPR unit "0${unit} + 1")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${program}_${unit}.cu)
    warpfold_write_unit(${source} ${unit_files})
    target_sources(${program} PRIVATE ${source})
    if(WARPFOLD_USE_EMULATOR)
      set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
    endif()
  endforeach()
  set_property(TARGET ${program} PROPERTY warpfold_units ${unit})
endfunction()

# Sets `out` to a command line that compiles the source that is appended to it. Without the build tool, several can run at a
# time. PRECOMPILED: with the tests' precompiled headers.
function(warpfold_compile_command out name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "PRECOMPILED" "" "DEFINITIONS")
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  if(arg_PRECOMPILED AND TARGET precompiled)
    list(APPEND arg_DEFINITIONS @${PROJECT_BINARY_DIR}/tests/precompiled_options)
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(includes -I${PROJECT_SOURCE_DIR}/include)
  if(WARPFOLD_USE_EMULATOR)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
    foreach(directory IN LISTS CUDAToolkit_INCLUDE_DIRS)
      list(APPEND includes -isystem ${directory}/cccl -isystem ${directory})
    endforeach()
    set(command ${CMAKE_CXX_COMPILER} ${flags} ${warpfold_warnings} -std=gnu++20 -fsyntax-only -DWARPFOLD_EMULATOR ${includes}
      -x c++)
  else()
    set(architecture native)
    if(CMAKE_CUDA_ARCHITECTURES MATCHES "^([0-9]+)")
      set(architecture sm_${CMAKE_MATCH_1})
    endif()
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
    set(command ${CMAKE_CUDA_COMPILER} ${flags} -std=c++20 --extended-lambda -arch=${architecture} ${includes}
      -c -o ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  endif()
  set(${out} ${command} ${arg_DEFINITIONS} PARENT_SCOPE)
endfunction()

# A test that compiles a file: without ANSWER it must compile, with ANSWER the compiler's messages must match that.
function(warpfold_add_compile_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;ANSWER" "")
  cmake_path(ABSOLUTE_PATH arg_SOURCE)
  warpfold_compile_command(command ${name} ${arg_UNPARSED_ARGUMENTS})
  add_test(NAME ${name} COMMAND ${command} ${arg_SOURCE})
  set_tests_properties(${name} PROPERTIES LABELS build TIMEOUT 300)
  if(arg_ANSWER)
    set_tests_properties(${name} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_ANSWER}")
  endif()
endfunction()

# A test that compiles a file of several mistakes, once for all message tests of that name: each looks for its mistake's
# message. Compiling them one by one would mostly repeat the same work.
function(warpfold_add_refused_source name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "")
  cmake_path(ABSOLUTE_PATH arg_SOURCE)
  warpfold_compile_command(command ${name} ${arg_UNPARSED_ARGUMENTS})
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -D OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${name}.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/compile_messages.cmake -- ${command} ${arg_SOURCE})
  set_tests_properties(${name} PROPERTIES LABELS build TIMEOUT 300 FIXTURES_SETUP ${name})
endfunction()
function(warpfold_add_message_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "REFUSED;ANSWER" "")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E cat ${CMAKE_CURRENT_BINARY_DIR}/${arg_REFUSED}.txt)
  set_tests_properties(${name} PROPERTIES
    LABELS build FIXTURES_REQUIRED ${arg_REFUSED} PASS_REGULAR_EXPRESSION "${arg_ANSWER}")
endfunction()

# Where nothing is linked, the sources of a bench are compiled as one: most of the time goes into the headers.
function(warpfold_add_bench name)
  if(WARPFOLD_DEVICE_CODE_ONLY)
    cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA" "" "SOURCES;LIBRARIES")
    list(TRANSFORM arg_SOURCES REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"\n")
    list(JOIN arg_SOURCES "" content)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_unit.cu)
    file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
    warpfold_add_program(${name} SOURCES ${source} LIBRARIES ${arg_LIBRARIES} benchmark::benchmark)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    return()
  endif()
  warpfold_add_program(${name} ${ARGN} LIBRARIES benchmark::benchmark)
endfunction()

function(warpfold_add_example name)
  warpfold_add_program(${name} ${ARGN})
endfunction()

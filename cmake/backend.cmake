# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Decides what Warpfold's own tests, benches and examples are built for, and sets WARPFOLD_USE_EMULATOR.
#
#   AUTO       the GPU where there is one and a CUDA compiler, the emulator otherwise
#   GPU        the GPU; without one, CMAKE_CUDA_ARCHITECTURES must say what to compile for
#   EMULATOR   the emulator
set(WARPFOLD_BACKEND AUTO CACHE STRING "What tests, benches and examples run on: AUTO, GPU or EMULATOR")
set_property(CACHE WARPFOLD_BACKEND PROPERTY STRINGS AUTO GPU EMULATOR)
if(NOT WARPFOLD_BACKEND MATCHES "^(AUTO|GPU|EMULATOR)$")
  message(FATAL_ERROR "WARPFOLD_BACKEND is '${WARPFOLD_BACKEND}'; it must be AUTO, GPU or EMULATOR")
endif()

set(WARPFOLD_USE_EMULATOR ON)
if(NOT WARPFOLD_BACKEND STREQUAL EMULATOR)
  # nvcc asks the same program what `-arch=native` means: it fails where the driver shows no GPU.
  find_program(WARPFOLD_DEVICE_QUERY __nvcc_device_query HINTS ${CUDAToolkit_BIN_DIR})
  mark_as_advanced(WARPFOLD_DEVICE_QUERY)
  set(no_gpu 1)
  if(WARPFOLD_DEVICE_QUERY)
    execute_process(COMMAND ${WARPFOLD_DEVICE_QUERY} RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT no_gpu)
    include(CheckLanguage)
    check_language(CUDA)  # takes seconds
  endif()
  if(WARPFOLD_BACKEND STREQUAL GPU OR (CMAKE_CUDA_COMPILER AND NOT no_gpu))
    set(WARPFOLD_USE_EMULATOR OFF)
  endif()
endif()

if(WARPFOLD_USE_EMULATOR)
  message(STATUS "Warpfold: tests and examples run in the emulator")
else()
  # `native` is a hard error without a GPU, so it is never the default there.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    if(no_gpu)
      message(FATAL_ERROR "WARPFOLD_BACKEND is GPU, but no GPU is visible. To compile without one, say for which, "
        "as in -DCMAKE_CUDA_ARCHITECTURES=90; to run without one, use -DWARPFOLD_BACKEND=EMULATOR.")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
  enable_language(CUDA)
  include(${CMAKE_CURRENT_LIST_DIR}/warpfoldCuda20.cmake)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.5)
    message(FATAL_ERROR "Warpfold needs CUDA 12.5, this is ${CMAKE_CUDA_COMPILER_VERSION}")
  endif()
  message(STATUS "Warpfold: tests, benches and examples are built for CUDA architecture ${CMAKE_CUDA_ARCHITECTURES}")
endif()

# nvcc's compiler for the device reads the host's code too, and finds the same errors in it. So it does at most half the work
# if nothing is to run. Directories whose programs must be compiled in full, and linked, call warpfold_link_programs().
option(WARPFOLD_DEVICE_CODE_ONLY "With nvcc, compile for the device alone, for one architecture, and link nothing" OFF)
if(WARPFOLD_DEVICE_CODE_ONLY AND NOT WARPFOLD_USE_EMULATOR)
  set(device_code -cubin)
  if(CMAKE_CUDA_ARCHITECTURES MATCHES "virtual")
    set(device_code -ptx)
  endif()
  set(device_rules CUDA_COMPILE_OBJECT CUDA_LINK_EXECUTABLE CXX_LINK_EXECUTABLE)
  foreach(rule IN LISTS device_rules)
    set(full_${rule} "${CMAKE_${rule}}")
  endforeach()
  string(REPLACE "<CUDA_COMPILE_MODE>" ${device_code} CMAKE_CUDA_COMPILE_OBJECT "${CMAKE_CUDA_COMPILE_OBJECT}")
  set(CMAKE_CUDA_LINK_EXECUTABLE "<CMAKE_COMMAND> -E touch <TARGET>")
  set(CMAKE_CXX_LINK_EXECUTABLE "${CMAKE_CUDA_LINK_EXECUTABLE}")
endif()
macro(warpfold_link_programs)
  foreach(rule IN LISTS device_rules)
    set(CMAKE_${rule} "${full_${rule}}")
  endforeach()
endmacro()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "Warpfold needs GCC 12, this is ${CMAKE_CXX_COMPILER_VERSION}")
endif()

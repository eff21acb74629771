# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMake 3.25.1, Debian 12's, does not know yet that nvcc compiles C++20. Later versions do, and nothing happens here.
if(CMAKE_CUDA_COMPILER_ID STREQUAL NVIDIA AND NOT "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  if(NOT PROJECT_IS_TOP_LEVEL)
    foreach(variable IN ITEMS
        CMAKE_CUDA20_STANDARD_COMPILE_OPTION CMAKE_CUDA20_EXTENSION_COMPILE_OPTION
        CMAKE_CUDA20_COMPILE_FEATURES CMAKE_CUDA_COMPILE_FEATURES)
      set(${variable} ${${variable}} PARENT_SCOPE)
    endforeach()
  endif()
endif()

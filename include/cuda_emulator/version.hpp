// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// CMake reads these three numbers for the package's version.
#define CUDA_EMULATOR_VERSION_MAJOR 0
#define CUDA_EMULATOR_VERSION_MINOR 1
#define CUDA_EMULATOR_VERSION_PATCH 0

// 10203 for 1.2.3, so that the preprocessor can compare versions.
#define CUDA_EMULATOR_VERSION \
  (CUDA_EMULATOR_VERSION_MAJOR * 10000 + CUDA_EMULATOR_VERSION_MINOR * 100 + CUDA_EMULATOR_VERSION_PATCH)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// CMake reads these three numbers: they are the version of the package too.
#define WARPFOLD_VERSION_MAJOR 0
#define WARPFOLD_VERSION_MINOR 2
#define WARPFOLD_VERSION_PATCH 0

// 10203 for 1.2.3: fit for comparisons in the preprocessor.
#define WARPFOLD_VERSION (WARPFOLD_VERSION_MAJOR * 10000 + WARPFOLD_VERSION_MINOR * 100 + WARPFOLD_VERSION_PATCH)

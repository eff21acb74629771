// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's execution model on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <warpfold/emulator/keywords.hpp>

#include <warpfold/emulator/atomics.hpp>
#include <warpfold/emulator/barrier_object.hpp>
#include <warpfold/emulator/block_intrinsics.hpp>
#include <warpfold/emulator/bulk_copy.hpp>
#include <warpfold/emulator/cluster_barrier.hpp>
#include <warpfold/emulator/device_functions.hpp>
#include <warpfold/emulator/dynamic_shared.hpp>
#include <warpfold/emulator/error.hpp>
#include <warpfold/emulator/float_functions.hpp>
#include <warpfold/emulator/launch.hpp>
#include <warpfold/emulator/runtime_device.hpp>
#include <warpfold/emulator/runtime_event.hpp>
#include <warpfold/emulator/runtime_function.hpp>
#include <warpfold/emulator/runtime_graph.hpp>
#include <warpfold/emulator/runtime_memory.hpp>
#include <warpfold/emulator/settings.hpp>
#include <warpfold/emulator/warp_intrinsics.hpp>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's execution model on the CPU: include this (or link to cuda_emulator and include any Warpfold header)
// instead of compiling with nvcc, and kernels run on the host, unchanged. A launch is
//
//   cudaLaunchKernelEx(&config, kernel, arguments...)            as in CUDA, or
//   cuda_emulator::launch(kernel, config, arguments...)
//
// One fiber a CUDA thread, all on the calling host thread; several host threads may launch at a time. A schedule is
// drawn from settings().seed: which warp and lane runs next is random at every intrinsic, barrier, atomic, fence and
// volatile look at memory by __ldcg or __ldcv; a few blocks are interleaved, more if all of these wait for others. Work
// in streams is done when the call that enqueues it returns, capture apart.
//
// Found while a kernel runs, and thrown by the launch as cuda_emulator::error: divergent barriers, masks that
// disagree, lanes that have left, shuffles from inactive lanes, deadlocks (with what every thread waits at), misuse of
// mbarriers, asynchronous copies and clusters, writes around dynamic shared memory, traps. All threads are unwound, and the
// next launch works. Shapes out of range are returned as CUDA returns them. Fresh memory holds NaNs; AddressSanitizer
// and UndefinedBehaviorSanitizer see every access.
//
// What differs from a GPU
// - Memory is sequentially consistent: a missing fence is not found.
// - Threads run until they reach one of the points above. A loop that waits for a plain or volatile load to change has
//   to call emulator::yield() or __nanosleep(); cuda::atomic, cuda::barrier and the like do neither.
// - A thread that leaves while others of its block wait in __syncthreads, and one that waits after others have left, is
//   an error, though hardware lets some such kernels pass; so are the same barrier in two places of the source and
//   exited lanes in a mask (options::check_barrier_sites, options::allow_exited_lanes).
// - Static `__shared__` variables are thread-local ones, which the emulator finds through the program's symbol table:
//   in functions only, in programs that are not stripped, `__align__` instead of `alignas`, not in other blocks' reach,
//   and no target of bulk copies. `extern __shared__` does not compile: use dynamic_shared().
// - Barriers and warp intrinsics in destructors do nothing while a thread unwinds. Where threads wait in a destructor
//   that runs for another reason, a kernel that fails ends the program, since destructors may not throw.
// - Linux with glibc; on processors other than x86-64, setjmp and longjmp switch the fibers, more slowly.
//
// Refused, by a compile error that names it: `__activemask`, warp intrinsics without `_sync`, `__cluster_dims__`,
// untyped and cooperative launches, `<<<>>>`. Runtime functions that are not defined here are named by the linker.
// Launch attributes that are not known return cudaErrorNotSupported. Not there: cooperative groups, textures, graph
// nodes, memory pools, launches from kernels, inline PTX.
#pragma once

#include <cuda_runtime.h>

#include <cuda_emulator/keywords.hpp>

#include <cuda_emulator/async_copy.hpp>
#include <cuda_emulator/atomics.hpp>
#include <cuda_emulator/barrier_object.hpp>
#include <cuda_emulator/block_intrinsics.hpp>
#include <cuda_emulator/bulk_copy.hpp>
#include <cuda_emulator/cluster_barrier.hpp>
#include <cuda_emulator/device_functions.hpp>
#include <cuda_emulator/dynamic_shared.hpp>
#include <cuda_emulator/error.hpp>
#include <cuda_emulator/failure.hpp>
#include <cuda_emulator/float_functions.hpp>
#include <cuda_emulator/launch.hpp>
#include <cuda_emulator/named_barrier.hpp>
#include <cuda_emulator/runtime_device.hpp>
#include <cuda_emulator/runtime_event.hpp>
#include <cuda_emulator/runtime_function.hpp>
#include <cuda_emulator/runtime_graph.hpp>
#include <cuda_emulator/runtime_memory.hpp>
#include <cuda_emulator/runtime_typed.hpp>
#include <cuda_emulator/settings.hpp>
#include <cuda_emulator/version.hpp>
#include <cuda_emulator/warp_intrinsics.hpp>

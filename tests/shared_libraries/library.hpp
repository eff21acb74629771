// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exports of each of the two libraries, which are looked up by these names after dlopen.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {
int sum(const int* device_items, std::int64_t count);
int sum_with_offset(const int* device_items, std::int64_t count);
void enqueue_sum(const int* device_items, std::int64_t count, int* device_out, cudaStream_t stream);
void be_refused();       // throws std::invalid_argument
void meet_cuda_error();  // throws warpfold::cuda_error
}

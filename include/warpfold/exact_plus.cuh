// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wf::exact_plus: sums that are rounded once, whatever the order of the items.
#pragma once
#if !defined(__CUDACC_RTC__)
#include <warpfold/exact/dispatch.cuh>
#include <warpfold/exact/lane_sum.cuh>
#endif
#include <warpfold/exact/operator.cuh>

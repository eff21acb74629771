// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wf::exact_plus: sums that are rounded once, whatever the order of the items.
#pragma once
#include <warpfold/exact/dispatch.cuh>
#include <warpfold/exact/lane_sum.cuh>
#include <warpfold/exact/operator.cuh>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in std, cuda::std and thrust that are also names of Warpfold's functions.
#pragma once
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/shuffle.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <algorithm>
#include <cuda/std/functional>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of Warpfold's host functions but those that stand apart: the sources' algorithms, as named strategies, in
// strategies.cuh; and input in host memory, in accumulation.cuh and host_memory*.cuh, whose threads take long to
// compile. <warpfold/wf.hpp> declares the short name wf for namespace warpfold; no other header does.
#pragma once
#include <warpfold/arg_reduce.cuh>
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/compensated_plus.hpp>
#include <warpfold/config.hpp>
#include <warpfold/device_count.cuh>
#include <warpfold/device_count_axes.cuh>
#include <warpfold/device_count_by_key.cuh>
#include <warpfold/device_count_scan.cuh>
#include <warpfold/device_count_scan_axes.cuh>
#include <warpfold/device_count_scan_by_key.cuh>
#include <warpfold/equal_to.hpp>
#include <warpfold/error.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/explain.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/options.hpp>
#include <warpfold/quantifiers.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/reduce_part.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/scan_axes.cuh>
#include <warpfold/scan_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/segmented_scan.cuh>
#include <warpfold/segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/top_k.cuh>
#include <warpfold/top_k_axes.cuh>
#include <warpfold/top_k_operators.hpp>
#include <warpfold/vector_reductions.cuh>
#include <warpfold/version.hpp>
#include <warpfold/where.hpp>
#include <warpfold/workspace.cuh>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of Warpfold's host functions. The sources' algorithms, as named strategies, are in strategies.cuh, which stands
// apart. <warpfold/wf.hpp> declares the short name wf for namespace warpfold; no other header does.
#pragma once
#include <warpfold/canonical_tree.hpp>
#include <warpfold/config.hpp>
#include <warpfold/error.hpp>
#include <warpfold/operators.hpp>
#include <warpfold/options.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/scan_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/segmented_scan.cuh>
#include <warpfold/version.hpp>
#include <warpfold/workspace.cuh>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of functions over ranks.
#pragma once
#include <chrono>
#include <warpfold/options.hpp>

namespace warpfold {

/// Options of all_reduce, and of reduce to a root. Their order is part of the interface.
template <class A> struct rank_options {
  stream_argument stream = {};   ///< in whose order the call runs
  initial<A> init = {};          ///< joins on the left, once; the result if no rank has items. The same on all ranks
  workspace_ref workspace = {};  ///< scratch of the local part; without it Warpfold uses one of its own
  int max_blocks = 0;            ///< bounds the grid of the local part, 0 for none; never changes a bit
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< of the wait for other ranks
};
template <class A> inline constexpr bool is_options<rank_options<A>> = true;

/// Options of segmented_reduce over ranks. Their order is part of the interface.
template <class A> struct rank_segmented_options {
  stream_argument stream = {};   ///< in whose order the call runs
  initial<A> init = {};          ///< joins each segment on the left, once. The same on all ranks
  initial<A> empty = {};         ///< the result of an empty segment; init or the operator's identity without it
  workspace_ref workspace = {};  ///< scratch of the local part; without it Warpfold uses one of its own
  int max_blocks = 0;            ///< bounds the grid of the local part, 0 for none; never changes a bit
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  ///< of the wait for other ranks
};
template <class A> inline constexpr bool is_options<rank_segmented_options<A>> = true;

/// The rank that gets a result.
struct root {
  int rank = 0;  ///< its number
};

}  // namespace warpfold

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies to the left of a warp's items, while they are scanned.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::warp {

/// The nodes to the left of some items, one for each digit of the number of what lies before, joined to one another
/// (`Joins`), to the items, or both.
template <bool Joins, class A> struct left_nodes {
  A joined{};
  bool exists = false;

  template <class Rows> __device__ void push(const A& node, Rows& rows) {
    if constexpr (!Rows::joins_late) rows.push(node);
    if constexpr (Joins || Rows::joins_late)
      if (rows.has(1)) joined = exists ? rows.op(node, joined) : node;  // else the node may lack items, too
    exists = true;
  }
  /// Joins to the items what push has not.
  template <class Rows> __device__ void finish(Rows& rows) const {
    if constexpr (Rows::joins_late)
      if (exists) rows.push(joined);
  }
};

}  // namespace warpfold::warp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes to the left of a warp's items, while the items are scanned.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::warp {

/// The nodes to the left of some items, one for each digit of the number of earlier items. They are joined to one
/// another (`Joins`), to the items, or both.
template <bool Joins, class A> struct left_nodes {
  A joined{};
  bool exists = false;

  template <class Rows> __device__ void push(const A& node, Rows& rows) {
    if constexpr (!Rows::joins_late) rows.push(node);
    if constexpr (Joins || Rows::joins_late)
      if (rows.has(1)) joined = exists ? rows.op(node, joined) : node;  // otherwise the node may lack items
    exists = true;
  }
  /// Joins to the items the nodes that push has not joined to them.
  template <class Rows> __device__ void finish(Rows& rows) const {
    if constexpr (Rows::joins_late)
      if (exists) rows.push(joined);
  }
};

}  // namespace warpfold::warp

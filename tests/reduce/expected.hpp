// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expected values for many sizes of one sequence, in one pass over it.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>
#include <warpfold/canonical_tree.hpp>

namespace wf_test {

/// The canonical tree over the first n items, for each n of `sizes` (ascending, from 1).
template <class T, class Op, class A = warpfold::accumulator_t<Op, T>>
std::map<std::int64_t, A> canonical_roots(std::span<const T> items, const std::vector<std::int64_t>& sizes, Op op) {
  std::map<std::int64_t, A> roots;
  warpfold::canonical_tree::counter<A, Op> tree(op);
  for (const std::int64_t size : sizes) {
    for (auto i = static_cast<std::int64_t>(tree.count()); i < size; ++i)
      tree.push(warpfold::detail::convert<A>(items[static_cast<std::size_t>(i)]));
    roots.emplace(size, tree.root());
  }
  return roots;
}

}  // namespace wf_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items that a caller passes by an iterator and a count, checked before a kernel may read them.
#pragma once
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/leaves.cuh>

namespace warpfold::detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `count` items from `first` on, which is called `argument` in messages.
template <class It>
auto checked_source(const char* function, const char* argument, const It& first, std::int64_t count) {
  const auto from = to_kernel_iterator(first);
  host_side::check_count(function, count);
  if (count > 0) host_side::check_pointer(function, argument, from);
  return make_source(from, count);
}

/// `count` pairs of items.
template <class Left, class Right>
auto checked_pairs(const char* function, const Left& left, const Right& right, std::int64_t count) {
  const auto l = to_kernel_iterator(left);
  const auto r = to_kernel_iterator(right);
  host_side::check_count(function, count);
  if (count > 0) {
    host_side::check_pointer(function, "left", l);
    host_side::check_pointer(function, "right", r);
  }
  return make_zip(l, r, count);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::detail

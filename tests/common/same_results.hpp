// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two results of any operator are the same in all that they say, whatever their padding holds.
#pragma once
#include <warpfold/arg_operators.hpp>
#include <warpfold/fused.hpp>
#include <warpfold/top_k_operators.hpp>

#include "common/same_bits.hpp"

namespace wf_test {

template <class T> bool same_result(const T& a, const T& b) { return same_bits(a, b); }
template <class T, class I>
bool same_result(const warpfold::indexed_value<T, I>& a, const warpfold::indexed_value<T, I>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}
template <class T, class I>
bool same_result(const warpfold::indexed_extrema<T, I>& a, const warpfold::indexed_extrema<T, I>& b) {
  return same_result(a.minimum, b.minimum) && same_result(a.maximum, b.maximum);
}
template <class T, int K> bool same_result(const warpfold::best_items<T, K>& a, const warpfold::best_items<T, K>& b) {
  for (int k = 0; k < K; ++k)
    if (!same_result(a.item[k], b.item[k])) return false;
  return true;
}
template <class A, class B> bool same_result(const warpfold::fused<A, B>& a, const warpfold::fused<A, B>& b) {
  return same_result(a.template get<0>(), b.template get<0>()) && same_result(a.template get<1>(), b.template get<1>());
}

}  // namespace wf_test

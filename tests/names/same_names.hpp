// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's namespace with a range, items and an operator of its own, and with functions that have the names of
// Warpfold's. Code does not compile if it calls one of these without a namespace and with a type from here among its
// arguments.
#pragma once
#include <cstddef>

namespace same_names {

template <class T> struct range {
  T* first;
  std::size_t count;
  T* data() const { return first; }
  std::size_t size() const { return count; }
};

struct number {
  int value;
  __host__ __device__ friend bool operator==(const number& a, const number& b) { return a.value == b.value; }
  __host__ __device__ friend bool operator<(const number& a, const number& b) { return a.value < b.value; }
};
struct sum {
  __host__ __device__ number operator()(const number& a, const number& b) const { return {a.value + b.value}; }
};
struct is_many {
  __host__ __device__ bool operator()(const number& a) const { return a.value > 4; }
};

template <class... Arguments> struct called_without_namespace {
  static_assert(sizeof...(Arguments) == 0, "a function is called without its namespace");
  using type = void;
};
// No template is named by an argument, so a macro. To consider the function is enough for an error.
#define WF_TEST_SAME_NAME(name) \
  template <class... Arguments> typename called_without_namespace<Arguments...>::type name(Arguments&&...);

WF_TEST_SAME_NAME(reduce)
WF_TEST_SAME_NAME(reduce_value)
WF_TEST_SAME_NAME(transform_reduce)
WF_TEST_SAME_NAME(transform_reduce_value)
WF_TEST_SAME_NAME(segmented_reduce)
WF_TEST_SAME_NAME(transform_segmented_reduce)
WF_TEST_SAME_NAME(reduce_by_key)
WF_TEST_SAME_NAME(transform_reduce_by_key)
WF_TEST_SAME_NAME(reduce_axes)
WF_TEST_SAME_NAME(transform_reduce_axes)
WF_TEST_SAME_NAME(reduce_rows)
WF_TEST_SAME_NAME(reduce_columns)
WF_TEST_SAME_NAME(inclusive_scan)
WF_TEST_SAME_NAME(exclusive_scan)
WF_TEST_SAME_NAME(transform_inclusive_scan)
WF_TEST_SAME_NAME(transform_exclusive_scan)
WF_TEST_SAME_NAME(inclusive_scan_axes)
WF_TEST_SAME_NAME(exclusive_scan_axes)
WF_TEST_SAME_NAME(transform_inclusive_scan_axes)
WF_TEST_SAME_NAME(transform_exclusive_scan_axes)
WF_TEST_SAME_NAME(inclusive_scan_by_key)
WF_TEST_SAME_NAME(exclusive_scan_by_key)
WF_TEST_SAME_NAME(segmented_inclusive_scan)
WF_TEST_SAME_NAME(segmented_exclusive_scan)
WF_TEST_SAME_NAME(transform_segmented_inclusive_scan)
WF_TEST_SAME_NAME(transform_segmented_exclusive_scan)
WF_TEST_SAME_NAME(any_of)
WF_TEST_SAME_NAME(all_of)
WF_TEST_SAME_NAME(none_of)
WF_TEST_SAME_NAME(count_if)
WF_TEST_SAME_NAME(argmin)
WF_TEST_SAME_NAME(argmax)
WF_TEST_SAME_NAME(arg_minmax)
WF_TEST_SAME_NAME(asum)
WF_TEST_SAME_NAME(amax)
WF_TEST_SAME_NAME(dot)
WF_TEST_SAME_NAME(mean)
WF_TEST_SAME_NAME(norm2)
WF_TEST_SAME_NAME(minmax)
WF_TEST_SAME_NAME(logsumexp)
WF_TEST_SAME_NAME(fuse)
WF_TEST_SAME_NAME(outputs)
WF_TEST_SAME_NAME(accumulate_in)
// Functions of the items and operators that kernels call.
WF_TEST_SAME_NAME(all_reduce)
WF_TEST_SAME_NAME(shuffle)
WF_TEST_SAME_NAME(partition_point)
WF_TEST_SAME_NAME(min)
WF_TEST_SAME_NAME(max)
WF_TEST_SAME_NAME(move)
WF_TEST_SAME_NAME(forward)
WF_TEST_SAME_NAME(exchange)
WF_TEST_SAME_NAME(invoke)
WF_TEST_SAME_NAME(apply)
WF_TEST_SAME_NAME(copy)
WF_TEST_SAME_NAME(fill)
WF_TEST_SAME_NAME(find)
WF_TEST_SAME_NAME(search)
WF_TEST_SAME_NAME(merge)
WF_TEST_SAME_NAME(equal)
WF_TEST_SAME_NAME(advance)
WF_TEST_SAME_NAME(next)
WF_TEST_SAME_NAME(count)
WF_TEST_SAME_NAME(transform)
WF_TEST_SAME_NAME(for_each)
WF_TEST_SAME_NAME(where)
WF_TEST_SAME_NAME(explain)
#undef WF_TEST_SAME_NAME

}  // namespace same_names

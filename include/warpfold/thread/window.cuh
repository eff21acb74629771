// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a source between two borders.
#pragma once
#include <warpfold/thread/lift.cuh>

namespace warpfold::thread {

/// `source` as if it ended before item `end`; load_edge then loads those before it.
template <class T, int Items>
__device__ pointer_source<T, Items> ending_at(pointer_source<T, Items> source, std::int64_t end) {
  source.items = end;
  return source;
}
template <class It, int Items>
__device__ iterator_source<It, Items> ending_at(iterator_source<It, Items> source, std::int64_t end) {
  source.items = end;
  return source;
}
template <class Left, class Right>
__device__ zip_source<Left, Right> ending_at(const zip_source<Left, Right>& source, std::int64_t end) {
  return {ending_at(source.left, end), ending_at(source.right, end), end};
}
template <class Source>
__device__ indexed_source<Source> ending_at(const indexed_source<Source>& source, std::int64_t end) {
  return {ending_at(source.source, end), source.first_index, end};
}
template <class Source, class Transform, class A>
__device__ auto ending_at(const leaves<Source, Transform, A>& of, std::int64_t end) {
  return leaves<Source, Transform, A>{ending_at(of.source, end), of.transform};
}

/// `source` from its item `first` on, on the host. The items before have negative numbers in it, and may be loaded.
template <class T, int Items>
__host__ __device__ pointer_source<T, Items> starting_at(const pointer_source<T, Items>& source, std::int64_t first) {
  return {source.data + first, source.items - first};
}
template <class It, int Items>
__host__ __device__ auto starting_at(const iterator_source<It, Items>& source, std::int64_t first) {
  return iterator_source<shifted_iterator<It>, Items>{{source.first_item, first}, source.items - first};
}
template <class Left, class Right>
__host__ __device__ auto starting_at(const zip_source<Left, Right>& source, std::int64_t first) {
  const auto left = starting_at(source.left, first);
  const auto right = starting_at(source.right, first);
  return zip_source<std::remove_cv_t<decltype(left)>, std::remove_cv_t<decltype(right)>>{left, right, left.items};
}
template <class Source> __host__ __device__ auto starting_at(const indexed_source<Source>& of, std::int64_t first) {
  const auto source = starting_at(of.source, first);
  return indexed_source<std::remove_cv_t<decltype(source)>>{source, of.first_index + first};
}
template <class Source, class Transform, class A>
__host__ __device__ auto starting_at(const leaves<Source, Transform, A>& of, std::int64_t first) {
  const auto source = starting_at(of.source, first);
  return leaves<std::remove_cv_t<decltype(source)>, Transform, A>{source, of.transform};
}

/// Numbers the items of `of` from `first` on, if they are numbered.
template <class Leaves> WARPFOLD_JIT void number_from(Leaves& of, std::int64_t first) {
  if constexpr (requires { of.source.first_index; }) of.source.first_index = first;
}

}  // namespace warpfold::thread

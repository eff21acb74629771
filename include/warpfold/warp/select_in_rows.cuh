// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best K items of a batch, for top_k and bottom_k over numbers of up to 32 bits. The K-th best of the lanes' best
// items is a threshold that few items reach. These few enter a list; each lane holds one place of it.
#pragma once
#include <warpfold/thread/locate.cuh>
#include <warpfold/warp/lane_list.cuh>

namespace warpfold::warp {

namespace detail {
template <class Leaves> struct selected_items { static constexpr bool exist = false; };
template <class Source, class Op, class Transform, class A>
  requires requires { Op::selected; }
struct selected_items<thread::leaves<thread::indexed_source<Source>, thread::lifted<Op, Transform>, A>> {
  using value =
      typename warpfold::detail::promoted<typename thread::detail::transformed_items<Transform, Source>::type>::type;
  static constexpr bool exist = std::is_same_v<value, float> || (std::is_integral_v<value> && sizeof(value) <= 4);
};
}  // namespace detail

/// Whether folds of these leaves select the best items of a batch.
template <class Leaves> inline constexpr bool selects = detail::selected_items<Leaves>::exist;

/// The node over a batch of whole rows that begins with item `first` of its leaves. All lanes call it; valid in every
/// lane.
template <int Rows, class Leaves>
__device__ auto select_in_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], std::int64_t first) {
  using Op = std::remove_cvref_t<decltype(leaves.transform.op)>;
  using V = typename detail::selected_items<Leaves>::value;
  constexpr int chunk_items = Leaves::chunk_items, items = Rows * chunk_items;
  const auto item = [&](int i) {
    return warpfold::detail::convert<V>(
        leaves.transform.transform(Leaves::source_type::value(rows[i / chunk_items], i % chunk_items).item));
  };
  V best = item(0);
  WARPFOLD_UNROLL
  for (int i = 1; i < items; ++i) best = Op::better_of(best, item(i));
  const V least = kth_best<Op>(best, true);
  lane_list<Op, V> list;
  WARPFOLD_UNROLL
  for (int group = 0; group < items; group += 32) {
    unsigned waiting = 0;  // the lane's items that reach the threshold
    WARPFOLD_UNROLL
    for (int i = 0; i < 32 && group + i < items; ++i)
      if (!Op::is_worse(item(group + i), least)) waiting |= 1u << i;
    // The items are read again from memory, because registers cannot be indexed.
    while (__any_sync(full_warp, waiting != 0)) {
      const int i = group + __ffs(static_cast<int>(waiting)) - 1;
      const int place = (i / chunk_items * warp_lanes + arch::lane_id()) * chunk_items + i % chunk_items;
      V own{};
      if (waiting != 0)
        own = warpfold::detail::convert<V>(leaves.transform.transform(leaves.source.source.at(first + place)));
      list.enter(waiting != 0, own, place);
      waiting &= waiting - 1;
    }
  }
  return list.template all<typename Leaves::accumulator>(leaves.source.first_index + first);
}

}  // namespace warpfold::warp

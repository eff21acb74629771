// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and their owners as pieces of segments (see piece.cuh), and the output that takes the last piece.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold_strategies/piece.cuh>

namespace warpfold::grid {

/// Items and owners, read side by side in equal chunks. A chunk also has the owners of its two neighbours, the item
/// before it and the item after it; -1 stands for an owner beyond the input.
template <class Values, class Ids> struct owned_source : thread::zip_source<Values, Ids> {
  using zip = thread::zip_source<Values, Ids>;
  using key = thread::owner_key<typename Ids::item>;
  struct chunk : zip::chunk {
    key before, after;
  };

  bool looks_left, looks_right;  ///< whether the neighbour on that side is needed

  __device__ void load(chunk& to, std::int64_t first) const {
    zip::load(to, first);
    load_neighbours(to, first);
  }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    if (first >= this->items) return;
    to = chunk{};
    zip::load_edge(to, first);
    load_neighbours(to, first);
  }

 private:
  __device__ void load_neighbours(chunk& to, std::int64_t first) const {
    const std::int64_t next = first + zip::chunk_items;
    to.before = looks_left && first > 0 ? static_cast<key>(this->right.data[first - 1]) : key{-1};
    to.after = looks_right && next < this->items ? static_cast<key>(this->right.data[next]) : key{-1};
  }
};

/// Leaves (see thread/source.cuh): item i as a piece of its segment. `Pairs` is the rule that joins pieces (see
/// piece.cuh). The item that begins a segment has init on its left.
template <class Values, class Ids, class Transform, class Pairs, class A> struct owned_leaves {
  using source_type = owned_source<Values, Ids>;
  using chunk = typename source_type::chunk;
  using key = typename source_type::key;
  using accumulator = thread::piece<A, key>;
  static constexpr int chunk_items = source_type::chunk_items;

  source_type source;
  Transform transform;
  Pairs pairs;
  initial_value<A> init;
  std::int64_t segments;

  /// Stops a checked kernel unless the owner of item k of the chunk, item `item` of the input, can be followed. Comes
  /// before leaf(), whose result may be folded into out[owner].
  __device__ void check_owner(const chunk& from, int k, std::int64_t item) const {
    const key own = owner(from, k), left = left_of(from, k);
    arch::require(own >= 0 && own < segments, "owner %lld of item %lld lies outside of out, which has %lld segments",
                  own, item, segments);
    arch::require(left <= own,
                  "owner %lld of item %lld is less than owner %lld of the item before it; owners must ascend", own,
                  item, left);
    // Within a chunk the next item's check sees this pair.
    arch::require(k + 1 < chunk_items || from.after < 0 || own <= from.after,
                  "owner %lld of item %lld is less than owner %lld of the item before it; owners must ascend",
                  from.after, item + 1, own);
  }
  __device__ accumulator leaf(const chunk& from, int k) const {
    const key own = owner(from, k), left = left_of(from, k);
    // After the input's last item it is arbitrary. No rule looks at that bit of the last piece.
    const key right = k + 1 < chunk_items ? owner(from, k + 1) : from.after;
    A value = warpfold::detail::convert<A>(transform(Values::value(from.left, k)));
    if (init.what != initial_value<A>::kind::none && left != own) value = init.join(value, pairs.op);
    return accumulator::of(value, own, (Pairs::keeps_left ? left : right) != own);
  }

 private:
  static __device__ key owner(const chunk& from, int k) { return static_cast<key>(Ids::value(from.right, k)); }
  static __device__ key left_of(const chunk& from, int k) { return k > 0 ? owner(from, k - 1) : from.before; }
};

/// The output for the last piece: assignment stores the value into out[owner]. Nothing else is folded into that
/// segment.
template <class A> struct piece_output {
  struct target {
    A* out;
    template <class Key> __device__ void operator=(const thread::piece<A, Key>& last) const {
      out[last.owner()] = last.value;
    }
  };
  A* out;
  __device__ target operator*() const { return {out}; }
};

inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the value of an empty segment to all segments. (The source fills its output with the identity.)
template <class A> __global__ void fill_kernel(A* out, std::int64_t count, initial_value<A> empty) {
  const A value = empty.alone();
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    out[i] = value;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid

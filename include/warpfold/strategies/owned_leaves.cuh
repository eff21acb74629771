// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and their owners as pieces of segments (thread/piece.cuh), and what becomes of the last piece.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/strategies/piece.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::grid {

/// Items and owners read side by side, in equal chunks, with the owners on both sides of each chunk; -1 beyond the input.
template <class Values, class Ids> struct owned_source : thread::zip_source<Values, Ids> {
  using zip = thread::zip_source<Values, Ids>;
  using key = thread::owner_key<typename Ids::item>;
  struct chunk : zip::chunk {
    key before, after;
  };

  bool looks_left, looks_right;  ///< which sides are needed

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

/// Leaves (see thread/source.cuh): item i as a piece of its segment. `Pairs` says which piece is folded first into an
/// output. The item that begins a segment has init on its left.
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

  __device__ accumulator leaf(const chunk& from, int k) const {
    const key own = owner(from, k);
    const key left = k > 0 ? owner(from, k - 1) : from.before;
    const key right =
        k + 1 < chunk_items ? owner(from, k + 1) : from.after;  // means nothing after the last item: unused
    arch::require(own >= 0 && own < segments, "an owner lies outside of out");
    arch::require(left <= own && (k + 1 < chunk_items || right < 0 || own <= right), "owners must ascend");
    A value = warpfold::detail::convert<A>(transform(Values::value(from.left, k)));
    if (init.what != initial_value<A>::kind::none && left != own) value = init.join(value, pairs.op);
    return accumulator::of(value, own, (Pairs::keeps_left ? left : right) != own);
  }

 private:
  static __device__ key owner(const chunk& from, int k) { return static_cast<key>(Ids::value(from.right, k)); }
};

/// Where the last piece goes: an output whose assignment stores into out[owner]. It is its segment's first and only fold.
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

/// Writes what an empty segment holds to all segments, as the sources fill their output with the identity.
template <class A> __global__ void fill_kernel(A* out, std::int64_t count, initial_value<A> empty) {
  const A value = empty.alone();
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    out[i] = value;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid

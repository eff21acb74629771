// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a tile as plain terms (thread/item_terms.cuh), in place of themselves in shared memory. Then its
// segments are folded like those of a sum, and each sum becomes a result at once: the operator tells from which sums it
// follows, at whatever exponent they are (warp/fold_terms.cuh: lower). So operators with long joins are staged, too.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/copied_items.cuh>
#include <warpfold/thread/few_items.cuh>
#include <warpfold/warp/fold_terms.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {

namespace detail {
template <class Leaves> WARPFOLD_JIT consteval bool find_may_become_terms() {
  if constexpr (has_long_joins<Leaves> && warp::has_terms<Leaves> && thread::takes_any_item<Leaves>) {
    using terms = typename warp::detail::items_as_terms<Leaves>::type;
    using R = decltype(Leaves::accumulator::sum);
    return sizeof(typename Leaves::source_type::item) == sizeof(R) && requires(const terms& all, R& result) {
      all.lower(result, 1, result);
    };
  } else return false;
}
}  // namespace detail

/// Whether a term takes the place of an item, and its operator's results follow from sums of terms. There is no
/// transform: it might see items between segments.
template <class Leaves> inline constexpr bool may_become_terms = detail::find_may_become_terms<Leaves>();

/// Such terms; all lanes call each member.
template <class Leaves> class tile_terms {
 public:
  using A = typename Leaves::accumulator;
  using R = decltype(A::sum);

  template <class Copied> __device__ tile_terms(const Leaves& leaves, const Copied& items) : leaves_(leaves) {
    items.fill_sides();
    items.visit([&](const item& one) { all_.meet(number(one)); });
    are_plain_ = settle();
    if (__builtin_expect(are_plain_ || !all_.may_hold_nothing(), true)) return;
    all_ = terms();
    items.visit([&](const item& one) {
      if (terms::counts(number(one))) all_.meet(number(one));
    });
    are_plain_ = settle(), some_add_nothing_ = true;
  }
  /// Whether all items of the tile can be terms.
  __device__ bool are_plain() const { return are_plain_; }
  /// Replaces each item by its term.
  template <class Copied> __device__ void replace(const Copied& items) const {
    if (__builtin_expect(!some_add_nothing_, true))
      return items.template replace<R>([&](const item& one) { return all_.term(number(one)); });
    items.template replace<R>([&](const item& one) {
      const R own = number(one);
      return terms::counts(own) ? all_.term(own) : R{0};
    });
  }
  /// Sets `result` to that of `count` > 0 items whose terms have this sum. Returns false where it needs more.
  __device__ bool lower(R sum, int count, R& result) const { return all_.lower(sum, count, result); }
  /// The accumulator of the `count` > 0 items from item `first` of the input on, whose terms have this sum.
  __device__ A total(std::int64_t first, int count, R sum) const {
    terms own;
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < count; ++k)
      if (const R one = number(leaves_.source.at(first + k)); terms::counts(one)) own.meet(one);
    return all_.total_at(own.exponent(), sum);
  }

 private:
  using terms = typename warp::detail::items_as_terms<Leaves>::type;
  using item = typename Leaves::source_type::item;
  __device__ R number(const item& one) const { return thread::number_of_item<R>(leaves_.transform.transform(one)); }

  __device__ bool settle() {
    return all_.settle([](auto value, auto op) { return warp::all_reduce(value, op); });
  }

  const Leaves& leaves_;
  terms all_;
  bool are_plain_, some_add_nothing_ = false;
};

/// What a warp keeps of terms in shared memory: the sums of a tile's segments, and the result of an empty one.
template <class Leaves, int Segments> struct kept_sums {};
template <class Leaves> struct result_of_nothing {};
template <class Leaves, int Segments>
  requires may_become_terms<Leaves>
struct kept_sums<Leaves, Segments> {
  thread::array<decltype(Leaves::accumulator::sum), Segments> of;
};
template <class Leaves>
  requires may_become_terms<Leaves>
struct result_of_nothing<Leaves> {
  decltype(Leaves::accumulator::sum) value;
};

/// What folds of terms know instead of kernel_arguments: results are sums, which are kept.
template <class R> struct sums_of_terms {
  plus op;
  grid::initial_value<R> init, empty;  ///< none

  __device__ void write(R* to, int segment, std::int64_t, int, const R& sum) const { to[segment] = sum; }
};

namespace detail {
/// Writes a result that needs the exponent of the segment's own items. Not inlined: it is rare.
template <class Arguments, class Terms, class R>
WARPFOLD_NO_INLINE __device__ void write_at_own_exponent(const Arguments& arguments, Terms terms, std::int64_t segment,
                                                         std::int64_t begin, int count, R sum) {
  arguments.write(arguments.out, segment, begin, count, terms.total(begin, count, sum));
}
}  // namespace detail

}  // namespace warpfold::segmented

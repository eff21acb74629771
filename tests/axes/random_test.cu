// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random shapes, strides and axes against a plain loop over the items, to the bit.
#include <algorithm>
#include <cuda/std/mdspan>
#include "axes/arrays.cuh"

#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/random_cases.hpp"
#include "common/tree_hash.hpp"

namespace axes_random {

namespace wf = warpfold;
using wf_test::random_source;
using wf_test::arrays::layout;

/// A random permutation of the first `count` numbers; half of the time they stay in order.
std::vector<int> random_order(int count, random_source& source) {
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i);
  if (source.below(2) == 0)
    for (int i = count - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(source.below(i + 1))]);
  return order;
}

/// Random extents with at most `most` items.
std::vector<std::int64_t> random_extents(int rank, std::int64_t most, random_source& source) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  const std::int64_t kinds[] = {2, 4, 9, 33, 130, most};
  for (int tries = 0; tries < rank; ++tries) {
    std::int64_t& extent = extents[static_cast<std::size_t>(source.below(rank))];
    const std::int64_t drawn = 1 + source.below(kinds[source.below(6)]);
    const std::int64_t left = most * extent / [&] {
      std::int64_t product = 1;
      for (const auto e : extents) product *= e;
      return product;
    }();
    extent = std::max<std::int64_t>(1, std::min(drawn, left));
  }
  return extents;
}

struct random_case {
  layout in, out;
  unsigned reduced;
  int max_blocks, misaligned;
  bool has_init;

  random_case(random_source& source, bool may_repeat) {
    const int rank = 1 + static_cast<int>(source.below(5));
    const auto extents = random_extents(rank, wf_test::emulated ? 6'000 : 100'000, source);
    reduced = static_cast<unsigned>(source.below(1 << rank));
    const bool plain = source.below(3) == 0;
    std::vector<std::int64_t> padding(static_cast<std::size_t>(rank)), kept_extents;
    for (auto& p : padding) p = plain || source.below(2) == 0 ? 0 : source.below(2) == 0 ? 4 : source.below(9);
    in = wf_test::arrays::make_layout(
        extents, random_order(rank, source), plain ? 1 : 1 + source.below(8) / 6, padding,
        plain ? 0 : static_cast<unsigned>(source.below(1 << rank) & source.below(1 << rank)),
        may_repeat && source.below(4) == 0 ? static_cast<unsigned>(source.below(1 << rank) & source.below(1 << rank))
                                           : 0);
    for (int i = 0; i < rank; ++i)
      if (!(reduced >> i & 1)) kept_extents.push_back(extents[static_cast<std::size_t>(i)]);
    const int kept = static_cast<int>(kept_extents.size());
    const bool is_dense = source.below(2) == 0;
    std::vector<std::int64_t> out_padding(kept_extents.size());
    for (auto& p : out_padding) p = is_dense ? 0 : source.below(3);
    std::vector<int> in_order;
    for (int i = 0; i < kept; ++i) in_order.push_back(i);
    out = wf_test::arrays::make_layout(kept_extents, is_dense ? in_order : random_order(kept, source),
                                       is_dense ? 1 : 1 + source.below(2), out_padding,
                                       is_dense ? 0 : static_cast<unsigned>(source.below(1 << kept)), 0);
    max_blocks = source.below(3) == 0 ? 1 + static_cast<int>(source.below(7)) : 0;
    misaligned = source.below(3) == 0 ? static_cast<int>(source.below(5)) : 0;
    has_init = source.below(3) == 0;
  }
  std::string text() const {
    return "in " + in.text() + ", reduced " + std::to_string(reduced) + ", out " + out.text() + ", max_blocks " +
           std::to_string(max_blocks) + ", misaligned " + std::to_string(misaligned);
  }

  /// Reduces `memory` and compares each output, and that nothing else is written.
  template <class T, class Op, class A = wf::accumulator_t<Op, T>>
  testing::AssertionResult check(const std::vector<T>& memory, Op op, A init, A untouched) const {
    const wf_test::device_array<T> from(memory, misaligned);
    const wf_test::device_array<A> to(std::vector<A>(static_cast<std::size_t>(out.length), untouched));
    wf::segmented_options<A> options;
    if (has_init) options.init = init;
    options.max_blocks = max_blocks;
    wf::reduce_axes(wf_test::arrays::view_of(from.data(), in),
                    wf_test::arrays::view_of(to.data(), wf_test::arrays::with_reduced(in, reduced, out)),
                    wf_test::arrays::named(reduced, in.rank), op, options);
    const auto results =
        wf_test::arrays::expected<A>(in, reduced, memory, op, has_init ? std::optional<A>(init) : std::optional<A>());
    std::vector<A> all(static_cast<std::size_t>(out.length), untouched);
    std::size_t next = 0;
    wf_test::arrays::for_items(out, ~0u, out.origin,
                               [&](std::int64_t place) { all[static_cast<std::size_t>(place)] = results[next++]; });
    const auto actual = to.to_host();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const auto same = wf_test::same_bits(actual[i], all[i]); !same)
        return testing::AssertionFailure() << text() << ": place " << i << " of out: " << same.message();
    return testing::AssertionSuccess();
  }
};

TEST(random_axes, intervals) {
  using interval = wf_test::interval<>;
  wf_test::for_all_seeds([](std::uint64_t, random_source& source) {
    const random_case drawn(source, false);
    std::vector<interval> memory(static_cast<std::size_t>(drawn.in.length), interval::poison());
    wf_test::arrays::for_items(drawn.in, ~drawn.reduced, drawn.in.origin, [&](std::int64_t output) {
      std::int64_t item = 0;
      wf_test::arrays::for_items(drawn.in, drawn.reduced, output, [&](std::int64_t place) {
        memory[static_cast<std::size_t>(place)] = interval::of(item++);
      });
    });
    return drawn.check(memory, wf_test::join{}, interval::of(-1), interval::of(7, 7));
  });
}

template <class T, class Op, class A = wf::accumulator_t<Op, T>> void check_random_items(Op op, A init) {
  wf_test::for_all_seeds([&](std::uint64_t seed, random_source& source) {
    const random_case drawn(source, true);
    return drawn.check(wf_test::random_items<T>(drawn.in.length, seed), op, init, A{});
  });
}
TEST(random_axes, float_sums) { check_random_items<float>(wf::plus{}, 0.1f); }
TEST(random_axes, int8_sums) { check_random_items<std::int8_t>(wf::plus{}, 1000); }
TEST(random_axes, double_maxima) { check_random_items<double>(wf::maximum{}, 0.5); }
TEST(random_axes, affine_maps) { check_random_items<wf_test::affine<>>(wf_test::compose{}, wf_test::affine<>{3, 5}); }
TEST(random_axes, twelve_bytes) {
  check_random_items<wf_test::triple>(wf_test::add_triples{}, wf_test::triple{1, 2, 3});
}

/// Whether the rows and the columns of a matrix, which lies in `memory` as `in` says, have the right sums.
template <class View>
testing::AssertionResult has_sums(const View& view, const layout& in, const std::vector<float>& memory) {
  for (const unsigned axis : {0u, 1u}) {
    const auto sums = wf_test::arrays::expected<float>(in, 1u << axis, memory, wf::plus{}, std::optional<float>());
    const wf_test::device_array<float> out(std::ssize(sums));
    const std::span to(out.data(), out.size());
    if (axis == 0) wf::reduce_columns(view, to);
    else wf::reduce_rows(view, to);
    const auto actual = out.to_host();
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (const auto same = wf_test::same_bits(actual[i], sums[i]); !same)
        return testing::AssertionFailure() << in.text() << ", axis " << axis << ", output " << i << same.message();
  }
  return testing::AssertionSuccess();
}

// Where the type of a matrix says that its rows are adjacent, kernels for other orders are not compiled.
TEST(random_axes, matrices_whose_types_say_how_they_lie) {
  using adjacent_rows = cuda::std::mdspan<const float, cuda::std::dextents<std::int64_t, 2>>;
  using adjacent_columns = cuda::std::mdspan<const float, cuda::std::dextents<std::int64_t, 2>, cuda::std::layout_left>;
  static_assert(wf::axis_reduction::matrix_shape<adjacent_rows, 0>::order == wf::axis_reduction::item_order::columns);
  static_assert(wf::axis_reduction::matrix_shape<adjacent_rows, 1>::order == wf::axis_reduction::item_order::rows);
  static_assert(wf::axis_reduction::matrix_shape<adjacent_columns, 0>::order ==
                wf::axis_reduction::item_order::by_strides);
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    const auto drawn = random_extents(2, wf_test::emulated ? 6'000 : 100'000, source);
    const bool is_narrow = source.below(2) == 0;
    const std::vector<std::int64_t> extents{drawn[0] * (is_narrow ? drawn[1] : 1),
                                            is_narrow ? 1 + source.below(9) : drawn[1]};
    const layout in = wf_test::arrays::contiguous(extents);
    const auto memory = wf_test::random_items<float>(in.length, seed);
    const wf_test::device_array<float> items(memory, static_cast<int>(source.below(5)));
    if (const auto right = has_sums(adjacent_rows(items.data(), extents[0], extents[1]), in, memory); !right)
      return right;
    const auto contiguous = wf::strided(static_cast<const float*>(items.data()), {extents[0], extents[1]});
    static_assert(wf::axis_reduction::matrix_shape<decltype(wf::strided(contiguous)), 0>::order ==
                  wf::axis_reduction::item_order::columns);
    if (const auto right = has_sums(contiguous, in, memory); !right) return right;
    return has_sums(wf::strided<const float, 2>(contiguous), in, memory);
  });
}

// Narrow matrices of items of four bytes whose order matters.
TEST(random_axes, narrow_accumulators_of_narrow_matrices) {
  using hash = wf_test::tree_hash<2, 2>;
  for (const std::int64_t columns : {3, 5, 8}) {
    const std::int64_t rows = 9'001;
    const auto memory = wf_test::hash_items<hash>(rows * columns);
    const wf_test::device_array<hash> in(memory), out(columns);
    wf::reduce_columns(wf::strided<const hash, 2>(in.data(), {rows, columns}), std::span(out.data(), out.size()),
                       wf_test::hash_pair{});
    for (std::int64_t column = 0; column < columns; ++column) {
      std::vector<hash> items;
      for (std::int64_t row = 0; row < rows; ++row)
        items.push_back(memory[static_cast<std::size_t>(row * columns + column)]);
      const hash root = wf::canonical_tree::replay(items.data(), rows, wf_test::hash_pair{});
      EXPECT_EQ(out.value(column), root) << column << " of " << columns;
    }
  }
}

}  // namespace axes_random

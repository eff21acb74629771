// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, transforms and conversions see nothing but the input's items and values made of them. Those below
// stop the kernel when they meet anything else, as a pointer that is followed, or a division by an item, would.
#include <warpfold/reduce.cuh>

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "common/device.cuh"
#include "common/samples.hpp"
#include "common/sizes.hpp"
#include "reduce/ways.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

constexpr int known = 0x5eed;

/// An item of `Words` words, each of which must be `known`.
template <class Word, int Words> struct token {
  Word word[Words];

  static token make() {
    token made;
    for (Word& w : made.word) w = static_cast<Word>(known);
    return made;
  }
  __host__ __device__ void expect_known() const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    for (const Word w : word)
      if (w != static_cast<Word>(known)) __trap();
#endif
  }
};

/// Like a token, but converts to 1.
struct one : token<int, 1> {
  __host__ __device__ explicit operator int() const { return expect_known(), 1; }
};
struct short_one : token<short, 1> {
  __host__ __device__ explicit operator int() const { return expect_known(), 1; }
};

struct to_one {
  template <class Token> __device__ int operator()(const Token& item) const { return item.expect_known(), 1; }
};
struct of_two {
  template <class Left, class Right> __device__ int operator()(const Left& left, const Right& right) const {
    return left.expect_known(), right.expect_known(), 1;
  }
};
struct follow {
  __device__ int operator()(const int* item) const {
    if (item == nullptr) __trap();
    return *item;
  }
};

/// The number of tokens. No token may be made of nothing.
struct counted {
  int magic, count;
};
struct join_counted {
  __device__ counted operator()(const counted& a, const counted& b) const {
    if (a.magic != known || b.magic != known) __trap();
    return {known, a.count + b.count};
  }
};

/// Without a default constructor.
struct only_made : token<int, 3> {
  explicit only_made(int) : token<int, 3>(make()) {}
};

/// Tokens that are computed, up to a limit.
struct tokens_before {
  using value_type = token<int, 3>;
  using difference_type = std::int64_t;
  std::int64_t limit;
  __device__ value_type operator[](std::int64_t i) const {
    if (i < 0 || i >= limit) __trap();
    return {{known, known, known}};
  }
};

template <class T> std::vector<std::int64_t> sizes() {
  const auto shapes = wf_test::shape_sizes<T>();
  std::set<std::int64_t> all(shapes.begin(), shapes.end());
  for (const std::int64_t size : wf_test::border_sizes<T>(wf_test::emulated ? 1 << 12 : 1 << 20)) all.insert(size);
  return {all.begin(), all.end()};
}

/// reduce_into(count, out, options) must give `count`, with any bound of the grid.
template <class Item, class A, class Reduce, class Count> void expect_counted(Reduce reduce_into, Count count_of) {
  device_array<A> out{1};
  std::int64_t number = 0;
  for (const std::int64_t count : sizes<Item>())
    for (const int max_blocks : {0, 1, 7}) {
      if (!wf_test::in_sample(number++)) continue;
      reduce_into(count, out.data(), wf::reduce_options<A>{.max_blocks = max_blocks});
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << count << " items, max_blocks " << max_blocks;
      ASSERT_EQ(count_of(out.value()), count) << "max_blocks " << max_blocks;
    }
}
constexpr auto as_it_is = [](int count) { return count; };

template <class Item> std::int64_t most() { return sizes<Item>().back(); }

template <class Item> device_array<Item> made(const Item& item, std::int64_t more = 1) {
  return device_array<Item>(std::vector<Item>(static_cast<std::size_t>(most<Item>() + more), item));
}

/// Aligned and not: from the item after the first.
template <class Item, class Transform> void expect_transformed(const Item& item, Transform transform) {
  const device_array<Item> items = made(item);
  for (const int first : {0, 1})
    expect_counted<Item, int>(
        [&](std::int64_t count, int* out, const wf::reduce_options<int>& options) {
          const std::span<const Item> in(items.data() + first, static_cast<std::size_t>(count));
          wf::transform_reduce(in, out, wf::plus{}, transform, options);
        },
        as_it_is);
}

template <class Item> void expect_converted(const Item& item) {
  const device_array<Item> items = made(item);
  for (const int first : {0, 1})
    expect_counted<Item, int>(
        [&](std::int64_t count, int* out, const wf::reduce_options<int>& options) {
          wf::reduce(items.data() + first, count, out, wf::accumulate_in<int>(wf::plus{}), options);
        },
        as_it_is);
}

TEST(unknown_items, are_not_transformed) {
  expect_transformed(token<int, 1>::make(), to_one{});
  expect_transformed(token<short, 1>::make(), to_one{});
  expect_transformed(token<int, 3>::make(), to_one{});
  expect_transformed(token<int, 33>::make(), to_one{});
}

TEST(unknown_items, are_not_followed) {
  const device_array<int> one(std::vector<int>{1});
  expect_transformed(static_cast<const int*>(one.data()), follow{});
}

TEST(unknown_items, are_not_converted) {
  expect_converted(one{one::make()});
  expect_converted(short_one{short_one::make()});
}

TEST(unknown_items, are_not_joined) {
  const device_array<counted> items = made(counted{known, 1});
  for (const int first : {0, 1})
    expect_counted<counted, counted>(
        [&](std::int64_t count, counted* out, const wf::reduce_options<counted>& options) {
          wf::reduce(items.data() + first, count, out, join_counted{}, options);
        },
        [](const counted& c) { return c.count; });
}

TEST(unknown_items, are_not_zipped) {
  using left = token<int, 1>;
  using right = token<short, 1>;
  const device_array<left> lefts = made(left::make(), most<right>());
  const device_array<right> rights = made(right::make(), most<left>());
  for (const int first : {0, 1})
    expect_counted<left, int>(
        [&](std::int64_t count, int* out, const wf::reduce_options<int>& options) {
          const auto size = static_cast<std::size_t>(count);
          wf::transform_reduce(std::span<const left>(lefts.data() + first, size),
                               std::span<const right>(rights.data() + first, size), out, wf::plus{}, of_two{}, options);
        },
        as_it_is);
}

struct to_counted {
  template <class Token> __device__ counted operator()(const Token& item) const {
    return item.expect_known(), counted{known, 1};
  }
};

struct of_tokens {
  tokens_before tokens;
  using value_type = counted;
  using difference_type = std::int64_t;
  __device__ counted operator[](std::int64_t i) const { return to_counted{}(tokens[i]); }
};

TEST(unknown_items, are_not_computed) {
  expect_counted<char, counted>(
      [&](std::int64_t count, counted* out, const wf::reduce_options<counted>& options) {
        wf::reduce(of_tokens{{count}}, count, out, join_counted{}, options);
      },
      [](const counted& c) { return c.count; });
}

TEST(unknown_items, need_no_default_constructor) {
  static_assert(!std::is_default_constructible_v<only_made>);
  const std::vector<only_made> host(5000, only_made(1));
  const device_array<only_made> items(host);
  device_array<counted> out{1};
  for (const std::int64_t count : {1, 31, 4999})
    for (const int first : {0, 1}) {
      const std::span<const only_made> in(items.data() + first, static_cast<std::size_t>(count));
      wf::transform_reduce(in, out.data(), join_counted{}, to_counted{});
      EXPECT_EQ(out.value().count, count);
    }
}

}  // namespace

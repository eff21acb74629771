// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, equalities, transforms and conversions see nothing but the input's items and values made of them. Those
// below stop the kernel when they meet anything else, as a pointer that is followed, or a division by an item, would.
#include <warpfold/reduce_by_key.cuh>

#include <gtest/gtest.h>

#include <vector>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

constexpr int known = 0x5eed;

__host__ __device__ inline void expect([[maybe_unused]] bool is_known) {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
  if (!is_known) __trap();
#endif
}

/// A key of `Words` words, the first of which says that it is one.
template <int Words> struct known_key {
  int word[Words];
  static known_key of(int number) {
    known_key made{};
    made.word[0] = known + number;
    return made;
  }
};
struct equal_known {
  template <class Key> __device__ bool operator()(const Key& a, const Key& b) const {
    expect(a.word[0] >= known && a.word[0] < known + 4 && b.word[0] >= known && b.word[0] < known + 4);
    return a.word[0] == b.word[0];
  }
};

/// A value that converts to 1, and a number that counts such values.
template <class Word> struct one {
  Word word = static_cast<Word>(known);
  __host__ __device__ explicit operator int() const { return expect(word == static_cast<Word>(known)), 1; }
};
struct counted {
  int magic = known, count = 1;
};
struct join_counted {
  __device__ counted operator()(const counted& a, const counted& b) const {
    expect(a.magic == known && b.magic == known);
    return {known, a.count + b.count};
  }
};
struct to_one {
  template <class Word> __device__ int operator()(const one<Word>& value) const { return static_cast<int>(value); }
};

/// Runs of different kinds: one long one, heads in each thread, heads in some, and all heads.
std::vector<std::vector<int>> lengths_of(int count) {
  const auto repeated = [=](std::initializer_list<int> pattern) {
    std::vector<int> lengths;
    for (int left = count; left > 0;)
      for (const int length : pattern) {
        if (left <= 0) break;
        lengths.push_back(length < left ? length : left);
        left -= length;
      }
    return lengths;
  };
  return {repeated({count}), repeated({1}), repeated({2, 5, 1}), repeated({40, 3}), repeated({700, 1, 1, 1})};
}

/// The items that exist begin `off` items past an aligned place, and end where the allocation does.
template <class Key, class Value, class A, class Reduce> void expect_counted(int off, Reduce reduce_runs) {
  for (const int count : {1, 3, 31, 257, 4096, 4097, 9001})
    for (const auto& lengths : lengths_of(count))
      for (const int max_blocks : {0, 1, 3}) {
        std::vector<Key> keys;
        for (std::size_t run = 0; run < lengths.size(); ++run)
          keys.insert(keys.end(), static_cast<std::size_t>(lengths[run]), Key::of(static_cast<int>(run % 3)));
        const device_array<Key> in_keys(keys, off);
        const device_array<Value> in_values(std::vector<Value>(keys.size()), off);
        const device_array<Key> out_keys(count);
        const device_array<A> out_values(count);
        const device_array<int> runs(1);
        reduce_runs(in_keys, in_values, out_keys, out_values, runs, wf::reduce_options<A>{.max_blocks = max_blocks});
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << count << " items, " << lengths.size() << " runs";
        ASSERT_EQ(runs.value(), static_cast<int>(lengths.size())) << count << " items, max_blocks " << max_blocks;
        for (std::size_t run = 0; run < lengths.size(); run += lengths.size() < 8 ? 1 : lengths.size() / 8) {
          const A value = out_values.value(static_cast<std::int64_t>(run));
          if constexpr (std::is_same_v<A, int>) ASSERT_EQ(value, lengths[run]) << "run " << run << " of " << count;
          else ASSERT_TRUE(value.magic == known && value.count == lengths[run]) << "run " << run << " of " << count;
        }
      }
}

template <class Key> void expect_joined() {
  for (const int off : {0, 1})
    expect_counted<Key, counted, counted>(off, [](const auto& keys, const auto& values, const auto& out_keys,
                                                  const auto& out_values, const auto& runs, const auto& options) {
      wf::reduce_by_key(keys, values, out_keys, out_values, runs.data(), join_counted{}, equal_known{}, options);
    });
}

TEST(unknown_items_by_key, are_neither_joined_nor_compared) {
  expect_joined<known_key<1>>();  // by copies through shared memory, where aligned
  expect_joined<known_key<3>>();
  expect_joined<known_key<5>>();
}

TEST(unknown_items_by_key, are_not_transformed) {
  for (const int off : {0, 1})
    expect_counted<known_key<1>, one<int>, int>(off, [](const auto& keys, const auto& values, const auto& out_keys,
                                                        const auto& out_values, const auto& runs, const auto& options) {
      wf::transform_reduce_by_key(keys, values, out_keys, out_values, runs.data(), wf::plus{}, to_one{}, equal_known{},
                                  options);
    });
}

template <class Word> void expect_converted() {
  for (const int off : {0, 1})
    expect_counted<known_key<2>, one<Word>, int>(
        off, [](const auto& keys, const auto& values, const auto& out_keys, const auto& out_values, const auto& runs,
                const auto& options) {
          wf::reduce_by_key(keys, values, out_keys, out_values, runs.data(), wf::accumulate_in<int>(wf::plus{}),
                            equal_known{}, options);
        });
}

TEST(unknown_items_by_key, are_not_converted) {
  expect_converted<int>();
  expect_converted<signed char>();
}

/// Keys and values that are computed, up to a limit.
template <class T> struct computed {
  using value_type = T;
  using difference_type = std::int64_t;
  std::int64_t limit;
  __device__ T operator[](std::int64_t i) const {
    expect(i >= 0 && i < limit);
    if constexpr (std::is_same_v<T, counted>) return {};
    else return {{known + static_cast<int>(i / 7 % 2)}};
  }
};

TEST(unknown_items_by_key, are_not_computed) {
  for (const int count : {1, 6, 255, 4097, 9001}) {
    const int runs = (count + 6) / 7;
    const device_array<known_key<1>> out_keys(count);
    const device_array<counted> out_values(count);
    const device_array<int> found(1);
    wf::reduce_by_key(computed<known_key<1>>{count}, computed<counted>{count}, count, out_keys, out_values,
                      found.data(), join_counted{}, equal_known{});
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(found.value(), runs) << count;
    EXPECT_EQ(out_values.value(runs - 1).count, count - 7 * (runs - 1));
  }
}

}  // namespace

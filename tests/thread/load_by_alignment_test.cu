// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads by alignment: the same items whatever the way; and sources with chunks of another length.
#include <warpfold/thread/load_by_alignment.cuh>
#include <warpfold/thread/source.cuh>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "common/device.cuh"

namespace {

namespace thread = warpfold::thread;
using wf_test::device_array;

constexpr int chunks = 8;

/// Copies those items of `chunks` chunks from `first` on that exist.
template <class Source> __global__ void load_kernel(Source source, std::int64_t first, typename Source::item* to) {
  constexpr int items = Source::chunk_items;
  typename Source::chunk loaded[chunks] = {};
  thread::load_by_alignment(source, first, first + chunks * items, [&](auto load) {
    for (int i = 0; i < chunks; ++i) load(loaded[i], first + i * items);
  });
  for (int i = 0; i < chunks * items; ++i)
    if (first + i < source.items) to[i] = Source::value(loaded[i / items], i % items);
}

template <class T> void expect_items() {
  using source = thread::pointer_source<T>;
  constexpr std::int64_t items = source::chunk_items, loaded = chunks * items, most = 3 * loaded;
  std::vector<T> host(most);
  std::iota(host.begin(), host.end(), T{1});
  for (std::int64_t offset = 0; offset <= items; ++offset) {
    const device_array<T> in(host, offset);
    for (const std::int64_t count : {most, most - 1, loaded + 1, loaded, loaded - 1, std::int64_t{1}})
      for (std::int64_t first = 0; first < count; first += loaded) {
        const device_array<T> out(std::vector<T>(loaded, T{0}));
        wf_test::launch_and_wait(&load_kernel<source>, 1, 1, 0, source{in.data(), count}, first, out.data());
        std::vector<T> expected(loaded, T{0});
        for (std::int64_t i = 0; i < loaded && first + i < count; ++i)
          expected[static_cast<std::size_t>(i)] = host[static_cast<std::size_t>(first + i)];
        EXPECT_EQ(out.to_host(), expected) << "offset " << offset << ", " << count << " items, from " << first;
      }
  }
}

TEST(load_by_alignment, loads_what_exists_from_any_alignment) {
  expect_items<unsigned char>();
  expect_items<short>();
  expect_items<int>();
  expect_items<double>();
}

TEST(rechunk, keeps_the_items) {
  const int items[4] = {};
  const auto pairs = thread::rechunk<2>(thread::pointer_source<int>{items, 4});
  static_assert(std::is_same_v<decltype(pairs), const thread::pointer_source<int, 2>>);
  EXPECT_EQ(pairs.data, items);
  EXPECT_EQ(pairs.items, 4);

  const auto fours = thread::rechunk<4>(thread::iterator_source<const int*>{items, 3});
  static_assert(std::is_same_v<decltype(fours), const thread::iterator_source<const int*, 4>>);
  EXPECT_EQ(fours.first_item, items);
  EXPECT_EQ(fours.items, 3);

  using all = thread::leaves<thread::pointer_source<int>, thread::no_transform, long>;
  const auto single = thread::rechunk<1>(all{{items, 4}, {}});
  static_assert(std::is_same_v<decltype(single),
                               const thread::leaves<thread::pointer_source<int, 1>, thread::no_transform, long>>);
  EXPECT_EQ(single.source.data, items);
}

}  // namespace

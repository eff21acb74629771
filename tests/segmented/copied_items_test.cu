// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A window of items in shared memory: all of them wherever it begins and ends in the array, chunk by chunk and one by
// one, turn after turn in the same room.
#include <warpfold/segmented/copied_items.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/arch/shared_memory.cuh>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;

constexpr int max_copied_bytes = 1040;

template <class T> using window_source = wf::thread::pointer_source<T>;
template <class T>
using copied_items_storage = wf::segmented::copied_items_storage<max_copied_bytes, window_source<T>::chunk::bytes>;

/// Turn t brings items [begins[t], ends[t]), and copies them to `out`, one after another: those of even numbers by
/// chunks from each, the others one by one.
template <class T>
__global__ void copy_kernel(window_source<T> in, const int* begins, const int* ends, int turns, T* out) {
  auto& storage = wf::arch::dynamic_shared<copied_items_storage<T>>();
  wf::segmented::copied_items<window_source<T>, copied_items_storage<T>> window(storage);
  const wf::thread::leaves<window_source<T>, wf::thread::no_transform, T> leaves{in, {}};
  for (int turn = 0; turn < turns; ++turn) {
    const int count = ends[turn] - begins[turn];
    window.start(in, begins[turn], ends[turn]);
    window.wait();
    const auto items = window.template leaves<window_source<T>::chunk_items>(leaves).source;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) {
      typename window_source<T>::chunk chunk{};
      items.load_inside(chunk, i, 1);
      out[i] = i % 2 == 0 ? items.value(chunk, 0) : items.at(i);
      const int last = i + window_source<T>::chunk_items - 1;
      if (last < count && !(items.value(chunk, last - i) == items.at(last))) out[i] = T{};
    }
    out += count;
    __syncwarp();
  }
}

struct triple {
  int x, y, z;
  friend bool operator==(const triple&, const triple&) = default;
};
template <class T> T item_of(int i) {
  if constexpr (std::is_same_v<T, triple>) return {i + 1, -i, 3 * i};
  else return static_cast<T>(i + 1);
}

template <class T> void expect_items(std::int64_t offset) {
  constexpr int most = max_copied_bytes / int{sizeof(T)}, count = 3 * most + 7;
  std::vector<T> items;
  for (int i = 0; i < count; ++i) items.push_back(item_of<T>(i));
  std::vector<int> begins, ends;
  const auto add = [&](int begin, int end) { begins.push_back(begin), ends.push_back(end); };
  add(0, 0), add(0, 1), add(0, most), add(count, count), add(count - 1, count), add(count - most, count);
  for (int begin = 0; begin < 20; ++begin)
    for (const int length : {0, 1, 2, 5, 31, most - 1, most})
      add(begin, begin + length), add(count - begin - length, count - begin);
  std::vector<T> expected;
  for (std::size_t turn = 0; turn < begins.size(); ++turn)
    expected.insert(expected.end(), items.begin() + begins[turn], items.begin() + ends[turn]);
  const wf_test::device_array<T> in(items, offset), out(std::ssize(expected));
  const wf_test::device_array<int> first(begins), last(ends);
  wf_test::launch_and_wait(&copy_kernel<T>, 1, 32, sizeof(copied_items_storage<T>), window_source<T>{in.data(), count},
                           first.data(), last.data(), static_cast<int>(begins.size()), out.data());
  const auto found = out.to_host();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(found[i] == expected[i]) << sizeof(T) << " bytes, number " << i << ", " << offset << " off";
}

TEST(copied_window, has_its_items) {
  if (!wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  for (int seed = 1; seed <= (wf_test::emulated ? 4 : 1); ++seed)
    for (const std::int64_t offset : {0, 1, 3}) {
      const wf_test::schedule_seed scheduled(static_cast<std::uint64_t>(seed));
      expect_items<short>(offset);
      expect_items<float>(offset);
      expect_items<double>(offset);
      expect_items<triple>(offset);
    }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items in shared memory as a source: every offset from a 16-byte boundary, whole chunks and what exists of them, sizes
// that fill 16-byte vectors and others.
#include <warpfold/thread/shared_source.cuh>

#include <gtest/gtest.h>

#include <type_traits>

#include "common/device.cuh"

namespace {

namespace thread = warpfold::thread;

enum class way { load, load_edge, load_inside, at };

/// Copies `count` items to shared memory, `before` bytes past a boundary, and chunk i back to out + i * chunk_items,
/// one chunk per thread.
template <way Way, class T> __global__ void copy_kernel(const T* in, int count, int before, T* out) {
  using source = thread::shared_source<T>;
  constexpr int chunk_items = source::chunk_items;
  __shared__ uint4 vectors[(40 * source::chunk::bytes + 2 * source::past_bytes) / 16];
  auto* bytes = reinterpret_cast<unsigned char*>(vectors);
  for (int i = static_cast<int>(threadIdx.x); i < count * int{sizeof(T)}; i += static_cast<int>(blockDim.x))
    bytes[before + i] = reinterpret_cast<const unsigned char*>(in)[i];
  __syncthreads();
  const source items{bytes, before, count};
  const int first = static_cast<int>(threadIdx.x) * chunk_items;
  if (first >= count) return;
  typename source::chunk chunk = {};
  if constexpr (Way == way::load) {
    if (first + chunk_items > count) return;
    items.load(chunk, first);
  } else if constexpr (Way == way::load_edge) items.load_edge(chunk, first);
  else if constexpr (Way == way::load_inside) items.load_inside(chunk, first, chunk_items);
  for (int k = 0; k < chunk_items && first + k < count; ++k)
    out[first + k] = Way == way::at ? items.at(first + k) : source::value(chunk, k);
}

template <int Bytes> struct item {
  unsigned char byte[Bytes];
  friend bool operator==(const item&, const item&) = default;
};

template <class T> std::vector<T> distinct(int count) {
  std::vector<T> items(static_cast<std::size_t>(count));
  auto* bytes = reinterpret_cast<unsigned char*>(items.data());
  for (std::size_t i = 0; i < items.size() * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(7 * i + i / 256);
  return items;
}

template <way Way, class T> void expect_copied() {
  constexpr int chunk_items = thread::shared_source<T>::chunk_items;
  for (int before = 0; before < 16; before += int{alignof(T)})
    for (const int count : {1, 2, chunk_items, chunk_items + 1, 33 * chunk_items - 1, 40 * chunk_items}) {
      const auto items = distinct<T>(count);
      const wf_test::device_array<T> in(items), out(std::vector<T>(static_cast<std::size_t>(count)));
      wf_test::launch_and_wait(&copy_kernel<Way, T>, 1, 64, 0, in.data(), count, before, out.data());
      const auto copied = out.to_host();
      const int whole = Way == way::load ? count / chunk_items * chunk_items : count;
      for (std::size_t i = 0; i < static_cast<std::size_t>(whole); ++i)
        ASSERT_TRUE(copied[i] == items[i]) << "item " << i << " of " << count << ", " << before << " bytes before";
    }
}

template <class T> void expect_copied_by_all() {
  expect_copied<way::load, T>();
  expect_copied<way::load_edge, T>();
  expect_copied<way::at, T>();
  if constexpr (thread::shared_source<T>::chunk::vector_bytes == 16) expect_copied<way::load_inside, T>();
}

TEST(shared_source, of_items_that_divide_a_vector) {
  expect_copied_by_all<unsigned char>();
  expect_copied_by_all<short>();
  expect_copied_by_all<float>();
  expect_copied_by_all<double>();
}
TEST(shared_source, of_items_that_fill_odd_multiples_of_a_vector) {
  expect_copied_by_all<item<3>>();
  expect_copied_by_all<item<12>>();
}
TEST(shared_source, of_items_larger_than_a_chunk) { expect_copied_by_all<item<130>>(); }

}  // namespace

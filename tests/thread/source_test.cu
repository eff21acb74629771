// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of leaves: pointers, iterators, two at once, and transformed ones.
#include <warpfold/thread/source.cuh>

#include <gtest/gtest.h>

#include "common/device.cuh"

namespace {

namespace thread = warpfold::thread;

/// Chunks of `leaves`, also past its end, one per thread: chunk i to out + i * chunk_items.
template <class Leaves> __global__ void edge_kernel(Leaves leaves, double* out) {
  const int first = static_cast<int>(threadIdx.x) * Leaves::chunk_items;
  typename Leaves::chunk chunk = {};
  leaves.source.load_edge(chunk, first);
  for (int k = 0; k < Leaves::chunk_items && first + k < leaves.source.items; ++k)
    out[first + k] = leaves.leaf(chunk, k);
}

/// expected(i) is the leaf of item i. Nothing is written for items that do not exist.
template <class Leaves, class Expected> void expect_leaves(const Leaves& leaves, int items, Expected expected) {
  const int chunks = items / Leaves::chunk_items + 3;
  const wf_test::device_array<double> out(
      std::vector<double>(static_cast<std::size_t>(chunks) * Leaves::chunk_items, -1));
  wf_test::launch_and_wait(&edge_kernel<Leaves>, 1, chunks, 0, leaves, out.data());
  const auto written = out.to_host();
  for (int i = 0; i < chunks * Leaves::chunk_items; ++i)
    ASSERT_EQ(written[static_cast<std::size_t>(i)], i < items ? expected(i) : -1) << items << " items, item " << i;
}

template <class T> std::vector<T> some_items(int count) {
  std::vector<T> items;
  for (int i = 0; i < count; ++i) items.push_back(static_cast<T>(3 * i + 1));
  return items;
}

template <class T> void check_pointer_source() {
  using source = thread::pointer_source<T>;
  using leaves = thread::leaves<source, thread::no_transform, double>;
  for (const int offset : {0, 1, 3})
    for (const int items : {1, source::chunk_items, source::chunk_items + 1, 37}) {
      const wf_test::device_array<T> data(some_items<T>(items), offset);
      expect_leaves(leaves{source{data.data(), items}, {}}, items, [](int i) { return 3.0 * i + 1; });
    }
}

TEST(pointer_source, loads_what_exists_at_the_edge) {
  check_pointer_source<std::uint8_t>();
  check_pointer_source<float>();
  check_pointer_source<double>();
}

__global__ void misalignment_kernel(const float* items, int* of_vectors, int* of_items) {
  const int offset = static_cast<int>(threadIdx.x);
  of_vectors[offset] = thread::pointer_source<float>{items + offset, 1}.misaligned_bytes();
  of_items[offset] = thread::pointer_source<float, 1>{items + offset, 1}.misaligned_bytes();
}

TEST(pointer_source, knows_its_misalignment) {
  const wf_test::device_array<float> items(8);
  const wf_test::device_array<int> of_vectors(6), of_items(6);
  wf_test::launch_and_wait(&misalignment_kernel, 1, 6, 0, items.data(), of_vectors.data(), of_items.data());
  EXPECT_EQ(of_vectors.to_host(), (std::vector<int>{0, 4, 8, 12, 0, 4}));
  EXPECT_EQ(of_items.to_host(), std::vector<int>(6, 0)) << "single floats need no more than their own alignment";
}

/// load_items and load_inside of every place and count around the ends of `items` items, by one thread each.
template <class T> __global__ void some_kernel(thread::pointer_source<T> source, int* wrong) {
  constexpr int chunk_items = thread::pointer_source<T>::chunk_items;
  const int count = static_cast<int>(blockIdx.x) - 1, first = static_cast<int>(threadIdx.x);
  const int exist = count < 0 ? 0 : count < chunk_items ? count : chunk_items;
  if (first + exist > source.items) return;
  const bool inside = source.is_inside(first, first + exist);
  for (const bool by_vectors : {inside, false}) {
    typename thread::pointer_source<T>::chunk chunk = {};
    if (by_vectors) source.load_inside(chunk, first, count);
    else source.load_items(chunk, first, count);
    for (int k = 0; k < exist; ++k)
      if (source.value(chunk, k) != static_cast<T>(3 * (first + k) + 1)) atomicAdd(wrong, 1);
  }
  // Vectors around the items reach up to 15 bytes beyond them.
  if (inside && (first * sizeof(T) < 15 || (source.items - first - exist) * sizeof(T) < 15)) atomicAdd(wrong, 1);
}

template <class T> void check_some() {
  for (std::int64_t offset = 0; offset < 16; ++offset)
    for (const int items : {1, 5, 16, 31, 50}) {
      const wf_test::device_array<T> data(some_items<T>(items), offset);
      const wf_test::device_array<int> wrong(std::vector<int>{0});
      wf_test::launch_and_wait(&some_kernel<T>, thread::pointer_source<T>::chunk_items + 4, items, 0,
                               thread::pointer_source<T>{data.data(), items}, wrong.data());
      ASSERT_EQ(wrong.value(), 0) << items << " items, " << offset << " off";
    }
}

TEST(pointer_source, loads_some_items_from_anywhere) {
  check_some<std::uint8_t>();
  check_some<std::uint16_t>();
  check_some<float>();
  check_some<double>();
}

struct shift_case {
  int offset, first, last, items;
};

__global__ void shift_kernel(const std::uint16_t* data, const shift_case* cases, bool* can_shift) {
  const shift_case& c = cases[threadIdx.x];
  can_shift[threadIdx.x] = thread::pointer_source<std::uint16_t>{data + c.offset, c.items}.can_shift(c.first, c.last);
}

TEST(pointer_source, shifts_only_where_the_aligned_vectors_are_its_own) {
  std::vector<shift_case> cases;
  for (int offset = 1; offset < 8; ++offset)
    for (const int first : {0, 8})
      for (int items = first + 24; items <= first + 33; ++items) cases.push_back({offset, first, first + 24, items});
  const wf_test::device_array<std::uint16_t> data(80);
  const wf_test::device_array<shift_case> on_device(cases);
  const wf_test::device_array<bool> can_shift(std::ssize(cases));
  wf_test::launch_and_wait(&shift_kernel, 1, static_cast<int>(cases.size()), 0, data.data(), on_device.data(),
                           can_shift.data());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [offset, first, last, items] = cases[i];  // eight items a vector
    const int read_first = (offset + first) / 8 * 8, read_last = (offset + last) / 8 * 8 + 8;
    EXPECT_EQ(can_shift.value(static_cast<std::int64_t>(i)), read_first >= offset && read_last <= offset + items)
        << "case " << i;
  }
}

/// 5 i, read nowhere.
struct multiples {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(5 * i); }
};

TEST(iterator_source, asks_the_iterator) {
  using source = thread::iterator_source<multiples>;
  using leaves = thread::leaves<source, thread::no_transform, double>;
  static_assert(source::chunk_items == 1);
  expect_leaves(leaves{source{{}, 20}, {}}, 20, [](int i) { return 5.0 * i; });
}

struct negate_half {
  __host__ __device__ double operator()(float x) const { return -0.5 * x; }
};

TEST(leaves, are_transformed_before_they_are_converted) {
  using source = thread::pointer_source<float>;
  using leaves = thread::leaves<source, negate_half, double>;
  const wf_test::device_array<float> data(some_items<float>(11));
  expect_leaves(leaves{source{data.data(), 11}, {}}, 11, [](int i) { return -0.5 * (3 * i + 1); });
}

struct multiply {
  __host__ __device__ double operator()(std::int8_t a, double b) const { return a * b; }
};

TEST(zip_source, reads_both_sides_in_equal_chunks) {
  using left = thread::pointer_source<std::int8_t, 2>;
  using right = thread::pointer_source<double, 2>;
  using source = thread::zip_source<left, right>;
  using leaves = thread::leaves<source, multiply, double>;
  for (const int items : {1, 2, 31})
    for (const int offset : {0, 1}) {
      const wf_test::device_array<std::int8_t> a(some_items<std::int8_t>(items), offset);
      const wf_test::device_array<double> b(some_items<double>(items), 1 - offset);
      expect_leaves(leaves{source{{a.data(), items}, {b.data(), items}, items}, {}}, items,
                    [](int i) { return (3.0 * i + 1) * (3 * i + 1); });
    }
}

}  // namespace

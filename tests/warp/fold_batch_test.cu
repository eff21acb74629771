// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches: the canonical tree over a warp's items, wherever they lie in memory and however many of them exist.
#include <warpfold/warp/fold_batch.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8>;

template <int Bytes, int Alignment = 1> struct item {
  alignas(Alignment) unsigned char byte[Bytes];

  static item random(wf_test::random_source& source) {
    item result;
    for (unsigned char& b : result.byte) b = static_cast<unsigned char>(source());
    return result;
  }
};

/// The leaf of one item, or of two side by side.
struct leaf_of {
  template <class T> __host__ __device__ hash operator()(const T& x) const {
    constexpr int size = sizeof(T);
    std::uint64_t word = size;
    for (int i = 0; i < size; i += 8) {
      std::uint64_t part = 0;
      std::memcpy(&part, reinterpret_cast<const unsigned char*>(&x) + i, size - i < 8 ? size - i : 8);
      word = hash::mix(word ^ part);
    }
    return hash::spread(word);
  }
  template <class L, class R> __host__ __device__ hash operator()(const L& left, const R& right) const {
    return wf_test::hash_pair{}((*this)(left), (*this)(right));
  }
};

struct batch_case {
  int offset;  ///< items by which the data are off
  int first;   ///< item at which the batch begins
  int items;   ///< items there are
  int rows;    ///< of the batch
  hash expected;
};

/// A block is one warp and one case. make(case) gives the source. `wrong` counts lanes with a wrong result.
template <int Rows, class Index, class Make>
__global__ void batch_kernel(Make make, const batch_case* cases, int* wrong) {
  const batch_case& own = cases[blockIdx.x];
  const auto source = make(own.offset, std::int64_t{own.items});
  const wf::thread::leaves<std::remove_const_t<decltype(source)>, leaf_of, hash> leaves{source, {}};
  const hash result = wf::warp::fold_batch<Rows>(leaves, Index{own.first}, wf_test::hash_pair{}, own.rows);
  if (!(result == own.expected)) atomicAdd(wrong, 1);
}

/// Batches of up to `Rows` rows at every alignment in `offsets`, first and in the middle, of every number of items that
/// matters, with less and more than a vector before and after. leaf(offset, i) is the leaf of item i.
template <int Rows, class Index, class Make, class Leaf>
void check_batches(Make make, int chunk_items, const std::vector<int>& offsets, Leaf leaf) {
  const int row = chunk_items * wf::warp_lanes;
  std::vector<batch_case> cases;
  for (int rows = Rows; rows >= 1; rows /= 2) {
    const int batch = rows * row;
    std::set<int> counts{1, 2, chunk_items, chunk_items + 1, row - 1, row, row + 1, batch / 2 + 1, batch - 1};
    if (rows > 1) counts.insert(batch / 2);
    for (int more = 0; more <= 17; ++more) counts.insert(batch + more);
    counts.erase(0);
    for (const int offset : offsets)
      for (const int first : {0, batch})
        for (const int count : counts) {
          std::vector<hash> leaves;
          for (int i = 0; i < std::min(count, batch); ++i) leaves.push_back(leaf(offset, first + i));
          const hash expected = wf::canonical_tree::replay(leaves.data(), std::ssize(leaves), wf_test::hash_pair{});
          cases.push_back({offset, first, first + count, rows, expected});
        }
  }
  const wf_test::device_array<batch_case> on_device(cases);
  const wf_test::device_array<int> wrong(std::vector<int>{0});
  wf_test::launch_and_wait(&batch_kernel<Rows, Index, Make>, static_cast<int>(cases.size()), wf::warp_lanes, 0, make,
                           on_device.data(), wrong.data());
  EXPECT_EQ(wrong.value(), 0) << "up to " << Rows << " rows of " << chunk_items << " items a lane";
}

template <class T> struct make_pointer_source {
  const T* data;
  __device__ auto operator()(int offset, std::int64_t items) const {
    return wf::thread::pointer_source<T>{data + offset, items};
  }
};

template <class T, int Rows, class Index> void check_type() {
  constexpr int chunk_items = wf::thread::items_per_chunk(sizeof(T)),
                most = 2 * Rows * chunk_items * wf::warp_lanes + 64;
  const auto data = wf_test::random_items<T>(most);
  const wf_test::device_array<T> on_device(data);
  std::vector<int> offsets;
  for (int offset = 0; offset * sizeof(T) % 16 != 0 || offset == 0; ++offset) offsets.push_back(offset);
  check_batches<Rows, Index>(make_pointer_source<T>{on_device.data()}, chunk_items, offsets,
                             [&](int offset, int i) { return leaf_of{}(data[static_cast<std::size_t>(offset + i)]); });
}

TEST(fold_batch, is_the_canonical_tree_at_every_alignment) {
  check_type<item<1>, 4, std::int64_t>();
  check_type<item<2, 2>, 8, int>();
  check_type<item<3>, 2, int>();
  check_type<item<4, 4>, 8, std::int64_t>();
  check_type<item<8, 8>, 1, int>();
  check_type<item<12, 4>, 2, int>();
  check_type<item<16, 16>, 8, int>();
  check_type<item<20, 4>, 1, std::int64_t>();
}

struct squares {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i * i); }
};
struct make_iterator_source {
  __device__ auto operator()(int, std::int64_t items) const { return wf::thread::iterator_source<squares>{{}, items}; }
};

TEST(fold_batch, takes_iterators) {
  check_batches<8, std::int64_t>(make_iterator_source{}, 1, {0}, [](int, int i) { return leaf_of{}(i * i); });
}

struct make_zip_source {
  const std::uint16_t* left;
  const double* right;
  __device__ auto operator()(int offset, std::int64_t items) const {
    using left_source = wf::thread::pointer_source<std::uint16_t, 2>;
    using right_source = wf::thread::pointer_source<double, 2>;
    return wf::thread::zip_source<left_source, right_source>{
        {left + offset, items}, {right + offset / 2, items}, items};
  }
};

TEST(fold_batch, takes_two_inputs_of_different_alignment) {
  const auto left = wf_test::random_items<std::uint16_t>(1000);
  const auto right = wf_test::random_items<double>(1000);
  const wf_test::device_array<std::uint16_t> left_on_device(left);
  const wf_test::device_array<double> right_on_device(right);
  check_batches<4, int>(
      make_zip_source{left_on_device.data(), right_on_device.data()}, 2, {0, 1, 2, 3}, [&](int offset, int i) {
        return leaf_of{}(left[static_cast<std::size_t>(offset + i)], right[static_cast<std::size_t>(offset / 2 + i)]);
      });
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of chunks: every item size from 1 to 24 with every alignment it can have, every place, every count.
#include <warpfold/thread/chunk.cuh>

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "common/device.cuh"

namespace {

using warpfold::thread::items_per_chunk;

TEST(items_per_chunk, fill_vectors_of_16_bytes) {
  static_assert(items_per_chunk(1) == 16 && items_per_chunk(2) == 8 && items_per_chunk(4) == 4);
  static_assert(items_per_chunk(8) == 2 && items_per_chunk(16) == 1);
  static_assert(items_per_chunk(3) == 16 && items_per_chunk(6) == 8 && items_per_chunk(12) == 4 &&
                items_per_chunk(24) == 2);
  static_assert(items_per_chunk(20) == 4 && items_per_chunk(40) == 2 && items_per_chunk(48) == 1);
  static_assert(items_per_chunk(9) == 1 && items_per_chunk(13) == 1, "more than 128 bytes would be needed");
  static_assert(items_per_chunk(1000) == 1);
  EXPECT_EQ(items_per_chunk(7), 16);
}

template <int Bytes, int Alignment> struct item { alignas(Alignment) unsigned char byte[Bytes]; };

__host__ __device__ unsigned char content(int place) {
  return static_cast<unsigned char>(place * 89 + 7 + (place >> 8));
}

template <class T> __device__ int wrong_bytes(const T& loaded, int place) {
  int wrong = 0;
  for (int i = 0; i < int{sizeof(T)}; ++i) wrong += loaded.byte[i] != content(place + i);
  return wrong;
}
template <class T, int Items>
__device__ int wrong_bytes(const warpfold::thread::chunk<T, Items>& chunk, int place, int count) {
  int wrong = 0;
  for (int k = 0; k < count; ++k) wrong += wrong_bytes(chunk.item(k), place + k * int{sizeof(T)});
  return wrong;
}

/// Loads of chunks of `T` that lie `shift` bytes past a vector boundary, at the beginning and at the end of
/// `data`, which is aligned to 256 bytes as its size is. Returns the wrong bytes, or -1 if nothing was loaded.
template <class T> __device__ int check_chunks(const unsigned char* data, int bytes, int shift) {
  constexpr int items = items_per_chunk(sizeof(T));
  using chunk = warpfold::thread::chunk<T, items>;
  if (shift % alignof(T) != 0) return 0;
  const auto at = [&](int place) { return reinterpret_cast<const T*>(data + place); };
  const int last = bytes - chunk::bytes;  // where a chunk ends with the data, to a vector's alignment
  int wrong = 0;
  chunk loaded;
  if (shift % chunk::vector_bytes == 0) {
    for (const int place : {shift, last / 16 * 16 - 16 + shift}) {
      loaded.load(at(place));
      wrong += wrong_bytes(loaded, place, items);
    }
  }
  if constexpr (requires { loaded.load_shifted(at(shift), shift); })
    if (shift > 0)
      for (const int place : {shift, last - 16 + shift}) {
        loaded.load_shifted(at(place), shift);
        wrong += wrong_bytes(loaded, place, items);
      }
  for (int count = 1; count <= items; ++count)
    for (const int place : {shift, bytes - count * int{sizeof(T)}}) {  // sizes are multiples of alignments
      loaded.load(at(place), count);
      wrong += wrong_bytes(loaded, place, count);
    }
  return wrong;
}

constexpr int sizes = 24, alignments = 5;

template <int Bytes> __device__ void check_alignments(const unsigned char* data, int bytes, int* wrong) {
  const int shift = static_cast<int>(threadIdx.x);
  atomicAdd(wrong, check_chunks<item<Bytes, 1>>(data, bytes, shift));
  if constexpr (Bytes % 2 == 0) atomicAdd(wrong + 1, check_chunks<item<Bytes, 2>>(data, bytes, shift));
  if constexpr (Bytes % 4 == 0) atomicAdd(wrong + 2, check_chunks<item<Bytes, 4>>(data, bytes, shift));
  if constexpr (Bytes % 8 == 0) atomicAdd(wrong + 3, check_chunks<item<Bytes, 8>>(data, bytes, shift));
  if constexpr (Bytes % 16 == 0) atomicAdd(wrong + 4, check_chunks<item<Bytes, 16>>(data, bytes, shift));
}

template <int... Sizes>
__device__ void check_all(std::integer_sequence<int, Sizes...>, const unsigned char* data, int bytes, int* wrong) {
  (check_alignments<Sizes + 1>(data, bytes, wrong + Sizes * alignments), ...);
}

__global__ void chunk_kernel(const unsigned char* data, int bytes, int* wrong) {
  check_all(std::make_integer_sequence<int, sizes>{}, data, bytes, wrong);
}

TEST(chunk, loads_what_is_there_and_nothing_else) {
  constexpr int bytes = 512;
  std::vector<unsigned char> data;
  for (int i = 0; i < bytes; ++i) data.push_back(content(i));
  const wf_test::device_array<unsigned char> on_device(data);
  const wf_test::device_array<int> wrong(std::vector<int>(sizes * alignments, 0));
  wf_test::launch_and_wait(&chunk_kernel, 1, 16, 0, on_device.data(), bytes, wrong.data());
  const std::vector<int> counted = wrong.to_host();
  for (int size = 1; size <= sizes; ++size)
    for (int a = 0; a < alignments; ++a)
      EXPECT_EQ(counted[static_cast<std::size_t>((size - 1) * alignments + a)], 0)
          << size << " bytes, aligned to " << (1 << a);
}

template <class T, int Items> __global__ void item_kernel(const T* source, T* out, int count) {
  warpfold::thread::chunk<T, Items> chunk;
  chunk.load(source, count);
  for (int k = 0; k < count; ++k) out[k] = chunk.item(k);
}

TEST(chunk, holds_large_items_too) {
  using large = item<40, 8>;
  static_assert(warpfold::thread::chunk<large, 2>::words == 20 &&
                warpfold::thread::chunk<large, 2>::vector_bytes == 16);
  static_assert(warpfold::thread::chunk<item<9, 1>, 1>::vector_bytes == 1 &&
                warpfold::thread::chunk<item<9, 1>, 1>::words == 3);
  std::vector<large> items(2);
  std::iota(items[0].byte, items[0].byte + 40, static_cast<unsigned char>(1));
  std::iota(items[1].byte, items[1].byte + 40, static_cast<unsigned char>(101));
  const wf_test::device_array<large> source(items), out(2);
  wf_test::launch_and_wait(&item_kernel<large, 2>, 1, 1, 0, source.data(), out.data(), 2);
  for (const int k : {0, 1}) EXPECT_EQ(std::memcmp(out.to_host()[k].byte, items[k].byte, 40), 0);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a data-block lies in shared memory, so that neither loading nor folding it meets a bank conflict.
//
// Shared memory has 32 banks of 4 bytes. An access of w = 4, 8 or 16 bytes a lane is served for 32, 16 or 8 lanes at a
// time: 128 bytes. So for such accesses it is P = 32, 16 or 8 banks of w bytes, and lanes that are served together must
// hit different ones. An item is kept in a slot of u units of w bytes, w the largest that divides its size, and u odd (a
// unit is added where it is not). Units of two slots then share a bank exactly if the slots are equal modulo P. One spare
// *slot*, not one spare word, is therefore the right padding for every item size. Source: the padding of TB2 and Matrix,
// which is for 4-byte items.
#pragma once
#include <cstdint>
#include <cstring>
#include <warpfold/arch/shared_access.cuh>

namespace warpfold::block {

template <class A> inline constexpr int item_bytes = (int{sizeof(A)} + 3) / 4 * 4;
template <class A> inline constexpr int access_bytes = item_bytes<A> % 16 == 0 ? 16 : item_bytes<A> % 8 == 0 ? 8 : 4;
template <class A> inline constexpr int slot_bytes = item_bytes<A> % 32 == 0 ? item_bytes<A> + 16 : item_bytes<A>;
/// P: slots that one access can touch without a conflict, if they differ modulo P.
template <class A> inline constexpr int bank_slots = 128 / access_bytes<A>;

/// Room for one item, read and written by the widest accesses that its size allows, whatever its own alignment.
template <class A> struct alignas(access_bytes<A>) slot {
  unsigned char bytes[slot_bytes<A>];

  __device__ A get() const {
    std::uint32_t word[item_bytes<A> / 4];
    WARPFOLD_UNROLL
    for (int i = 0; i < item_bytes<A>; i += access_bytes<A>)
      arch::load_shared<access_bytes<A>>(bytes + i, reinterpret_cast<unsigned char*>(word) + i);
    A value;
    std::memcpy(&value, word, sizeof(A));
    return value;
  }
  __device__ void set(const A& value) {
    std::uint32_t word[item_bytes<A> / 4] = {};
    std::memcpy(word, &value, sizeof(A));
    WARPFOLD_UNROLL
    for (int i = 0; i < item_bytes<A>; i += access_bytes<A>)
      arch::store_shared<access_bytes<A>>(bytes + i, reinterpret_cast<unsigned char*>(word) + i);
  }
};

/// A data-block for trees: a spare slot after every P, another after every P * P, and so on. Lanes at any power-of-two
/// stride then hit different banks: those that a shorter stride's padding leaves on one bank, the next term tells apart.
template <class A, int Items> struct tree_slots {
  using item = A;
  static constexpr int items = Items;

  __host__ __device__ static constexpr int index(int item) {
    int result = item;
    for (int span = bank_slots<A>; span < Items; span *= bank_slots<A>) result += item / span;
    return result;
  }
  __device__ A get(int item) const { return slots[index(item)].get(); }
  __device__ void set(int item, const A& value) { slots[index(item)].set(value); }

  slot<A> slots[index(Items - 1) + 1];
};

/// A data-block as an H x W matrix: rows at an odd stride, so that lanes that read one column hit different banks; within
/// a row a spare slot after every P, so that lanes that store neighbouring chunks do, too, if W = 32.
template <class A, int H, int W> struct matrix_slots {
  using item = A;
  static constexpr int items = H * W;
  static constexpr int stride = (W + (W - 1) / bank_slots<A>) | 1;

  __host__ __device__ static constexpr int index(int row, int column) {
    return row * stride + column + column / bank_slots<A>;
  }
  __device__ A get(int row, int column) const { return slots[index(row, column)].get(); }
  __device__ void set(int item, const A& value) { slots[index(item / W, item % W)].set(value); }

  slot<A> slots[H * stride];
};

}  // namespace warpfold::block

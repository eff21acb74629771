// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a data-block lies in shared memory. No layout but plain_slots causes a bank conflict, for items of any size.
//
// Shared memory has 32 banks of 4 bytes. An access of w = 4, 8 or 16 bytes per lane is served for 32, 16 or 8 lanes at
// a time: 128 bytes. To such accesses shared memory is P = 32, 16 or 8 banks of w bytes, and lanes that are served
// together must hit different banks. An item is kept in a slot of u units of w bytes. w is the largest width that
// divides the item's size, and u is odd: an even number of units gets one more. Then two slots use the same banks
// exactly if their indices are equal modulo P. So the right padding for every item size is one spare *slot*, not one
// spare word. Source: the padding of TB2 and Matrix (Martín 2012), which is for 4-byte items.
#pragma once
#include <cstdint>
#include <cstring>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/thread/shared_source.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::block {

/// Bytes of an item in whole words; bytes per lane that one access moves; bytes between slots.
template <class A> inline constexpr int item_bytes = (int{sizeof(A)} + 3) / 4 * 4;
template <class A> inline constexpr int access_bytes = item_bytes<A> % 16 == 0 ? 16 : item_bytes<A> % 8 == 0 ? 8 : 4;
template <class A> inline constexpr int slot_bytes = item_bytes<A> % 32 == 0 ? item_bytes<A> + 16 : item_bytes<A>;
/// P: lanes that are served together. Their slots must differ modulo P.
template <class A> inline constexpr int bank_slots = 128 / access_bytes<A>;

/// Shared memory for one item. Accesses are as wide as the item's size allows, whatever its alignment.
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

/// A data-block for trees: a spare slot after every P slots, another one after every P * P slots, and so on. Then lanes
/// at any power-of-two stride hit different banks: the spare slots of one term separate what the terms before it leave
/// on one bank.
template <class A, int Items> struct tree_slots {
  using item = A;
  static constexpr int items = Items;

  __host__ __device__ static constexpr int index(int number) {
    int result = number;
    for (int span = bank_slots<A>; span < Items; span *= bank_slots<A>) result += number / span;
    return result;
  }
  __device__ A get(int number) const { return slots[index(number)].get(); }
  __device__ void set(int number, const A& value) { slots[index(number)].set(value); }

  slot<A> slots[index(Items - 1) + 1];
};

/// A data-block without spare slots: lanes at an even stride meet in one bank. For algorithms that access neighbouring
/// items, and to show what the spare slots of tree_slots are for.
template <class A, int Items> struct plain_slots {
  using item = A;
  static constexpr int items = Items;

  __host__ __device__ static constexpr int index(int number) { return number; }
  __device__ A get(int number) const { return slots[number].get(); }
  __device__ void set(int number, const A& value) { slots[number].set(value); }

  slot<A> slots[Items];
};

/// A data-block as an H x W matrix. The stride of rows is odd, so that lanes that read one column hit different banks.
/// Within a row a spare slot follows every P slots, so that lanes that store neighbouring chunks do, too, if W = 32.
template <class A, int H, int W> struct matrix_slots {
  using item = A;
  static constexpr int items = H * W;
  static constexpr int stride = (W + (W - 1) / bank_slots<A>) | 1;

  __host__ __device__ static constexpr int index(int row, int column) {
    return row * stride + column + column / bank_slots<A>;
  }
  __device__ A get(int row, int column) const { return slots[index(row, column)].get(); }
  __device__ A get(int number) const { return get(number / W, number % W); }
  __device__ void set(int number, const A& value) { slots[index(number / W, number % W)].set(value); }

  slot<A> slots[H * stride];
};

/// A data-block without gaps, which is read in chunks as an input is. Loads cause no bank conflicts, but stores of
/// chunks do.
template <class A, int Items> struct contiguous_slots {
  using item = A;
  using source = thread::shared_source<A>;
  static constexpr int items = Items;

  __device__ void set(int number, const A& value) { std::memcpy(bytes + number * sizeof(A), &value, sizeof(A)); }
  /// The first `count` items.
  __device__ thread::leaves<source, thread::no_transform, A> leaves(int count) const { return {{bytes, 0, count}, {}}; }

  alignas(16) unsigned char bytes[Items * sizeof(A)];
};

}  // namespace warpfold::block

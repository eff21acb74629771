// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two arrangements of consecutive chunks among the lanes of a warp, and transposes between them through shared memory.
// A chunk may also be the results that a lane made of one.
//
//   rows   chunk r of lane l is number 32 r + l: neighbouring lanes read and write neighbouring memory (CUB: striped)
//   runs   chunk r of lane l is number l Rows + r: a lane works on neighbours alone (CUB: blocked)
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/standard.hpp>

namespace warpfold::warp {

/// Where vectors lie in shared memory, if each lane has `Vectors` consecutive ones. Eight lanes that read their k-th
/// vectors of 16 bytes touch all banks, and so do eight lanes that write neighbouring vectors.
template <int Vectors> struct run_places {
  static constexpr int power = Vectors & -Vectors, banks = power < 8 ? power : 8,
                       shift = power < 8 ? 3 : log2_of(power);

  __host__ __device__ static constexpr int of(int vector) { return vector ^ (vector >> shift & (banks - 1)); }
  /// of(row * 32 + lane), written so that the compiler sees that rows are a constant apart.
  __host__ __device__ static constexpr int of_row(int row, int lane) {
    return row * warp_lanes + (lane ^ (((row * warp_lanes >> shift) + (lane >> shift)) & (banks - 1)));
  }
  /// of(lane * Vectors + k), written in the same way.
  __host__ __device__ static constexpr int of_lane(int lane, int k) {
    if constexpr (is_power_of_two(Vectors)) return lane * Vectors + (k ^ (lane * Vectors >> shift & (banks - 1)));
    else return of(lane * Vectors + k);
  }
};

/// Transposes `Rows` chunks per lane. Each warp has its own room in shared memory, aligned to 16 bytes.
template <class Chunk, int Rows> struct transpose {
  static_assert(std::is_trivially_copyable_v<Chunk>);
  static constexpr int chunk_bytes = int{sizeof(Chunk)}, power = chunk_bytes & -chunk_bytes,
                       width = power < 16 ? power : 16, chunk_vectors = chunk_bytes / width;
  static constexpr int room_bytes = Rows > 1 ? warp_lanes* Rows* chunk_bytes : 0;
  using places = run_places<Rows * chunk_vectors>;

  /// Turns rows into runs. All lanes of the warp call it.
  __device__ static void to_runs(Chunk (&chunks)[Rows], unsigned char* room) {
    exchange<by_rows, by_runs>(chunks, room);
  }
  /// Turns runs into rows.
  __device__ static void to_rows(Chunk (&chunks)[Rows], unsigned char* room) {
    exchange<by_runs, by_rows>(chunks, room);
  }

 private:
  struct by_rows {
    __device__ static int place(int row, int lane, int part) {
      if constexpr (chunk_vectors == 1) return places::of_row(row, lane);
      else return places::of((row * warp_lanes + lane) * chunk_vectors + part);
    }
  };
  struct by_runs {
    __device__ static int place(int row, int lane, int part) {
      return places::of_lane(lane, row * chunk_vectors + part);
    }
  };
  /// Calls move(place in the room, part of a chunk) for all vectors of the lane's chunks.
  template <class By, class Move> __device__ static void each(Chunk (&chunks)[Rows], Move move) {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int part = 0; part < chunk_vectors; ++part)
      move(By::place(row, lane, part), reinterpret_cast<unsigned char*>(&chunks[row]) + part * width);
  }
  template <class From, class To> __device__ static void exchange(Chunk (&chunks)[Rows], unsigned char* room) {
    if constexpr (Rows == 1) return;
    each<From>(chunks, [=](int place, const void* part) { arch::store_shared<width>(room + place * width, part); });
    __syncwarp();
    each<To>(chunks, [=](int place, void* part) { arch::load_shared<width>(room + place * width, part); });
    __syncwarp();  // before the room is used again
  }
};

}  // namespace warpfold::warp

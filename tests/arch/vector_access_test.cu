// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of a given width: they carry all bytes and, in the emulator, stop where a GPU would.
#include <warpfold/arch/published.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/vector_load.cuh>

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "common/device.cuh"

namespace {

namespace arch = warpfold::arch;

/// The way that a thread moves bytes: one access of each kind, at the byte `at` of its address.
enum class way { load, load_once, store_once, load_shared, store_shared, publish, observe };

struct shared_room {
  alignas(16) unsigned char bytes[32];
};

template <int Bytes> __global__ void move(way by, int at, const unsigned char* from, unsigned char* to) {
  alignas(16) unsigned char held[16];
  unsigned char* const room = arch::dynamic_shared<shared_room>().bytes;
  memcpy(room, from, 32);
  memcpy(held, from + at, Bytes);
  switch (by) {
    case way::load: arch::load<Bytes>(from + at, held); break;
    case way::load_once: arch::read_once::load<Bytes>(from + at, held); break;
    case way::store_once: return arch::store_once<Bytes>(to + at, held);
    case way::load_shared: arch::load_shared<Bytes>(room + at, held); break;
    case way::store_shared:
      arch::store_shared<Bytes>(room + at, held);
      memcpy(held, room + at, Bytes);
      break;
    case way::publish: {
      arch::message value;
      memcpy(&value, held, sizeof value);
      return arch::publish(reinterpret_cast<arch::message*>(to + at), value);
    }
    case way::observe: {
      const arch::message value = arch::observe(reinterpret_cast<const arch::message*>(from + at));
      memcpy(held, &value, sizeof value);
      break;
    }
  }
  memcpy(to + at, held, Bytes);
}

struct moves {
  std::vector<unsigned char> values = [] {
    std::vector<unsigned char> all(32);
    std::iota(all.begin(), all.end(), static_cast<unsigned char>(1));
    return all;
  }();
  wf_test::device_array<unsigned char> from{values}, to{std::vector<unsigned char>(32)};

  template <int Bytes> void run(way by, int at) {
    wf_test::launch_and_wait(&move<Bytes>, 1, 1, sizeof(shared_room), by, at, from.data(), to.data());
  }
};

template <int Bytes> void expect_bytes(way by) {
  SCOPED_TRACE(std::to_string(Bytes) + " bytes by way " + std::to_string(static_cast<int>(by)));
  for (int at = 0; at + Bytes <= 32; at += Bytes) {
    moves m;
    m.run<Bytes>(by, at);
    const std::vector<unsigned char> moved = m.to.to_host();
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(moved[static_cast<std::size_t>(i)], i >= at && i < at + Bytes ? i + 1 : 0) << "byte " << i;
  }
}

constexpr way of_any_width[] = {way::load, way::load_once, way::store_once};
constexpr way of_words[] = {way::load_shared, way::store_shared};
constexpr way of_messages[] = {way::publish, way::observe};

TEST(vector_access, carries_all_bytes) {
  for (const way by : of_any_width) {
    expect_bytes<1>(by);
    expect_bytes<2>(by);
    expect_bytes<4>(by);
    expect_bytes<8>(by);
    expect_bytes<16>(by);
  }
  for (const way by : of_words) {
    expect_bytes<4>(by);
    expect_bytes<8>(by);
    expect_bytes<16>(by);
  }
  for (const way by : of_messages) expect_bytes<16>(by);
}

#if !defined(__CUDACC__)
template <int Bytes> void expect_refused(way by) {
  SCOPED_TRACE(std::to_string(Bytes) + " bytes by way " + std::to_string(static_cast<int>(by)));
  for (int at = 1; at < Bytes; ++at) try {
      moves().run<Bytes>(by, at);
      ADD_FAILURE() << at << " bytes past a multiple passed";
    } catch (const cuda_emulator::error& e) {
      EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(cuda_emulator::fault::misaligned)) << e.what();
    }
}

TEST(vector_access, stops_at_misaligned_addresses) {
  for (const way by : of_any_width) {
    expect_refused<2>(by);
    expect_refused<4>(by);
    expect_refused<8>(by);
    expect_refused<16>(by);
  }
  for (const way by : of_words) {
    expect_refused<4>(by);
    expect_refused<8>(by);
    expect_refused<16>(by);
  }
  for (const way by : of_messages) expect_refused<16>(by);
}
#endif

}  // namespace

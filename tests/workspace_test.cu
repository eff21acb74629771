// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch that callers keep: its size, its control word, its owner.
#include <warpfold/reduce.cuh>
#include <warpfold/workspace.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/refusal.hpp"

namespace {

namespace wf = warpfold;
namespace host_side = warpfold::host_side;
namespace reduction = warpfold::reduction;
namespace segmented = warpfold::segmented;
namespace by_key = warpfold::by_key;

std::vector<unsigned char> control_of(std::span<std::byte> scratch) {
  std::vector<unsigned char> control(host_side::control_bytes);
  wf::check(cudaMemcpy(control.data(), scratch.data(), control.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return control;
}
const std::vector<unsigned char> cleared(host_side::control_bytes, 0);

bool is_aligned(std::span<std::byte> scratch) {
  return reinterpret_cast<std::uintptr_t>(scratch.data()) % host_side::workspace_alignment == 0;
}

TEST(workspace, is_cleared_aligned_and_large_enough) {
  const wf::workspace scratch;
  EXPECT_GE(scratch.bytes().size(), wf::workspace_bytes<double>());
  EXPECT_GE(scratch.bytes().size(), reduction::scratch(host_side::current_device(), 64).workspace_bytes());
  EXPECT_TRUE(is_aligned(scratch.bytes()));
  EXPECT_EQ(control_of(scratch.bytes()), cleared);
}

TEST(workspace, can_be_made_for_larger_accumulators) {
  struct large {
    char bytes[1000];
  };
  const wf::workspace scratch(sizeof(large));
  EXPECT_GE(scratch.bytes().size(), wf::workspace_bytes<large>());
}

TEST(workspace, has_one_owner) {
  static_assert(!std::is_copy_constructible_v<wf::workspace> && !std::is_copy_assignable_v<wf::workspace>);
  static_assert(std::is_nothrow_move_constructible_v<wf::workspace> &&
                std::is_nothrow_move_assignable_v<wf::workspace>);
  wf::workspace first, second;
  const std::span<std::byte> of_first = first.bytes(), of_second = second.bytes();
  EXPECT_NE(of_first.data(), of_second.data());

  wf::workspace moved = std::move(first);
  EXPECT_EQ(moved.bytes().data(), of_first.data());
  EXPECT_TRUE(first.bytes().empty());
  second = std::move(moved);
  EXPECT_EQ(second.bytes().data(), of_first.data());
  second = wf::workspace{};
  EXPECT_EQ(control_of(second.bytes()), cleared);
}

TEST(workspace, refers_to_its_bytes) {
  wf::workspace scratch;
  EXPECT_EQ(wf::workspace_ref(scratch).bytes.data(), scratch.bytes().data());
  EXPECT_EQ(wf::workspace_ref::from_initialized(scratch.bytes()).bytes.size(), scratch.bytes().size());
  EXPECT_TRUE(wf::workspace_ref().bytes.empty());
}

// Bytes that nobody has initialised leave the output unwritten.
TEST(workspace, is_not_made_of_plain_bytes) {
  static_assert(!std::is_constructible_v<wf::workspace_ref, std::span<std::byte>>);
  static_assert(!std::is_constructible_v<wf::workspace_ref, std::span<std::byte, 4096>>);
  static_assert(!std::is_assignable_v<wf::workspace_ref&, std::span<std::byte>>);
  static_assert(std::is_convertible_v<const wf::workspace&, wf::workspace_ref>);
  static_assert(std::is_same_v<decltype(wf::initialize_workspace({})), wf::workspace_ref>);
}

TEST(workspace_bytes, depend_on_the_accumulator_alone) {
  EXPECT_EQ(wf::workspace_bytes<float>(), wf::workspace_bytes<int>());
  EXPECT_LT(wf::workspace_bytes<float>(), wf::workspace_bytes<double>());
  for (const std::size_t bytes : {1, 4, 8, 12, 16, 24, 64, 200}) {
    const std::size_t any = warpfold::detail::any_workspace_bytes(bytes);
    for (std::size_t smaller = 1; smaller <= bytes; ++smaller)
      EXPECT_GE(any,
                std::max(by_key::scratch(smaller).workspace_bytes(), segmented::scratch(smaller).workspace_bytes()))
          << bytes;
  }
}

TEST(initialize_workspace, clears_the_control_words_on_the_stream) {
  const wf_test::device_array<std::byte> memory(
      std::vector<std::byte>(host_side::control_bytes + 128, std::byte{0xee}));
  const std::span<std::byte> bytes(memory.data(), memory.size());
  const wf::workspace_ref initialized = wf::initialize_workspace(bytes);
  EXPECT_EQ(control_of(bytes), cleared);
  EXPECT_EQ(initialized.bytes.data(), bytes.data());
  EXPECT_EQ(initialized.bytes.size(), bytes.size());
}

TEST(initialize_workspace, refuses_what_cannot_be_scratch) {
  const wf_test::device_array<std::byte> memory(
      std::vector<std::byte>(host_side::control_bytes + 128, std::byte{0xee}));
  const std::span<std::byte> bytes(memory.data(), memory.size());
  const std::string least = std::to_string(host_side::control_bytes);
  EXPECT_EQ(wf_test::refusal([&] { wf::initialize_workspace(bytes.subspan(64)); }),
            "warpfold::initialize_workspace: bytes has " + std::to_string(bytes.size() - 64) +
                " bytes aligned to 64; " + least + " bytes aligned to 128 are needed");
  EXPECT_EQ(wf_test::refusal([&] { wf::initialize_workspace(bytes.first(100)); }),
            "warpfold::initialize_workspace: bytes has 100 bytes aligned to 128; " + least +
                " bytes aligned to 128 are needed");
  EXPECT_EQ(wf_test::refusal([&] { wf::initialize_workspace({}); }),
            "warpfold::initialize_workspace: bytes has 0 bytes aligned to 128; " + least +
                " bytes aligned to 128 are needed");
  EXPECT_EQ(memory.value(64), std::byte{0xee}) << "nothing was written";
}

/// Counts what is allocated and not given back.
struct counted_memory {
  std::size_t held = 0;
  void* take(std::size_t bytes) {
    void* data = nullptr;
    wf::check(cudaMalloc(&data, bytes), "cudaMalloc");
    held += bytes;
    return data;
  }
  void give(void* data, std::size_t bytes) noexcept {
    (void)cudaFree(data);
    held -= bytes;
  }
};
struct cccl_3 : counted_memory {
  void* allocate(cudaStream_t, std::size_t bytes, std::size_t) { return take(bytes); }
  void deallocate(cudaStream_t, void* data, std::size_t bytes, std::size_t) noexcept { give(data, bytes); }
};
struct cccl_2 : counted_memory {
  void* allocate_async(std::size_t bytes, std::size_t, cudaStream_t) { return take(bytes); }
  void deallocate_async(void* data, std::size_t bytes, std::size_t, cudaStream_t) noexcept { give(data, bytes); }
};
struct rmm : counted_memory {
  void* allocate(std::size_t bytes, cudaStream_t) { return take(bytes); }
  void deallocate(void* data, std::size_t bytes, cudaStream_t) noexcept { give(data, bytes); }
};

template <class Resource> void expect_borrowed() {
  Resource resource;
  const wf_test::device_array<int> in(std::vector<int>{1, 2, 3}), out(1);
  {
    wf::workspace scratch(resource, cudaStream_t{});
    EXPECT_EQ(resource.held, scratch.bytes().size());
    const wf::workspace moved(std::move(scratch));
    wf::reduce(in, out, {.workspace = moved});
    EXPECT_EQ(out.value(), 6);
    EXPECT_EQ(control_of(moved.bytes()), cleared);
  }
  EXPECT_EQ(resource.held, 0u);
}

TEST(workspace, is_taken_from_memory_resources) {
  expect_borrowed<cccl_3>();
  expect_borrowed<cccl_2>();
  expect_borrowed<rmm>();
  const wf::workspace pooled(wf::stream_ordered_memory{}, cudaStream_t{});
  EXPECT_EQ(control_of(pooled.bytes()), cleared);
}

TEST(workspace, scratch_of_streams_is_released) {
  const wf_test::device_array<float> in(std::vector<float>(100'000, 1.0f)), out(1);
  (void)wf::release_scratch();
  wf::reduce(in, out);
  EXPECT_GT(wf::release_scratch(), 0u);
  EXPECT_EQ(out.value(), 100'000.0f);
  EXPECT_EQ(wf::release_scratch(), 0u);
  wf::reduce(in, out, wf::maximum{});
  EXPECT_EQ(out.value(), 1.0f);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that Warpfold brings: a slot for each stream, a slot for each captured call, always cleared when handed
// out.
#include <warpfold/host/default_workspace.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <thread>
#include <vector>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;
namespace host_side = warpfold::host_side;

class stream {
 public:
  explicit stream(unsigned flags = cudaStreamNonBlocking) {
    wf::check(cudaStreamCreateWithFlags(&handle_, flags), "cudaStreamCreateWithFlags");
  }
  stream(const stream&) = delete;
  ~stream() { (void)cudaStreamDestroy(handle_); }
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_{};
};

/// Scratch with room for `bytes` beside the control words of all functions. It is never given back.
std::span<std::byte> get(cudaStream_t on, std::size_t bytes) {
  return host_side::workspace_pool::instance()
      .borrow(host_side::current_device(), on, {host_side::feature_control_bytes, bytes})
      .scratch.bytes;
}

/// Whether the control bytes, of all functions at most, are zero for what runs next on the stream.
bool is_cleared(std::span<std::byte> scratch, cudaStream_t on) {
  wf::check(cudaStreamSynchronize(on), "cudaStreamSynchronize");
  std::vector<unsigned char> control(std::min(scratch.size(), host_side::control_bytes));
  wf::check(cudaMemcpy(control.data(), scratch.data(), control.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return control == std::vector<unsigned char>(control.size(), 0);
}

TEST(workspace_pool, has_what_the_calls_of_a_stream_needed) {
  static auto& pool =
      *new host_side::workspace_pool;  // one whose streams have made no calls; never destroyed, as the other
  const int device = host_side::current_device();
  const stream own;
  const auto borrow = [&](const host_side::scratch_need& need) { return pool.borrow(device, own, need).scratch; };
  const auto of_sums = wf::reduction::scratch(device, sizeof(float)), of_runs = wf::by_key::scratch(sizeof(float));
  const auto small = borrow(of_sums);
  EXPECT_LE(small.bytes.size(), 256u * 1024);
  EXPECT_TRUE(is_cleared(small.bytes.first(small.control_bytes), own));
  const auto large = borrow(of_runs);
  EXPECT_NE(large.bytes.data(), small.bytes.data());
  EXPECT_GE(large.control_bytes, of_runs.own_control_bytes());
  EXPECT_GE(large.bytes.size() - large.control_bytes, of_sums.room_bytes) << "it serves both";
  EXPECT_TRUE(is_cleared(large.bytes.first(large.control_bytes), own));
  EXPECT_EQ(borrow(of_sums).bytes.data(), large.bytes.data());
}

TEST(workspace_pool, keeps_a_slot_for_each_stream) {
  const stream a, b;
  const auto of_a = get(a, 1000), of_b = get(b, 1000), of_default = get({}, 1000);
  EXPECT_EQ((std::set{of_a.data(), of_b.data(), of_default.data()}).size(), 3u);
  EXPECT_EQ(get(a, 1000).data(), of_a.data());
  EXPECT_EQ(get(b, 500).data(), of_b.data()) << "smaller needs fit, too";
  EXPECT_EQ(get(cudaStreamLegacy, 1000).data(), of_default.data()) << "the same stream by another name";
  for (const auto& slot : {of_a, of_b}) {
    EXPECT_GE(slot.size(), 1000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot.data()) % host_side::workspace_alignment, 0u);
  }
  EXPECT_TRUE(is_cleared(of_a, a) && is_cleared(of_b, b) && is_cleared(of_default, {}));
}

TEST(workspace_pool, does_not_mistake_a_new_stream_for_one_that_is_gone) {
  std::set<std::byte*> slots;
  for (int i = 0; i < 5; ++i) {
    const stream next;  // it may well get the handle of the last one
    slots.insert(get(next, 1000).data());
  }
  EXPECT_EQ(slots.size(), 5u);
}

TEST(workspace_pool, grows_a_slot_and_leaves_the_old_one_to_earlier_work) {
  const stream a;
  const auto small = get(a, 1000);
  wf::check(cudaMemsetAsync(small.data(), 0x77, small.size(), a), "cudaMemsetAsync");
  const auto large = get(a, 1001);
  EXPECT_GE(large.size(), small.size() + 1000) << "at least twice the room, so that few are retired";
  EXPECT_NE(large.data(), small.data());
  EXPECT_TRUE(is_cleared(large, a));
  EXPECT_FALSE(is_cleared(small, a)) << "still there, untouched";
  EXPECT_EQ(get(a, 1000).data(), large.data());
}

TEST(workspace_pool, each_threads_default_stream_has_its_own) {
  std::byte *here = get(cudaStreamPerThread, 1000).data(), *there = nullptr;
  std::thread([&] { there = get(cudaStreamPerThread, 1000).data(); }).join();
  EXPECT_NE(here, there);
  EXPECT_NE(here, get({}, 1000).data());
}

TEST(workspace_pool, serves_many_threads) {
  constexpr int threads = 8, streams_each = 4;
  std::vector<std::vector<std::byte*>> slots(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&slots, t] {
      for (int i = 0; i < streams_each; ++i) {
        const stream own;
        slots[static_cast<std::size_t>(t)].push_back(get(own, 1000).data());
        if (get(own, 1000).data() != slots[static_cast<std::size_t>(t)].back())
          slots[static_cast<std::size_t>(t)].clear();
      }
    });
  for (std::thread& t : running) t.join();
  std::set<std::byte*> distinct;
  for (const auto& of_thread : slots) distinct.insert(of_thread.begin(), of_thread.end());
  EXPECT_EQ(distinct.size(), std::size_t{threads * streams_each});
}

/// The scratch that calls get while `on` is captured; the graph lives as long as this.
class captured {
 public:
  captured(cudaStream_t on, int calls, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal,
           std::size_t bytes = 1000) {
    wf::check(cudaStreamBeginCapture(on, mode), "cudaStreamBeginCapture");
    for (int i = 0; i < calls; ++i) slots.push_back(get(on, bytes));
    wf::check(cudaStreamEndCapture(on, &graph_), "cudaStreamEndCapture");
  }
  captured(const captured&) = delete;
  ~captured() { (void)cudaGraphDestroy(graph_); }

  std::size_t nodes() const {
    std::size_t count = 0;
    wf::check(cudaGraphGetNodes(graph_, nullptr, &count), "cudaGraphGetNodes");
    return count;
  }

  std::vector<std::span<std::byte>> slots;

 private:
  cudaGraph_t graph_{};
};

TEST(workspace_pool, gives_each_captured_call_a_slot_that_no_eager_call_shares) {
  const stream a;
  std::set<std::byte*> slots{get(a, 1000).data()};
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    const captured graph(a, 2, mode);
    for (const auto& slot : graph.slots) {
      EXPECT_GE(slot.size(), 1000u);
      EXPECT_TRUE(is_cleared(slot, a)) << "cleared already, and not by the graph";
    }
    EXPECT_EQ(graph.nodes(), 0u) << "nothing to be replayed";
    EXPECT_NE(graph.slots[0].data(), graph.slots[1].data());
    EXPECT_FALSE(slots.contains(graph.slots[0].data()) || slots.contains(graph.slots[1].data()));
  }
  EXPECT_TRUE(slots.contains(get(a, 1000).data()));
}

TEST(workspace_pool, takes_a_slot_back_when_the_graph_is_gone) {
  const stream a;
  std::byte* returned = nullptr;
  {
    const captured graph(a, 1), other(a, 1);
    returned = graph.slots[0].data();
    EXPECT_NE(other.slots[0].data(), returned) << "while the graph lives, the slot is its own";
  }
  // CUDA calls back when it likes. Slots that others returned may come first.
  const auto seen_again = [&] {
    const captured graph(a, 8);
    for (const auto& slot : graph.slots)
      if (slot.data() == returned) return true;
    return false;
  };
  bool seen = false;
  for (int i = 0; i < 200 && !(seen = seen_again()); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(seen);
}

// A slot that a small call's graph has given back is too small for a larger call.
TEST(workspace_pool, gives_a_captured_call_a_slot_that_is_large_enough) {
  const stream a;
  { const captured small(a, 3); }
  wf::check(cudaStreamSynchronize(a), "cudaStreamSynchronize");
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{1} << 20, std::size_t{8} << 20}) {
    const captured large(a, 2, cudaStreamCaptureModeGlobal, bytes);
    for (const auto& slot : large.slots) EXPECT_GE(slot.size(), bytes);
  }
}

TEST(workspace_pool, keeps_the_slot_as_long_as_an_executable_graph_needs_it) {
  const stream a;
  cudaGraphExec_t executable{};
  std::byte* kept = nullptr;
  {
    cudaGraph_t graph{};
    wf::check(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    kept = get(a, 1000).data();
    wf::check(cudaMemsetAsync(kept + 512, 1, 4, a), "cudaMemsetAsync");
    wf::check(cudaStreamEndCapture(a, &graph), "cudaStreamEndCapture");
    wf::check(cudaGraphInstantiateWithFlags(&executable, graph, 0), "cudaGraphInstantiate");
    wf::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  for (int i = 0; i < 5; ++i) {
    const captured other(a, 3);
    for (const auto& slot : other.slots) EXPECT_NE(slot.data(), kept);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST(relaxed_capture, restores_the_mode_of_the_thread) {
  const auto exchange = [](cudaStreamCaptureMode mode) {
    wf::check(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
    return mode;
  };
  const auto before = exchange(cudaStreamCaptureModeThreadLocal);
  {
    const host_side::relaxed_capture relaxed;
    EXPECT_EQ(exchange(cudaStreamCaptureModeRelaxed), cudaStreamCaptureModeRelaxed);
  }
  EXPECT_EQ(exchange(before), cudaStreamCaptureModeThreadLocal);
}

}  // namespace

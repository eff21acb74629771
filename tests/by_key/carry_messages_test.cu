// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries as messages: a carry has arrived whole or not at all, whatever the size of its accumulators.
#include <warpfold/by_key/carry_messages.cuh>

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;

template <int Size> struct value {
  std::array<unsigned char, Size> bytes;
  friend bool operator==(const value&, const value&) = default;
};

template <class A> struct seen {
  bool before, after_some, after_all, after_clear;
  wf::by_key::placed_carry<A> found;
};

/// Sends a carry, message by message, and tries to receive it in between. By one thread.
template <class A>
__global__ void send_kernel(wf::by_key::placed_carry<A> own, wf::by_key::carry_messages<A>* message,
                            wf::by_key::carry_messages<A>* all, seen<A>* result) {
  seen<A> saw{};
  saw.before = message->try_receive(saw.found);
  all->send(own);
  for (int k = 0; k < wf::by_key::carry_messages<A>::count; ++k) {
    if (message->try_receive(saw.found)) saw.after_some = true;
    wf::arch::publish(message->messages + k, wf::arch::observe(all->messages + k));
  }
  saw.after_all = message->try_receive(saw.found);
  message->clear();
  auto again = saw.found;
  saw.after_clear = message->try_receive(again);
  *result = saw;
}

template <int Size> void expect_received(int heads, int before, bool has_first) {
  using A = value<Size>;
  using messages = wf::by_key::carry_messages<A>;
  static_assert(sizeof(messages) == 16 * messages::count);
  wf::by_key::placed_carry<A> own{};
  for (int i = 0; i < Size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    own.runs.first.bytes[at] = static_cast<unsigned char>(i % 3 == 0 ? 0 : 1 + i),
    own.runs.last.bytes[at] = static_cast<unsigned char>(200 - i);
  }
  own.runs.heads = heads, own.before = before, own.runs.has_first = has_first;
  const wf_test::device_array<messages> message(std::vector<messages>(2));
  const wf_test::device_array<seen<A>> result(std::vector<seen<A>>(1));  // the kernel leaves padding as it is
  wf_test::launch_and_wait(&send_kernel<A>, 1, 1, 0, own, message.data(), message.data() + 1, result.data());
  const auto saw = result.value();
  EXPECT_FALSE(saw.before || saw.after_some || saw.after_clear) << Size << " bytes";
  ASSERT_TRUE(saw.after_all) << Size << " bytes";
  EXPECT_EQ(saw.found.runs.first, own.runs.first) << Size << " bytes";
  EXPECT_EQ(saw.found.runs.last, own.runs.last) << Size << " bytes";
  EXPECT_EQ(saw.found.runs.heads, heads);
  EXPECT_EQ(saw.found.before, before);
  EXPECT_EQ(saw.found.runs.has_first, has_first);
  const auto left = message.value();
  for (const auto& message : left.messages)
    for (const std::uint32_t word : message.words) EXPECT_EQ(word, 0u) << Size << " bytes";
}

template <int... Sizes>
void expect_all_received(std::integer_sequence<int, Sizes...>, int heads, int before, bool has_first) {
  (expect_received<Sizes>(heads, before, has_first), ...);
}

TEST(carry_messages, arrive_whole_or_not_at_all) {
  using sizes = std::integer_sequence<int, 1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 31, 64, 200>;
  expect_all_received(sizes{}, 0, 0, false);
  expect_all_received(sizes{}, 1, 0, true);
  expect_all_received(sizes{}, 4096, 1'000'000'007, true);
  expect_all_received(sizes{}, 0x7FFFFFFF, 0x7FFFFFFF, false);
}

TEST(carry_messages, are_one_where_they_fit) {
  static_assert(wf::by_key::carry_messages<float>::count == 1 && wf::by_key::carry_messages<double>::count == 2);
  static_assert(wf::by_key::carry_messages<value<12>>::count == 3 && wf::by_key::carry_messages<value<16>>::count == 3);
  static_assert(wf::by_key::epoch_carries(1) == 1 && wf::by_key::epoch_carries(32) == 32 &&
                wf::by_key::epoch_carries(33) == 33 + 2);
  for (const std::size_t bytes : {1, 4, 8, 16, 17, 64, 256, 4096})
    EXPECT_LE(std::size_t{16} * static_cast<std::size_t>(wf::by_key::messages_per_carry(bytes) *
                                                         wf::by_key::epoch_carries(wf::by_key::epoch_tiles(bytes))),
              wf::by_key::by_key_control_bytes)
        << bytes;
}

}  // namespace

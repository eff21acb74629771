// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments that are out of order or outside the input: builds with WARPFOLD_CHECKS stop each kernel before it reads or
// writes out of bounds, which AddressSanitizer shows, and say which segment is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "common/samples.hpp"
#include "segmented/kernels.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::lengths;

namespace {

/// Segments that every kernel treats in its own way: tiny, short, long, and all of these.
template <class Kernel> std::vector<layout> layouts() {
  lengths tiny, few;
  for (int s = 0; s < (Kernel::deals_by_number ? 200 : 900); ++s) tiny.push_back(s % 4), few.push_back(s * 7 % 23);
  return {{"tiny", tiny},
          {"few", few},
          {"long", {2000, 3000, 0, 700, 5000}},
          {"one", {5000}},
          {"all", {0, 5, 100, 0, 0, 3000, 1, 7000, 33, 33, 33, 900, 0, 4, 1079, 0}}};
}

template <class Kernel> class segmented_reduce_malformed : public testing::Test {
 public:
  static constexpr bool takes_owners = !Kernel::deals_by_number;

  void SetUp() override {
    if (Kernel::needs_bulk_copies && !wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }
  template <class Segments> void reduce(const layout& where, const Segments& segments, int max_blocks) {
    const device_array<float> in(std::vector<float>(static_cast<std::size_t>(where.items), 1.0f)),
        out(where.segments());
    Kernel::reduce(in.items(), segments, std::span<float>(out.data(), out.size()), wf::plus{},
                   wf::segmented_options<float>{.max_blocks = max_blocks});
    wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
};
using kernels = testing::Types<wf_test::in_place, wf_test::staged, wf_test::per_warp_team>;
TYPED_TEST_SUITE(segmented_reduce_malformed, kernels);

TYPED_TEST(segmented_reduce_malformed, good_segments_pass) {
  for (const layout& where : layouts<TypeParam>())
    for (const int max_blocks : {0, 1}) {
      const device_array<int> offsets(where.offsets<int>()), ids(where.owners<int>());
      EXPECT_NO_THROW(this->reduce(where, offsets.items(), max_blocks)) << where;
      if constexpr (TestFixture::takes_owners) {
        EXPECT_NO_THROW(this->reduce(where, wf::owners{ids.items()}, max_blocks)) << where;
      }
    }
}

// On a GPU such a kernel ends the process's use of the device.
#if WARPFOLD_CHECKS && defined(WARPFOLD_EMULATOR)

/// The message with which reduce() is stopped; nothing if it is not stopped, or not by a precondition.
template <class Reduce> std::string message_of(Reduce reduce) {
  try {
    reduce();
  } catch (const cuda_emulator::error& e) {
    return e.kind() == cuda_emulator::fault::precondition ? e.what() : "";
  }
  return "";
}

/// Expects that the kernel is stopped, and that the message has each of `words`. Every second call has one block: a
/// kernel that is stopped takes long under sanitizers.
template <class Reduce>
void expect_stopped(Reduce reduce, const std::string& what, const std::vector<std::string>& words = {}) {
  static int calls = 0;
  const int max_blocks = calls++ % 2;
  const std::string message = message_of([&] { reduce(max_blocks); });
  EXPECT_NE(message.find("segments must be in order"), std::string::npos)
      << what << ", max_blocks " << max_blocks << ": " << message;
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
}

std::vector<std::int64_t> wrong_values(std::int64_t items, bool of_64_bits) {
  if (of_64_bits) return {-1, items + 1, std::int64_t{1} << 40, -(std::int64_t{1} << 40)};
  return {-1, -20'000, items + 1, items + 5000, INT_MIN, INT_MAX, 0, items};
}
std::vector<std::size_t> places(std::size_t count) { return {0, 1, count / 2, count - 1}; }

/// visit(place, value) for half of the pairs, of the next turn the other half: each layout has all places and all
/// values, and two layouts have all pairs; or a sample of these.
template <class Value, class Visit>
void each_second(std::size_t turn, const std::vector<std::size_t>& places, const std::vector<Value>& values,
                 Visit visit) {
  auto number = static_cast<std::int64_t>(turn);
  for (std::size_t p = 0; p < places.size(); ++p)
    for (std::size_t v = 0; v < values.size(); ++v)
      if ((turn + p + v) % 2 == 0 && wf_test::in_sample(number++)) visit(places[p], values[v]);
}

template <class Kernel, class Index, class Test> void expect_wrong_offsets_stopped(Test& test) {
  std::size_t turn = 0;
  for (const layout& where : layouts<Kernel>()) {
    const auto good = where.offsets<Index>();
    each_second(
        turn++, places(good.size()), wrong_values(where.items, sizeof(Index) > 4), [&](std::size_t place, auto wrong) {
          auto offsets = good;
          offsets[std::min(place, offsets.size() - 1)] = static_cast<Index>(wrong);
          if (std::is_sorted(offsets.begin(), offsets.end()) && offsets.front() >= 0 && offsets.back() <= where.items)
            return;
          const device_array<Index> on_device(offsets);
          expect_stopped([&](int max_blocks) { test.reduce(where, on_device.items(), max_blocks); },
                         where.name + ": offset " + std::to_string(place) + " is " + std::to_string(wrong));
        });
  }
}
TYPED_TEST(segmented_reduce_malformed, offsets_of_32_bits) { expect_wrong_offsets_stopped<TypeParam, int>(*this); }
TYPED_TEST(segmented_reduce_malformed, offsets_of_64_bits) {
  expect_wrong_offsets_stopped<TypeParam, std::int64_t>(*this);
}

TYPED_TEST(segmented_reduce_malformed, bounds) {
  std::size_t turn = 0;
  for (const layout& where : layouts<TypeParam>())
    each_second(
        turn++, places(where.begins.size()), wrong_values(where.items, false), [&](std::size_t place, auto wrong) {
          for (const bool is_end : {false, true}) {
            auto begins = where.begins, ends = where.ends;
            auto& entry = (is_end ? ends : begins)[std::min(place, begins.size() - 1)];
            entry = wrong;
            bool is_good = true;
            for (std::size_t s = 0; s < begins.size(); ++s)
              is_good = is_good && 0 <= begins[s] && begins[s] <= ends[s] &&
                        ends[s] <= (s + 1 < begins.size() ? begins[s + 1] : where.items);
            if (is_good) continue;
            const device_array<int> b(wf_test::narrowed<int>(begins)), e(wf_test::narrowed<int>(ends));
            expect_stopped(
                [&](int max_blocks) {
                  this->reduce(where, wf::bounds{b.items(), e.items()}, max_blocks);
                },
                where.name + (is_end ? ": end " : ": begin ") + std::to_string(place) + " is " + std::to_string(wrong));
          }
        });
}

TYPED_TEST(segmented_reduce_malformed, owners) {
  [[maybe_unused]] std::size_t turn = 0;
  if constexpr (TestFixture::takes_owners)
    for (const layout& where : layouts<TypeParam>()) {
      const auto good = where.owners<int>();
      const std::vector<int> wrong_ids{-1, static_cast<int>(where.segments()), INT_MIN, INT_MAX, 0};
      each_second(turn++, places(good.size()), wrong_ids, [&](std::size_t place, int wrong) {
        for (const std::size_t run : {std::size_t{1}, good.size() / 4}) {
          auto ids = good;
          for (std::size_t i = place; i < std::min(place + run, ids.size()); ++i) ids[i] = wrong;
          if (std::is_sorted(ids.begin(), ids.end()) && ids.front() >= 0 && ids.back() < where.segments()) continue;
          const device_array<int> on_device(ids);
          expect_stopped([&](int max_blocks) { this->reduce(where, wf::owners{on_device.items()}, max_blocks); },
                         where.name + ": " + std::to_string(run) + " ids from " + std::to_string(place) + " on are " +
                             std::to_string(wrong));
        }
      });
    }
}

TYPED_TEST(segmented_reduce_malformed, the_message_names_the_segment_its_items_and_their_number) {
  const layout where("", {5000});
  const device_array<int> offsets(std::vector<int>{0, 5001});
  expect_stopped([&](int max_blocks) { this->reduce(where, offsets.items(), max_blocks); }, "beyond the input",
                 {"segment 0 ", "[0, 5001)", "of 5000"});
}
#endif

}  // namespace

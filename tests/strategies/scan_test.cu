// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sources' scans: every result, at every border of items, rows, data-blocks and passes.
#include <numeric>
#include <string>
#include <warpfold/segmented_reduce.cuh>

#include "common/interval.hpp"
#include "compositions.cuh"

namespace wf_test {
namespace {

namespace strategies = wf::strategies;
using wf::block::padding;

/// Small data-blocks: small inputs then have three levels of totals. D is 64, 64, 128 and 80. All but the second have
/// two warps, between which barriers count.
using small_scans = testing::Types<wf::scan_strategy<wf::block::hillis_steele<64>>,
                                   wf::scan_strategy<wf::block::up_down_sweep<padding::none, 32>>,
                                   wf::scan_strategy<wf::block::up_down_sweep<padding::spare_slots, 64>>,
                                   wf::scan_strategy<wf::block::matrix_scan<40, 2, 64>>>;

template <class S> constexpr std::int64_t data_block_items = S::algorithm::data_block_items;

/// Around items, data-blocks, and data-blocks of totals; a prime with three levels.
template <class S> std::vector<std::int64_t> scan_sizes() {
  constexpr std::int64_t d = data_block_items<S>;
  return {1, 2, 3, 15, 16, 17, d - 1, d, d + 1, 2 * d - 1, 2 * d + 1, d * d - 1, d * d, d * d + 1, d * d + d + 7};
}

template <class S> class strategies_scan : public testing::Test {};
TYPED_TEST_SUITE(strategies_scan, small_scans);

TYPED_TEST(strategies_scan, keeps_order_in_every_result) {
  using item = interval<>;
  for (const int seed : {1, 2, 3}) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    for (const std::int64_t count : scan_sizes<TypeParam>()) {
      const device_array<item> in(interval_items<item>(count), seed - 1);
      device_array<item> out(count + 1, seed - 1);
      const std::span<item> to(out.data(), static_cast<std::size_t>(count));
      const int begin = seed % 2 - 1;  // the init of [-1, -1] joins or not
      out.set(count, item::of(77));
      strategies::inclusive_scan<TypeParam>(
          in.items(), to, join{},
          begin < 0 ? wf::reduce_options<item>{.init = item::of(-1)} : wf::reduce_options<item>{});
      const auto inclusive = out.to_host();
      strategies::exclusive_scan<TypeParam>(in.data(), count, out.data(), join{}, {.init = item::of(-1)});
      const auto exclusive = out.to_host();
      for (std::int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(inclusive[static_cast<std::size_t>(i)], item::of(begin, i)) << i << " of " << count;
        ASSERT_EQ(exclusive[static_cast<std::size_t>(i)], item::of(-1, i - 1)) << i << " of " << count;
      }
      ASSERT_EQ(exclusive.back(), item::of(77)) << "written past the results";
    }
  }
}

TYPED_TEST(strategies_scan, gives_the_sums_of_the_standard_library_in_place) {
  for (const std::int64_t count : scan_sizes<TypeParam>())
    for (const int offset : {0, 1, 3}) {
      std::vector<int> items(static_cast<std::size_t>(count)), expected(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i * 7919 % 1000) - 400;
      const device_array<int> in_out(items, offset);
      strategies::inclusive_scan<TypeParam>(in_out.items(), in_out.data(), wf::plus{});
      std::inclusive_scan(items.begin(), items.end(), expected.begin());
      ASSERT_EQ(in_out.to_host(), expected) << count;
      const device_array<int> other(items, offset);
      strategies::exclusive_scan<TypeParam>(other.items(), other.data(), wf::plus{}, {});
      std::exclusive_scan(items.begin(), items.end(), expected.begin(), 0);
      ASSERT_EQ(other.to_host(), expected) << count;
    }
}

/// Bytes, whose accumulators are wider; and 24 bytes, which two words of a bank's row do not divide.
TYPED_TEST(strategies_scan, takes_narrow_and_wide_items) {
  const std::int64_t d = data_block_items<TypeParam>, count = 3 * d + 5;
  for (const int offset : {0, 1, 7}) {
    std::vector<std::int8_t> bytes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::int8_t>(i * 37 % 251);
    std::vector<std::int64_t> sums(bytes.size());
    std::inclusive_scan(bytes.begin(), bytes.end(), sums.begin(), std::plus{}, std::int64_t{5});
    const device_array<std::int8_t> in(bytes, offset);
    const device_array<std::int64_t> out(count), init(std::vector<std::int64_t>{5});
    strategies::inclusive_scan<TypeParam>(in.items(), out.data(), wf::accumulate_in<std::int64_t>(wf::plus{}),
                                          {.init = static_cast<const std::int64_t*>(init.data())});
    EXPECT_EQ(out.to_host(), sums);

    using item = interval<std::int32_t, 24>;
    const device_array<item> wide(interval_items<item>(count), offset), wide_out(count);
    strategies::inclusive_scan<TypeParam>(wide.items(), wide_out.data(), join{});
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(wide_out.value(i), item::of(0, i));
  }
}

/// Owners of the items of segments of these lengths in turn; every third owner has no items.
template <class Id> std::vector<Id> owners_of(std::int64_t count, std::initializer_list<std::int64_t> lengths) {
  std::vector<Id> ids;
  for (Id id = 0;; id += id % 3 == 1 ? 2 : 1)
    for (const std::int64_t length : lengths) {
      for (std::int64_t i = 0; i < length; ++i) {
        if (static_cast<std::int64_t>(ids.size()) == count) return ids;
        ids.push_back(id);
      }
      ++id;
    }
}

TYPED_TEST(strategies_scan, keeps_segments_apart) {
  using item = interval<>;
  const std::int64_t d = data_block_items<TypeParam>;
  for (const int seed : {1, 2, 3}) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    for (const std::int64_t count : scan_sizes<TypeParam>())
      for (const auto& ids : {owners_of<int>(count, {1}), owners_of<int>(count, {3, 1, d}),
                              owners_of<int>(count, {d - 1, d + 1, 3 * d}), owners_of<int>(count, {d * d, 2})}) {
        const device_array<item> in(interval_items<item>(count), seed - 1), out(count);
        const device_array<int> owners(ids, 2 - seed % 2);
        strategies::segmented_inclusive_scan<TypeParam>(in.items(), wf::owners{owners.items()}, out.data(), join{});
        const auto inclusive = out.to_host();
        std::int64_t begin = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          if (i > 0 && ids[at] != ids[at - 1]) begin = i;
          ASSERT_EQ(inclusive[at], item::of(begin, i)) << i << " of " << count;
        }
      }
  }
}

TYPED_TEST(strategies_scan, starts_each_segment_with_init) {
  const std::int64_t d = data_block_items<TypeParam>;
  for (const std::int64_t count : scan_sizes<TypeParam>())
    for (const auto& ids : {owners_of<std::uint32_t>(count, {1, 2, d}), owners_of<std::uint32_t>(count, {d, 2 * d})})
      for (const long long init : {0, 1000}) {
        std::vector<long long> items(static_cast<std::size_t>(count)), inclusive(items.size()), exclusive(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
          items[i] = static_cast<long long>(i * i % 101);
          exclusive[i] = i > 0 && ids[i] == ids[i - 1] ? inclusive[i - 1] : init;
          inclusive[i] = exclusive[i] + items[i];
        }
        const device_array<long long> in(items, 1), out(count);
        const device_array<std::uint32_t> owners(ids);
        const wf::owners segments{owners.items()};
        wf::reduce_options<long long> options;
        if (init != 0) options.init = init;  // else the exclusive form writes the identity
        strategies::segmented_inclusive_scan<TypeParam>(in.items(), segments, out.data(), wf::plus{}, options);
        ASSERT_EQ(out.to_host(), inclusive) << count;
        strategies::segmented_exclusive_scan<TypeParam>(in.items(), segments, out.data(), wf::plus{}, options);
        ASSERT_EQ(out.to_host(), exclusive) << count;
        strategies::segmented_exclusive_scan<TypeParam>(in.items(), segments, in.data(), wf::plus{}, options);
        ASSERT_EQ(in.to_host(), exclusive) << count << " in place";
      }
}

// ---- the operator sees items only -----------------------------------------------------------------------------------

constexpr int known = 0x5eed;
struct tally {
  int mark = 0, count = 0;
};
/// Stops the kernel at what is no tally. (nvcc knows __trap in device code only.)
struct add_tallies {
  __host__ __device__ tally operator()(const tally& a, const tally& b) const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    if (a.mark != known || b.mark != known) __trap();
#endif
    return {known, a.count + b.count};
  }
};

TYPED_TEST(strategies_scan, joins_no_unknown_items) {
  const std::int64_t d = data_block_items<TypeParam>;
  for (const std::int64_t count : scan_sizes<TypeParam>()) {
    const auto n = static_cast<std::size_t>(count);
    const device_array<tally> in(std::vector<tally>(n, {known, 1}), count % 2), out(count);
    const auto ids = owners_of<int>(count, {d + 3});
    const device_array<int> owners(ids);
    strategies::inclusive_scan<TypeParam>(in.items(), out.data(), add_tallies{});
    auto actual = out.to_host();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(actual[i].count, static_cast<int>(i) + 1);
    strategies::segmented_exclusive_scan<TypeParam>(in.items(), wf::owners{owners.items()}, out.data(), add_tallies{},
                                                    {.init = tally{known, 0}});
    actual = out.to_host();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(actual[i].count, i > 0 && ids[i] == ids[i - 1] ? actual[i - 1].count + 1 : 0);
  }
}

/// Items that are computed. There are no others.
struct computed_items {
  using value_type = int;
  using difference_type = std::int64_t;
  std::int64_t limit;

  __host__ __device__ int operator[]([[maybe_unused]] std::int64_t i) const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    if (i < 0 || i >= limit) __trap();
#endif
    return 2;
  }
};

TYPED_TEST(strategies_scan, reads_iterators_within_bounds) {
  for (const std::int64_t count : scan_sizes<TypeParam>()) {
    const device_array<int> out(count);
    strategies::inclusive_scan<TypeParam>(computed_items{count}, count, out.data(), wf::plus{});
    for (const std::int64_t i : {std::int64_t{0}, count / 2, count - 1}) ASSERT_EQ(out.value(i), 2 * (i + 1));
  }
}

// ---- arguments ------------------------------------------------------------------------------------------------------

template <class Call> void expect_refused(Call call, std::initializer_list<const char*> words) {
  try {
    call();
    FAIL() << "accepted";
  } catch (const std::invalid_argument& refused) {
    for (const char* word : words)
      EXPECT_NE(std::string(refused.what()).find(word), std::string::npos) << refused.what();
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(strategies_scan_errors, are_found_before_anything_is_written) {
  using S = wf::scan_strategy<wf::block::hillis_steele<32>>;
  const std::vector<int> ones(100, 1);
  const device_array<int> in(ones), out(std::vector<int>(100, 77)), ids(ones);
  const wf::owners segments{ids.items()}, too_few{ids.items().first(99)};
  const device_array<std::byte> bytes(256);
  const auto sum = [&](const wf::reduce_options<int>& options) {
    strategies::inclusive_scan<S>(in.items(), out.data(), wf::plus{}, options);
  };
  expect_refused([&] { strategies::inclusive_scan<S>(in.data(), -1, out.data(), wf::plus{}); },
                 {"inclusive_scan", "count is -1"});
  expect_refused([&] { strategies::exclusive_scan<S>(static_cast<const int*>(nullptr), 3, out.data(), wf::plus{}); },
                 {"exclusive_scan", "first is a null pointer"});
  expect_refused([&] { strategies::exclusive_scan<S>(in.items(), static_cast<int*>(nullptr), wf::plus{}); },
                 {"exclusive_scan", "out is a null pointer"});
  expect_refused([&] { strategies::inclusive_scan<S>(in.items(), std::span(out.data(), 99), wf::plus{}); },
                 {"inclusive_scan", "out has 99 items, not 100"});
  expect_refused([&] { strategies::inclusive_scan<S>(in.data(), 50, in.data() + 49, wf::plus{}); },
                 {"inclusive_scan", "out lies within the input"});
  expect_refused([&] { sum({.init = static_cast<const int*>(out.data() + 99)}); },
                 {"inclusive_scan", "init lies within out"});
  expect_refused([&] { sum({.max_blocks = 3}); }, {"inclusive_scan", "max_blocks is given"});
  expect_refused([&] { sum({.max_blocks = -3}); }, {"inclusive_scan", "max_blocks is -3"});
  expect_refused(
      [&] {
        sum({.workspace = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()})});
      },
      {"inclusive_scan", "workspace has 256 bytes"});
  expect_refused([&] { strategies::segmented_inclusive_scan<S>(in.items(), too_few, out.data(), wf::plus{}); },
                 {"segmented_inclusive_scan", "owners has 99 entries, not 100"});
  expect_refused([&] { strategies::segmented_exclusive_scan<S>(in.items(), segments, ids.data(), wf::plus{}); },
                 {"segmented_exclusive_scan", "out lies within owners"});
  EXPECT_EQ(out.to_host(), std::vector<int>(100, 77));
  EXPECT_EQ(in.to_host(), ones);

  using item = interval<>;
  const device_array<item> items(interval_items<item>(5)), results(5);
  expect_refused([&] { strategies::exclusive_scan<S>(items.items(), results.data(), join{}); },
                 {"exclusive_scan", "no identity"});
  strategies::exclusive_scan<S>(items.items().first(0), results.data(), join{});  // writes nothing
}

TEST(strategies_scan_workspace, as_many_bytes_as_said_are_enough) {
  using S = wf::scan_strategy<wf::block::hillis_steele<32>>;
  const std::int64_t count = 32 * 32 * 3 + 1;
  const device_array<std::byte> bytes(static_cast<std::int64_t>(strategies::scan_workspace_bytes<S, int>(count)));
  const auto workspace = wf::initialize_workspace({bytes.data(), bytes.size()});
  const std::vector<int> ones(static_cast<std::size_t>(count), 1);
  const device_array<int> in(ones), out(count);
  const device_array<std::int64_t> ids(std::vector<std::int64_t>(ones.size(), 4));
  for (int call = 0; call < 2; ++call) {
    strategies::segmented_inclusive_scan<S>(in.items(), wf::owners{ids.items()}, out.data(), wf::plus{},
                                            {.workspace = workspace});
    EXPECT_EQ(out.value(count - 1), count);
  }
}

#if defined(WARPFOLD_EMULATOR) && WARPFOLD_CHECKS
TEST(strategies_scan_errors, owners_that_descend_stop_the_kernel) {
  using S = wf::scan_strategy<wf::block::matrix_scan<16, 3, 32>>;
  for (const int item : {1, 47, 48, 99}) {
    std::vector<int> ids(100, 3);
    ids[static_cast<std::size_t>(item)] = 2;
    const device_array<int> in(std::vector<int>(100, 1)), owners(ids), out(100);
    try {
      strategies::segmented_inclusive_scan<S>(in.items(), wf::owners{owners.items()}, out.data(), wf::plus{});
      (void)out.value();
      ADD_FAILURE() << "owner 2 of item " << item << " was accepted";
    } catch (const cuda_emulator::error& e) {
      EXPECT_TRUE(e.kind() == cuda_emulator::fault::precondition) << e.what();
      EXPECT_NE(std::string(e.what()).find("owner 2 of item " + std::to_string(item)), std::string::npos) << e.what();
    }
  }
}
#endif

}  // namespace
}  // namespace wf_test

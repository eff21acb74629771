// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented compositions with the paper's operator, float minimum, also of NaN; float sums, whose bits are the same on
// every run; iterators and transforms.
#include <limits>

#include "segmented.cuh"

namespace wf_test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class S> class strategies_segmented_minimum : public testing::Test {};
TYPED_TEST_SUITE(strategies_segmented_minimum, main_segmented_compositions, composition_names);

TYPED_TEST(strategies_segmented_minimum, is_the_least_of_each_segment) {
  const auto make = [](const std::vector<int>& ids, bool) {
    auto items = random_items<float>(static_cast<std::int64_t>(ids.size()), 11);
    for (std::size_t i = 5; i < items.size(); i += 97) items[i] = nan;
    return items;
  };
  expect_segmented_fold<TypeParam, int, float>(make, -1.5f, 77.0f, 1234.0f, wf::minimum{}, &same_bits_or_nan<float>,
                                               {1, 2});
}

struct index_iterator {
  using value_type = std::int16_t;
  using difference_type = std::int64_t;
  __host__ __device__ std::int16_t operator[](std::int64_t i) const { return static_cast<std::int16_t>(i); }
};
struct twice_as_much {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

TEST(strategies_segmented_forms, take_iterators_and_transforms) {
  constexpr int count = 9001;
  const auto cut = segmentation<int>::of(
      count, [] { return 3000; }, [] { return 1; });  // 3000, 3000, 3000, 1
  const device_array<int> ids(cut.ids), sums(9);
  const std::span<int> out(sums.data(), sums.size());
  using S = to_last<seg::tree<64>>;
  wf::segmented_reduce<S>(index_iterator{}, count, wf::owners{ids.items()}, out, wf::plus{}, {.empty = -1});
  EXPECT_EQ(sums.to_host(), (std::vector<int>{-1, 4'498'500, -1, 13'498'500, -1, 22'498'500, -1, 9000, -1}));
  const device_array<int> in(cut.ids);
  wf::transform_segmented_reduce<S>(in.items(), wf::owners{ids.items()}, out, wf::plus{}, twice_as_much{});
  EXPECT_EQ(sums.to_host(), (std::vector<int>{0, 6000, 0, 18'000, 0, 30'000, 0, 14, 0}));
}

TEST(strategies_segmented_float_sum, has_the_same_bits_on_every_run) {
  const auto cut = segmentations<int>(20'011, 512, 5).back();
  const device_array<float> in(random_items<float>(20'011, 3)), out(cut.segments);
  const device_array<int> ids(cut.ids);
  std::vector<float> first;
  for (int seed = 1; seed < 8; ++seed) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    wf::segmented_reduce<diffwarps_twice<16>>(in.items(), wf::owners{ids.items()}, std::span(out.data(), out.size()));
    if (seed == 1) first = out.to_host();
    const auto again = out.to_host();
    for (std::size_t s = 0; s < first.size(); ++s)
      ASSERT_TRUE(same_bits(again[s], first[s])) << "segment " << s << ", seed " << seed;
  }
}

}  // namespace
}  // namespace wf_test

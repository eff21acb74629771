// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies refuse bad calls before anything is enqueued; kernels find wrong owners.
#include <string>

#include "common/device.cuh"
#include "segmented.cuh"

namespace wf_test {
namespace {

/// `call` throws std::invalid_argument with all of `words`.
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

#if defined(WARPFOLD_EMULATOR)
/// A byte becomes an accumulator of 64 bytes, so that the second launch needs more shared memory than the first.
struct wide {
  std::int64_t part[8];
};
struct add_wide {
  __host__ __device__ wide operator()(wide a, const wide& b) const {
    for (int i = 0; i < 8; ++i) a.part[i] += b.part[i];
    return a;
  }
};
struct widen {
  int* touched;
  __host__ __device__ wide operator()(std::int8_t x) const {
    *touched = 1;
    return {{x}};
  }
};

TEST(strategies_errors, a_second_launch_that_does_not_fit_is_refused_before_the_first) {
  using S = wf::strategy<wf::block::tree<128>, wf::grid::bulk_producer_consumer<1, 4, 4>, wf::finish::two_launch>;
  const cuda_emulator::scoped_settings settings;
  settings->shared_bytes_per_block_optin = 48 * 1024;
  const device_array<std::int8_t> in(std::vector<std::int8_t>(10'000, 1));
  const device_array<wide> out(1);
  device_array<int> touched(1);
  touched.set(0, 0);
  expect_refused(
      [&] {
        wf::transform_reduce<S>(in.items(), out.data(), wf::accumulate_in<wide>(add_wide{}), widen{touched.data()});
      },
      {"transform_reduce", "bytes of shared memory"});
  EXPECT_EQ(touched.value(), 0);
  // A single block has no second launch.
  wf::transform_reduce<S>(in.items().first(100), out.data(), wf::accumulate_in<wide>(add_wide{}),
                          widen{touched.data()});
  EXPECT_EQ(out.value().part[0], 100);
}

TEST(strategies_errors, scratch_that_does_not_fit_is_refused_before_the_first_launch) {
  using S = to_last<seg::tree<64>>;
  const device_array<int> in(std::vector<int>(10'000, 1)), out(std::vector<int>(3, 77));
  const device_array<int> ids(std::vector<int>(10'000, 1));
  const device_array<std::byte> bytes(256);
  expect_refused(
      [&] {
        wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, std::span(out.data(), 3), wf::plus{},
                                {.workspace = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()})});
      },
      {"segmented_reduce", "workspace"});
  EXPECT_EQ(out.to_host(), (std::vector<int>{77, 77, 77}));
}
#endif

/// An initial value is read while others are written.
TEST(strategies_errors, initial_values_within_the_output_are_refused) {
  using S = to_last<seg::tree<64>>;
  const device_array<int> in(std::vector<int>(100, 1)), ids(std::vector<int>(100, 1)), out(std::vector<int>(4, 77));
  const std::span<int> to(out.data(), 3);
  const auto reduce_with = [&](const wf::segmented_options<int>& options) {
    wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, to, wf::plus{}, options);
  };
  const auto as_value = [&](std::int64_t i) { return static_cast<const int*>(out.data() + i); };
  for (int s = 0; s < 3; ++s) {
    expect_refused([&] { reduce_with({.init = as_value(s)}); }, {"segmented_reduce", "init lies within out"});
    expect_refused([&] { reduce_with({.empty = as_value(s)}); }, {"segmented_reduce", "empty lies within out"});
  }
  EXPECT_EQ(out.to_host(), (std::vector<int>{77, 77, 77, 77}));
  reduce_with({.init = as_value(3), .empty = as_value(3)});
  EXPECT_EQ(out.to_host(), (std::vector<int>{77, 177, 77, 77}));
}

/// The first launch writes the operator's identity to the output, which the second one would then read.
TEST(strategies_errors, an_atomic_output_within_the_input_is_refused) {
  using S = wf::strategy<small_shuffle, wf::grid::persistent, wf::finish::block_atomic>;
  const device_array<int> in(std::vector<int>(1000, 1)), more(std::vector<int>(1000, 1));
  expect_refused([&] { wf::reduce<S>(in.items(), in.data() + 999); }, {"reduce", "out lies within the input"});
  const auto sum_of_both = [&](int* out) {
    wf::transform_reduce<S>(in.items(), more.items(), out, wf::plus{}, wf::plus{});
  };
  expect_refused([&] { sum_of_both(in.data()); }, {"transform_reduce", "out lies within the input"});
  expect_refused([&] { sum_of_both(more.data() + 5); }, {"transform_reduce", "out lies within the input"});
  EXPECT_EQ(in.to_host(), std::vector<int>(1000, 1));
  EXPECT_EQ(more.to_host(), std::vector<int>(1000, 1));
  const device_array<int> out(1);
  sum_of_both(out.data());
  EXPECT_EQ(out.value(), 2000);
}

#if defined(WARPFOLD_EMULATOR) && WARPFOLD_CHECKS
/// On a GPU the kernel stops, and the process loses its context.
template <class S> class strategies_wrong_owners : public testing::Test {
 protected:
  static constexpr int items = 5000, segments = 50;
  static std::vector<int> good() {
    std::vector<int> ids;
    for (int i = 0; i < items; ++i) ids.push_back(i / (items / segments));
    return ids;
  }
  void reduce(const std::vector<int>& owners, bool with_init = false) {
    const device_array<int> in(std::vector<int>(items, 1)), ids(owners), out(segments);
    wf::segmented_options<int> options;
    if (with_init) options.init = 5;
    wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, std::span(out.data(), out.size()), wf::plus{},
                            options);
    EXPECT_EQ(out.value(3), items / segments + 5 * with_init);
  }
  void expect_stopped(int item, int wrong, const std::vector<std::string>& words) {
    for (const bool with_init : {false, true}) {
      auto ids = good();
      ids[static_cast<std::size_t>(item)] = wrong;
      try {
        reduce(ids, with_init);
        ADD_FAILURE() << "owner " << wrong << " of item " << item << " was accepted";
      } catch (const cuda_emulator::error& e) {
        EXPECT_TRUE(e.kind() == cuda_emulator::fault::precondition) << e.what();
        for (const auto& word : words)
          EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what() << " lacks " << word;
      }
    }
  }
};
TYPED_TEST_SUITE(strategies_wrong_owners, main_segmented_compositions, composition_names);

TYPED_TEST(strategies_wrong_owners, good_ones_pass) {
  this->reduce(this->good());
  this->reduce(this->good(), true);
}

TYPED_TEST(strategies_wrong_owners, outside_of_out) {
  for (const int item : {0, 1, 255, 256, 2049, this->items - 1})
    for (const int wrong : {-1, -1 << 30, this->segments, 1 << 30})
      // Next to it the order may be what is found first.
      if (item == 0 ? wrong < 0 : item == this->items - 1 && wrong > 0)
        this->expect_stopped(item, wrong,
                             {"owner " + std::to_string(wrong), "item " + std::to_string(item),
                              std::to_string(this->segments) + " segments"});
      else this->expect_stopped(item, wrong, {"owner"});
}

TYPED_TEST(strategies_wrong_owners, that_descend) {
  for (const int item : {101, 255, 256, 1024, 2048, 4999})
    this->expect_stopped(item, 0, {"owner 0", "item " + std::to_string(item)});
}
#endif

}  // namespace
}  // namespace wf_test

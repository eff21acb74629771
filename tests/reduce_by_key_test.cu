// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table at the head of reduce_by_key.cuh, cell by cell: every input with every output, with and without an
// operator, an equality and options, and with a transform. Keys that have no default constructor.
#include <gtest/gtest.h>

#include <type_traits>
#include <warpfold/reduce_by_key.cuh>

#include "common/device.cuh"
#include "common/outputs.cuh"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::strided, wf_test::outputs::negating_output, wf_test::outputs::discarding_output;

namespace {

using device_vector = wf_test::outputs::device_vector<int>;

struct twice {
  __host__ __device__ int operator()(int value) const { return 2 * value; }
};
struct same_parity {
  __host__ __device__ bool operator()(int a, int b) const { return a % 2 == b % 2; }
};

/// Keys 7 7 7 | 4 | 7 7, values 1 2 3 | 4 | 5 6.
class reduce_by_key_table : public testing::Test {
 protected:
  static constexpr int items = 6, runs = 3, untouched = -77;

  void SetUp() override { clear(); }
  void clear() {
    for (int i = 0; i < items; ++i) out_keys_.set(i, untouched), out_values_.set(i, untouched);
    out_count_.set(0, untouched);
  }
  int* keys() const { return out_keys_.data(); }
  int* values() const { return out_values_.data(); }
  int* count() const { return out_count_.data(); }

  /// The keys of the runs, `written` of them, and their values as given; nothing past them.
  void expect(std::vector<int> expected, std::size_t written = runs, bool has_keys = true) {
    std::vector<int> expected_keys{7, 4, 7};
    expected_keys.resize(written, 0), expected.resize(written, 0);
    expected_keys.resize(items, untouched), expected.resize(items, untouched);
    if (has_keys) {
      EXPECT_EQ(out_keys_.to_host(), expected_keys);
    }
    EXPECT_EQ(out_values_.to_host(), expected);
    EXPECT_EQ(out_count_.value(), runs);
    clear();
  }

  /// call(in...) for each pair of inputs: ranges, iterators, and both.
  template <class Call> void with_each_input(Call call) const {
    const auto k = keys_.items(), v = values_.items();
    const strided<int> far_keys{twice_keys_.data(), 2}, far_values{twice_values_.data(), 2};
    call(k, v);
    call(std::span<const int, items>(k), device_vector({1, 2, 3, 4, 5, 6}));
    call(k, v.data());
    call(k, v.begin());
    call(k, far_values);
    call(k.data(), v);
    call(far_keys, v);
    call(k.data(), v.data(), items);
    call(k.begin(), v.data(), std::size_t{items});
    call(far_keys, v.data(), std::int64_t{items});
    call(k.data(), far_values, items);
    call(far_keys, far_values, items);
  }

  const device_array<int> keys_{std::vector<int>{7, 7, 7, 4, 7, 7}}, values_{std::vector<int>{1, 2, 3, 4, 5, 6}},
      twice_keys_{std::vector<int>{7, 0, 7, 0, 7, 0, 4, 0, 7, 0, 7, 0}},
      twice_values_{std::vector<int>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}};
  device_array<int> out_keys_{items}, out_values_{items}, out_count_{1};
};

TEST_F(reduce_by_key_table, inputs) {
  with_each_input([&](const auto&... in) {
    wf::reduce_by_key(in..., keys(), values(), count());
    expect({6, 4, 11});
    wf::reduce_by_key(in..., keys(), values(), count(), {.init = 100});
    expect({106, 104, 111});
    wf::reduce_by_key(in..., keys(), values(), count(), wf::maximum{});
    expect({3, 4, 6});
    wf::reduce_by_key(in..., keys(), values(), count(), wf::maximum{}, {.init = 4});
    expect({4, 4, 6});
    wf::reduce_by_key(in..., keys(), values(), count(), wf::maximum{}, same_parity{});
    expect({3, 4, 6});
    wf::reduce_by_key(in..., keys(), values(), count(), wf::maximum{}, same_parity{}, {.max_blocks = 1});
    expect({3, 4, 6});
    wf::reduce_by_key(in..., keys(), values(), count(), wf::maximum{}, same_parity{}, {.init = 5});
    expect({5, 5, 6});
    wf::transform_reduce_by_key(in..., keys(), values(), count(), wf::plus{}, twice{});
    expect({12, 8, 22});
    wf::transform_reduce_by_key(in..., keys(), values(), count(), wf::plus{}, twice{}, {.init = 1});
    expect({13, 9, 23});
    wf::transform_reduce_by_key(in..., keys(), values(), count(), wf::plus{}, twice{}, same_parity{});
    expect({12, 8, 22});
    wf::transform_reduce_by_key(in..., keys(), values(), count(), wf::plus{}, twice{}, same_parity{}, {.init = 1});
    expect({13, 9, 23});
  });
}

TEST_F(reduce_by_key_table, outputs) {
  const auto with = [&](auto&& out_keys, auto&& out_values, auto&& out_count) {
    wf::reduce_by_key(keys_.items(), values_.items(), out_keys, out_values, out_count);
  };
  const std::span<int> key_range(keys(), items), value_range(values(), items);
  const auto expect_with_each_count = [&](auto&& out_keys, auto&& out_values) {
    with(out_keys, out_values, count());
    expect({6, 4, 11});
    with(out_keys, out_values, std::span(count(), 1));
    expect({6, 4, 11});
    with(out_keys, out_values, std::span<int, 1>(count(), 1));
    expect({6, 4, 11});
  };
  expect_with_each_count(key_range, value_range);
  expect_with_each_count(keys(), values());
  expect_with_each_count(key_range, values());
  expect_with_each_count(keys(), value_range);
  expect_with_each_count(key_range.begin(), value_range.begin());
  expect_with_each_count(std::span<int, items>(key_range), values());

  with(discarding_output{}, values(), count());
  expect({6, 4, 11}, runs, false);
  with(discarding_output{}, value_range, count());
  expect({6, 4, 11}, runs, false);
  with(keys(), negating_output{values()}, count());
  expect({-6, -4, -11});
  with(key_range, negating_output{values()}, count());
  expect({-6, -4, -11});

  device_vector own_keys(std::vector<int>(items, untouched)), own_values(std::vector<int>(items, untouched)),
      own_count({untouched, untouched});
  with(own_keys, own_values, own_count);
  wf::reduce_by_key(own_keys, own_values, keys(), values(), count());  // read back: 7 4 7 and what is untouched
  EXPECT_EQ(out_values_.value(0) + out_values_.value(1), 10);
  EXPECT_EQ(out_count_.value(), 4);
}

// A size is a capacity, for both outputs, whichever of them has it.
TEST_F(reduce_by_key_table, capacities) {
  const auto in_keys = keys_.items(), in_values = values_.items();
  wf::reduce_by_key(in_keys, in_values, std::span(keys(), 2), std::span(values(), 2), count());
  expect({6, 4}, 2);
  wf::reduce_by_key(in_keys, in_values, std::span(keys(), 2), values(), count());
  expect({6, 4}, 2);
  wf::reduce_by_key(in_keys, in_values, keys(), std::span(values(), 1), count());
  expect({6}, 1);
  wf::reduce_by_key(in_keys.data(), in_values.data(), items, discarding_output{}, std::span(values(), 1), count());
  expect({6}, 1, false);
  wf::reduce_by_key(in_keys.data(), in_values.data(), items, std::span(keys(), 0), values(), count());
  expect({}, 0);
}

TEST_F(reduce_by_key_table, nothing_to_reduce) {
  const auto expect_no_runs = [&](const auto&... in) {
    wf::reduce_by_key(in..., keys(), values(), count());
    EXPECT_EQ(out_count_.value(), 0);
    clear();
  };
  const int* const null = nullptr;
  expect_no_runs(std::span<const int>(), std::span<const int>());
  expect_no_runs(std::span<const int>(), null);
  expect_no_runs(null, null, 0);
}

TEST_F(reduce_by_key_table, an_initial_value_within_an_output_is_refused) {
  const auto refuse = [&](const int* init, const char* words) {
    try {
      wf::reduce_by_key(keys_.items(), values_.items(), keys(), values(), count(), wf::plus{}, {.init = init});
      ADD_FAILURE() << "accepted: " << words;
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), (std::string("warpfold::reduce_by_key: ") + words).c_str());
    }
  };
  refuse(keys() + 5, "init lies within out_keys");
  refuse(values(), "init lies within out_values");
  refuse(count(), "init lies within out_count");
}

struct without_default {
  int number;
  explicit without_default(int n) : number(n) {}
  without_default() = delete;
  friend __host__ __device__ bool operator==(const without_default& a, const without_default& b) {
    return a.number == b.number;
  }
};
static_assert(std::is_trivially_copyable_v<without_default> && !std::is_default_constructible_v<without_default>);
/// A key too wide to come through shared memory.
struct wide_without_default : without_default {
  int rest[7] = {};
  explicit wide_without_default(int n) : without_default(n) {}
};
/// Keys that are computed.
template <class Key> struct computed_keys {
  using value_type = Key;
  using difference_type = std::int64_t;
  const Key* first;
  __host__ __device__ Key operator[](std::int64_t i) const { return first[i]; }
};

template <class Key> class reduce_by_key_without_default : public testing::Test {};
using keys_without_default = testing::Types<without_default, wide_without_default>;
TYPED_TEST_SUITE(reduce_by_key_without_default, keys_without_default);

TYPED_TEST(reduce_by_key_without_default, keys) {
  constexpr std::int64_t items = 5000, length = 7, runs = (items + length - 1) / length;
  std::vector<TypeParam> keys;
  for (std::int64_t i = 0; i < items; ++i) keys.push_back(TypeParam(static_cast<int>(i / length)));
  for (const int offset : {0, 1}) {
    const device_array<TypeParam> in(keys, offset);
    const device_array<int> values(std::vector<int>(items, 2));
    const auto expect = [&](const auto& from) {
      const device_array<TypeParam> out_keys(items);  // pointers without a size: room for all items
      const device_array<int> out_values(items), count(1);
      wf::reduce_by_key(from, values.data(), items, out_keys.data(), out_values.data(), count.data());
      EXPECT_EQ(count.value(), runs);
      EXPECT_EQ(out_values.value(0), 2 * length);
      EXPECT_EQ(out_values.value(runs - 1), 2 * (items - (runs - 1) * length));
      const device_array<int> numbers(runs * std::int64_t{sizeof(TypeParam) / sizeof(int)});
      wf::check(cudaMemcpy(numbers.data(), out_keys.data(), runs * sizeof(TypeParam), cudaMemcpyDeviceToDevice),
                "cudaMemcpy");
      for (const std::int64_t run : {std::int64_t{0}, std::int64_t{1}, runs / 2, runs - 1})
        EXPECT_EQ(numbers.value(run * std::int64_t{sizeof(TypeParam) / sizeof(int)}), run);
    };
    expect(in.data());
    expect(computed_keys<TypeParam>{in.data()});
  }
}

}  // namespace

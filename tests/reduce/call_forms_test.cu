// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every way to write a call of reduce, transform_reduce and their value forms: it compiles, and means what it says.
#include <gtest/gtest.h>

#include <warpfold/warpfold.cuh>
#include "common/device.cuh"
#include "reduce/stream.cuh"

namespace wf = warpfold;

namespace {

struct map_of_line {
  int a, b;
};
struct compose {
  __host__ __device__ map_of_line operator()(map_of_line x, map_of_line y) const {
    return {x.a * y.a, x.b * y.a + y.b};
  }
};
struct device_only {
  __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};

/// A range that is no span, as device vectors are.
template <class T> struct device_vector {
  const wf_test::device_array<T>& array;
  const T* data() const { return array.data(); }
  std::size_t size() const { return array.size(); }
};

class reduce_call_forms : public testing::Test {
 protected:
  float result() const { return out_.value(); }

  const wf_test::device_array<float> in_{std::vector<float>{4, 1, 7, 5}}, out_{1};
  const wf_test::device_array<signed char> bytes_{std::vector<signed char>{100, 100}};
  const wf_test::device_array<int> int_out_{1};
  const wf_test::device_array<std::byte> raw_{static_cast<std::int64_t>(wf::workspace_bytes<float>())};
  const std::span<const float> in = in_.items();
  float* const out = out_.data();
  const wf_test::stream stream_;
  const cudaStream_t s = stream_;
  const wf::workspace ws;
};

TEST_F(reduce_call_forms, sum) {
  const auto expect = [this](float expected) {
    wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    EXPECT_EQ(result(), expected);
  };
  wf::reduce(in, out), expect(17);
  wf::reduce(in, out, {}), expect(17);
  wf::reduce(in, out, {.stream = s}), expect(17);
  wf::reduce(in, out, {.init = 1}), expect(18);
  wf::reduce(in, out, {.max_blocks = 1}), expect(17);
  wf::reduce_options<float> o{.stream = s};
  wf::reduce(in, out, o), expect(17);
  wf::reduce(in, out, wf::plus{}, o), expect(17);
  wf::reduce(in.data(), 3, out), expect(12);
  wf::reduce(in.data(), in.size(), out, {.stream = s}), expect(17);
  wf::reduce(in.data(), 3, out, o), expect(12);
  wf::reduce(in.begin(), 2, out), expect(5);
  wf::reduce(device_vector<float>{in_}, out), expect(17);
  wf::reduce(std::span<const float, 4>(in), out), expect(17);
  wf::reduce<wf::automatic>(in, out), expect(17);
  wf::reduce<wf::automatic>(in, out, wf::plus{}, {.stream = s}), expect(17);
}

TEST_F(reduce_call_forms, operator_and_options) {
  const auto expect = [this](float expected) {
    wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    EXPECT_EQ(result(), expected);
  };
  const wf::workspace_ref own = wf::initialize_workspace({raw_.data(), raw_.size()});
  wf::reduce(in, out, wf::minimum{}), expect(1);
  wf::reduce(in, out, wf::minimum{}, {}), expect(1);
  wf::reduce(in, out, wf::minimum{}, {.stream = s}), expect(1);
  wf::reduce(in, out, wf::minimum{}, {.init = 0, .workspace = ws}), expect(0);  // an int is a float, too
  wf::reduce(in, out, wf::minimum{}, {.workspace = own}), expect(1);
  wf::reduce(in, out, wf::minimum{}, {.init = in.data() + 1}), expect(1);  // a pointer is where the init lies
  wf::reduce(in.data(), 4, out, wf::minimum{}, {.init = 1.5f}), expect(1);
  wf::reduce(in, out, wf::minimum{}, {.stream = s, .init = 2, .workspace = ws, .max_blocks = 1}), expect(1);
#if defined(__CUDACC__)
  wf::reduce(in, out, device_only{}), expect(7);  // an operator without a host side
#endif
}

TEST_F(reduce_call_forms, accumulators_wider_than_items) {
  wf::reduce(bytes_.items(), int_out_.data(), wf::plus{}, {.init = 1000});
  EXPECT_EQ(int_out_.value(), 1200);
  const wf_test::device_array<double> sum(1);
  wf::reduce(in, sum.data(), wf::accumulate_in<double>(wf::plus{}), {.init = 0.5});
  EXPECT_EQ(sum.value(), 17.5);
}

TEST_F(reduce_call_forms, struct_init) {
  const wf_test::device_array<map_of_line> maps(std::vector<map_of_line>{{2, 1}, {3, 5}}), composed(1);
  const auto expect = [&](int a, int b) {
    EXPECT_EQ(composed.value().a, a);
    EXPECT_EQ(composed.value().b, b);
  };
  wf::reduce(maps.items(), composed.data(), compose{}, {.init = map_of_line{1, 0}}), expect(6, 8);
  wf::reduce(maps.items(), composed.data(), compose{}, {.init = {{1, 10}}}), expect(6, 68);
}

template <class T> T generic(std::span<const T> in, T* out, cudaStream_t s) {
  wf::reduce(in, out, wf::plus{}, {.stream = s, .init = T(3)});
  wf::reduce(in, out, {.stream = s});
  return wf::reduce_value(in, {.stream = s});
}
TEST_F(reduce_call_forms, in_a_template) { EXPECT_EQ(generic<float>(in, out, s), 17); }

TEST_F(reduce_call_forms, values) {
  const float sum = wf::reduce_value(in);
  EXPECT_EQ(sum, 17);
  EXPECT_EQ(wf::reduce_value(in, {.stream = s}), 17);
  EXPECT_EQ(wf::reduce_value(in, wf::minimum{}), 1);
  EXPECT_EQ(wf::reduce_value(in, wf::minimum{}, {.init = 0.5f}), 0.5f);
  EXPECT_EQ(wf::reduce_value<wf::automatic>(in, wf::minimum{}, {.stream = s, .workspace = ws}), 1);
  EXPECT_EQ(wf::transform_reduce_value(in, wf::plus{}, twice{}), 34);
  EXPECT_EQ(wf::transform_reduce_value(in, wf::plus{}, twice{}, {.stream = s, .init = 1}), 35);
  EXPECT_EQ(wf::transform_reduce_value(in, in, wf::plus{}, wf::multiplies{}), 91);
  EXPECT_EQ(wf::transform_reduce_value(in, in, wf::plus{}, wf::multiplies{}, {.init = 1}), 92);
}

TEST_F(reduce_call_forms, transforms) {
  wf::transform_reduce(in, out, wf::plus{}, twice{});
  EXPECT_EQ(result(), 34);
  wf::transform_reduce(in, out, wf::plus{}, twice{}, {.init = 1});
  EXPECT_EQ(result(), 35);
  wf::transform_reduce<wf::automatic>(in, out, wf::plus{}, twice{}, {.workspace = ws});
  EXPECT_EQ(result(), 34);
  wf::transform_reduce(in, in, out, wf::plus{}, wf::multiplies{});
  EXPECT_EQ(result(), 91);
  wf::transform_reduce(in, in, out, wf::plus{}, wf::multiplies{}, {.init = 2.0f, .max_blocks = 1});
  EXPECT_EQ(result(), 93);
}

}  // namespace

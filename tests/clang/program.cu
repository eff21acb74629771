// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of each family, for compilers that do not compile the tests. Returns 0 if all results are right.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

namespace wf = warpfold;

struct is_odd {
  __host__ __device__ bool operator()(float x) const { return static_cast<int>(x) % 2 != 0; }
};
struct larger {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

template <class T> std::span<T> on_device(const std::vector<T>& values) {
  T* data = nullptr;
  wf::check(cudaMalloc(&data, values.size() * sizeof(T)), "cudaMalloc");
  wf::check(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyDefault), "cudaMemcpy");
  return {data, values.size()};
}

int wrong = 0;
void expect(const char* what, double seen, double expected) {
  if (seen == expected) return;
  std::printf("%s: %g, not %g\n", what, seen, expected);
  ++wrong;
}
template <class T> void expect_last(const char* what, std::span<const T> out, double expected) {
  T last;
  wf::check(cudaMemcpy(&last, &out.back(), sizeof(T), cudaMemcpyDefault), "cudaMemcpy");
  expect(what, last, expected);
}

int main() {
  std::vector<float> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const std::span<const float> in = on_device(numbers);
  const std::span<const int> offsets = on_device<int>({0, 10, 500, 1000}), keys = on_device(std::vector<int>(1000, 7));
  const std::span<int> out_keys = on_device(std::vector<int>(1000)), runs = on_device<int>({0});
  const std::span<float> out = on_device(numbers), some = out.first(3), one = out.first(1), both = out.first(2);

  expect("reduce", wf::reduce_value(in), 499500);
  expect("a user's operator", wf::reduce_value(in, larger{}), 999);
  expect("exact_plus", wf::reduce_value(in, wf::exact_plus{}), 499500);
  expect("argmax", static_cast<double>(wf::argmax_value(in).index), 999);
  expect("count_if", static_cast<double>(wf::count_if_value(in, is_odd{})), 500);
  expect("any_of", wf::any_of_value(in, is_odd{}), 1);
  wf::reduce(in, wf::outputs(out.data(), out.data() + 1), wf::fuse(wf::plus{}, wf::maximum{}));
  expect_last<float>("fuse", both, 999);
  wf::segmented_reduce(in, offsets, some);
  expect_last<float>("segmented_reduce", some, 374750);
  wf::reduce_by_key(keys, in, out_keys, out, runs.data());
  expect_last<float>("reduce_by_key", one, 499500);
  wf::reduce_rows(wf::strided(in.data(), {2, 500}), both);
  expect_last<float>("reduce_rows", both, 374750);
  wf::inclusive_scan(in, out);
  expect_last<float>("inclusive_scan", out, 499500);
  wf::segmented_inclusive_scan(in, offsets, out, wf::maximum{});
  expect_last<float>("segmented_inclusive_scan", out, 999);
  return wrong;
}

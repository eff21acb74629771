// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/quantifiers.cuh>
#include <warpfold/top_k_operators.hpp>
#include <warpfold/vector_reductions.cuh>

#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A reduction with `Op`.
template <class T, class Op> void add(const std::string& type, const std::string& name, std::int64_t items) {
  add_one_read<T>("vector_reductions/" + type + "/" + name, items, {"warpfold"}, [](one_read<T>& input) {
    using A = wf::accumulator_t<Op, T>;
    const auto out = std::make_shared<device_buffer<wf::lowered_t<Op, A>>>(1);
    return contenders{{"warpfold", [=, &input](cudaStream_t stream, int) {
                         wf::reduce(input.in(), input.items, out->data(), Op{},
                                    {.stream = stream, .workspace = input.workspace});
                       }}};
  });
}

/// True for the one item that is looked for.
struct is_marked {
  __host__ __device__ bool operator()(float item) const { return item == 2; }
};

/// any_of where the item is the first, one in the middle, or none: `place` in quarters of the input, 4 for none.
void add_any_of(const std::string& name, std::int64_t items, int place) {
  add_one_read<float>("vector_reductions/float/any_of_" + name, items, {"warpfold"}, [=](one_read<float>& input) {
    const auto out = std::make_shared<device_buffer<bool>>(1);
    const float marked = 2;
    if (place < 4)
      check(cudaMemcpy(input.data.data() + items / 4 * place, &marked, sizeof(float), cudaMemcpyHostToDevice));
    if (wf::any_of_value(input.in(), items, is_marked{}) != (place < 4)) throw std::runtime_error("any_of is wrong");
    return contenders{{"warpfold", [=, &input](cudaStream_t stream, int) {
                         wf::any_of(input.in(), items, out->data(), is_marked{},
                                    {.stream = stream, .workspace = input.workspace});
                       }}};
  });
}

void register_all() {
  constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
  for (const std::int64_t items : {std::int64_t{1} << 16, std::int64_t{1} << 24, gibibyte / 4}) {
    add<float, wf::euclidean_norm>("float", "norm2", items);
    add<float, wf::log_sum_exp>("float", "logsumexp", items);
    add_any_of("never", items, 4);
  }
  add<float, wf::arithmetic_mean>("float", "mean", gibibyte / 4);
  add<float, wf::minimum_maximum>("float", "minmax", gibibyte / 4);
  add<double, wf::euclidean_norm>("double", "norm2", gibibyte / 8);
  add<double, wf::log_sum_exp>("double", "logsumexp", gibibyte / 8);
  add<__half, wf::euclidean_norm>("half", "norm2", gibibyte / 2);
  add<__half, wf::log_sum_exp>("half", "logsumexp", gibibyte / 2);
  add<float, wf::top_k<4>>("float", "top_4", gibibyte / 4);
  add<float, wf::top_k<16>>("float", "top_16", gibibyte / 4);
  add<std::int32_t, wf::top_k<4>>("int32", "top_4", gibibyte / 4);
  add<__half, wf::plus>("half", "plus", gibibyte / 2);
  add<__nv_bfloat16, wf::plus>("bfloat16", "plus", gibibyte / 2);
  add<__nv_fp8_e4m3, wf::plus>("fp8_e4m3", "plus", gibibyte);
  add<__nv_fp8_e5m2, wf::plus>("fp8_e5m2", "plus", gibibyte);
  add<std::int8_t, wf::plus>("int8", "plus", gibibyte);
  add_any_of("first", gibibyte / 4, 0);
  add_any_of("middle", gibibyte / 4, 2);
}

}  // namespace

/// warpfold/vector_reductions.cuh and quantifiers.cuh against our sum and the read limit; README.md beside this file
/// says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

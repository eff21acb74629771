// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <warpfold/arg_reduce.cuh>

#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

struct greater {
  __host__ __device__ bool operator()(float a, float b) const { return a > b; }
};

/// argmin in an order of the caller's, beside argmax, which finds the same item.
void add_argmin_by(std::int64_t items) {
  add_one_read<float>("arg_reduce_by/float/argmin", items, {"warpfold", "plain"}, [=](one_read<float>& input) {
    using result = wf::indexed_value<float>;
    if (wf::argmin_value(input.in(), items, greater{}).index != wf::argmax_value(input.in(), items).index)
      throw std::runtime_error("argmin by greater is not argmax");
    const auto out = std::make_shared<device_buffer<result>>(2);
    return contenders{
        {"warpfold",
         [=, &input](cudaStream_t stream, int) {
           wf::argmin(input.in(), items, out->data(), greater{}, {.stream = stream, .workspace = input.workspace});
         }},
        {"plain", [=, &input](cudaStream_t stream, int) {
           wf::argmax(input.in(), items, out->data() + 1, {.stream = stream, .workspace = input.workspace});
         }}};
  });
}

void register_all() {
  for (const int log_items : {16, 20, 24, 28}) add_argmin_by(std::int64_t{1} << log_items);
}

}  // namespace

/// warpfold/arg_reduce_by.cuh against warpfold/arg_reduce.cuh and the read limit.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <warpfold/top_k_axes.cuh>

#include "common/one_read.cuh"
#include "top_k/lists.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// k along an axis of `length` items, `inner` columns side by side, 4096 in all; rows by segments, too.
void add_axis(const std::string& name, std::int64_t length, std::int64_t inner, int k) {
  const std::int64_t outer = 4096 / inner;
  std::vector<std::string> names{"warpfold"};
  if (inner == 1) names.push_back("segments");
  add_one_read<float>("top_k_axes/float/top_" + std::to_string(k) + "/form:" + name, outer * length * inner, names,
                      [=](one_read<float>& input) {
                        const auto out = std::make_shared<lists<float>>(outer * k * inner);
                        const wf::strided<const float, 3> array(input.in(), {outer, length, inner});
                        contenders all{{"warpfold", [=](cudaStream_t stream, int) {
                                          wf::top_k_axes(array, wf::axes{1}, k, out->values.data(), out->indices.data(),
                                                         {.stream = stream, .workspace = out->workspace});
                                        }}};
                        if (inner == 1)
                          all.push_back({"segments", [=, &input](cudaStream_t stream, int) {
                                           wf::segmented_top_k(input.in(), input.items, wf::fixed_length{length}, k,
                                                               out->values.data(), out->indices.data(),
                                                               {.stream = stream, .workspace = out->workspace});
                                         }});
                        return all;
                      });
}

void register_all() {
  for (const int k : {1, 16, 64, 256, 1024}) {
    add_axis("rows_32768", 32768, 1, k);
    add_axis("middle_32768", 32768, 64, k);
    add_axis("outermost_32768", 32768, 4096, k);
  }
}

}  // namespace

/// warpfold/top_k_axes.cuh: rows beside warpfold/top_k.cuh's, and axes whose items lie apart.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }

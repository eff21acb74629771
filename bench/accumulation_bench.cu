// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <span>
#include <warpfold/accumulation.cuh>

#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A new accumulation that gets 64 parts, beside as many calls of `reduce` ("separate") and one call over all
/// (float_plus).
void add_pushes(std::int64_t items) {
  constexpr std::int64_t parts = 64;
  add_one_read<float>("accumulation/float/plus", items, {"warpfold", "separate"}, [](one_read<float>& input) {
    const std::int64_t part = input.items / parts;
    return contenders{{"warpfold",
                       [=, &input](cudaStream_t stream, int) {
                         wf::accumulation<float> sum({}, {.stream = stream});
                         for (std::int64_t i = 0; i < parts; ++i)
                           sum.push(std::span<const float>(input.in() + i * part, static_cast<std::size_t>(part)));
                       }},
                      {"separate", [=, &input](cudaStream_t stream, int) {
                         for (std::int64_t i = 0; i < parts; ++i)
                           wf::reduce(input.in() + i * part, part, input.sum.data(), wf::plus{},
                                      {.stream = stream, .workspace = input.workspace});
                       }}};
  });
}

void register_all() {
  for (const int log_items : {24, 26, 28}) add_pushes(std::int64_t{1} << log_items);
}

}  // namespace

/// warpfold/accumulation.cuh against calls of warpfold/reduce.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <warpfold/accumulation.cuh>
#include <warpfold/reduce_part.cuh>

#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A new accumulation that gets `parts` parts of `part` floats, beside as many calls of `reduce_part` ("kernels") and of
/// `reduce` ("separate"), and one call over all (float_plus).
void add_pushes(std::int64_t parts, std::int64_t part) {
  const auto nodes = std::make_shared<device_buffer<wf::part_nodes<float, wf::plus>>>();
  const auto run_parts = [=](auto call) {
    return [=](cudaStream_t stream, int) {
      for (std::int64_t i = 0; i < parts; ++i) call(stream, i * part);
    };
  };
  add_one_read<float>("accumulation/float/plus_" + std::to_string(parts) + "_parts", parts * part,
                      {"warpfold", "kernels", "separate"}, [=](one_read<float>& input) {
                        *nodes = device_buffer<wf::part_nodes<float, wf::plus>>(1);
                        return contenders{
                            {"warpfold",
                             [=, &input](cudaStream_t stream, int) {
                               wf::accumulation<float> sum({}, {.stream = stream});
                               for (std::int64_t i = 0; i < parts; ++i)
                                 sum.push(std::span(input.in() + i * part, static_cast<std::size_t>(part)));
                             }},
                            {"kernels", run_parts([=, &input](cudaStream_t stream, std::int64_t first) {
                               wf::reduce_part(input.in() + first, part, wf::part{first}, nodes->data(), wf::plus{},
                                               {.stream = stream, .workspace = input.workspace});
                             })},
                            {"separate", run_parts([=, &input](cudaStream_t stream, std::int64_t first) {
                               wf::reduce(input.in() + first, part, input.sum.data(), wf::plus{},
                                          {.stream = stream, .workspace = input.workspace});
                             })}};
                      });
}

void register_all() {
  for (const int log_items : {18, 20, 22}) add_pushes(64, std::int64_t{1} << log_items);
  add_pushes(1000, std::int64_t{1} << 20);
}

}  // namespace

/// warpfold/accumulation.cuh against calls of reduce_part and reduce.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }

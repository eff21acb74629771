// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <warpfold/reduce_part.cuh>

#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A part that begins with item `first` of the whole input, beside `reduce` over as many items (float_plus). Its base is
/// aligned to 16 bytes; so if `first` is odd, the part's nodes are not.
void add_part(std::int64_t items, std::int64_t first) {
  const auto nodes = std::make_shared<device_buffer<wf::part_nodes<float, wf::plus>>>();
  add_one_read<float>("reduce_part/float/plus_from_" + std::to_string(first), items, {"warpfold"},
                      [=](one_read<float>& input) {
                        *nodes = device_buffer<wf::part_nodes<float, wf::plus>>(1);
                        return contenders{{"warpfold", [=, &input](cudaStream_t stream, int) {
                                             wf::reduce_part(input.in(), input.items, wf::part{first}, nodes->data(),
                                                             wf::plus{}, {.stream = stream});
                                           }}};
                      });
}

void register_all() {
  for (const int log_items : {20, 22, 24, 26, 28})
    for (const std::int64_t first : {0, 1, 4096}) add_part(std::int64_t{1} << log_items, first);
}

}  // namespace

/// warpfold/reduce_part.cuh against warpfold/reduce.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }

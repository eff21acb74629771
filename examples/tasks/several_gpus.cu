// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several GPUs
//
// `wf::host(range)` names items in host memory. They travel to the GPUs in chunks, and `.devices` says which GPUs share the
// work. The result has the bits of one GPU, however many there are. (Items that already lie on several GPUs or processes
// are for `wf::all_reduce`: `ranks.cuh`, and the example below.)
#include <warpfold/host_memory.cuh>

#include <cstdio>
#include <vector>

namespace wf = warpfold;

int main() {
  const std::vector<float> numbers(100'000, 0.1f);

  int count = 0;
  wf::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<int> all;
  for (int device = 0; device < count; ++device) all.push_back(device);

  const double one = wf::reduce_value(wf::host(numbers), wf::accumulate_in<double>(wf::plus{}));
  const double several = wf::reduce_value(wf::host(numbers), wf::accumulate_in<double>(wf::plus{}), {.devices = all});

  std::printf("%.10g, %s\n", several, one == several ? "with the same bits" : "which must not happen");
  return 0;
}

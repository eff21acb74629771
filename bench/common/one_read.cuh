// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/reduce.cuh>

#include "cold_cache.cuh"
#include "cuda_resources.hpp"
#include "groups.hpp"
#include "limit_kernels.hpp"
#include "random_data.cuh"
#include "timing.hpp"

namespace bench {

/// Contenders that read one input once, beside Warpfold's sum of as many floats and the kernels that only read.
template <class T> struct one_read {
  explicit one_read(std::int64_t count) : items(count), data(static_cast<std::size_t>(count)) {
    fill_random(data.data(), count, static_cast<std::uint64_t>(count), nullptr);
    check(cudaDeviceSynchronize());
  }
  const T* in() const { return data.data(); }

  contender float_plus() {
    return {"float_plus", [this](cudaStream_t stream, int) {
              warpfold::reduce(reinterpret_cast<const float*>(data.data()), static_cast<std::int64_t>(data.bytes() / 4),
                               sum.data(), warpfold::plus{}, {.stream = stream, .workspace = workspace});
            }};
  }
  /// Times `list`, float_plus and the read-only kernels, cold.
  std::vector<measurement> time(contenders list) {
    list.push_back(float_plus());
    std::ranges::move(make_read_contenders(data.data(), data.bytes()), std::back_inserter(list));
    for (const contender& candidate : list) candidate.run(nullptr, 0);
    check(cudaDeviceSynchronize());
    std::vector<measurement> result;
    for (const statistics& seconds : time_cold(list, {7, 31, 0.1})) result.push_back({seconds});
    return result;
  }

  std::int64_t items;
  device_buffer<T> data;
  device_buffer<float> sum{1};
  warpfold::workspace workspace{2048};
};

/// A group of such contenders, as arg_reduce/float/argmin/items:2^28.
template <class T>
void add_one_read(const std::string& kind, std::int64_t items, std::vector<std::string> names,
                  std::function<contenders(one_read<T>&)> make) {
  names.push_back("float_plus");
  std::ranges::copy(read_contender_names(), std::back_inserter(names));
  add_group(
      {kind + "/items:" + size_name(items), "cold", items, items * static_cast<std::int64_t>(sizeof(T)), names, [=] {
         one_read<T> input(items);
         return input.time(make(input));
       }});
}

}  // namespace bench

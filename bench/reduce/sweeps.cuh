// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../common/groups.hpp"
#include "../common/limit_kernels.hpp"
#include "float_plus.hpp"
#include "peers.cuh"
#include "reduction.cuh"

/// Which reductions are timed, in which mode, against whom. A kind of reduction is a class reduction<T, Op, Peer>.
namespace bench {

/// One kind of reduction under its name, such as reduce/float/plus.
template <class T, class Op, class Peer> class sweep {
 public:
  sweep(std::string type, std::string op) : kind_("reduce/" + type + "/" + op) {}

  /// Cold, against CUB, the read-only kernels and, unless it is that itself, Warpfold's aligned float sum of as many
  /// bytes.
  void cold(std::int64_t items, std::int64_t offset_items = 0) const {
    const bool is_float_plus = kind_ == "reduce/float/plus" && offset_items == 0;
    std::vector<std::string> names = reducers();
    if (!is_float_plus) names.push_back("float_plus");
    std::ranges::copy(read_contender_names(), std::back_inserter(names));
    add(items, offset_items, "cold", names, [=] {
      reduction<T, Op, Peer> r(items, offset_items);
      r.verify();
      contenders list = reducers_of(r);
      if (!is_float_plus) list.push_back(make_float_plus(r.aligned_data(), r.bytes()));
      std::ranges::move(make_read_contenders(r.aligned_data(), r.bytes()), std::back_inserter(list));
      return measurements(time_cold(list));
    });
  }

  /// Captured in a graph and replayed, hot.
  void in_graph(std::int64_t items) const {
    add(items, 0, "graph", reducers(), [=] {
      reduction<T, Op, Peer> r(items, 0);
      r.verify();
      return measurements(time_in_graph(reducers_of(r)));
    });
  }

  /// Time for the calling thread to enqueue, against an empty kernel with as many parameter bytes.
  void enqueue(std::int64_t items) const {
    std::vector<std::string> names = reducers();
    names.push_back("empty_kernel");
    add(items, 0, "enqueue", names, [=] {
      reduction<T, Op, Peer> r(items, 0);
      contenders list = reducers_of(r);
      std::vector<launch_shape> shapes;
      for (const contender& candidate : list) shapes.push_back(inspect_launch(candidate));
      shapes.push_back({1, shapes.front().parameter_bytes});
      list.push_back(make_empty_kernel(shapes.front().parameter_bytes));
      std::vector<measurement> result = measurements(time_enqueue(list));
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i].counters = {{"kernels", shapes[i].kernels}, {"parameter_bytes", shapes[i].parameter_bytes}};
      return result;
    });
  }

  /// Call and wait for the value.
  void wait(std::int64_t items) const {
    std::vector<std::string> names = reducers();
    names.push_back("empty_kernel");
    add(items, 0, "wait", names, [=] {
      reduction<T, Op, Peer> r(items, 0);
      contenders list{r.warpfold_value_call()};
      if constexpr (Peer::exists) list.push_back(r.cub_value_call());
      list.push_back(r.empty_kernel_value_call());
      return measurements(time_wait(list));
    });
  }

 private:
  static std::vector<std::string> reducers() {
    if constexpr (Peer::exists) return {"warpfold", "cub"};
    return {"warpfold"};
  }

  static contenders reducers_of(reduction<T, Op, Peer>& r) {
    contenders list{r.warpfold_call()};
    if constexpr (Peer::exists) list.push_back(r.cub_call());
    return list;
  }

  static std::vector<measurement> measurements(const std::vector<statistics>& times) {
    std::vector<measurement> result;
    for (const statistics& seconds : times) result.push_back({seconds});
    return result;
  }

  template <class Measure>
  void add(std::int64_t items, std::int64_t offset_items, std::string mode, std::vector<std::string> names,
           Measure measure) const {
    std::string name = kind_ + "/items:" + size_name(items);
    if (offset_items != 0) name += "/offset:" + std::to_string(offset_items);
    add_group({std::move(name), std::move(mode), items, items * static_cast<std::int64_t>(sizeof(T)), std::move(names),
               measure});
  }

  std::string kind_;
};

/// Sizes at which every type and operator is timed: equal bytes for all, up to 1 GiB; there also one item less, and
/// from a base that is one item off.
template <class T, class Op, class Peer> void register_at_equal_bytes(const sweep<T, Op, Peer>& kind) {
  constexpr auto items_of = [](std::int64_t bytes) { return bytes / static_cast<std::int64_t>(sizeof(T)); };
  constexpr std::int64_t largest = std::int64_t{1} << 30;
  for (const int bits : {16, 20, 24, 30}) kind.cold(items_of(std::int64_t{1} << bits));
  kind.cold(items_of(largest) - 1);
  kind.cold(items_of(largest) - 1, 1);
}

}  // namespace bench

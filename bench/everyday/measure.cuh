// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <warpfold/reduce_axes.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/workspace.cuh>

#include "../common/cold_cache.cuh"
#include "../common/cuda_resources.hpp"
#include "../common/groups.hpp"
#include "../common/random_data.cuh"
#include "../common/timing.hpp"
#include "../segmented/lengths.hpp"

namespace bench {

inline constexpr std::int64_t everyday_items = std::int64_t{1} << 26;

/// An array of three axes, one or two of which are reduced. Rows and columns have one axis of a single item.
struct everyday_shape {
  std::string name;
  std::int64_t extents[3];
  std::vector<int> reduced;
  std::int64_t padding = 0;  ///< items behind each row, which are not read

  std::int64_t items() const { return extents[0] * extents[1] * extents[2]; }
  std::int64_t room() const { return extents[0] * extents[1] * (extents[2] + padding); }
};
inline std::vector<everyday_shape> everyday_shapes() {
  std::vector<everyday_shape> list;
  for (const std::int64_t extent : {64, 1100, 10007})
    list.push_back({"rows_" + std::to_string(extent), {1, everyday_items / extent, extent}, {2}});
  for (const std::int64_t extent : {3, 8, 1001})
    list.push_back({"columns_" + std::to_string(extent), {1, everyday_items / extent, extent}, {1}});
  for (const std::int64_t extent : {24, 77, 300, 768, 3000, 50257}) {
    const std::int64_t others = everyday_items / extent;
    list.push_back({"rows_" + std::to_string(extent), {1, others, extent}, {2}});
    list.push_back({"columns_" + std::to_string(extent), {1, others, extent}, {1}});
  }
  list.push_back({"rows_120_of_128", {1, everyday_items / 128, 120}, {2}, 8});
  list.push_back({"middle_4096x91x180", {4096, 91, 180}, {1}});
  list.push_back({"middle_100000x20x32", {100'000, 20, 32}, {1}});
  list.push_back({"middle_5000x7x1900", {5000, 7, 1900}, {1}});
  list.push_back({"middle_20000x5x700", {20'000, 5, 700}, {1}});
  list.push_back({"middle_3000x18x1201", {3000, 18, 1201}, {1}});
  list.push_back({"middle_2000x31x1001", {2000, 31, 1001}, {1}});
  list.push_back({"batch_norm_64x256x3136", {64, 256, 3136}, {0, 2}});
  list.push_back({"batch_norm_128x2048x49", {128, 2048, 49}, {0, 2}});
  list.push_back({"batch_norm_512x2048x49", {512, 2048, 49}, {0, 2}});
  list.push_back({"batch_norm_256x1024x196", {256, 1024, 196}, {0, 2}});
  return list;
}

/// Times `op`, whose results are of type R, and the sum, cold and in turn: call(op, out) enqueues either. The items
/// lie among `room` items.
template <class R, class Op, class Call>
void add_everyday(const std::string& op_name, const std::string& shape, std::int64_t items, std::int64_t room, Op op,
                  Call make) {
  add_group({"everyday/float/" + op_name + "/items:" + size_name(items) + "/form:" + shape,
             "cold",
             items,
             items * static_cast<std::int64_t>(sizeof(float)),
             {"warpfold", "plus"},
             [=] {
               device_buffer<float> in(static_cast<std::size_t>(room));
               fill_random(in.data(), room, 7, nullptr);
               const auto call = make(in.data());
               const device_buffer<R> out(static_cast<std::size_t>(call.outputs));
               const device_buffer<float> sums(static_cast<std::size_t>(call.outputs));
               const contenders list{{"warpfold", [&](cudaStream_t s, int) { call(op, out.data(), s); }},
                                     {"plus", [&](cudaStream_t s, int) { call(warpfold::plus{}, sums.data(), s); }}};
               for (const contender& candidate : list) candidate.run(nullptr, 0);
               check(cudaDeviceSynchronize());
               std::vector<measurement> result;
               for (const statistics& seconds : time_cold(list, {7, 31, 0.1})) result.push_back({seconds});
               return result;
             }});
}

struct everyday_axes_call {
  const float* in;
  everyday_shape shape;
  std::int64_t outputs;
  std::shared_ptr<warpfold::workspace> workspace = std::make_shared<warpfold::workspace>(2048);

  template <class Op, class R> void operator()(Op op, R* out, cudaStream_t stream) const {
    std::int64_t kept[3];
    for (int i = 0; i < 3; ++i) kept[i] = std::ranges::count(shape.reduced, i) > 0 ? 1 : shape.extents[i];
    const warpfold::axes axes = shape.reduced.size() == 1 ? warpfold::axes{shape.reduced[0]}
                                                          : warpfold::axes{shape.reduced[0], shape.reduced[1]};
    const std::int64_t pitch = shape.extents[2] + shape.padding, strides[3] = {shape.extents[1] * pitch, pitch, 1};
    warpfold::reduce_axes(warpfold::strided<const float, 3>(in, shape.extents, strides),
                          warpfold::strided<R, 3>(out, kept), axes, op, {.stream = stream, .workspace = *workspace});
  }
};
struct everyday_segments_call {
  const float* in;
  std::int64_t items;
  std::shared_ptr<device_buffer<int>> offsets;
  std::int64_t outputs;
  std::shared_ptr<warpfold::workspace> workspace = std::make_shared<warpfold::workspace>(2048);

  template <class Op, class R> void operator()(Op op, R* out, cudaStream_t stream) const {
    using A = warpfold::accumulator_t<Op, float>;
    warpfold::segmented_options<A> options{.stream = stream, .workspace = *workspace};
    if constexpr (!warpfold::has_identity_v<Op, A>) options.empty = A{};
    warpfold::segmented_reduce(std::span<const float>(in, static_cast<std::size_t>(items)),
                               std::span<const int>(offsets->data(), static_cast<std::size_t>(outputs + 1)),
                               std::span<R>(out, static_cast<std::size_t>(outputs)), op, options);
  }
};

/// `op`, whose results are of type R, along all axes and segments of this page.
template <class R, class Op> void add_everyday(const std::string& name, Op op) {
  for (const everyday_shape& shape : everyday_shapes())
    add_everyday<R>(name, shape.name, shape.items(), shape.room(), op, [=](const float* in) {
      std::int64_t outputs = 1;
      for (int i = 0; i < 3; ++i)
        if (std::ranges::count(shape.reduced, i) == 0) outputs *= shape.extents[i];
      return everyday_axes_call{in, shape, outputs};
    });
  for (const distribution& lengths :
       {equal_lengths(7), equal_lengths(129), equal_lengths(600), equal_lengths(3000), named_distribution("log_normal"),
        named_distribution("degrees"), named_distribution("geometric_4"), named_distribution("geometric_5000")})
    add_everyday<R>(name, "segments_" + lengths.name, everyday_items, everyday_items, op, [=](const float* in) {
      const std::vector<int> offsets = lengths(everyday_items);
      const auto on_device = std::make_shared<device_buffer<int>>(offsets.size());
      check(cudaMemcpy(on_device->data(), offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice));
      return everyday_segments_call{in, offsets.back(), on_device, static_cast<std::int64_t>(offsets.size()) - 1};
    });
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/limit_kernels.hpp"
#include "common/random_data.cuh"
#include "common/timing.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

struct square {
  __host__ __device__ float operator()(float x) const { return wf::multiplies{}(x, x); }
};
struct cube {
  __host__ __device__ float operator()(float x) const { return wf::multiplies{}(wf::multiplies{}(x, x), x); }
};
struct magnitude {
  __host__ __device__ float operator()(float x) const { return x < 0 ? -x : x; }
};

auto two() { return wf::fuse(wf::plus{}, wf::maximum{}); }
auto four() { return wf::fuse(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::with(square{}, wf::plus{})); }
auto eight() {
  return wf::fuse(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::with(square{}, wf::plus{}),
                  wf::with(magnitude{}, wf::plus{}), wf::with(magnitude{}, wf::maximum{}), wf::with(cube{}, wf::plus{}),
                  wf::nan_counter{});
}
/// Each item is all of a result of its own type.
template <class Op> using accumulators = wf::accumulator_t<Op, float>;

/// The transform for CUB's TransformReduce.
template <class Op> struct cub_transform {
  Op op;
  __host__ __device__ auto operator()(float x) const { return op.lift(x); }
};
template <class Op> struct cub_join {
  Op op;
  using A = accumulators<Op>;
  __host__ __device__ A operator()(const A& a, const A& b) const { return op(a, b); }
};

/// Calls visit(part, index) for each part of a fused operator.
template <class Op, class Visit> void for_each_part(const Op& op, Visit visit) {
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (visit(op.template part<Is>(), std::integral_constant<std::size_t, Is>()), ...);
  }
  (std::make_index_sequence<Op::part_count>());
}

/// An input, and the results of a fused operator and of its parts.
template <class Op> class fused_problem {
 public:
  fused_problem(std::int64_t items, const Op& op) : op_(op), items_(items), data_(static_cast<std::size_t>(items)) {
    fill_random(data_.data(), items, static_cast<std::uint64_t>(items), nullptr);
    check(cub_reduce(nullptr, nullptr));
    cub_scratch_ = device_buffer<std::byte>(cub_bytes_);
    check(cudaDeviceSynchronize());
  }
  std::int64_t bytes() const { return items_ * 4; }
  const float* data() const { return data_.data(); }

  contender warpfold_call() {
    return {"warpfold", [this](cudaStream_t stream, int) {
              wf::reduce(data_.data(), items_, fused_.data(), op_, {.stream = stream, .workspace = workspace_});
            }};
  }
  contender separate_calls() {
    return {"separate", [this](cudaStream_t stream, int) {
              for_each_part(op_, [&](const auto& part, auto index) {
                using A = wf::accumulator_t<std::remove_cvref_t<decltype(part)>, float>;
                wf::reduce(data_.data(), items_, part_place<A>(index), part,
                           {.stream = stream, .workspace = workspace_});
              });
            }};
  }
  contender plus_call() {
    return {"plus", [this](cudaStream_t stream, int) {
              wf::reduce(data_.data(), items_, part_place<float>(8), {.stream = stream, .workspace = workspace_});
            }};
  }
  contender cub_call() {
    return {"cub", [this](cudaStream_t stream, int) { check(cub_reduce(cub_scratch_.data(), stream)); }};
  }

  /// Throws unless each fused result has the bits of a call of its own.
  void verify() {
    check(cudaMemset(fused_.data(), 0xFF, fused_.bytes()));
    warpfold_call().run(nullptr, 0);
    separate_calls().run(nullptr, 0);
    accumulators<Op> results;
    check(cudaMemcpy(&results, fused_.data(), sizeof(results), cudaMemcpyDeviceToHost));
    for_each_part(op_, [&](const auto& part, auto index) {
      using A = wf::accumulator_t<std::remove_cvref_t<decltype(part)>, float>;
      A own;
      check(cudaMemcpy(&own, part_place<A>(index), sizeof(A), cudaMemcpyDeviceToHost));
      if (std::memcmp(&own, &results.template get<index>(), sizeof(A)) != 0)
        throw std::runtime_error("result " + std::to_string(index) + " differs from that of its own call");
    });
  }

 private:
  template <class A> A* part_place(std::size_t index) const { return reinterpret_cast<A*>(parts_.data() + 16 * index); }
  cudaError_t cub_reduce(void* scratch, cudaStream_t stream) {
    return cub::DeviceReduce::TransformReduce(scratch, cub_bytes_, data_.data(), fused_.data(),
                                              static_cast<int>(items_), cub_join<Op>{op_}, cub_transform<Op>{op_},
                                              wf::identity<Op, accumulators<Op>>::value(), stream);
  }

  Op op_;
  std::int64_t items_;
  device_buffer<float> data_;
  device_buffer<accumulators<Op>> fused_{1};
  device_buffer<std::byte> parts_{16 * 9}, cub_scratch_;
  std::size_t cub_bytes_ = 0;
  wf::workspace workspace_;
};

std::vector<measurement> measurements(const std::vector<statistics>& times) {
  std::vector<measurement> result;
  for (const statistics& seconds : times) result.push_back({seconds});
  return result;
}
std::vector<std::string> with_read_names(std::vector<std::string> names) {
  std::ranges::copy(read_contender_names(), std::back_inserter(names));
  return names;
}

template <class Op> void add_fused(const std::string& name, Op op, std::int64_t items) {
  add_group(
      {"fuse/float/" + name + "/items:" + size_name(items), "cold", items, items * 4,
       with_read_names({"warpfold", "plus", "separate", "cub"}), [=] {
         fused_problem<Op> problem(items, op);
         problem.verify();
         contenders list{problem.warpfold_call(), problem.plus_call(), problem.separate_calls(), problem.cub_call()};
         std::ranges::move(make_read_contenders(problem.data(), static_cast<std::size_t>(problem.bytes())),
                           std::back_inserter(list));
         return measurements(time_cold(list, {7, 51, 0.15}));
       }});
}

/// Moments or statistics against the limit, and against CUB with the same operator.
template <class Op> void add_statistics(const std::string& name, Op op, std::int64_t items) {
  add_group(
      {"fuse/float/" + name + "/items:" + size_name(items), "cold", items, items * 4,
       with_read_names({"warpfold", "plus", "cub"}), [=] {
         using result = wf::lowered_t<Op, accumulators<Op>>;
         const auto data = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(items));
         fill_random(data->data(), items, static_cast<std::uint64_t>(items), nullptr);
         const device_buffer<result> out(1);
         const device_buffer<accumulators<Op>> cub_out(1);
         const device_buffer<float> sum(1);
         const wf::workspace workspace;
         std::size_t bytes = 0;
         const auto cub_reduce = [&](void* scratch, cudaStream_t stream) {
           return cub::DeviceReduce::TransformReduce(scratch, bytes, data->data(), cub_out.data(),
                                                     static_cast<int>(items), cub_join<Op>{op}, cub_transform<Op>{op},
                                                     wf::identity<Op, accumulators<Op>>::value(), stream);
         };
         check(cub_reduce(nullptr, nullptr));
         const device_buffer<std::byte> scratch(bytes);
         contenders list{{"warpfold",
                          [&](cudaStream_t stream, int) {
                            wf::reduce(data->data(), items, out.data(), op, {.stream = stream, .workspace = workspace});
                          }},
                         {"plus",
                          [&](cudaStream_t stream, int) {
                            wf::reduce(data->data(), items, sum.data(), {.stream = stream, .workspace = workspace});
                          }},
                         {"cub", [&](cudaStream_t stream, int) { check(cub_reduce(scratch.data(), stream)); }}};
         std::ranges::move(make_read_contenders(data->data(), static_cast<std::size_t>(4 * items)),
                           std::back_inserter(list));
         list[0].run(nullptr, 0);
         result got;
         check(cudaMemcpy(&got, out.data(), sizeof(got), cudaMemcpyDeviceToHost));
         // Uniform in [0, 1): seven standard errors.
         if (got.count != items || !(std::abs(got.variance() - 1. / 12) < 0.6 / std::sqrt(static_cast<double>(items))))
           throw std::runtime_error("wrong count or variance " + std::to_string(got.variance()));
         return measurements(time_cold(list, {7, 51, 0.15}));
       }});
}

/// Four results per segment, of equal lengths by offsets, against four calls and one sum.
void add_segmented(std::int64_t items, std::int64_t length) {
  add_group(
      {"fuse_segmented/float/four/items:" + size_name(items) + "/segments:equal_" + std::to_string(length) +
           "/form:offsets",
       "cold",
       items,
       items * 4 + items / length * (4 + 16),
       {"warpfold", "plus", "separate"},
       [=] {
         const std::int64_t segments = items / length;
         const auto count = static_cast<std::size_t>(segments);
         const device_buffer<float> data(static_cast<std::size_t>(items)), out(4 * count), own(4 * count);
         fill_random(data.data(), items, static_cast<std::uint64_t>(items), nullptr);
         const device_buffer<int> offsets(count + 1);
         std::vector<int> ends(count + 1);
         for (std::size_t s = 0; s <= count; ++s) ends[s] = static_cast<int>(static_cast<std::int64_t>(s) * length);
         check(cudaMemcpy(offsets.data(), ends.data(), offsets.bytes(), cudaMemcpyHostToDevice));
         const wf::workspace workspace;
         const std::span<const float> in(data.data(), static_cast<std::size_t>(segments * length));
         const std::span<const int> at(offsets.data(), count + 1);
         const auto place = [&](const device_buffer<float>& of, std::size_t k) { return of.data() + k * count; };
         contenders list{
             {"warpfold",
              [&](cudaStream_t stream, int) {
                wf::segmented_reduce(in, at, wf::outputs(place(out, 0), place(out, 1), place(out, 2), place(out, 3)),
                                     four(), {.stream = stream, .workspace = workspace});
              }},
             {"plus",
              [&](cudaStream_t stream, int) {
                wf::segmented_reduce(in, at, place(own, 0), {.stream = stream, .workspace = workspace});
              }},
             {"separate", [&](cudaStream_t stream, int) {
                for_each_part(four(), [&](const auto& part, auto index) {
                  wf::segmented_reduce(in, at, place(own, index), part, {.stream = stream, .workspace = workspace});
                });
              }}};
         list[0].run(nullptr, 0);
         list[2].run(nullptr, 0);
         std::vector<float> fused(4 * count), separate(4 * count);
         check(cudaMemcpy(fused.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost));
         check(cudaMemcpy(separate.data(), own.data(), own.bytes(), cudaMemcpyDeviceToHost));
         if (std::memcmp(fused.data(), separate.data(), out.bytes()) != 0)
           throw std::runtime_error("segments differ from those of calls of their own");
         return measurements(time_cold(list, {5, 31, 0.15}));
       }});
}

void register_all() {
  for (const int bits : {16, 20, 24, 26, 28}) {
    const std::int64_t items = std::int64_t{1} << bits;
    add_fused("two", two(), items);
    add_fused("four", four(), items);
    add_fused("eight", eight(), items);
    add_statistics("moments", wf::moments{}, items);
    add_statistics("moments_to_4", wf::moments<4>{}, items);
    add_statistics("statistics", wf::statistics{}, items);
  }
  for (const std::int64_t length : {10, 100, 1000, 100'000}) add_segmented(std::int64_t{1} << 26, length);
}

}  // namespace

/// Fused reductions (fuse.hpp) and statistics (statistics.hpp) against calls of their own, one sum, CUB's
/// TransformReduce with the same operator, and kernels that only read; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

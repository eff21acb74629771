// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/arg_reduce.cuh>

#include "common/one_read.cuh"
#include "segmented/lengths.hpp"
#include "segmented/segmented_items.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// argmin of one sequence by Warpfold and by CUB, whose outputs are apart.
template <class T> class argmin_pair {
 public:
  using value = typename wf::accumulator_t<wf::minimum, T>;

  explicit argmin_pair(const T* in, std::int64_t items) : in_(in), items_(items) {
    std::size_t bytes = 0;
    check(call_cub(nullptr, bytes, nullptr));
    scratch_ = device_buffer<std::byte>(bytes);
  }
  void warpfold_call(cudaStream_t stream) {
    wf::argmin(in_, items_, ours_.data(), {.stream = stream, .workspace = workspace_});
  }
  void cub_call(cudaStream_t stream) {
    std::size_t bytes = scratch_.bytes();
    check(call_cub(scratch_.data(), bytes, stream));
  }
  void warpfold_value(cudaStream_t stream) {
    *host_.get() = wf::argmin_value(in_, items_, {.stream = stream, .workspace = workspace_});
  }
  void cub_value(cudaStream_t stream) {
    cub_call(stream);
    check(cudaMemcpyAsync(host_index_.get(), index_.data(), sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
  }
  /// Throws unless both find the same item.
  void verify() {
    warpfold_value(nullptr);
    cub_value(nullptr);
    if (host_.get()->index != *host_index_.get())
      throw std::runtime_error("CUB found item " + std::to_string(*host_index_.get()) + ", Warpfold " +
                               std::to_string(host_.get()->index));
  }

 private:
  cudaError_t call_cub(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceReduce::ArgMin(scratch, bytes, in_, value_.data(), index_.data(), items_, stream);
  }

  const T* in_;
  std::int64_t items_;
  device_buffer<wf::indexed_value<value>> ours_{1};
  device_buffer<T> value_{1};
  device_buffer<std::int64_t> index_{1};
  device_buffer<std::byte> scratch_;
  pinned_value<wf::indexed_value<value>> host_;
  pinned_value<std::int64_t> host_index_;
  wf::workspace workspace_;
};

template <class T> void add_argmin(const std::string& type, std::int64_t items) {
  add_one_read<T>("arg_reduce/" + type + "/argmin", items, {"warpfold", "cub"}, [](one_read<T>& input) {
    const auto pair = std::make_shared<argmin_pair<T>>(input.in(), input.items);
    pair->verify();
    return contenders{{"warpfold", [=](cudaStream_t stream, int) { pair->warpfold_call(stream); }},
                      {"cub", [=](cudaStream_t stream, int) { pair->cub_call(stream); }}};
  });
}

/// Call and wait.
void add_waiting(std::int64_t items) {
  add_group({"arg_reduce/float/argmin/items:" + size_name(items), "wait", items, items * 4, {"warpfold", "cub"}, [=] {
               one_read<float> input(items);
               argmin_pair<float> pair(input.in(), items);
               pair.verify();
               const contenders list{{"warpfold", [&](cudaStream_t stream, int) { pair.warpfold_value(stream); }},
                                     {"cub", [&](cudaStream_t stream, int) { pair.cub_value(stream); }}};
               std::vector<measurement> result;
               for (const statistics& seconds : time_wait(list)) result.push_back({seconds});
               return result;
             }});
}

template <class T> void add_both_extrema(const std::string& type, std::int64_t items) {
  add_one_read<T>("arg_reduce/" + type + "/arg_minmax", items, {"warpfold"}, [](one_read<T>& input) {
    const auto out =
        std::make_shared<device_buffer<wf::indexed_extrema<typename wf::accumulator_t<wf::minimum, T>>>>(1);
    return contenders{{"warpfold", [=, &input](cudaStream_t stream, int) {
                         wf::arg_minmax(input.in(), input.items, out->data(),
                                        {.stream = stream, .workspace = input.workspace});
                       }}};
  });
}

/// segmented_argmax against the sum of the same segments, and CUB's.
void add_segments(std::int64_t items, const distribution& lengths) {
  add_group(
      {"arg_reduce/float/segmented_argmax/items:" + size_name(items) + "/segments:" + lengths.name,
       "cold",
       items,
       items * 4,
       {"warpfold", "wide_indices", "sum", "cub"},
       [=] {
         segmented_items<float> problem(items, lengths);
         const auto segments = static_cast<std::size_t>(problem.segments());
         const device_buffer<wf::indexed_value<float>> out(segments), wide(segments);
         const device_buffer<float> sums(segments);
         using pair = cub::KeyValuePair<int, float>;
         const device_buffer<pair> pairs(segments);
         const wf::workspace workspace;
         const std::span<wf::indexed_value<float>> to(out.data(), segments), to_wide(wide.data(), segments);
         const int* const offsets = problem.offsets().data();
         const auto call_cub = [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
           check(cub::DeviceSegmentedReduce::ArgMax(scratch, bytes, problem.data().data(), pairs.data(),
                                                    static_cast<std::int64_t>(segments), offsets, offsets + 1, stream));
         };
         std::size_t bytes = 0;
         call_cub(nullptr, bytes, nullptr);
         const device_buffer<std::byte> scratch(bytes + 1);
         const contenders list{
             {"warpfold",
              [&](cudaStream_t stream, int) {
                wf::segmented_argmax(problem.data(), problem.offsets(), to, {.stream = stream, .workspace = workspace});
              }},
             {"wide_indices",
              [&](cudaStream_t stream, int) {
                wf::segmented_reduce(problem.data(), problem.offsets(), to_wide, wf::within_segment{wf::arg_maximum{}},
                                     {.stream = stream, .workspace = workspace});
              }},
             {"sum",
              [&](cudaStream_t stream, int) {
                wf::segmented_reduce(problem.data(), problem.offsets(), std::span<float>(sums.data(), segments),
                                     wf::plus{}, {.stream = stream, .workspace = workspace});
              }},
             {"cub", [&](cudaStream_t stream, int) {
                std::size_t given = bytes;
                call_cub(scratch.data(), given, stream);
              }}};
         for (const contender& candidate : list) candidate.run(nullptr, 0);
         std::vector<wf::indexed_value<float>> ours(segments), others(segments);
         std::vector<pair> theirs(segments);
         check(cudaMemcpy(ours.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost));
         check(cudaMemcpy(others.data(), wide.data(), wide.bytes(), cudaMemcpyDeviceToHost));
         check(cudaMemcpy(theirs.data(), pairs.data(), pairs.bytes(), cudaMemcpyDeviceToHost));
         for (std::size_t s = 0; s < segments; ++s)
           if (ours[s].index != others[s].index || (ours[s].index >= 0 && ours[s].index != theirs[s].key))
             throw std::runtime_error("segment " + std::to_string(s) + " differs");
         std::vector<measurement> result;
         for (const statistics& seconds : time_cold(list, {5, 31, 0.12})) result.push_back({seconds});
         return result;
       }});
}

void register_all() {
  constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
  for (const int bits : {16, 18, 20, 22, 24, 26, 28}) add_argmin<float>("float", std::int64_t{1} << bits);
  add_argmin<double>("double", gibibyte / 8);
  add_argmin<std::int64_t>("int64", gibibyte / 8);
  add_argmin<__half>("half", gibibyte / 2);
  add_argmin<std::int8_t>("int8", gibibyte);
  add_both_extrema<float>("float", gibibyte / 4);
  add_both_extrema<std::int8_t>("int8", gibibyte);
  add_waiting(1 << 16);
  for (const char* name : {"all_100", "uniform_10_50", "log_normal", "one"})
    add_segments(std::int64_t{1} << 26, named_distribution(name));
}

}  // namespace

/// warpfold/arg_reduce.cuh against CUB, our sums and the read limit; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>
#include <warpfold/explain.hpp>

#include "cold_cache.cuh"
#include "cuda_resources.hpp"

namespace bench {
namespace {

template <int Bytes> struct parameter_block { std::byte bytes[Bytes]; };

template <int Bytes> __global__ void empty_kernel(parameter_block<Bytes>) {}

template <int Bytes> void launch_empty(cudaStream_t stream) {
  empty_kernel<Bytes><<<1, 32, 0, stream>>>(parameter_block<Bytes>{});
  check(cudaGetLastError());
}

__global__ void occupy_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
}

/// Holds the stream back while the host enqueues what is to be timed: about 60 us at 2 GHz.
void occupy(cudaStream_t stream) {
  occupy_kernel<<<1, 1, 0, stream>>>(120'000);
  check(cudaGetLastError());
}

__global__ void clock_kernel(long long* cycles_and_nanoseconds) {
  const auto nanoseconds = [] {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  };
  const long long begin_ns = nanoseconds(), begin = clock64();
  while (clock64() - begin < 4'000'000) {}
  cycles_and_nanoseconds[0] = clock64() - begin;
  cycles_and_nanoseconds[1] = nanoseconds() - begin_ns;
}

/// Device time of what `enqueue` puts on the stream, in seconds.
template <class Enqueue>
double between_events(const event& begin, const event& end, cudaStream_t stream, Enqueue enqueue) {
  check(cudaEventRecord(begin.get(), stream));
  enqueue();
  check(cudaEventRecord(end.get(), stream));
  check(cudaEventSynchronize(end.get()));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return 1e-3 * static_cast<double>(milliseconds);
}

/// Host time of `call`, in seconds.
template <class Call> double on_host_clock(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return seconds.count();
}

graph capture(const contender& candidate, int calls, cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int call = 0; call < calls; ++call) candidate.run(stream, call);
  cudaGraph_t handle{};
  check(cudaStreamEndCapture(stream, &handle));
  return graph(handle);
}

executable_graph instantiate(const graph& captured, cudaStream_t stream) {
  cudaGraphExec_t handle{};
  check(cudaGraphInstantiate(&handle, captured.get(), 0));
  executable_graph result(handle);
  check(cudaGraphUpload(handle, stream));
  return result;
}

/// Name, grid and reason of each kernel that `call` enqueues by functions of Warpfold; of others, nothing is known.
template <class Call> std::string kernels_of(Call call) {
  std::string text;
  for (const warpfold::kernel_launch& launch : warpfold::explain(call)) {
    if (!text.empty()) text += " + ";
    text += launch.kernel.substr(0, launch.kernel.find('<'));
    text += ' ' + std::to_string(launch.blocks) + 'x' + std::to_string(launch.threads);
    if (!launch.why.empty()) text += ": " + launch.why;
  }
  return text;
}

/// Runs each contender once, so that nothing is loaded while they are timed, and returns their kernels.
std::vector<std::string> run_once(const contenders& list, cudaStream_t stream) {
  std::vector<std::string> kernels;
  for (const contender& candidate : list) kernels.push_back(kernels_of([&] { candidate.run(stream, 0); }));
  check(cudaStreamSynchronize(stream));
  return kernels;
}

/// round_robin of contenders whose kernels are known.
template <class Sample>
std::vector<statistics> time_each(const std::vector<std::string>& kernels, const sampling& plan, Sample sample) {
  std::vector<statistics> times = round_robin(kernels.size(), plan, sample);
  for (std::size_t i = 0; i < kernels.size(); ++i) times[i].kernels = kernels[i];
  return times;
}

cold_cache& shared_cache() {
  static cold_cache cache;
  return cache;
}

int kernel_parameter_bytes(cudaGraphNode_t node) {
  cudaKernelNodeParams parameters{};
  std::size_t end = 0, offset = 0, size = 0;
  if (cudaGraphKernelNodeGetParams(node, &parameters) != cudaSuccess) parameters.func = nullptr;
  for (std::size_t i = 0; parameters.func && cudaFuncGetParamInfo(parameters.func, i, &offset, &size) == cudaSuccess;
       ++i)
    end = std::max(end, offset + size);
  static_cast<void>(cudaGetLastError());  // asking past the last parameter is the error that ends the loop
  return static_cast<int>(end);
}

}  // namespace

std::vector<statistics> time_cold(const contenders& list, const sampling& plan) {
  const stream work = make_stream();
  const event begin = make_event(), end = make_event();
  const auto kernels = run_once(list, work.get());
  return time_each(kernels, plan, [&](std::size_t i) {
    shared_cache().evict(work.get());
    return between_events(begin, end, work.get(), [&] { list[i].run(work.get(), 0); });
  });
}

std::vector<statistics> time_in_graph(const contenders& list, const sampling& plan) {
  const stream work = make_stream();
  const event begin = make_event(), end = make_event();
  const auto kernels = run_once(list, work.get());
  std::vector<executable_graph> graphs;
  for (const contender& candidate : list)
    graphs.push_back(instantiate(capture(candidate, graph_calls, work.get()), work.get()));
  const auto replay = [&](std::size_t i) { check(cudaGraphLaunch(graphs[i].get(), work.get())); };
  return time_each(kernels, plan, [&](std::size_t i) {
    occupy(work.get());
    replay(i);
    return between_events(begin, end, work.get(), [&] { replay(i); }) / graph_calls;
  });
}

std::vector<statistics> time_enqueue(const contenders& list, const sampling& plan) {
  const stream work = make_stream();
  const auto kernels = run_once(list, work.get());
  return time_each(kernels, plan, [&](std::size_t i) {
    const double seconds = on_host_clock([&] {
      for (int call = 0; call < burst_calls; ++call) list[i].run(work.get(), call);
    });
    check(cudaStreamSynchronize(work.get()));
    return seconds / burst_calls;
  });
}

std::vector<statistics> time_wait(const contenders& list, const sampling& plan) {
  const stream work = make_stream();
  const auto kernels = run_once(list, work.get());
  return time_each(kernels, plan, [&](std::size_t i) { return on_host_clock([&] { list[i].run(work.get(), 0); }); });
}

launch_shape inspect_launch(const contender& candidate) {
  const stream work = make_stream();
  candidate.run(work.get(), 0);
  const graph captured = capture(candidate, 1, work.get());
  std::size_t count = 0;
  check(cudaGraphGetNodes(captured.get(), nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(captured.get(), nodes.data(), &count));
  launch_shape shape;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel && shape.kernels++ == 0) shape.parameter_bytes = kernel_parameter_bytes(node);
  }
  return shape;
}

contender make_empty_kernel(int parameter_bytes) {
  static constexpr std::pair<int, void (*)(cudaStream_t)> sizes[] = {
      {16, launch_empty<16>},    {32, launch_empty<32>},   {48, launch_empty<48>},   {64, launch_empty<64>},
      {80, launch_empty<80>},    {96, launch_empty<96>},   {112, launch_empty<112>}, {128, launch_empty<128>},
      {160, launch_empty<160>},  {192, launch_empty<192>}, {256, launch_empty<256>}, {512, launch_empty<512>},
      {1024, launch_empty<1024>}};
  const auto fitting = std::ranges::find_if(sizes, [=](const auto& size) { return size.first >= parameter_bytes; });
  const auto launch = fitting == std::end(sizes) ? std::prev(std::end(sizes))->second : fitting->second;
  return {"empty_kernel", [launch](cudaStream_t stream, int) { launch(stream); }};
}

void warm_up_device() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1)) {
    for (int i = 0; i < 100; ++i) shared_cache().evict(nullptr);
    check(cudaDeviceSynchronize());
  }
}

double measure_clock_mhz() {
  device_buffer<long long> device(2);
  clock_kernel<<<1, 1>>>(device.data());
  check(cudaGetLastError());
  std::array<long long, 2> host{};
  check(cudaMemcpy(host.data(), device.data(), sizeof(host), cudaMemcpyDeviceToHost));
  return 1e3 * static_cast<double>(host[0]) / static_cast<double>(host[1]);
}

}  // namespace bench

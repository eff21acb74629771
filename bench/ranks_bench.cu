// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/local.cuh>
#include <warpfold/reduce.cuh>
#if defined(WARPFOLD_BENCH_NCCL)
#include <thread>
#include <warpfold/ranks/nccl.cuh>
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
#include "ranks/cudax_sums.hpp"
#endif

#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/statistics.hpp"
#include "ranks/rank_arrays.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// The GPUs 0 to `count` - 1, and the sums that each makes.
class gpus {
 public:
  gpus(int count, std::int64_t items) : items_(items), arrays_(count, items, 64), local_(arrays_.devices()) {
#if defined(WARPFOLD_BENCH_NCCL)
    comms_.resize(static_cast<std::size_t>(count));
    const std::vector<int> devices = arrays_.devices();
    check_nccl(ncclCommInitAll(comms_.data(), count, devices.data()));
    for (int r = 0; r < count; ++r) {
      check(cudaSetDevice(r));
      ranks_.push_back(std::make_unique<wf::nccl_ranks>(comms_[static_cast<std::size_t>(r)]));
    }
    std::vector<std::thread> threads;  // NCCL connects ranks in the first call
    for (int r = 0; r < count; ++r)
      threads.emplace_back([this, r] {
        check(cudaSetDevice(r));
        by_nccl(r);
        wait(r);
      });
    for (std::thread& each : threads) each.join();
    nccl_sums();
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
    std::vector<cudax_sums::rank> of_cudax;
    for (int r = 0; r < count; ++r)
      of_cudax.push_back({comms_[static_cast<std::size_t>(r)], stream(r), in(r).data(), out(r) + 4});
    cudax_ = std::make_unique<cudax_sums>(of_cudax, items);
    all_cudax();
#endif
    by_each(&gpus::by_peers);
    by_each(&gpus::by_local);
    wait();
  }
  ~gpus() {
#if defined(WARPFOLD_BENCH_CUDAX)
    cudax_.reset();
#endif
#if defined(WARPFOLD_BENCH_NCCL)
    ranks_.clear();
    for (const ncclComm_t each : comms_) (void)ncclCommDestroy(each);
#endif
    (void)cudaSetDevice(0);
  }

  void wait(int r) { arrays_.wait(r); }
  void wait() {
    for (int r = 0; r < size(); ++r) wait(r);
  }
  int size() const { return arrays_.size(); }
  cudaStream_t stream(int r) const { return arrays_.stream(r); }

  /// Calls (this->*call)(r) with device r current, for all ranks.
  void by_each(void (gpus::*call)(int)) {
    for (int r = 0; r < size(); ++r) {
      check(cudaSetDevice(r));
      (this->*call)(r);
    }
  }
  /// The local part alone.
  void by_local(int r) { wf::reduce(in(r), out(r), wf::plus{}, {.stream = stream(r)}); }
  void by_peers(int r) { wf::all_reduce(local_[r], in(r), of(r), out(r) + 1, wf::plus{}, {.stream = stream(r)}); }
  void all_local() { by_each(&gpus::by_local); }
  void all_peers() { by_each(&gpus::by_peers); }
#if defined(WARPFOLD_BENCH_NCCL)
  void by_nccl(int r) {
    wf::all_reduce(*ranks_[static_cast<std::size_t>(r)], in(r), of(r), out(r) + 2, wf::plus{}, {.stream = stream(r)});
  }
  void all_nccl() { by_each(&gpus::by_nccl); }
  /// Local sums, whose sum has the bits of the split.
  void nccl_sums() {
    all_local();
    check_nccl(ncclGroupStart());
    for (int r = 0; r < size(); ++r)
      check_nccl(
          ncclAllReduce(out(r), out(r) + 3, 1, ncclFloat, ncclSum, comms_[static_cast<std::size_t>(r)], stream(r)));
    check_nccl(ncclGroupEnd());
  }
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
  void all_cudax() { (*cudax_)(); }
#endif

 private:
  std::span<const float> in(int r) const { return arrays_.in(r); }
  float* out(int r) const { return arrays_.out(r).data(); }  // a local sum, results
  wf::part of(int r) const { return {items_ * r}; }
#if defined(WARPFOLD_BENCH_NCCL)
  static void check_nccl(ncclResult_t result) {
    if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
  }
  std::vector<ncclComm_t> comms_;
  std::vector<std::unique_ptr<wf::nccl_ranks>> ranks_;
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
  std::unique_ptr<cudax_sums> cudax_;
#endif

  std::int64_t items_;
  rank_arrays arrays_;
  wf::local_ranks local_;
};

/// `calls` calls on each rank's stream as a graph for each.
class rank_graphs {
 public:
  rank_graphs(gpus& over, int calls, const std::function<void()>& call) : over_(over) {
    for (int r = 0; r < over.size(); ++r) check(cudaStreamBeginCapture(over.stream(r), cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < calls; ++i) call();
    for (int r = 0; r < over.size(); ++r) {
      cudaGraph_t handle{};
      check(cudaStreamEndCapture(over.stream(r), &handle));
      const graph captured(handle);
      cudaGraphExec_t executable{};
      check(cudaSetDevice(r));
      check(cudaGraphInstantiate(&executable, captured.get(), 0));
      executables_.emplace_back(executable);
      check(cudaGraphUpload(executable, over.stream(r)));
    }
    over.wait();
  }
  void launch() {
    for (int r = 0; r < over_.size(); ++r) {
      check(cudaSetDevice(r));
      check(cudaGraphLaunch(executables_[static_cast<std::size_t>(r)].get(), over_.stream(r)));
    }
  }

 private:
  gpus& over_;
  std::vector<executable_graph> executables_;
};

template <class Work> double seconds_of(gpus& over, int calls, Work work) {
  over.wait();
  const auto start = std::chrono::steady_clock::now();
  work();
  over.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

/// Sums of `items` floats on each of `ranks` GPUs: the local sums alone, Warpfold through peer memory and over NCCL,
/// NCCL's all-reduce of the local sums, and CCCL's draft of a sum over GPUs. `graph`: calls of all contenders in
/// graphs, the host's clock over their number; `enqueue`: called one after another by one host thread.
void add_sums(int ranks, std::int64_t items, bool in_graph) {
  std::vector<std::string> names{"local", "peers"};
#if defined(WARPFOLD_BENCH_NCCL)
  names.insert(names.end(), {"nccl", "nccl_all_reduce"});
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
  names.emplace_back("cudax");
#endif
  const std::string name = "ranks/float/plus/ranks:" + std::to_string(ranks) + "/items:" + size_name(items);
  add_group(
      {name, in_graph ? "graph" : "enqueue", items * ranks, items * ranks * std::int64_t{sizeof(float)}, names, [=] {
         gpus over(ranks, items);
         const int calls = items >= std::int64_t{1} << 24 ? 10 : 200;
         std::vector<std::function<void()>> calls_of{[&] { over.all_local(); }, [&] { over.all_peers(); }};
#if defined(WARPFOLD_BENCH_NCCL)
         calls_of.insert(calls_of.end(), {[&] { over.all_nccl(); }, [&] { over.nccl_sums(); }});
#endif
#if defined(WARPFOLD_BENCH_CUDAX)
         calls_of.emplace_back([&] { over.all_cudax(); });
#endif
         std::vector<std::unique_ptr<rank_graphs>> graphs;
         if (in_graph)
           for (const auto& each : calls_of) graphs.push_back(std::make_unique<rank_graphs>(over, calls, each));
         const auto sample = [&](std::size_t i) {
           return seconds_of(over, calls, [&] {
             if (in_graph) graphs[i]->launch();
             else
               for (int k = 0; k < calls; ++k) calls_of[i]();
           });
         };
         for (std::size_t i = 0; i < calls_of.size(); ++i) (void)sample(i);
         std::vector<measurement> results;
         for (const statistics& each : round_robin(calls_of.size(), {7, 41, 2.0}, sample)) results.push_back({each});
         return results;
       }});
}

void register_all() {
  for (int ranks = 1; ranks <= device_count(); ranks *= 2) {
    for (const int log_items : {0, 10, 16, 20, 24, 28, 30})
      for (const bool in_graph : {true, false}) add_sums(ranks, std::int64_t{1} << log_items, in_graph);
    add_sums(ranks, (std::int64_t{1} << 16) - 77, true);  // parts that are no nodes
    for (const int log_items : {20, 24, 28, 33}) {        // strong scaling
      const std::int64_t items = (std::int64_t{1} << log_items) / ranks;
      if (items != 1 << 20 && items != 1 << 24 && items != 1 << 28) add_sums(ranks, items, true);
    }
  }
}

}  // namespace

/// warpfold/ranks.cuh on the GPUs of this machine.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

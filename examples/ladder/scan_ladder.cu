// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ladder of scans: the sources' algorithms, from Hillis and Steele to the segmented MatrixScan, on one array.
// Checks every result and prints what shared memory has to serve; on a GPU also the time of the whole scan.
//
//   scan_ladder [items]
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

namespace {

namespace wf = warpfold;
using wf::block::padding;

constexpr std::int64_t segment_items = 1000;

/// The arrays that all rungs share, in device memory.
struct scan_arrays {
  const std::uint32_t* in;
  std::uint32_t* out;
  const std::int32_t* owners;
  std::int64_t items;
};

struct scan_rung {
  const char* name;
  bool is_segmented;
  void (*run)(const scan_arrays&);
  std::int64_t data_block_items;
  wf::strategies::shared_accesses accesses;  ///< for one data-block
};

template <class Algorithm, bool IsSegmented = false> scan_rung make_rung(const char* name) {
  using S = wf::scan_strategy<Algorithm>;
  const auto run = [](const scan_arrays& a) {
    const std::span<const std::uint32_t> in(a.in, static_cast<std::size_t>(a.items));
    if constexpr (IsSegmented)
      wf::strategies::segmented_inclusive_scan<S>(in, wf::owners{std::span(a.owners, in.size())}, a.out, wf::plus{});
    else wf::strategies::inclusive_scan<S>(in, a.out, wf::plus{});
  };
  using scanned = std::conditional_t<IsSegmented, wf::thread::piece<std::uint32_t, std::int32_t>, std::uint32_t>;
  return {name, IsSegmented, run, Algorithm::data_block_items, wf::strategies::conflicts_of<Algorithm, scanned>()};
}

template <class T> T* to_device(const std::vector<T>& items) {
  T* memory = nullptr;
  wf::check(cudaMalloc(reinterpret_cast<void**>(&memory), items.size() * sizeof(T)), "cudaMalloc");
  wf::check(cudaMemcpy(memory, items.data(), items.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

bool is_right(const scan_rung& rung, const std::vector<std::uint32_t>& in, const std::uint32_t* out) {
  std::vector<std::uint32_t> results(in.size());
  wf::check(cudaMemcpy(results.data(), out, in.size() * sizeof(results[0]), cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum = rung.is_segmented && i % segment_items == 0 ? in[i] : sum + in[i];
    if (results[i] != sum) return false;
  }
  return true;
}

#if !defined(WARPFOLD_EMULATOR)
/// The median of 21 runs, in milliseconds.
float median_time(const scan_rung& rung, const scan_arrays& arrays) {
  cudaEvent_t begin, end;
  wf::check(cudaEventCreate(&begin), "cudaEventCreate");
  wf::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times(21);
  for (float& time : times) {
    wf::check(cudaEventRecord(begin), "cudaEventRecord");
    rung.run(arrays);
    wf::check(cudaEventRecord(end), "cudaEventRecord");
    wf::check(cudaEventSynchronize(end), "cudaEventSynchronize");
    wf::check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
  }
  (void)cudaEventDestroy(begin);
  (void)cudaEventDestroy(end);
  std::ranges::nth_element(times, times.begin() + 10);
  return times[10];
}
#endif

void climb(std::int64_t items) {
  std::vector<std::uint32_t> in(static_cast<std::size_t>(items));
  std::vector<std::int32_t> owners(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::uint32_t>(i) * 2654435761u;
    owners[i] = static_cast<std::int32_t>(i / segment_items);
  }
  const scan_arrays arrays{to_device(in), to_device(std::vector<std::uint32_t>(in.size())), to_device(owners), items};
  const std::vector<scan_rung> rungs{
      make_rung<wf::block::hillis_steele<256>>("hillis-steele"),
      make_rung<wf::block::up_down_sweep<padding::none, 256>>("up-down-sweep"),
      make_rung<wf::block::up_down_sweep<padding::spare_slots, 256>>("up-down-sweep-padded"),
      make_rung<wf::block::matrix_scan<32, 32, 256>>("matrix-scan"),
      make_rung<wf::block::matrix_scan<32, 32, 256>, true>("segmented-matrix-scan")};
  std::printf("%-23s %6s %18s %15s %8s %10s\n", "rung", "D", "wavefronts an item", "bank conflicts", "result",
              "time, ms");
  for (const scan_rung& rung : rungs) {
    rung.run(arrays);
    const bool right = is_right(rung, in, arrays.out);
    const double d = static_cast<double>(rung.data_block_items);
    std::printf("%-23s %6lld %18.3f %15.3f %8s", rung.name, static_cast<long long>(rung.data_block_items),
                static_cast<double>(rung.accesses.wavefronts) / d, static_cast<double>(rung.accesses.conflicts) / d,
                right ? "right" : "WRONG");
#if defined(WARPFOLD_EMULATOR)
    std::printf(" %10s\n", "-");
#else
    std::printf(" %10.3f\n", static_cast<double>(median_time(rung, arrays)));
#endif
    if (!right) throw std::runtime_error(std::string(rung.name) + " is wrong");
  }
  (void)cudaFree(const_cast<std::uint32_t*>(arrays.in));
  (void)cudaFree(arrays.out);
  (void)cudaFree(const_cast<std::int32_t*>(arrays.owners));
}

}  // namespace

int main(int argc, char** argv) try {
#if defined(WARPFOLD_EMULATOR)
  std::int64_t items = 1 << 13;
#else
  std::int64_t items = 1 << 26;
#endif
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto read = std::from_chars(argv[1], end, items);
    if (argc > 2 || read.ptr != end || read.ec != std::errc{} || items < 1 || items > (std::int64_t{1} << 31)) {
      std::fprintf(stderr, "usage: scan_ladder [items], a whole number from 1 to 2147483648\n");
      return 2;
    }
  }
  climb(items);
} catch (const std::exception& failure) {
  std::fprintf(stderr, "scan_ladder: %s\n", failure.what());
  return 1;
}

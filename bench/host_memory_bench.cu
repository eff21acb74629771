// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/host_memory.cuh>

#include "common/contender.hpp"
#include "common/groups.hpp"
#include "common/timing.hpp"
#include "host_memory/chunk_copies.cuh"
#include "host_memory/copy_by_threads.hpp"
#include "host_memory/mapped_file.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  return count;
}

/// Where the items lie.
enum class memory { pinned, pageable, mapped_file };

std::string name_of(memory kind) {
  return kind == memory::pinned ? "pinned" : kind == memory::pageable ? "pageable" : "mapped_file";
}

/// The sum of 4 GiB in chunks of `chunk_bytes` from memory of a kind: by Warpfold, beside bare copies of the pinned
/// items to the same devices (the links), and copies with a sum behind each; of memory that is not pinned also beside
/// the copies of as many threads to pinned memory of two chunks, without a device.
void add_sum(memory kind, std::size_t chunk_bytes, int devices) {
  constexpr std::int64_t items = gibibyte;
  const std::string name = "host_memory/float/" + name_of(kind) + "/items:" + size_name(items) +
                           "/chunk:" + std::to_string(chunk_bytes >> 20) + "MiB/devices:" + std::to_string(devices);
  std::vector<std::string> names{"warpfold", "copies", "copies_and_sums"};
  if (kind != memory::pinned) names.emplace_back("memcpy");
  add_group(
      {name, "wait", items, items * std::int64_t{sizeof(float)}, names, [=] {
         static const auto pinned = pinned_floats(items);
         std::vector<float> pageable;
         if (kind == memory::pageable) pageable.assign(pinned.get(), pinned.get() + items);
         std::optional<mapped_file> file;
         if (kind == memory::mapped_file) file.emplace(pinned.get(), items);
         wf::host_options<double> options{.chunk_bytes = chunk_bytes};
         for (int i = 0; i < devices; ++i) options.devices.push_back(i);
         const auto in = wf::host(file ? file->data() : kind == memory::pinned ? pinned.get() : pageable.data(), items);
         const auto sum = [&] { return wf::reduce_value(in, wf::accumulate_in<double>(wf::plus{}), options); };
         if (sum() != static_cast<double>(items / 2)) throw std::runtime_error("the sum is wrong");
         chunk_copies copies(items, static_cast<std::int64_t>(chunk_bytes / sizeof(float)), devices);
         contenders list{{"warpfold", [&](cudaStream_t, int) { (void)sum(); }},
                         {"copies", [&](cudaStream_t, int) { copies.run(pinned.get(), false); }},
                         {"copies_and_sums", [&](cudaStream_t, int) { copies.run(in.first, true); }}};
         std::shared_ptr<float> staged;
         if (kind != memory::pinned) {
           staged = pinned_floats(2 * static_cast<std::int64_t>(chunk_bytes / sizeof(float)));
           list.push_back({"memcpy", [&](cudaStream_t, int) {
                             copy_by_threads(options.threads, in.first, items * std::int64_t{sizeof(float)},
                                             staged.get(), 2 * static_cast<std::int64_t>(chunk_bytes));
                           }});
         }
         std::vector<measurement> results;
         for (const statistics& each : time_wait(list, {5, 15, 2.0})) results.push_back({each});
         return results;
       }});
}

void register_all() {
  for (const std::size_t mebibytes : {1, 4, 16, 32, 64}) {
    add_sum(memory::pinned, mebibytes << 20, 1);
    add_sum(memory::pageable, mebibytes << 20, 1);
  }
  add_sum(memory::mapped_file, std::size_t{16} << 20, 1);
  for (int devices = 2; devices <= device_count(); devices *= 2) {
    add_sum(memory::pinned, std::size_t{32} << 20, devices);
    add_sum(memory::pageable, std::size_t{16} << 20, devices);
  }
}

}  // namespace

/// warpfold/host_memory.cuh against the link to the device; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

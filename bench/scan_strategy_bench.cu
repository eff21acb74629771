// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_scan.cuh>
#include <warpfold/strategies.cuh>

#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/random_data.cuh"
#include "common/timing.hpp"

namespace {

using namespace bench;
namespace wf = warpfold;
using wf::block::padding;

using item = std::uint32_t;  // whose sums can be compared
constexpr std::int64_t segment_items = 1000;

/// The buffers of a group, which all contenders share.
struct scan_problem {
  explicit scan_problem(std::int64_t items) : in(static_cast<std::size_t>(items)), out(in.size()), owners(in.size()) {
    fill_random(in.data(), items, static_cast<std::uint64_t>(items), nullptr);
    std::vector<std::int32_t> ids(in.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i / segment_items);
    check(cudaMemcpy(owners.data(), ids.data(), owners.bytes(), cudaMemcpyHostToDevice));
  }
  std::span<const item> items() const { return {in.data(), in.size()}; }
  std::span<const std::int32_t> ids() const { return {owners.data(), owners.size()}; }

  device_buffer<item> in, out;
  device_buffer<std::int32_t> owners;
};

struct scan_entry {
  std::string name;
  bool is_segmented;
  void (*enqueue)(const scan_problem&, cudaStream_t, wf::workspace_ref);
  std::size_t (*scratch_bytes)(std::int64_t count);
  /// Of one data-block: its items, its accesses to shared memory, and the part of these that bank conflicts cost.
  std::int64_t data_block_items;
  wf::strategies::shared_accesses (*conflicts)();
};

template <class Algorithm, bool IsSegmented> scan_entry make_entry(const std::string& name) {
  using S = wf::scan_strategy<Algorithm>;
  const auto enqueue = [](const scan_problem& p, cudaStream_t stream, wf::workspace_ref workspace) {
    const wf::reduce_options<item> options{.stream = stream, .workspace = workspace};
    if constexpr (IsSegmented)
      wf::strategies::segmented_inclusive_scan<S>(p.items(), wf::owners{p.ids()}, p.out.data(), wf::plus{}, options);
    else wf::strategies::inclusive_scan<S>(p.items(), p.out.data(), wf::plus{}, options);
  };
  using scanned = std::conditional_t<IsSegmented, wf::thread::piece<item, std::int32_t>, item>;
  return {name,
          IsSegmented,
          enqueue,
          &wf::strategies::scan_workspace_bytes<S, item>,
          Algorithm::data_block_items,
          &wf::strategies::conflicts_of<Algorithm, scanned>};
}

template <bool IsSegmented> void add_entries(std::vector<scan_entry>& list, const std::string& prefix) {
  list.push_back(make_entry<wf::block::hillis_steele<256>, IsSegmented>(prefix + "hillis_steele"));
  list.push_back(make_entry<wf::block::up_down_sweep<padding::none, 256>, IsSegmented>(prefix + "up_down_sweep"));
  list.push_back(
      make_entry<wf::block::up_down_sweep<padding::spare_slots, 256>, IsSegmented>(prefix + "up_down_sweep_padded"));
  list.push_back(make_entry<wf::block::matrix_scan<32, 32, 256>, IsSegmented>(prefix + "matrix_scan"));
}

const std::vector<scan_entry>& entries() {
  static const std::vector<scan_entry> all = [] {
    std::vector<scan_entry> list;
    add_entries<false>(list, "");
    add_entries<true>(list, "segmented_");
    return list;
  }();
  return all;
}

/// Throws unless the output holds the running sums.
void verify(const scan_problem& p, const std::string& name, bool is_segmented, const std::vector<item>& items) {
  std::vector<item> results(items.size());
  check(cudaMemcpy(results.data(), p.out.data(), p.out.bytes(), cudaMemcpyDeviceToHost));
  item sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum = is_segmented && i % segment_items == 0 ? items[i] : sum + items[i];
    if (results[i] != sum) throw std::runtime_error(name + " is wrong at item " + std::to_string(i));
  }
}

std::vector<measurement> measure(std::int64_t count) {
  const scan_problem problem(count);
  std::size_t scratch_bytes = 0;
  for (const scan_entry& entry : entries()) scratch_bytes = std::max(scratch_bytes, entry.scratch_bytes(count));
  const device_buffer<std::byte> scratch(scratch_bytes);
  const wf::workspace_ref workspace = wf::initialize_workspace({scratch.data(), scratch.size()});
  std::vector<item> items(problem.in.size());
  check(cudaMemcpy(items.data(), problem.in.data(), problem.in.bytes(), cudaMemcpyDeviceToHost));

  contenders list;
  const auto add = [&](const std::string& name, bool is_segmented, auto enqueue) {
    list.push_back({name, [=](cudaStream_t stream, int) { enqueue(stream); }});
    check(cudaMemset(problem.out.data(), 0xFF, problem.out.bytes()));  // so that a result not written shows
    list.back().run(nullptr, 0);
    verify(problem, name, is_segmented, items);
  };
  for (const scan_entry& entry : entries())
    add(entry.name, entry.is_segmented, [&](cudaStream_t stream) { entry.enqueue(problem, stream, workspace); });
  wf::workspace own;
  add("warpfold", false, [&](cudaStream_t stream) {
    wf::inclusive_scan(problem.items(), problem.out.data(), wf::plus{}, {.stream = stream, .workspace = own});
  });
  add("segmented_warpfold", true, [&](cudaStream_t stream) {
    wf::segmented_inclusive_scan(problem.items(), wf::owners{problem.ids()}, problem.out.data(), wf::plus{},
                                 {.stream = stream, .workspace = own});
  });
  list.push_back({"copy", [&](cudaStream_t stream, int) {
                    check(cudaMemcpyAsync(problem.out.data(), problem.in.data(), problem.in.bytes(),
                                          cudaMemcpyDeviceToDevice, stream));
                  }});
  std::vector<measurement> result;
  for (const statistics& seconds : time_cold(list, {7, 31, 0.2})) result.push_back({seconds});
  for (std::size_t i = 0; i < entries().size(); ++i) {
    const auto accesses = entries()[i].conflicts();
    result[i].counters = {{"data_block_items", static_cast<double>(entries()[i].data_block_items)},
                          {"shared_wavefronts", static_cast<double>(accesses.wavefronts)},
                          {"bank_conflicts", static_cast<double>(accesses.conflicts)}};
  }
  return result;
}

void register_all() {
  std::vector<std::string> names;
  for (const scan_entry& entry : entries()) names.push_back(entry.name);
  for (const char* other : {"warpfold", "segmented_warpfold", "copy"}) names.push_back(other);
  for (int bits = 12; bits <= 28; bits += 4) {
    const std::int64_t count = std::int64_t{1} << bits;
    add_group({"scan_strategies/uint32/plus/items:" + size_name(count), "cold", count,
               2 * count * std::int64_t{sizeof(item)}, names, [=] { return measure(count); }});
  }
}

}  // namespace

/// The sources' scans beside Warpfold's own and a copy. A segment has 1000 items. README.md beside this file says how
/// to run it.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

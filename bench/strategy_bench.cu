// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include "common/cuda_resources.hpp"
#include "common/groups.hpp"
#include "common/limit_kernels.hpp"
#include "common/random_data.cuh"
#include "common/timing.hpp"
#include "strategy/entry.hpp"

namespace {

using namespace bench;

bool has_bulk_copy() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return true;  // without a device every name is listed
  return device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

std::vector<strategy_entry> entries_of(strategy_operator op) {
  std::vector<strategy_entry> all;
  for (auto entries : {tree_strategies(op), warp_tree_strategies(op), matrix_strategies(op), shuffle_strategies(op)})
    for (strategy_entry& entry : entries)
      if (!entry.needs_bulk_copy || has_bulk_copy()) all.push_back(std::move(entry));
  return all;
}

/// Random floats, the strategies that reduce them, and Warpfold's default beside them.
template <class Op> class strategy_input {
 public:
  strategy_input(std::int64_t items, std::vector<strategy_entry> entries)
      : entries_(std::move(entries)), data_(static_cast<std::size_t>(items)), out_(1) {
    std::size_t scratch_bytes = 0;
    for (const strategy_entry& entry : entries_) scratch_bytes = std::max(scratch_bytes, entry.scratch_bytes(items));
    scratch_ = device_buffer<std::byte>(scratch_bytes);
    warpfold::initialize_workspace({scratch_.data(), scratch_.size()});
    fill_random(data_.data(), items, static_cast<std::uint64_t>(items), nullptr);
    check(cudaDeviceSynchronize());
  }

  contenders all_contenders() {
    contenders list;
    for (const strategy_entry& entry : entries_)
      list.push_back({entry.name, [this, &entry](cudaStream_t stream, int) { entry.enqueue(problem(), stream); }});
    list.push_back({"warpfold", [this](cudaStream_t stream, int) {
                      const strategy_problem p = problem();
                      const auto scratch = warpfold::workspace_ref::from_initialized(p.scratch);
                      warpfold::reduce(p.items, p.count, p.out, Op{}, {.stream = stream, .workspace = scratch});
                    }});
    std::ranges::move(make_read_contenders(data_.data(), data_.bytes()), std::back_inserter(list));
    return list;
  }

  /// Gives the strategies' measurements, which come first, their columns of Table I.
  void add_facts(std::vector<measurement>& result) const {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      result[i].counters = entries_[i].facts(static_cast<std::int64_t>(data_.size()));
  }

  /// Throws unless every strategy agrees with the default: a minimum in its bits; a sum within the bound of rounding,
  /// if no item goes through more than `items` operations.
  void verify(const contenders& list) {
    const double expected = result_of(list[entries_.size()]);
    const double roundings = std::is_same_v<Op, warpfold::minimum> ? 0 : static_cast<double>(data_.size());
    const double bound = std::min(roundings * 0x1p-24, 1e-3) * std::abs(expected);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const double result = result_of(list[i]);
      if (!(std::abs(result - expected) <= bound))  // true of a NaN
        throw std::runtime_error(list[i].name + " gives " + std::to_string(result) + ", not " +
                                 std::to_string(expected));
    }
  }

 private:
  strategy_problem problem() const {
    return {data_.data(), static_cast<std::int64_t>(data_.size()), out_.data(), {scratch_.data(), scratch_.size()}};
  }

  float result_of(const contender& candidate) {
    check(cudaMemset(out_.data(), 0xFF, sizeof(float)));  // so that a result not written shows
    candidate.run(nullptr, 0);
    float result = 0;
    check(cudaMemcpy(&result, out_.data(), sizeof(float), cudaMemcpyDeviceToHost));
    return result;
  }

  std::vector<strategy_entry> entries_;
  device_buffer<float> data_, out_;
  device_buffer<std::byte> scratch_;
};

/// Dozens of kernels per round: few rounds, so that the whole run stays short.
constexpr sampling few_rounds{7, 31, 0.2};

template <class Op> std::vector<measurement> measure(std::int64_t items, strategy_operator op) {
  strategy_input<Op> input(items, entries_of(op));
  const contenders list = input.all_contenders();
  input.verify(list);
  std::vector<measurement> result;
  for (const statistics& seconds : time_cold(list, few_rounds)) result.push_back({seconds});
  input.add_facts(result);
  return result;
}

template <class Op> void register_size(std::int64_t items, strategy_operator op, const std::string& operator_name) {
  std::vector<std::string> names;
  for (const strategy_entry& entry : entries_of(op)) names.push_back(entry.name);
  names.push_back("warpfold");
  std::ranges::copy(read_contender_names(), std::back_inserter(names));
  add_group({"strategies/float/" + operator_name + "/items:" + size_name(items), "cold", items,
             items * std::int64_t{sizeof(float)}, names, [=] { return measure<Op>(items, op); }});
}

void register_minimum(std::int64_t items) {
  register_size<warpfold::minimum>(items, strategy_operator::minimum, "minimum");
}

void register_plus(std::int64_t items) { register_size<warpfold::plus>(items, strategy_operator::plus, "plus"); }

/// The paper's sizes, m * 2^20 items for m = 16 ... 31, and the powers of two around them. The sum, whose arithmetic is
/// as cheap, is there to compare with: every second power, and the size of the paper's Table I.
void register_all() {
  for (int bits = 10; bits <= 30; ++bits) register_minimum(std::int64_t{1} << bits);
  for (std::int64_t m = 17; m <= 31; ++m) register_minimum(m << 20);  // 16 is 2^24
  for (int bits = 10; bits <= 30; bits += 2) register_plus(std::int64_t{1} << bits);
  register_plus(std::int64_t{30} << 20);
}

}  // namespace

/// The experiment of the paper on reductions on CUDA, today: every strategy, float minimum and plus. README.md beside
/// this file says how to run it.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the tests of the ladder: a rung by its name, run once on an array.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../../examples/ladder/measure.cuh"

namespace ladder {

template <class T> rung<T> named(const std::vector<rung<T>>& rungs, std::string_view name) {
  for (const rung<T>& r : rungs)
    if (r.about.name == name) return r;
  throw std::out_of_range("no rung " + std::string(name));
}
template <class T> rung<T> rung_named(std::string_view name) { return named(all_rungs<T>(), name); }

/// The items on the device. Partials start spoilt, and so does the result of a rung that must write it.
template <class T> class device_problem {
 public:
  explicit device_problem(const std::vector<T>& items)
      : input_(items), result_(most_results), partials_(2 * partials_in_buffer(std::ssize(items))) {
    problem_ = {.input = input_.data(),
                .items = std::ssize(items),
                .result = result_.data(),
                .partials = partials_.data(),
                .multiprocessors = this_device().multiProcessorCount};
  }

  int multiprocessors() const { return problem_.multiprocessors; }

  std::vector<T> run(const rung<T>& r) {
    const int fill = r.end == finish::atomics ? 0 : 0xff;
    examples::check(cudaMemset(result_.data(), fill, result_.size() * sizeof(T)), "cudaMemset");
    examples::check(cudaMemset(partials_.data(), 0xff, partials_.size() * sizeof(T)), "cudaMemset");
    ladder::run(r, problem_);
    return result_.to_host();
  }

 private:
  examples::device_array<T> input_, result_, partials_;
  problem<T> problem_;
};

/// In the emulator, the seed of the schedule while this lives; on a GPU the schedule is what it is.
class schedule_seed {
 public:
#if defined(WARPFOLD_EMULATOR)
  explicit schedule_seed(std::uint64_t seed) { settings_->seed = seed; }

 private:
  cuda_emulator::scoped_settings settings_;
#else
  explicit schedule_seed(std::uint64_t) {}
  ~schedule_seed() {}
#endif
};

}  // namespace ladder

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a family of functions does for a case, and the table of all of them.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <warpfold/workspace.cuh>

#include "fuzz/fuzz_case.hpp"

namespace wf_fuzz {

/// Options of a call that are the same for all functions.
struct place {
  cudaStream_t stream{};
  warpfold::workspace_ref workspace{};
  int max_blocks = 0;
};

/// What a program needs that shows a failure: arrays as bytes, and the call as C++.
struct shown_array {
  std::string name, type;
  std::int64_t offset = 0;           ///< in items
  std::vector<unsigned char> bytes;  ///< of an output: those expected
  bool is_output = false;
};
struct shown_call {
  std::vector<shown_array> arrays;
  std::string init;  ///< the member of the options, or nothing
  std::string call;  ///< OPTIONS stands for all options
};

/// A call on device memory that it owns.
class job {
 public:
  virtual ~job() = default;
  /// Writes other items, clears the outputs, and computes what is expected.
  virtual void fill(std::uint64_t data) = 0;
  virtual void call(const place& where) = 0;
  /// Empty if the results are those expected and nothing beside them is written.
  virtual std::string difference() const = 0;
  /// Whether nothing has been written.
  virtual bool untouched() const = 0;
  virtual bool can_be_captured() const { return true; }
  virtual shown_call show() const = 0;
};

struct entry {
  std::string name;
  std::function<std::unique_ptr<job>(const fuzz_case&)> make;
};
inline std::vector<entry>& table() {
  static std::vector<entry> all;
  return all;
}
template <class Job> void add_entry(const std::string& name) {
  table().push_back({name, [](const fuzz_case& c) { return std::make_unique<Job>(c); }});
}

// One file each.
void add_sequences();
void add_parts();
void add_segments();
void add_keys();
void add_axes();
void add_others();

}  // namespace wf_fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranges that a profiler sees, here a fake one, which is linked into this program: NVTX's static injection.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <warpfold/nvtx.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"

#if __has_include(<nvtx3/nvToolsExt.h>)
namespace nvtx_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// What the fake profiler has been told: of domains, which are made once, and by a thread, since other tests of the
/// program call from several.
std::vector<std::string>& domains() {
  static std::vector<std::string> of_program;
  return of_program;
}
struct seen {
  std::vector<std::string> titles;
  int open = 0, most_open = 0;
};
seen& all() {
  static thread_local seen of_thread;
  return of_thread;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  domains().emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(&domains());
}
int NVTX_API push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  all().titles.emplace_back(event->message.ascii);
  all().most_open = std::max(all().most_open, ++all().open);
  return all().open;
}
int NVTX_API pop(nvtxDomainHandle_t) { return --all().open; }

/// Is called once, by the first call of NVTX.
int NVTX_API inject(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(&create_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}

// A profiler that the environment names would be asked instead.
const bool is_injected = (unsetenv("NVTX_INJECTION64_PATH"), InitializeInjectionNvtx2_fnptr = &inject, true);

TEST(nvtx, each_launch_has_a_range_named_after_function_count_and_type) {
  ASSERT_TRUE(is_injected);
  const device_array<float> in(std::vector<float>(1000, 1)), out(10);
  all() = {};
  wf::reduce(in.items(), out.data());
  wf::segmented_reduce(in.items(), wf::fixed_length{100}, out.data());
  wf::reduce(in.items().first(0), out.data());
  EXPECT_EQ(domains(), std::vector<std::string>{"warpfold"});
  EXPECT_EQ(all().titles, (std::vector<std::string>{"reduce 1000 float", "segmented_reduce 1000 float", "reduce"}));
  EXPECT_EQ(all().open, 0) << "a range has not ended";
  EXPECT_EQ(all().most_open, 1);
}

TEST(nvtx, a_refused_call_has_no_range) {
  const device_array<float> in(10), out(1);
  all() = {};
  EXPECT_THROW(wf::reduce(in.items(), out.data(), wf::plus{}, {.max_blocks = -1}), std::invalid_argument);
  EXPECT_TRUE(all().titles.empty());
}

}  // namespace nvtx_tests
#else
TEST(nvtx, needs_a_header_of_the_toolkit) { EXPECT_FALSE(warpfold::has_nvtx); }
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cub/device/device_scan.cuh>

#include <cuda/std/functional>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/scan_by_key.cuh>

#include "../common/cuda_resources.hpp"
#include "../segmented/measure.cuh"
#include "../segmented/segmented_items.cuh"
#include "register.hpp"

namespace bench {
namespace {

/// One inclusive scan by key to be timed. Results are of the items' type.
template <class T, class Op, class PeerOp> class keyed_prefixes {
 public:
  keyed_prefixes(std::int64_t items, const distribution& lengths)
      : in_(items, lengths), out_(rounded_up(in_.items())), sink_(1) {
    in_.make_owners();
    std::size_t bytes = 0;
    check(cub_scan(nullptr, bytes, nullptr));
    scratch_ = device_buffer<std::byte>(bytes);
    check(cudaDeviceSynchronize());
  }

  std::int64_t items() const { return in_.items(); }
  std::int64_t segments() const { return in_.segments(); }
  unsigned* sink() const { return sink_.data(); }
  traffic moved() const {
    const std::size_t bytes = in_.data().size_bytes();
    return {in_.data().data(), bytes, in_.owners().data(), in_.owners().size_bytes(), out_.data(), bytes};
  }

  contenders all() {
    return {{"warpfold",
             [this](cudaStream_t stream, int) {
               warpfold::inclusive_scan_by_key(in_.owners(), in_.data(), out_.data(), Op{},
                                               {.stream = stream, .workspace = workspace_});
             }},
            {"cub_by_key", [this](cudaStream_t stream, int) {
               std::size_t bytes = scratch_.bytes();
               check(cub_scan(scratch_.data(), bytes, stream));
             }}};
  }

  /// Throws unless the first million results have the bits of the canonical tree.
  void verify() {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));
    all().front().run(nullptr, 0);
    constexpr std::size_t most = 1 << 20;
    const auto items = to_host(in_.data(), most);
    const auto keys = to_host(in_.owners(), most);
    const auto results = to_host(std::span<const T>(out_.data(), static_cast<std::size_t>(in_.items())), most);
    using counter = warpfold::canonical_tree::counter<T, Op>;
    counter tree(Op{});
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && keys[i] != keys[i - 1]) tree = counter(Op{}, i);
      tree.push(items[i]);
      const T expected = tree.root();
      if (std::memcmp(&results[i], &expected, sizeof(T)) != 0)
        throw std::runtime_error("item " + std::to_string(i) + " differs from the canonical tree");
    }
  }

 private:
  cudaError_t cub_scan(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveScanByKey(scratch, bytes, in_.owners().data(), in_.data().data(), out_.data(),
                                               PeerOp{}, in_.items(), cuda::std::equal_to<>{}, stream);
  }

  segmented_items<T, std::int32_t> in_;
  device_buffer<T> out_;
  device_buffer<unsigned> sink_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

}  // namespace

void register_scans_by_key() {
  const auto add = [](int bits, const std::vector<distribution>& list) {
    for (const distribution& lengths : without_empty(list)) {
      const std::int64_t items = std::int64_t{1} << bits;
      add_segmented_group("scan_by_key/float/plus", items, 12 * items, lengths, "keys:int32", {"cub_by_key"}, [=] {
        keyed_prefixes<float, warpfold::plus, cuda::std::plus<>> problem(items, lengths);
        problem.verify();
        return time_segmented(problem, problem.all(), problem.moved());
      });
    }
  };
  for (const int bits : {20, 26}) add(bits, all_distributions());
  add(26, irregular_distributions());
}

}  // namespace bench

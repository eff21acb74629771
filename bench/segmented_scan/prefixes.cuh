// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_scan.cuh>

#include <cuda/std/functional>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/segmented_scan.cuh>

#include "../common/cuda_resources.hpp"
#include "../segmented/measure.cuh"
#include "../segmented/segmented_items.cuh"

namespace bench {

/// How segments are told apart.
enum class scanned_form { offsets, owners, fixed_length };

/// One inclusive segmented scan to be timed. Results are of the items' type. CUB scans by key, with owners as keys.
template <class T, class Op, class PeerOp> class segment_prefixes {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;

  segment_prefixes(std::int64_t items, const distribution& lengths)
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
  traffic moved(scanned_form form) const {
    const std::size_t bytes = in_.data().size_bytes();
    const std::span<const int> from = form == scanned_form::owners ? in_.owners() : in_.offsets();
    return {in_.data().data(), bytes, from.data(), form == scanned_form::fixed_length ? 0 : from.size_bytes(),
            out_.data(),       bytes};
  }

  template <scanned_form Form> contenders all() {
    const auto ours = [this](cudaStream_t stream, int) {
      const warpfold::reduce_options<accumulator> options{.stream = stream, .workspace = workspace_};
      const auto scan = [&](const auto& segments) {
        warpfold::segmented_inclusive_scan(in_.data(), segments, out_.data(), Op{}, options);
      };
      if constexpr (Form == scanned_form::offsets) scan(in_.offsets());
      else if constexpr (Form == scanned_form::owners) scan(warpfold::owners{in_.owners()});
      else scan(warpfold::fixed_length{in_.length()});
    };
    return {{"warpfold", ours}, {"cub_by_key", [this](cudaStream_t stream, int) {
                                   std::size_t bytes = scratch_.bytes();
                                   check(cub_scan(scratch_.data(), bytes, stream));
                                 }}};
  }

  /// Throws unless the first million results have the bits of the canonical tree over their segment.
  void verify(const contender& ours) {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));
    ours.run(nullptr, 0);
    constexpr std::size_t most = 1 << 20;
    const auto items = to_host(in_.data(), most);
    const auto owners = to_host(in_.owners(), most);
    const auto results = to_host(std::span<const T>(out_.data(), static_cast<std::size_t>(in_.items())), most);
    using counter = warpfold::canonical_tree::counter<accumulator, Op>;
    counter tree(Op{});
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0 && owners[i] != owners[i - 1]) tree = counter(Op{});
      tree.push(warpfold::detail::convert<accumulator>(items[i]));
      const T expected = static_cast<T>(tree.root());
      if (std::memcmp(&results[i], &expected, sizeof(T)) != 0)
        throw std::runtime_error("item " + std::to_string(i) + " differs from the canonical tree");
    }
  }

 private:
  cudaError_t cub_scan(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveScanByKey(scratch, bytes, in_.owners().data(), in_.data().data(), out_.data(),
                                               PeerOp{}, in_.items(), cuda::std::equal_to<>{}, stream);
  }

  segmented_items<T> in_;
  device_buffer<T> out_;
  device_buffer<unsigned> sink_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
};

/// A group of one kind of scan, such as segmented_scan/float/plus, of `items` items.
template <scanned_form Form, class T, class Op, class PeerOp>
void add_segment_prefixes(const std::string& type_and_operator, std::int64_t items, const distribution& lengths) {
  constexpr const char* names[] = {"offsets", "owners", "fixed_length"};
  const std::int64_t bytes = 2 * items * static_cast<std::int64_t>(sizeof(T));
  add_segmented_group("segmented_scan/" + type_and_operator, items, bytes, lengths,
                      "form:" + std::string(names[static_cast<int>(Form)]), {"cub_by_key"}, [=] {
                        segment_prefixes<T, Op, PeerOp> problem(items, lengths);
                        contenders list = problem.template all<Form>();
                        problem.verify(list.front());
                        return time_segmented(problem, std::move(list), problem.moved(Form));
                      });
}

}  // namespace bench

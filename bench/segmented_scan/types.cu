// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce/items.cuh"
#include "prefixes.cuh"
#include "register.hpp"

namespace bench {
namespace {

/// At as many bytes as 2^26 floats have.
template <class T, class Op, class PeerOp>
void add_type(const std::string& type_and_operator, const distribution& lengths) {
  add_segment_prefixes<scanned_form::offsets, T, Op, PeerOp>(
      type_and_operator, (std::int64_t{1} << 28) / static_cast<std::int64_t>(sizeof(T)), lengths);
}

}  // namespace

void register_segmented_scan_types() {
  for (const char* name : {"all_8", "all_100", "all_1000", "power_law", "one"}) {
    const distribution lengths = named_distribution(name);
    add_type<int, warpfold::plus, cuda::std::plus<>>("int32/plus", lengths);
    add_type<double, warpfold::plus, cuda::std::plus<>>("double/plus", lengths);
    add_type<__half, warpfold::plus, cuda::std::plus<>>("half/plus", lengths);
    add_type<std::int8_t, warpfold::plus, cuda::std::plus<>>("int8/plus", lengths);
    add_type<indexed, larger, larger>("indexed/larger", lengths);
  }
}

}  // namespace bench

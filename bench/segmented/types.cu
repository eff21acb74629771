// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"
#include "register.hpp"
#include "segmentation.cuh"

namespace bench {
namespace {

constexpr std::int64_t equal_bytes = std::int64_t{1} << 28;  // those of 2^26 floats

template <class T, class Op> void add_type(const std::string& type_and_operator, const distribution& lengths) {
  const std::int64_t items = equal_bytes / std::int64_t{sizeof(T)};
  add_segmented_group("segmented_reduce/" + type_and_operator, items, equal_bytes, lengths, "form:offsets", {}, [=] {
    segmentation<T, Op> problem(items, lengths);
    contenders list{problem.template warpfold_call<form::offsets>()};
    problem.verify(list[0]);
    return time_segmented(problem, std::move(list), problem.moved(form::offsets));
  });
}

}  // namespace

void register_segmented_types() {
  for (const char* name :
       {"all_3", "all_32", "all_100", "all_1000", "uniform_10_50", "power_law", "one", "geometric_4", "log_normal"}) {
    const distribution lengths = named_distribution(name);
    add_type<double, warpfold::plus>("double/plus", lengths);
    add_type<std::int8_t, warpfold::plus>("int8/plus", lengths);
    add_type<__half, warpfold::plus>("half/plus", lengths);
    add_type<vector3, add_components>("struct12/plus", lengths);
    add_type<std::int8_t, warpfold::minimum>("int8/minimum", lengths);
    add_type<std::uint8_t, warpfold::bit_or>("uint8/bit_or", lengths);
    add_type<__half, warpfold::maximum>("half/maximum", lengths);
    add_type<affine, compose>("affine/compose", lengths);
    add_type<indexed, larger>("indexed/larger", lengths);
  }
}

}  // namespace bench

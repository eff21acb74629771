// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden bits of segmented_reduce and reduce_by_key; golden.hpp says why the bits are promised.
#include "golden.hpp"

namespace wf = warpfold;
using namespace wf_test;
using golden::buffer, golden::expect_golden, golden::hash_of, golden::items_of, golden::record;

namespace {

struct lengths {
  std::string name;
  std::vector<std::size_t> of;
};

const std::vector<lengths>& distributions() {
  static const auto all = [] {
    std::vector<lengths> result;
    for (const std::size_t length : {1, 3, 17, 100, 1000})
      result.push_back({"all_" + std::to_string(length), std::vector<std::size_t>(20011 / length + 2, length)});
    random_source source(7);
    lengths uniform{"uniform", {}}, geometric{"geometric", {}}, power_law{"power_law", {}}, giant{"giant", {}};
    for (int s = 0; s < 300; ++s) uniform.of.push_back(static_cast<std::size_t>(source.below(201)));
    for (int s = 0; s < 700; ++s) {
      std::size_t length = 0;
      while (source.below(32) != 0) ++length;
      geometric.of.push_back(length);
    }
    for (int s = 0; s < 3000; ++s)  // half of them empty, one in n longer than n
      power_law.of.push_back(static_cast<std::size_t>(32768 / (source.below(65536) + 2)));
    for (int s = 0; s < 201; ++s) giant.of.push_back(s == 100 ? 100003 : static_cast<std::size_t>(source.below(4)));
    for (lengths* random : {&uniform, &geometric, &power_law, &giant}) result.push_back(std::move(*random));
    return result;
  }();
  return all;
}

template <class Index> std::vector<Index> offsets_of(const lengths& segments) {
  std::vector<Index> offsets{0};
  for (const std::size_t length : segments.of) offsets.push_back(offsets.back() + static_cast<Index>(length));
  return offsets;
}

enum class forms { offsets, offsets_and_owners, all };

/// `empty` is what empty segments hold, so that no record depends on the sum of nothing.
template <forms Forms, class T, class A> void record_segments(const std::string& name, auto op, const A& empty) {
  std::size_t misaligned = 0;
  for (const lengths& segments : distributions()) {
    const auto offsets = offsets_of<std::int32_t>(segments);
    const auto count = static_cast<std::size_t>(offsets.back());
    const buffer<T> in(items_of<T>(count), misaligned++ % 3);
    const buffer<std::int32_t> in_offsets(offsets);
    const buffer<A> out(segments.of.size());
    const wf::segmented_options<A> options{.empty = empty};
    const auto record_form = [&](const char* form) {
      record(name + '/' + segments.name + '/' + form, hash_of(out.to_host()));
    };
    wf::segmented_reduce(in.items(), in_offsets.items(), out.span(), op, options);
    record_form("offsets");
    wf::segmented_reduce(in.items(), in_offsets.items(), out.span(), op, {.init = empty});
    record_form("init");
    if constexpr (Forms != forms::offsets) {
      std::vector<std::int32_t> ids;
      for (std::size_t s = 0; s < segments.of.size(); ++s)
        ids.insert(ids.end(), segments.of[s], static_cast<std::int32_t>(s));
      const buffer<std::int32_t> in_ids(ids);
      wf::segmented_reduce(in.items(), wf::owners{in_ids.items()}, out.span(), op, options);
      record_form("owners");
    }
    if constexpr (Forms == forms::all) {
      const buffer<std::int64_t> wide_offsets(offsets_of<std::int64_t>(segments));
      wf::segmented_reduce(in.items(), wide_offsets.items(), out.span(), op, options);
      record_form("wide_offsets");
      // Every other segment loses its first item: segments need not touch.
      std::vector<std::int32_t> begins(offsets.begin(), offsets.end() - 1);
      for (std::size_t s = 0; s < begins.size(); s += 2) begins[s] += segments.of[s] > 0;
      const buffer<std::int32_t> in_begins(begins);
      const wf::bounds bounds{in_begins.items(), in_offsets.items().subspan(1)};
      wf::segmented_reduce(in.items(), bounds, out.span(), op, options);
      record_form("bounds");
      if (segments.name.starts_with("all_")) {
        const wf::fixed_length length{static_cast<std::int64_t>(segments.of[0])};
        wf::segmented_reduce(in.items(), length, out.span(), op, options);
        record_form("fixed");
      }
    }
  }
}

TEST(golden_bits, segments) {
  record_segments<forms::all, float>("segments/float/plus", wf::plus{}, 7.0f);
  record_segments<forms::offsets, std::int8_t>("segments/int8/plus", wf::plus{}, 7);
  record_segments<forms::offsets_and_owners, affine<>>("segments/affine/compose", compose{}, affine<>{1, 0});
  expect_golden("segments");
}

TEST(golden_bits, segments_inexact) {
  record_segments<forms::offsets, double>("segments_inexact/double/plus", wf::plus{}, 7.0);
  record_segments<forms::offsets, __half>("segments_inexact/half/plus", wf::plus{}, 7.0f);
  record_segments<forms::offsets, triple>("segments_inexact/triple/add", add_triples{}, triple{1, 2, 3});
  using hash = tree_hash<8, 8>;
  record_segments<forms::offsets, hash>("segments_inexact/hash8/tree", hash_pair{}, hash::absent());
  expect_golden("segments_inexact");
}

template <class T, class A> void record_runs(const std::string& name, auto op, const A& init) {
  std::size_t misaligned = 0;
  for (const lengths& runs : distributions()) {
    std::vector<std::int32_t> keys;
    std::int32_t run = 0;
    for (const std::size_t length : runs.of)
      if (length > 0) keys.insert(keys.end(), length, (run++ * 37) % 1009);
    const buffer<std::int32_t> in_keys(keys, misaligned % 2);
    const buffer<T> in(items_of<T>(keys.size()), misaligned++ % 3);
    const buffer<std::int32_t> out_keys(keys.size()), out_count(1);
    const buffer<A> out(keys.size());
    const auto record_form = [&](const char* form) {
      const auto count = out_count.to_host();
      ASSERT_EQ(count[0], run);
      const auto room = static_cast<std::size_t>(count[0]);
      const std::uint64_t keys_hash = hash_of(out_keys.to_host(room), hash_of(count));
      record(name + '/' + runs.name + '/' + form, hash_of(out.to_host(room), keys_hash));
    };
    wf::reduce_by_key(in_keys.items(), in.items(), out_keys.span(), out.span(), out_count.data(), op);
    record_form("runs");
    wf::reduce_by_key(in_keys.items(), in.items(), out_keys.span(), out.span(), out_count.data(), op, {.init = init});
    record_form("init");
  }
}

TEST(golden_bits, by_key) {
  record_runs<float>("by_key/float/plus", wf::plus{}, 7.0f);
  record_runs<std::int8_t>("by_key/int8/plus", wf::plus{}, 7);
  record_runs<affine<>>("by_key/affine/compose", compose{}, affine<>{3, 4});
  using hash = tree_hash<8, 8>;
  record_runs<hash>("by_key/hash8/tree", hash_pair{}, hash::absent());
  expect_golden("by_key");
}

}  // namespace

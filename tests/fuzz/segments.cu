// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments: segmented_reduce and the segmented scans, by offsets, fixed length, owners.
#include <algorithm>
#include "fuzz/arrays.hpp"
#include "fuzz/segmentation.hpp"
#include "fuzz/tree.hpp"

namespace wf_fuzz {
namespace {

namespace wf = warpfold;

enum class by { offsets, fixed_length, owners };

/// The items of a case, and where its segments begin. Of a fixed length, whole segments.
template <by Form> class segments_of {
 public:
  explicit segments_of(const fuzz_case& c) : length(std::max<std::int64_t>(c[mean_length], 1)) {
    fuzz_case own = c;
    if (Form == by::fixed_length) own[items] = c[items] / length * length, own[lengths] = 0;
    offsets = draw_offsets(own, true);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      ids.insert(ids.end(), at(offsets[s + 1] - offsets[s]), static_cast<int>(s));
  }
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t items_count() const { return offsets.back(); }
  std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t begin_of(std::int64_t i) const { return offsets[at(ids[at(i)])]; }

  std::int64_t length;
  std::vector<std::int64_t> offsets;
  std::vector<int> ids;
};

/// Calls with the segments in the form of the library.
template <by Form, class Call>
void with_segments(const segments_of<Form>& where, const input<std::int64_t>& offsets, const input<int>& ids,
                   Call call) {
  if constexpr (Form == by::offsets) call(offsets.range());
  else if constexpr (Form == by::fixed_length) call(wf::fixed_length{where.length});
  else call(wf::owners{ids.range()});
}
template <by Form> std::string segments_text(const segments_of<Form>& where) {
  if (Form == by::offsets) return "offsets_array.range()";
  if (Form == by::owners) return "warpfold::owners{ids_array.range()}";
  return "warpfold::fixed_length{" + std::to_string(where.length) + "}";
}

template <class Model, by Form, int Kind> class segmented : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  static constexpr bool is_scan = Kind > 0, is_exclusive = Kind == 2;

  explicit segmented(const fuzz_case& c)
      : c_(c),
        where_(c),
        in_(where_.items_count(), c[in_offset]),
        offsets_(where_.count() + 1, c[out_offset] % 3),
        ids_(where_.items_count(), c[in_offset] % 5),
        out_(is_scan ? where_.items_count() : where_.count(), c[out_offset]),
        init_(c, !is_scan || is_exclusive) {
    offsets_.set(where_.offsets);
    ids_.set(where_.ids);
  }
  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(in_.count(), data, c_[kind_of_items]));
    std::vector<T> expected;
    for (std::int64_t s = 0; s < where_.count(); ++s) {
      const auto begin = where_.offsets[where_.at(s)], end = where_.offsets[where_.at(s + 1)];
      const auto own = std::span<const T>(in_.values()).subspan(where_.at(begin), where_.at(end - begin));
      if (is_scan) {
        const auto results =
            prefixes<Model>(own, is_exclusive, init_.value(), [](std::int64_t) { return std::int64_t{0}; });
        expected.insert(expected.end(), results.begin(), results.end());
      } else if (own.empty()) expected.push_back(of_nothing<Model>(init_.value()));
      else expected.push_back(with_init<Model>(init_.value(), tree<Model>(own).fold(0, end - begin)));
    }
    out_.expect(std::move(expected));
  }
  void call(const place& at) override {
    with_segments(where_, offsets_, ids_, [&](const auto& segments) {
      if constexpr (Kind == 0) {
        const wf::segmented_options<T> options{
            .stream = at.stream, .init = init_.option(), .workspace = at.workspace, .max_blocks = at.max_blocks};
        wf::segmented_reduce(in_.range(), segments, out_.range(), op{}, options);
      } else if constexpr (Kind == 1)
        wf::segmented_inclusive_scan(in_.range(), segments, out_.range(), op{}, init_.options(at));
      else wf::segmented_exclusive_scan(in_.range(), segments, out_.range(), op{}, init_.options(at));
    });
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), out_.show("out", "T")}, {}, {}};
    if (Form == by::offsets) shown.arrays.push_back(offsets_.show("offsets", "std::int64_t"));
    if (Form == by::owners) shown.arrays.push_back(ids_.show("ids", "int"));
    init_.show(shown);
    const char* functions[] = {"segmented_reduce", "segmented_inclusive_scan", "segmented_exclusive_scan"};
    shown.call = std::string("warpfold::") + functions[Kind] + "(in_array.range(), " + segments_text(where_) +
                 ", out_array.range(), op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  segments_of<Form> where_;
  input<T> in_;
  input<std::int64_t> offsets_;
  input<int> ids_;
  output<T> out_;
  initial_value<Model> init_;
};

}  // namespace

void add_segments() {
  add_entry<segmented<hashes, by::offsets, 0>>("segmented_reduce_offsets_hash");
  add_entry<segmented<hashes, by::fixed_length, 0>>("segmented_reduce_fixed_length_hash");
  add_entry<segmented<affines, by::owners, 0>>("segmented_reduce_owners_affine");
  add_entry<segmented<floats, by::offsets, 0>>("segmented_reduce_offsets_float");
  add_entry<segmented<hashes, by::offsets, 1>>("segmented_inclusive_scan_offsets_hash");
  add_entry<segmented<floats, by::fixed_length, 2>>("segmented_exclusive_scan_fixed_length_float");
  add_entry<segmented<affines, by::owners, 1>>("segmented_inclusive_scan_owners_affine");
}

}  // namespace wf_fuzz

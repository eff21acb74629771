// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys: reduce_by_key and the scans by key.
#include <algorithm>
#include "fuzz/arrays.hpp"
#include "fuzz/segmentation.hpp"
#include "fuzz/tree.hpp"

namespace wf_fuzz {
namespace {

namespace wf = warpfold;

/// Keys of runs; neighbours differ.
template <class Key> std::vector<Key> make_keys(const std::vector<std::int64_t>& offsets) {
  std::vector<Key> keys;
  for (std::size_t run = 0; run + 1 < offsets.size(); ++run)
    keys.insert(keys.end(), static_cast<std::size_t>(offsets[run + 1] - offsets[run]), static_cast<Key>(run % 3));
  return keys;
}

template <class Key, class Model> class runs_reduced : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit runs_reduced(const fuzz_case& c)
      : c_(c),
        offsets_(draw_offsets(c, false)),
        runs_(static_cast<std::int64_t>(offsets_.size()) - 1),
        room_(c[form] % 7 == 6 ? runs_ / 2 : runs_),
        keys_(c[items], c[form] / 8),
        in_(c[items], c[in_offset]),
        out_keys_(room_, c[out_offset]),
        out_(room_, c[out_offset] / 2),
        count_(1, 0),
        init_(c, false) {
    keys_.set(make_keys<Key>(offsets_));
  }
  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(c_[items], data, c_[kind_of_items]));
    const tree<Model> all(in_.values());
    std::vector<Key> keys;
    std::vector<T> expected;
    for (std::size_t run = 0; run < static_cast<std::size_t>(room_); ++run) {
      keys.push_back(keys_.values()[static_cast<std::size_t>(offsets_[run])]);
      expected.push_back(with_init<Model>(init_.value(), all.fold(offsets_[run], offsets_[run + 1])));
    }
    out_keys_.expect(std::move(keys));
    out_.expect(std::move(expected));
    count_.expect({runs_});
  }
  void call(const place& at) override {
    wf::reduce_by_key(keys_.range(), in_.range(), out_keys_.range(), out_.range(), count_.data(), op{},
                      init_.options(at));
  }
  std::string difference() const override {
    return count_.difference("out_count") + out_keys_.difference("out_keys") + out_.difference("out");
  }
  bool untouched() const override { return count_.untouched() && out_keys_.untouched() && out_.untouched(); }
  shown_call show() const override {
    const char* key = sizeof(Key) == 4 ? "int" : "std::uint8_t";
    shown_call shown{{in_.show("in", "T"), keys_.show("keys", key), out_keys_.show("out_keys", key),
                      out_.show("out", "T"), count_.show("out_count", "std::int64_t")},
                     {},
                     {}};
    init_.show(shown);
    shown.call =
        "warpfold::reduce_by_key(keys_array.range(), in_array.range(), out_keys_array.range(), out_array.range(), "
        "out_count, op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  std::vector<std::int64_t> offsets_;
  std::int64_t runs_, room_;
  input<Key> keys_;
  input<T> in_;
  output<Key> out_keys_;
  output<T> out_;
  output<std::int64_t> count_;
  initial_value<Model> init_;
};

template <class Model, bool Exclusive> class runs_scanned : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit runs_scanned(const fuzz_case& c)
      : c_(c),
        offsets_(draw_offsets(c, false)),
        keys_(c[items], c[form] / 8),
        in_(c[items], c[in_offset]),
        out_(c[items], c[out_offset]),
        init_(c, Exclusive) {
    keys_.set(make_keys<int>(offsets_));
  }
  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(c_[items], data, c_[kind_of_items]));
    out_.expect(prefixes<Model>(in_.values(), Exclusive, init_.value(), [&](std::int64_t i) {
      return *(std::upper_bound(offsets_.begin(), offsets_.end(), i) - 1);
    }));
  }
  void call(const place& at) override {
    if constexpr (Exclusive)
      wf::exclusive_scan_by_key(keys_.range(), in_.range(), out_.range(), op{}, init_.options(at));
    else wf::inclusive_scan_by_key(keys_.range(), in_.range(), out_.range(), op{}, init_.options(at));
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), keys_.show("keys", "int"), out_.show("out", "T")}, {}, {}};
    init_.show(shown);
    shown.call = std::string("warpfold::") + (Exclusive ? "exclusive" : "inclusive") +
                 "_scan_by_key(keys_array.range(), in_array.range(), out_array.range(), op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  std::vector<std::int64_t> offsets_;
  input<int> keys_;
  input<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

}  // namespace

void add_keys() {
  add_entry<runs_reduced<int, hashes>>("reduce_by_key_hash");
  add_entry<runs_reduced<std::uint8_t, floats>>("reduce_by_key_float");
  add_entry<runs_reduced<std::uint8_t, affines>>("reduce_by_key_affine");
  add_entry<runs_scanned<hashes, false>>("inclusive_scan_by_key_hash");
  add_entry<runs_scanned<floats, true>>("exclusive_scan_by_key_float");
}

}  // namespace wf_fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences: reduce in all its forms, scans.
#include "fuzz/arrays.hpp"
#include "fuzz/tree.hpp"

namespace wf_fuzz {
namespace {

namespace wf = warpfold;

/// One sequence and one result.
template <class Model> class reduction : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit reduction(const fuzz_case& c)
      : c_(c), in_(c[items], c[in_offset]), out_(1, c[out_offset]), init_(c, c[items] == 0) {}

  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(c_[items], data, c_[kind_of_items]));
    out_.expect({total<Model>(in_.values(), init_.value())});
  }
  void call(const place& where) override {
    const auto options = init_.options(where);
    switch (c_[form] % 3) {
      case 0: return wf::reduce(in_.range(), out_.data(), op{}, options);
      case 1: return wf::reduce(in_.data(), in_.count(), out_.range(), op{}, options);
      default: return others(options);
    }
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), out_.show("out", "T")}, {}, {}};
    init_.show(shown);
    const char* calls[] = {"warpfold::reduce(in_array.range(), out, op{}, OPTIONS)",
                           "warpfold::reduce(in, in_array.count, out_array.range(), op{}, OPTIONS)",
                           "warpfold::reduce(one_by_one<T>{in}, in_array.count, out, op{}, OPTIONS)"};
    shown.call = calls[c_[form] % 3 < 2 ? c_[form] % 3 : 2];
    return shown;
  }

 private:
  void others(const wf::reduce_options<T>& options) {
    if constexpr (std::is_same_v<Model, hashes>)
      wf::reduce(one_by_one<T>{in_.data()}, in_.count(), out_.data(), op{}, options);
    else wf::reduce(in_.data(), in_.count(), out_.data(), op{}, options);
  }
  fuzz_case c_;
  input<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

template <class Model, bool Exclusive> class whole_scan : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit whole_scan(const fuzz_case& c)
      : c_(c), in_(c[items], c[in_offset]), out_(c[items], c[out_offset]), init_(c, Exclusive) {}

  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(c_[items], data, c_[kind_of_items]));
    out_.expect(prefixes<Model>(in_.values(), Exclusive, init_.value(), [](std::int64_t) { return std::int64_t{0}; }));
  }
  void call(const place& where) override {
    const auto options = init_.options(where);
    if constexpr (Exclusive) wf::exclusive_scan(in_.range(), out_.range(), op{}, options);
    else if (c_[form] % 2 == 0) wf::inclusive_scan(in_.range(), out_.range(), op{}, options);
    else wf::inclusive_scan(in_.data(), in_.count(), out_.data(), op{}, options);
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), out_.show("out", "T")}, {}, {}};
    init_.show(shown);
    shown.call = Exclusive ? "warpfold::exclusive_scan(in_array.range(), out, op{}, OPTIONS)"
                           : "warpfold::inclusive_scan(in_array.range(), out, op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  input<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

template <class... Models> void add_reductions() {
  (add_entry<reduction<Models>>(std::string("reduce_") + Models::name), ...);
}
template <class... Models> void add_scans() {
  (add_entry<whole_scan<Models, false>>(std::string("inclusive_scan_") + Models::name), ...);
  (add_entry<whole_scan<Models, true>>(std::string("exclusive_scan_") + Models::name), ...);
}

}  // namespace

void add_sequences() {
  add_reductions<floats, ints, hashes, affines, small_affines, intervals>();
  add_scans<floats, hashes, affines>();
  add_entry<whole_scan<small_affines, false>>("inclusive_scan_small");
}

}  // namespace wf_fuzz

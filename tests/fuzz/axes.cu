// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of three dimensions by any strides: reduce_axes and scans along axes.
#include <algorithm>
#include "fuzz/arrays.hpp"
#include "fuzz/tree.hpp"

namespace wf_fuzz {
namespace {

namespace wf = warpfold;

/// Extents whose product is at most the items of the case; axes lie in any order in memory, rows may be padded.
struct shape {
  std::int64_t extents[3], strides[3], places = 0;

  explicit shape(const fuzz_case& c) {
    random_source source(static_cast<std::uint64_t>(c[lengths] * 64 + c[form]));
    std::int64_t left = c[items];
    const auto first = source.below(3);
    for (std::int64_t k = 0; k < 3; ++k) {
      std::int64_t& extent = extents[(first + k) % 3];
      extent = k == 2 ? left : left > 0 ? 1 + source.below(std::min<std::int64_t>(left, c[mean_length] + 1)) : 0;
      left = extent > 0 ? left / extent : 0;
    }
    std::int64_t step = 1;
    const auto innermost = source.below(3), pad = source.below(2) * source.below(4);
    for (std::int64_t k = 0; k < 3; ++k) {
      const auto axis = (innermost + 2 * k) % 3;
      strides[axis] = step;
      step *= extents[axis] + (k == 0 ? pad : 0);
    }
    if (count() > 0)
      places = 1 + (extents[0] - 1) * strides[0] + (extents[1] - 1) * strides[1] + (extents[2] - 1) * strides[2];
  }
  std::int64_t count() const { return extents[0] * extents[1] * extents[2]; }
  /// The place of item number i of the axes in `mask`, in row-major order.
  std::int64_t place(std::int64_t i, unsigned mask) const {
    std::int64_t at = 0;
    for (int axis = 2; axis >= 0; --axis)
      if (mask >> axis & 1) at += i % extents[axis] * strides[axis], i /= extents[axis];
    return at;
  }
  std::int64_t items_of(unsigned mask) const {
    std::int64_t product = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (mask >> axis & 1) product *= extents[axis];
    return product;
  }
};

template <class Model> class axes_reduced : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit axes_reduced(const fuzz_case& c)
      : c_(c),
        shape_(c),
        reduced_(1 + static_cast<unsigned>(c[form] % 7)),
        in_(shape_.places, c[in_offset]),
        out_(shape_.items_of(7 & ~reduced_), c[out_offset]),
        init_(c, true) {}

  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(shape_.places, data, c_[kind_of_items]));
    std::vector<T> expected;
    for (std::int64_t result = 0; result < shape_.items_of(7 & ~reduced_); ++result) {
      std::vector<T> own;
      for (std::int64_t i = 0; i < shape_.items_of(reduced_); ++i)
        own.push_back(
            in_.values()[static_cast<std::size_t>(shape_.place(result, 7 & ~reduced_) + shape_.place(i, reduced_))]);
      expected.push_back(own.empty() ? of_nothing<Model>(init_.value())
                                     : with_init<Model>(init_.value(), tree<Model>(own).fold(
                                                                           0, static_cast<std::int64_t>(own.size()))));
    }
    out_.expect(std::move(expected));
  }
  void call(const place& at) override {
    wf::axes named;
    for (int axis = 0; axis < 3; ++axis)
      if (reduced_ >> axis & 1) named.number[named.count++] = axis;
    const wf::segmented_options<T> options{
        .stream = at.stream, .init = init_.option(), .workspace = at.workspace, .max_blocks = at.max_blocks};
    wf::reduce_axes(wf::strided<const T, 3>(in_.data(), shape_.extents, shape_.strides), out_.range(), named, op{},
                    options);
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), out_.show("out", "T")}, {}, {}};
    init_.show(shown);
    std::string numbers, e, s;
    for (int axis = 0; axis < 3; ++axis) {
      if (reduced_ >> axis & 1) numbers += (numbers.empty() ? "" : ", ") + std::to_string(axis);
      e += (axis ? ", " : "") + std::to_string(shape_.extents[axis]);
      s += (axis ? ", " : "") + std::to_string(shape_.strides[axis]);
    }
    shown.call = "warpfold::reduce_axes(warpfold::strided<const T, 3>(in, {" + e + "}, {" + s +
                 "}), out_array.range(), warpfold::axes{" + numbers + "}, op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  shape shape_;
  unsigned reduced_;
  input<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

template <class Model> class axis_scanned : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit axis_scanned(const fuzz_case& c)
      : c_(c),
        shape_(c),
        axis_(static_cast<int>(c[form] % 3)),
        backwards_(c[form] / 3 % 2 == 1),
        in_(shape_.places, c[in_offset]),
        out_(shape_.count(), c[out_offset]),
        init_(c, false) {}

  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_.set(make_items<Model>(shape_.places, data, c_[kind_of_items]));
    std::vector<T> expected(static_cast<std::size_t>(shape_.count()));
    shape packed = shape_;
    packed.strides[2] = 1, packed.strides[1] = packed.extents[2],
    packed.strides[0] = packed.extents[1] * packed.extents[2];
    const unsigned own = 1u << axis_, others = 7 & ~own;
    const std::int64_t length = shape_.extents[axis_];
    for (std::int64_t row = 0; length > 0 && row < shape_.items_of(others); ++row) {
      const auto nth = [&](std::int64_t i) { return backwards_ ? length - 1 - i : i; };
      std::vector<T> line;
      for (std::int64_t i = 0; i < length; ++i)
        line.push_back(in_.values()[static_cast<std::size_t>(shape_.place(row, others) + shape_.place(nth(i), own))]);
      const auto results = prefixes<Model>(line, false, init_.value(), [](std::int64_t) { return std::int64_t{0}; });
      for (std::int64_t i = 0; i < length; ++i)
        expected[static_cast<std::size_t>(packed.place(row, others) + packed.place(nth(i), own))] =
            results[static_cast<std::size_t>(i)];
    }
    out_.expect(std::move(expected));
  }
  void call(const place& at) override {
    const wf::strided<const T, 3> in(in_.data(), shape_.extents, shape_.strides);
    const wf::strided<T, 3> out(out_.data(), shape_.extents);
    if (backwards_) wf::inclusive_scan_axes(in, out, wf::backwards{axis_}, op{}, init_.options(at));
    else wf::inclusive_scan_axes(in, out, wf::axes{axis_}, op{}, init_.options(at));
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override {
    shown_call shown{{in_.show("in", "T"), out_.show("out", "T")}, {}, {}};
    init_.show(shown);
    std::string e, s;
    for (int axis = 0; axis < 3; ++axis) {
      e += (axis ? ", " : "") + std::to_string(shape_.extents[axis]);
      s += (axis ? ", " : "") + std::to_string(shape_.strides[axis]);
    }
    shown.call = "warpfold::inclusive_scan_axes(warpfold::strided<const T, 3>(in, {" + e + "}, {" + s +
                 "}), warpfold::strided<T, 3>(out, {" + e + "}), warpfold::" + (backwards_ ? "backwards{" : "axes{") +
                 std::to_string(axis_) + "}, op{}, OPTIONS)";
    return shown;
  }

 private:
  fuzz_case c_;
  shape shape_;
  int axis_;
  bool backwards_;
  input<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

}  // namespace

void add_axes() {
  add_entry<axes_reduced<hashes>>("reduce_axes_hash");
  add_entry<axis_scanned<hashes>>("scan_axes_hash");
}

}  // namespace wf_fuzz

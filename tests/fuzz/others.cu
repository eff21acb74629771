// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose result is another type than the items': places, best items, exact sums, statistics, fused ones.
#include <algorithm>
#include <numeric>

#include "fuzz/arrays.hpp"

namespace wf_fuzz {

namespace wf = warpfold;

template <> struct bits<wf::indexed_value<float>> {
  static bool same(const wf::indexed_value<float>& a, const wf::indexed_value<float>& b) {
    return same_bits(a.value, b.value) && a.index == b.index;
  }
};
template <> struct bits<wf::best_items<int, 4>> {
  static bool same(const wf::best_items<int, 4>& a, const wf::best_items<int, 4>& b) { return a == b; }
};
/// Without the sum of squares, whose bits are those of its own formula.
template <> struct bits<wf::statistics_of<float>> {
  using type = wf::statistics_of<float>;
  static bool same(const type& a, const type& b) {
    return a.count == b.count && a.sum == b.sum && a.nan_count == b.nan_count && same_bits(a.minimum, b.minimum) &&
           same_bits(a.maximum, b.maximum);
  }
};

namespace {

/// The leftmost of the largest.
struct place_of_largest {
  using item = float;
  using result = wf::indexed_value<float>;
  using op = wf::arg_maximum<>;
  static std::vector<float> make(std::int64_t count, std::uint64_t data, std::int64_t kind) {
    random_source source(data);
    std::vector<float> items;
    for (std::int64_t i = 0; i < count; ++i)
      items.push_back(kind % 2 ? static_cast<float>(source.below(3)) : wf_test::random_item<float>(source));
    return items;
  }
  static result expected(const std::vector<float>& items) {
    if (items.empty()) return {-std::numeric_limits<float>::infinity(), -1};
    const auto best = std::max_element(items.begin(), items.end());
    return {*best, best - items.begin()};
  }
};
struct four_largest {
  using item = int;
  using result = wf::best_items<int, 4>;
  using op = wf::top_k<4>;
  static std::vector<int> make(std::int64_t count, std::uint64_t data, std::int64_t kind) {
    random_source source(data);
    std::vector<int> items;
    for (std::int64_t i = 0; i < count; ++i)
      items.push_back(kind == 0   ? static_cast<int>(source())
                      : kind == 1 ? static_cast<int>(source.below(5))
                      : kind == 2 ? std::numeric_limits<int>::min() + static_cast<int>(source.below(2))
                                  : static_cast<int>(i));
    return items;
  }
  static result expected(const std::vector<int>& items) {
    std::vector<std::int64_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return items[static_cast<std::size_t>(a)] > items[static_cast<std::size_t>(b)];
    });
    result best{};
    for (std::size_t k = 0; k < 4; ++k)
      if (k < order.size()) best.item[k] = {items[static_cast<std::size_t>(order[k])], order[k]};
      else best.item[k] = {std::numeric_limits<int>::min(), -1};
    return best;
  }
};
/// Integers in units of 2^-40, summed in 128 bits and rounded once.
struct exact_sum {
  using item = float;
  using result = float;
  using op = wf::exact_plus;
  static std::vector<float> make(std::int64_t count, std::uint64_t data, std::int64_t kind) {
    random_source source(data);
    std::vector<float> items;
    for (std::int64_t i = 0; i < count; ++i) {
      const float magnitude =
          std::ldexp(static_cast<float>(source() >> 40 | 1), static_cast<int>(source.below(kind == 0 ? 4 : 70)) - 40);
      if (kind == 2 && i % 2 == 1) items.push_back(-items.back());
      else items.push_back(source() & 1 ? -magnitude : magnitude);
    }
    return items;
  }
  static result expected(const std::vector<float>& items) {
    __int128 sum = 0;
    for (const float x : items) sum += static_cast<__int128>(std::ldexp(static_cast<double>(x), 40));
    return static_cast<float>(sum) * 0x1p-40f;
  }
};
/// Small integers above 0, so that sums are exact in any order; and NaN, which are left out.
struct all_statistics {
  using item = float;
  using result = wf::statistics_of<float>;
  using op = wf::statistics<>;
  static std::vector<float> make(std::int64_t count, std::uint64_t data, std::int64_t kind) {
    random_source source(data);
    std::vector<float> items{};
    for (std::int64_t i = 0; i < count; ++i)
      items.push_back(kind == 2 && source.below(9) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                        : static_cast<float>(1 + source.below(2001)));
    return items;
  }
  static result expected(const std::vector<float>& items) {
    result all{};
    all.minimum = all.maximum = std::numeric_limits<float>::quiet_NaN();  // of no number
    for (const float x : items) {
      if (std::isnan(x)) {
        ++all.nan_count;
        continue;
      }
      ++all.count, all.sum += static_cast<double>(x);
      all.minimum = std::fmin(all.minimum, x), all.maximum = std::fmax(all.maximum, x);
    }
    return all;
  }
};

template <class Case, bool ByLength> class other : public job {
 public:
  using T = typename Case::item;
  using result = typename Case::result;
  explicit other(const fuzz_case& c)
      : c_(c),
        length_(std::max<std::int64_t>(c[mean_length], 1)),
        in_(ByLength ? c[items] / length_ * length_ : c[items], c[in_offset]),
        out_(ByLength ? c[items] / length_ : 1, c[out_offset]) {}

  void fill(std::uint64_t data) override {
    in_.set(Case::make(in_.count(), data, c_[kind_of_items]));
    if (!ByLength) return out_.expect({Case::expected(in_.values())});
    std::vector<result> expected;
    for (auto first = in_.values().begin(); first != in_.values().end(); first += length_)
      expected.push_back(Case::expected({first, first + length_}));
    out_.expect(std::move(expected));
  }
  void call(const place& at) override {
    const typename Case::op op{};
    if constexpr (ByLength)
      wf::segmented_reduce(in_.range(), wf::fixed_length{length_}, out_.range(), op,
                           {.stream = at.stream, .workspace = at.workspace, .max_blocks = at.max_blocks});
    else
      wf::reduce(in_.range(), out_.data(), op,
                 {.stream = at.stream, .workspace = at.workspace, .max_blocks = at.max_blocks});
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  shown_call show() const override { return {}; }

 private:
  fuzz_case c_;
  std::int64_t length_;
  input<T> in_;
  output<result> out_;
};

/// A sum and a maximum in one read.
class fused : public job {
 public:
  explicit fused(const fuzz_case& c) : c_(c), in_(c[items], c[in_offset]), sum_(1, c[out_offset]), most_(1, 0) {}
  void fill(std::uint64_t data) override {
    in_.set(make_items<ints>(c_[items], data, c_[kind_of_items]));
    int sum = 0, most = std::numeric_limits<int>::min();
    for (const int x : in_.values()) sum = ints::fold(sum, x), most = std::max(most, x);
    sum_.expect({sum});
    most_.expect({most});
  }
  void call(const place& at) override {
    wf::reduce(in_.range(), wf::outputs(sum_.data(), most_.data()), wf::fuse(wf::plus{}, wf::maximum{}),
               {.stream = at.stream, .workspace = at.workspace, .max_blocks = at.max_blocks});
  }
  std::string difference() const override { return sum_.difference("sum") + most_.difference("most"); }
  bool untouched() const override { return sum_.untouched() && most_.untouched(); }
  shown_call show() const override { return {}; }

 private:
  fuzz_case c_;
  input<int> in_;
  output<int> sum_, most_;
};

}  // namespace

void add_others() {
  add_entry<other<place_of_largest, false>>("argmax_float");
  add_entry<other<four_largest, false>>("top_k_int");
  add_entry<other<exact_sum, false>>("exact_plus_float");
  add_entry<other<exact_sum, true>>("segmented_exact_plus_float");
  add_entry<other<all_statistics, false>>("statistics_float");
  add_entry<fused>("fused_int");
}

}  // namespace wf_fuzz

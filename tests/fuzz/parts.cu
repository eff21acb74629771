// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input that comes in parts: from host memory, from a user's function that may throw, as an accumulation.
#include <algorithm>
#include <warpfold/accumulation.cuh>

#include "fuzz/arrays.hpp"
#include "fuzz/tree.hpp"

namespace wf_fuzz {
namespace {

namespace wf = warpfold;

struct thrown_by_user {};

/// Input in host memory, or from a user's function, which may throw.
template <class Model> class host_reduction : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit host_reduction(const fuzz_case& c) : c_(c), out_(1, c[out_offset]), init_(c, c[items] == 0) {
    if (c[lengths] % 8 == 7) wf::release_host_buffers();  // else those of earlier cases may serve
  }

  void fill(std::uint64_t data) override {
    init_.fill(data);
    in_ = make_items<Model>(c_[items], data, c_[kind_of_items]);
    out_.expect({total<Model>(in_, init_.value())});
  }
  void call(const place& where) override {
    wf::host_options<T> options{.stream = where.stream, .init = init_.option()};
    options.chunk_bytes = static_cast<std::size_t>(64) << c_[lengths] % 8;
    options.threads = 1 + static_cast<int>(c_[form] % 3);
    if (c_[form] % 2 == 0) return wf::reduce(wf::host(in_), out_.data(), op{}, options);
    std::int64_t throwing_at = c_[lengths] % 4 == 0 ? c_[items] / 2 : -1;
    const auto generated = [&] {
      return wf::chunks<T>(c_[items], [&](std::int64_t first, std::span<T> to) {
        for (std::size_t i = 0; i < to.size(); ++i) {
          if (first + static_cast<std::int64_t>(i) == throwing_at) throw thrown_by_user{};
          to[i] = in_[static_cast<std::size_t>(first) + i];
        }
      });
    };
    if (throwing_at >= 0 && c_[items] > 0) {
      try {
        wf::reduce(generated(), out_.data(), op{}, options);
        throw std::runtime_error("what a user's function throws is lost");
      } catch (const thrown_by_user&) {}
      throwing_at = -1;
    }
    wf::reduce(generated(), out_.data(), op{}, options);
  }
  std::string difference() const override { return out_.difference("out"); }
  bool untouched() const override { return out_.untouched(); }
  bool can_be_captured() const override { return false; }
  shown_call show() const override { return {}; }

 private:
  fuzz_case c_;
  std::vector<T> in_;
  output<T> out_;
  initial_value<Model> init_;
};

/// Parts of random lengths in random order.
template <class Model> class accumulated : public job {
 public:
  using T = typename Model::item;
  using op = typename Model::op;
  explicit accumulated(const fuzz_case& c) : c_(c), in_(c[items], c[in_offset]) {}

  void fill(std::uint64_t data) override {
    in_.set(make_items<Model>(c_[items], data, c_[kind_of_items]));
    result_.reset();
    if (c_[items] > 0) expected_ = total<Model>(in_.values(), {});
  }
  void call(const place& where) override {
    if (c_[items] == 0) return;
    random_source source(static_cast<std::uint64_t>(c_[lengths]));
    std::vector<std::pair<std::int64_t, std::int64_t>> parts;
    for (std::int64_t first = 0; first < c_[items];) {
      const std::int64_t length =
          std::min(c_[items] - first, 1 + source.below(2 * std::max(c_[mean_length], c_[items] / 30)));
      parts.push_back({first, length});
      first += length;
    }
    for (std::size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i)))]);
    wf::accumulation<T, op> all({}, {.stream = where.stream});
    for (const auto& [first, length] : parts) {
      if (source.below(4) == 0) all.push(wf::host(in_.values().data() + first, length), first);
      else all.push(in_.range().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length)), first);
      if (source.below(8) == 0) all = wf::accumulation<T, op>::load(all.save(), {}, {.stream = where.stream});
    }
    result_ = all.value();
  }
  std::string difference() const override {
    if (c_[items] == 0) return {};
    if (!result_) return "there is no result";
    return same_bits(*result_, expected_) ? "" : "the result of all parts differs";
  }
  bool untouched() const override { return !result_; }
  bool can_be_captured() const override { return false; }
  shown_call show() const override { return {}; }

 private:
  fuzz_case c_;
  input<T> in_;
  std::optional<T> result_;
  T expected_{};
};

}  // namespace

void add_parts() {
  add_entry<host_reduction<hashes>>("host_reduce_hash");
  add_entry<accumulated<hashes>>("accumulation_hash");
}

}  // namespace wf_fuzz

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>

#include "../common/contender.hpp"
#include "../common/cuda_resources.hpp"
#include "../common/groups.hpp"
#include "../common/limit_kernels.hpp"
#include "../common/random_data.cuh"
#include "../common/timing.hpp"
#include "../segmented/move_kernel.cuh"

namespace bench {

/// An array of up to four dimensions (missing ones in front have extent 1), with `padding` unused items at the end of
/// each row; and the axes that are reduced.
struct axes_form {
  std::string name;
  std::vector<std::int64_t> extents;
  std::vector<int> reduced;
  std::int64_t padding = 0, offset_items = 0;
  bool beside_reduce = false;  ///< also measured: the reduction of as many items to one value
  bool is_in_grid = false;     ///< one of very many, for a picture: sampled briefly

  std::int64_t items() const {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>{});
  }
  std::int64_t pitch() const { return extents.back() + padding; }
  std::int64_t memory_items() const { return items() / extents.back() * pitch(); }
  bool reduces(std::size_t axis) const {
    for (const int each : reduced)
      if (static_cast<std::size_t>(each) == axis) return true;
    return false;
  }
  std::int64_t outputs() const {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (!reduces(i)) product *= extents[i];
    return product;
  }
  /// Whether outputs are contiguous rows, which CUB takes as segments.
  bool is_rows() const {
    return padding == 0 && reduced.size() == 1 && static_cast<std::size_t>(reduced[0]) + 1 == extents.size();
  }
};

struct row_begin {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

/// Copies the items of output `output` to a contiguous array. `strides` and `extents` are those of four axes.
struct gather_shape {
  std::int64_t extents[4], strides[4];
  bool is_reduced[4];
};
template <class T>
__global__ void gather_kernel(const T* in, T* to, std::int64_t count, std::int64_t output, gather_shape shape) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    std::int64_t item = i, kept = output, place = 0;
    for (int axis = 3; axis >= 0; --axis) {
      std::int64_t& index = shape.is_reduced[axis] ? item : kept;
      place += index % shape.extents[axis] * shape.strides[axis];
      index /= shape.extents[axis];
    }
    to[i] = in[place];
  }
}

/// The type that a reduction writes: what the operator lowers to, but with indices as narrow as those that it folds.
template <class Op, class A> struct written { using type = warpfold::lowered_t<Op, A>; };
template <class Op, class A>
  requires requires { typename Op::located; }
struct written<Op, A> {
  using type = A;
};

/// One reduction of axes to be timed: random input, output, and its contenders. PeerOp is the operator that CUB gets if
/// rows are contiguous; void if CUB lacks it.
template <class T, class Op, class PeerOp> class axes_problem {
 public:
  using accumulator = warpfold::accumulator_t<Op, T>;
  using result = typename written<Op, accumulator>::type;
  /// An arg-reduction is held against the sum of the same axes.
  static constexpr bool is_beside_plus = requires { typename Op::located; };

  explicit axes_problem(const axes_form& form)
      : form_(form),
        in_(static_cast<std::size_t>(form.memory_items() + form.offset_items) + 16),
        out_(static_cast<std::size_t>(form.outputs()) + 16),
        sink_(1) {
    fill_random(in_.data(), form.memory_items() + form.offset_items, static_cast<std::uint64_t>(form.items()), nullptr);
    std::int64_t step = 1, out_step = 1;
    for (int axis = 3; axis >= 0; --axis) {
      const int own = axis - 4 + static_cast<int>(form.extents.size());
      extents_[axis] = own < 0 ? 1 : form.extents[static_cast<std::size_t>(own)];
      is_reduced_[axis] = own >= 0 && form.reduces(static_cast<std::size_t>(own));
      strides_[axis] = step;
      step *= axis == 3 ? form.pitch() : extents_[axis];
      out_extents_[axis] = is_reduced_[axis] ? 1 : extents_[axis];
      out_strides_[axis] = out_step;
      out_step *= out_extents_[axis];
      if (is_reduced_[axis]) named_.number[named_.count++] = axis;
    }
    if constexpr (!std::is_void_v<PeerOp>)
      if (form.is_rows()) {
        std::size_t bytes = 0;
        check(cub_rows(nullptr, bytes, nullptr));
        scratch_ = device_buffer<std::byte>(bytes);
      }
    check(cudaDeviceSynchronize());
  }

  static std::vector<std::string> names(const axes_form& form) {
    std::vector<std::string> list{"warpfold"};
    if (!std::is_void_v<PeerOp> && form.is_rows()) list.push_back("cub");
    if (form.beside_reduce) list.push_back("float_plus");
    if (is_beside_plus) list.push_back("plus");
    for (const std::string& name : move_contender_names()) list.push_back(name);
    return list;
  }
  contenders all() {
    contenders list{{"warpfold", [this](cudaStream_t stream, int) { reduce(stream, Op{}, out_.data()); }}};
    if constexpr (!std::is_void_v<PeerOp>)
      if (form_.is_rows())
        list.push_back({"cub", [this](cudaStream_t stream, int) {
                          std::size_t bytes = scratch_.bytes();
                          check(cub_rows(scratch_.data(), bytes, stream));
                        }});
    if (form_.beside_reduce)
      list.push_back({"float_plus", [this](cudaStream_t stream, int) {
                        warpfold::reduce(in(), form_.items(), out_.data(), Op{},
                                         {.stream = stream, .workspace = workspace_});
                      }});
    if constexpr (is_beside_plus)
      list.push_back({"plus", [this](cudaStream_t stream, int) { reduce(stream, warpfold::plus{}, sums()); }});
    const traffic moved{in_.data(),  static_cast<std::size_t>(form_.items()) * sizeof(T),       nullptr, 0,
                        out_.data(), static_cast<std::size_t>(form_.outputs()) * sizeof(result)};
    for (const contender& each : make_move_contenders(moved, sink_.data())) list.push_back(each);
    return list;
  }

  /// Throws unless many outputs have the bits that reduce gives their gathered items.
  void verify() {
    check(cudaMemset(out_.data(), 0xFF, out_.bytes()));
    reduce(nullptr, Op{}, out_.data());
    const std::int64_t outputs = form_.outputs(), count = form_.items() / outputs;
    device_buffer<T> gathered(static_cast<std::size_t>(count));
    device_buffer<result> one(1);
    gather_shape shape{};
    for (int axis = 0; axis < 4; ++axis)
      shape.extents[axis] = extents_[axis], shape.strides[axis] = strides_[axis],
      shape.is_reduced[axis] = is_reduced_[axis];
    for (std::int64_t sample = 0; sample < std::min<std::int64_t>(outputs, 24); ++sample) {
      const std::int64_t output = sample < 8 ? sample
                                  : sample < 16
                                      ? outputs - 1 - (sample - 8)
                                      : static_cast<std::int64_t>(random_bits(7, static_cast<std::uint64_t>(sample)) %
                                                                  static_cast<std::uint64_t>(outputs));
      if (output < 0 || output >= outputs) continue;
      gather_kernel<<<1024, 256>>>(in(), gathered.data(), count, output, shape);
      warpfold::reduce(gathered.data(), count, one.data(), Op{}, {.workspace = workspace_});
      result expected{}, ours{};
      check(cudaMemcpy(&expected, one.data(), sizeof expected, cudaMemcpyDeviceToHost));
      check(cudaMemcpy(&ours, out_.data() + output, sizeof ours, cudaMemcpyDeviceToHost));
      if (!is_same(ours, expected))
        throw std::runtime_error("output " + std::to_string(output) + " differs from reduce over its items");
    }
  }

 private:
  const T* in() const { return in_.data() + form_.offset_items; }
  template <class AnyOp, class R> void reduce(cudaStream_t stream, AnyOp op, R* out) {
    const warpfold::strided<const T, 4> from(in(), extents_, strides_);
    const warpfold::strided<R, 4> to(out, out_extents_, out_strides_);
    warpfold::reduce_axes(from, to, named_, op, {.stream = stream, .workspace = workspace_});
  }
  /// Room for the sums beside an arg-reduction: an index is as wide as a float.
  T* sums() {
    static_assert(sizeof(T) <= sizeof(result));
    return reinterpret_cast<T*>(out_.data());
  }
  /// Compares bits; structs with padding are compared by ==.
  static bool is_same(const result& a, const result& b) {
    if constexpr (std::is_class_v<result> && requires { a == b; }) return a == b;
    else return std::memcmp(&a, &b, sizeof a) == 0;
  }
  cudaError_t cub_rows(void* scratch, std::size_t& bytes, cudaStream_t stream) {
    if constexpr (std::is_void_v<PeerOp>) return cudaSuccess;
    else {
      const auto begins = thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0),
                                                          row_begin{form_.extents.back()});
      return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, in(), out_.data(), form_.outputs(), begins, begins + 1,
                                                PeerOp{}, accumulator{}, stream);
    }
  }

  axes_form form_;
  device_buffer<T> in_;
  device_buffer<result> out_;
  device_buffer<unsigned> sink_;
  device_buffer<std::byte> scratch_;
  warpfold::workspace workspace_;
  std::int64_t extents_[4], strides_[4], out_extents_[4], out_strides_[4];
  bool is_reduced_[4];
  warpfold::axes named_{};
};

/// reduce_axes/<type>/<op>/items:<count>/form:<name>/<contender>/cold
template <class T, class Op, class PeerOp>
void add_axes(const std::string& type, const std::string& op, const axes_form& form) {
  using problem = axes_problem<T, Op, PeerOp>;
  std::string name = "reduce_axes/" + type + "/" + op + "/items:" + size_name(form.items());
  if (form.offset_items != 0) name += "/offset:" + std::to_string(form.offset_items);
  name += "/form:" + form.name;
  const std::int64_t bytes = form.items() * static_cast<std::int64_t>(sizeof(T)) +
                             form.outputs() * static_cast<std::int64_t>(sizeof(typename problem::result));
  add_group({std::move(name), "cold", form.items(), bytes, problem::names(form), [=] {
               problem p(form);
               p.verify();
               const sampling plan = form.is_in_grid ? sampling{5, 9, 0.02} : sampling{7, 31, 0.12};
               std::vector<measurement> measured;
               for (const statistics& seconds : time_cold(p.all(), plan)) measured.push_back({seconds});
               return measured;
             }});
}

/// Rows of `length`, and columns of that many rows or that many columns, of about 2^log_items items.
inline axes_form rows_of(std::int64_t length, int log_items) {
  return {"rows_" + std::to_string(length), {(std::int64_t{1} << log_items) / length, length}, {1}};
}
inline axes_form columns_of(std::int64_t columns, int log_items) {
  return {"columns_" + std::to_string(columns), {(std::int64_t{1} << log_items) / columns, columns}, {0}};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions for PyTorch: sums of segments, exact sums, sums and prefixes along an axis. Each runs on the current stream,
// takes its scratch from PyTorch's allocator, never waits, and can be captured in a graph.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>
#include <warpfold/warpfold.cuh>

namespace wf = warpfold;
using torch::Tensor;

struct torch_memory {
  void* allocate(std::size_t bytes, cudaStream_t stream) const {
    return c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(bytes, stream);
  }
  void deallocate(void* data, std::size_t, cudaStream_t) const { c10::cuda::CUDACachingAllocator::raw_delete(data); }
};
torch_memory memory;

const Tensor& checked(const Tensor& x) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat, "a float tensor on a GPU is needed");
  return x;
}

// What a call on `x` needs: its device, the current stream and scratch.
struct call {
  c10::cuda::CUDAGuard guard;
  cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  wf::workspace scratch{memory, stream};

  explicit call(const Tensor& x) : guard(checked(x).device()) {}
};

// A tensor of up to four dimensions, with any strides. Axes that it lacks come first, with one index each.
template <class T> wf::strided<T, 4> array(const Tensor& x, T* first) {
  TORCH_CHECK(x.dim() <= 4, "up to four dimensions are taken");
  std::int64_t extents[4] = {1, 1, 1, 1}, strides[4] = {};
  for (std::int64_t axis = 0; axis < x.dim(); ++axis)
    extents[4 - x.dim() + axis] = x.size(axis), strides[4 - x.dim() + axis] = x.stride(axis);
  return {first, extents, strides};
}
wf::axes axis_of(const Tensor& x, std::int64_t dim) { return {static_cast<int>(dim < 0 ? dim : dim - x.dim())}; }

Tensor segmented_sum(const Tensor& values, const Tensor& offsets) {
  TORCH_CHECK(values.is_contiguous() && offsets.is_contiguous() && offsets.numel() > 0,
              "contiguous tensors are needed");
  const call on(values);
  const Tensor out = torch::empty({offsets.numel() - 1}, values.options());
  AT_DISPATCH_INDEX_TYPES(offsets.scalar_type(), "segmented_sum", [&] {
    const std::span segments(offsets.const_data_ptr<index_t>(), static_cast<std::size_t>(offsets.numel()));
    wf::segmented_reduce(values.const_data_ptr<float>(), values.numel(), segments, out.mutable_data_ptr<float>(),
                         wf::plus{}, {.stream = on.stream, .workspace = on.scratch});
  });
  return out;
}

Tensor exact_sum(const Tensor& x) {
  TORCH_CHECK(x.is_contiguous(), "a contiguous tensor is needed");
  const call on(x);
  const Tensor out = torch::empty({}, x.options());
  wf::reduce(x.const_data_ptr<float>(), x.numel(), out.mutable_data_ptr<float>(), wf::exact_plus{},
             {.stream = on.stream, .workspace = on.scratch});
  return out;
}

Tensor axis_sum(const Tensor& x, std::int64_t dim) {
  const call on(x);
  auto sizes = x.sizes().vec();
  sizes.at(static_cast<std::size_t>(dim < 0 ? dim + x.dim() : dim)) = 1;
  const Tensor out = torch::empty(sizes, x.options());
  wf::reduce_axes(array(x, x.const_data_ptr<float>()), array(out, out.mutable_data_ptr<float>()), axis_of(x, dim),
                  wf::plus{}, {.stream = on.stream, .workspace = on.scratch});
  return out.squeeze(dim);
}

Tensor axis_scan(const Tensor& x, std::int64_t dim) {
  const call on(x);
  const Tensor out = torch::empty(x.sizes(), x.options());
  wf::inclusive_scan_axes(array(x, x.const_data_ptr<float>()), array(out, out.mutable_data_ptr<float>()),
                          axis_of(x, dim), wf::plus{}, {.stream = on.stream, .workspace = on.scratch});
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("segmented_sum", &segmented_sum);
  m.def("exact_sum", &exact_sum);
  m.def("axis_sum", &axis_sum);
  m.def("axis_scan", &axis_scan);
}

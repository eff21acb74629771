// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudax_sums.hpp"

#include <cuda/experimental/__multi_gpu/algorithm/reduce/reduce.h>
#include <cuda/experimental/__multi_gpu/nccl_communicator_ref.h>
#include <cuda/stream_ref>

namespace bench {

namespace cudax = cuda::experimental;

struct cudax_sums::arguments {
  std::vector<cudax::nccl_communicator_ref> communicators;
  std::vector<cuda::stream_ref> streams;
  std::vector<const float*> in;
  std::vector<std::int64_t> items;
  std::vector<float*> out;
};

cudax_sums::cudax_sums(const std::vector<rank>& ranks, std::int64_t items) : arguments_(std::make_unique<arguments>()) {
  for (const rank& each : ranks) {
    arguments_->communicators.emplace_back(each.communicator);
    arguments_->streams.emplace_back(each.stream);
    arguments_->in.push_back(each.in);
    arguments_->items.push_back(items);
    arguments_->out.push_back(each.out);
  }
}

cudax_sums::~cudax_sums() = default;

void cudax_sums::operator()() const {
  cudax::reduce(cudax::broadcasted, arguments_->communicators, arguments_->streams, arguments_->in, arguments_->items,
                arguments_->out, 0.0F);
}

}  // namespace bench

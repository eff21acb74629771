// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws from rows of scores, in a graph
//
// One step of sampling, as language models do it: of each row the best scores, their softmax, its running sums, and a
// draw. Here travellers change planes: scores are the logarithms of the numbers of flights in 2008 from where a
// traveller is. Who arrives leaves the batch, so only the device knows how many rows there are. `first_segments` and
// `device_count` read that when a kernel runs: the step is captured once, and its replays have fewer and fewer rows.
// The CPU checks the draws.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/device.cuh"
#include "common/matrix_market.hpp"
#include "common/program.hpp"

namespace wf = warpfold;

constexpr int most = 40, best_few = 4, destination = 18;  // travellers, choices of each, the airport ATL
using best_scores = wf::best_items<float, best_few>;

// What a traveller draws in a step: a number in [0, 1).
__host__ __device__ inline float random_number(int traveller, int step) {
  unsigned bits = static_cast<unsigned>(traveller) * 0x9E3779B9u + static_cast<unsigned>(step) * 0x85EBCA6Bu;
  bits = (bits ^ bits >> 16) * 0x7FEB352Du;
  bits = (bits ^ bits >> 15) * 0x846CA68Bu;
  return static_cast<float>((bits ^ bits >> 16) >> 8) / (1 << 24);
}

// The batch in device memory. Row r is traveller[r], who is at[r].
struct batch {
  const float* scores;  // of each airport, the way to each
  int columns;
  int *at, *traveller, *count, *step;
  best_scores* best;
  float* sums;
  int *draws, *next_at, *next_traveller, *next_count;

  __host__ __device__ float score(std::int64_t i) const { return scores[at[i / columns] * columns + i % columns]; }
};

// Items that are computed as they are read: item i stands in column i % columns of row i / columns.
struct score_items {
  using value_type = float;
  using difference_type = std::int64_t;
  batch b;
  __host__ __device__ float operator[](std::int64_t i) const { return b.score(i); }
};
struct weights : score_items {  // the softmax, but for the division by the row's sum
  __host__ __device__ float operator[](std::int64_t i) const {
    const best_scores& best = b.best[i / b.columns];
    const float score = b.score(i);
    return score >= best.item[best_few - 1].value ? std::exp(score - best.item[0].value) : 0.f;
  }
};
// The first column up to which the sum exceeds a share of the row's sum. One thread per row.
__global__ void draw(batch b) {
  const int row = static_cast<int>(threadIdx.x);
  if (row >= *b.count) return;
  const float* const sums = b.sums + std::ptrdiff_t{row} * b.columns;
  const float bound = random_number(b.traveller[row], *b.step) * sums[b.columns - 1];
  int column = 0;
  for (int step = 512; step > 0; step /= 2)
    if (column + step < b.columns && sums[column + step - 1] <= bound) column += step;
  b.draws[row] = column;
}

struct is_on_the_way {
  __host__ __device__ int operator()(int airport) const { return airport != destination; }
};
// Where out[row] = n is assigned, n travellers up to that row are on their way.
struct next_rows {
  batch b;
  struct place {
    batch b;
    std::ptrdiff_t row;
    __host__ __device__ void operator=(int n) const {
      if (row == *b.count - 1) *b.next_count = n;
      if (is_on_the_way{}(b.draws[row])) b.next_at[n - 1] = b.draws[row], b.next_traveller[n - 1] = b.traveller[row];
    }
  };
  __host__ __device__ place operator[](std::ptrdiff_t row) const { return {b, row}; }
};
__global__ void go_on(batch b) {
  const int row = static_cast<int>(threadIdx.x), rows = *b.count > 0 ? *b.next_count : 0;
  if (row < rows) b.at[row] = b.next_at[row], b.traveller[row] = b.next_traveller[row];
  __syncthreads();  // all have read the count
  if (row == 0) *b.count = rows, ++*b.step;
}

void enqueue_step(const batch& b, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(most);
  config.stream = stream;
  const wf::device_count count(b.count, most);
  const wf::first_segments rows{wf::fixed_length{b.columns}, count};
  const std::int64_t items = std::int64_t{most} * b.columns;
  wf::segmented_reduce(score_items{b}, items, rows, b.best, wf::top_k<best_few>{}, {.stream = stream});
  wf::segmented_inclusive_scan(weights{{b}}, items, rows, b.sums, {.stream = stream});
  wf::launch(draw, config, b);
  wf::transform_inclusive_scan(b.draws, count, next_rows{b}, wf::plus{}, is_on_the_way{}, {.stream = stream});
  wf::launch(go_on, config, b);
}

// Whether the CPU may have drawn the same, up to rounding: the draw lies between the sums around that column.
bool is_right(std::vector<float> row, int draw, float number) {
  std::vector<float> sorted = row;
  std::sort(sorted.rbegin(), sorted.rend());
  double before = 0, through = 0, all = 0;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const double weight = row[column] >= sorted[best_few - 1] ? std::exp(double{row[column]} - sorted[0]) : 0;
    all += weight;
    if (static_cast<int>(column) < draw) before += weight;
    if (static_cast<int>(column) <= draw) through += weight;
  }
  return before - 1e-5 * all <= number * all && number * all <= through + 1e-5 * all && through > before;
}

int main() {
  const auto flights = examples::read_matrix_market(examples::bundled_data("routes.mtx"));
  const int columns = flights.columns;
  std::vector<float> scores(static_cast<std::size_t>(columns) * static_cast<std::size_t>(columns), -1e9f);
  for (const auto& [row, column, number] : flights.entries)
    scores[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)] =
        static_cast<float>(std::log(number));
  std::vector<int> numbers(most);
  for (int i = 0; i < most; ++i) numbers[static_cast<std::size_t>(i)] = i;

  const examples::device_array<float> table(scores), sums(static_cast<std::size_t>(most * columns));
  const examples::device_array<best_scores> best(most);
  const examples::device_array<int> at(numbers), traveller(numbers), draws(most), next_at(most), next_traveller(most),
      count(std::vector<int>{most}), step(std::vector<int>{0}), next_count(1);
  const batch b{table.data(), columns,     at.data(),    traveller.data(), count.data(),          step.data(),
                best.data(),  sums.data(), draws.data(), next_at.data(),   next_traveller.data(), next_count.data()};
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  wf::check(cudaStreamCreate(&stream), "cudaStreamCreate");
  wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  enqueue_step(b, stream);
  wf::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  wf::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");

  for (int flight = 0; flight < 5; ++flight) {
    const std::vector<int> from = at.to_host(), who = traveller.to_host();
    const int rows = count.to_host()[0];
    wf::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const std::vector<int> drawn = draws.to_host();
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      const auto first = scores.begin() + std::ptrdiff_t{from[r]} * columns;
      if (is_right({first, first + columns}, drawn[r], random_number(who[r], flight))) continue;
      std::printf("the CPU does not draw %d for traveller %d\n", drawn[r], who[r]);
      return EXIT_FAILURE;
    }
    std::printf("flight %d: %d travellers, then %d, drawn as by the CPU\n", flight + 1, rows, count.to_host()[0]);
  }
  wf::check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  wf::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  wf::check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return EXIT_SUCCESS;
}

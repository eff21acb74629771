// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks over MPI: run by mpiexec -n 1 to 5. Each process says what fails; rank 0 says that all is well. With an
// argument, the last process dies.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <warpfold/exact_plus.cuh>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/mpi.cuh>
#include <warpfold/ranks_axes.cuh>
#include <warpfold/ranks_by_key.cuh>
#include <warpfold/ranks_scan.cuh>
#include <warpfold/ranks_segments.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "ranks/ranks.hpp"

namespace {

namespace wf = warpfold;
using namespace std::chrono_literals;
using wf_test::device_array;

int failures = 0;
void expect(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++failures;
}
template <class R> bool same_bytes(const R& a, const R& b) { return std::memcmp(&a, &b, sizeof(R)) == 0; }
template <class Error, class Call> std::string thrown(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another type: ") + e.what();
  }
  return "nothing";
}
bool has(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return true;
  std::printf("says: %s\n", text.c_str());
  return false;
}

template <class T, class Op> void test_bits(wf::mpi_ranks& ranks, const std::vector<T>& items, Op op) {
  const device_array<T> whole(items);
  const auto expected = wf::reduce_value(whole.items(), op);
  wf_test::random_source source(items.size());
  for (int round = 0; round < 4; ++round) {
    const auto [first, end] =
        ranks_tests::random_parts(std::ssize(items), ranks.size(), source)[static_cast<std::size_t>(ranks.rank())];
    const auto value = wf::all_reduce_value(ranks, whole.data() + first, end - first, {.first = first}, op);
    expect(same_bytes(value, expected), "bits differ", ranks.rank());
  }
}

/// The rank's part of `count`, at random, the same draw on all ranks.
std::pair<std::int64_t, std::int64_t> own_part(const wf::mpi_ranks& ranks, std::int64_t count) {
  wf_test::random_source source(static_cast<std::uint64_t>(count));
  return ranks_tests::random_parts(count, ranks.size(), source)[static_cast<std::size_t>(ranks.rank())];
}

void test_scans(wf::mpi_ranks& ranks, const std::vector<wf_test::interval<std::int64_t>>& items) {
  using interval = wf_test::interval<std::int64_t>;
  const auto [first, end] = own_part(ranks, std::ssize(items));
  const device_array<interval> in(
      std::span<const interval>(items).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first))),
      out(end - first);
  const std::span<interval> to(out.data(), in.size());
  // Result i is of `begin` to item i + `last` of the part.
  const auto expect_results = [&](std::int64_t begin, std::int64_t last, const char* what) {
    const auto results = out.to_host();
    for (std::int64_t i = 0; i < std::ssize(results); ++i)
      expect(same_bytes(results[static_cast<std::size_t>(i)], interval::of(begin, first + i + last)), what,
             ranks.rank());
  };
  wf::inclusive_scan(ranks, in.items(), wf::part{first}, to, wf_test::join{});
  ranks.wait({});
  expect_results(0, 0, "inclusive_scan");
  wf::exclusive_scan(ranks, in.items(), wf::part{first}, to, wf_test::join{}, {.init = interval::of(-1)});
  ranks.wait({});
  expect_results(-1, -1, "exclusive_scan");
}

/// A matrix that is split by its rows, which are reduced.
void test_axes(wf::mpi_ranks& ranks) {
  using interval = wf_test::interval<std::int64_t>;
  constexpr std::int64_t rows = 53, columns = 5;
  const auto [first, end] = own_part(ranks, rows);
  std::vector<interval> items;
  for (std::int64_t row = first; row < end; ++row) items.insert(items.end(), columns, interval::of(row));
  const device_array<interval> in(items), out(columns);
  wf::all_reduce_axes(ranks, wf::strided<const interval, 2>(in.data(), {end - first, columns}), wf::part{first},
                      std::span(out.data(), columns), wf::axes{0}, wf_test::join{});
  ranks.wait({});
  for (const interval& each : out.to_host())
    expect(same_bytes(each, interval::of(0, rows - 1)), "all_reduce_axes", ranks.rank());
}

/// Segments, and runs of equal keys: both have the items from borders[i] to borders[i + 1] - 1.
void test_segments(wf::mpi_ranks& ranks, const std::vector<wf_test::interval<std::int64_t>>& items) {
  using interval = wf_test::interval<std::int64_t>;
  const std::vector<std::int64_t> borders{0, 3, 5, 1500, 1501, 2999, std::ssize(items)};
  const auto [first, end] = own_part(ranks, std::ssize(items));
  const device_array<interval> in(
      std::span<const interval>(items).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)));
  std::vector<int> own{0}, keys;  // offsets of the segments with items here
  std::vector<interval> expected, ending;
  for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
    const std::int64_t begin = borders[s], behind = borders[s + 1];
    for (std::int64_t i = std::max(begin, first); i < std::min(behind, end); ++i) keys.push_back(static_cast<int>(s));
    if (behind <= first || begin >= end || first == end) continue;
    if (expected.empty()) own = {static_cast<int>(begin)};
    own.push_back(static_cast<int>(behind));
    expected.push_back(interval::of(begin, behind - 1));
    if (behind <= end) ending.push_back(expected.back());
  }
  const auto expect_results = [&](const device_array<interval>& out, const std::vector<interval>& all,
                                  const char* what) {
    const auto results = out.to_host();
    for (std::size_t i = 0; i < all.size(); ++i) expect(same_bytes(results[i], all[i]), what, ranks.rank());
  };
  const device_array<int> offsets(own);
  const device_array<interval> out(end - first + 1);
  wf::segmented_reduce(ranks, in.items(), wf::part{first}, offsets.items(), out.data(), wf_test::join{},
                       {.empty = interval::poison()});
  ranks.wait({});
  expect_results(out, expected, "segmented_reduce");

  const device_array<int> in_keys(keys), out_keys(end - first + 1), count(1);
  wf::reduce_by_key(ranks, in_keys.items(), in.items(), wf::part{first}, out_keys.data(), out.data(), count.data(),
                    wf_test::join{});
  ranks.wait({});
  expect(count.value() == static_cast<int>(ending.size()), "reduce_by_key: the number of runs", ranks.rank());
  expect_results(out, ending, "reduce_by_key");
}

void test_found_parts_and_lists(wf::mpi_ranks& ranks) {
  const std::vector<float> items = wf_test::random_items<float>(1000, 1 + static_cast<std::uint64_t>(ranks.rank()));
  std::vector<float> all;
  for (int r = 0; r < ranks.size(); ++r)
    for (const float x : wf_test::random_items<float>(1000, 1 + static_cast<std::uint64_t>(r))) all.push_back(x);
  const device_array<float> in(items), whole(all), out(1);
  const wf::part of = wf::gathered(ranks, 1000);
  expect(of.first == 1000 * ranks.rank(), "gathered", ranks.rank());
  const float expected = wf::reduce_value(whole.items());
  const int last = ranks.size() - 1;
  wf::reduce(ranks, wf::root{last}, in.items(), of, ranks.rank() == last ? out.data() : nullptr, wf::plus{});
  ranks.wait({});
  expect(ranks.rank() != last || same_bytes(out.value(), expected), "reduce to a root", ranks.rank());

  wf::part_nodes<float, wf::plus> nodes(of.first);
  nodes.append_items(items.data(), 1000, wf::plus{});
  const wf::mpi_list<float, wf::plus> list;
  MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, list.type(), list.operation(), MPI_COMM_WORLD);
  expect(same_bytes(nodes.value(wf::plus{}), expected), "MPI_Allreduce of lists", ranks.rank());
}

void test_errors(wf::mpi_ranks& ranks) {
  const device_array<float> in(std::vector<float>{1, 2, 3});
  const int rank = ranks.rank(), last = ranks.size() - 1;
  const auto sum = [&](std::int64_t first) {
    return wf::all_reduce_value(ranks, in.items(), {.first = first}, wf::plus{});
  };
  if (last > 0) {
    expect(has(thrown<std::invalid_argument>([&] { (void)sum(rank == last ? 1000 : 3 * rank); }), "no rank has items"),
           "a gap", rank);
    const auto failed = thrown<wf::rank_error>([&] { (void)sum(rank == last ? -2 : 3 * rank); });
    expect(has(failed, "part.first is -2"), "a rank that throws", rank);
    expect(has(thrown<std::invalid_argument>([&] {
                 if (rank == last) (void)wf::all_reduce_value(ranks, in.items(), {.first = 3 * rank}, wf::moments<4>{});
                 else (void)sum(3 * rank);
               }),
               "moments<4>"),
           "another operator, whose messages are longer", rank);
  }
  expect(sum(3 * rank) == static_cast<float>(6 * ranks.size()), "the next call", rank);
}

// All but one wait in vain. When it comes, it finds what they have sent.
void test_late_rank(MPI_Comm comm) {
  wf::mpi_ranks ranks(comm);
  const device_array<float> in(std::vector<float>{1});
  const int rank = ranks.rank();
  const auto sum = [&] {
    (void)wf::all_reduce_value(ranks, in.items(), {.first = rank}, wf::plus{}, {.timeout = 50ms});
  };
  if (rank > 0) {
    expect(has(thrown<wf::rank_error>(sum), "have not answered for 50 ms"), "a rank that does not come", rank);
    expect(has(thrown<wf::rank_error>(sum), "an earlier call has not been answered"), "after it", rank);
  }
  MPI_Barrier(comm);
  if (rank == 0) expect(thrown<wf::rank_error>(sum) != "", "the late rank", rank);
  MPI_Barrier(comm);
}

// The last process dies. The others get an error in time, and go on with a communicator of their own.
[[noreturn]] void test_killed_rank() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  auto& ranks = *new wf::mpi_ranks(MPI_COMM_WORLD);  // MPI may not free what a process has left behind
  const device_array<float> in(std::vector<float>{1});
  const int rank = ranks.rank(), last = ranks.size() - 1;
  const auto sum = [&](wf::mpi_ranks& all) {
    return wf::all_reduce_value(all, in.items(), {.first = rank}, wf::plus{}, {.timeout = 300ms});
  };
  expect(sum(ranks) == static_cast<float>(last + 1), "before it", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == last) std::raise(SIGKILL);
  expect(thrown<wf::rank_error>([&] { (void)sum(ranks); }).find("warpfold") == 0, "a killed rank", rank);
  expect(thrown<wf::rank_error>([&] { (void)sum(ranks); }).find("warpfold") == 0, "after it", rank);
  MPI_Group all, others;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &last, &others);
  MPI_Comm next = MPI_COMM_NULL;
  wf::check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, others, 0, &next), "MPI_Comm_create_group");
  auto& survivors = *new wf::mpi_ranks(next);
  expect(sum(survivors) == static_cast<float>(last), "the next communicator", rank);
  if (rank == 0 && failures == 0) std::printf("the others go on\n");
  std::fflush(stdout);
  std::_Exit(failures != 0);  // MPI_Finalize would wait for the dead
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    wf::check(cudaSetDevice(wf_test::device_number(rank)), "cudaSetDevice");
    if (count > 1) test_killed_rank();
    wf::mpi_ranks ranks(MPI_COMM_WORLD);
    std::vector<wf_test::interval<std::int64_t>> items;
    for (std::int64_t i = 0; i < 3001; ++i) items.push_back(wf_test::interval<std::int64_t>::of(i));
    test_bits(ranks, items, wf_test::join{});
    test_bits(ranks, wf_test::random_items<float>(5003), wf::plus{});
    test_bits(ranks, wf_test::random_items<float>(700), wf::exact_plus{});
    test_scans(ranks, items);
    test_axes(ranks);
    test_segments(ranks, items);
    test_found_parts_and_lists(ranks);
    test_errors(ranks);
    test_late_rank(MPI_COMM_WORLD);
  } catch (const std::exception& e) {
    std::printf("rank %d: %s\n", rank, e.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int all_failures = 0;
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all_failures == 0) std::printf("all ranks passed\n");
  MPI_Finalize();
  return all_failures != 0;
}

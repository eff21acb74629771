// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns, the CSV file, the plot, the command line and the array: everything that needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "../../examples/ladder/array.hpp"
#include "../../examples/ladder/cpu_baseline.hpp"
#include "../../examples/ladder/options.hpp"
#include "../../examples/ladder/plot.hpp"
#include "../../examples/ladder/table.hpp"

namespace {

using namespace ladder;

rung_facts about(ladder_of source, std::string_view name, std::string_view improves) {
  return {.source = source, .name = name, .title = name, .improves = improves};
}

run_of_ladder three_rungs() {
  run_of_ladder run{.device = "A \"GPU\" <1>", .type = "float", .array = "random", .items = 1000, .bytes = 4000};
  run.read_only_seconds = 1e-6;
  run.read_only_name = "reader";
  run.measured = {{about(ladder_of::lecture, "atomic-global", ""), 8e-6, "right"},
                  {about(ladder_of::lecture, "shared", "atomic-global"), 4e-6, "right"},
                  {about(ladder_of::warpfold, "warpfold", "two-pass-vectorised"), 2e-6, "right"}};
  return run;
}

TEST(columns, are_those_of_the_slides) {
  const run_of_ladder run = three_rungs();
  const std::vector<row> rows = rows_of(run);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(rows[0].bandwidth, 5e8);
  EXPECT_DOUBLE_EQ(rows[0].step.value(), 1);
  EXPECT_DOUBLE_EQ(rows[0].cumulative.value(), 1);
  EXPECT_FALSE(rows[0].to_reduction);
  EXPECT_DOUBLE_EQ(rows[1].step.value(), 2);
  EXPECT_DOUBLE_EQ(rows[1].cumulative.value(), 2);
  EXPECT_DOUBLE_EQ(rows[1].to_reduction.value(), 1);
  EXPECT_FALSE(rows[2].step);  // the rung to compare with did not run
  EXPECT_DOUBLE_EQ(rows[2].cumulative.value(), 4);
  EXPECT_DOUBLE_EQ(rows[2].to_reduction.value(), 2);
  EXPECT_DOUBLE_EQ(rows[2].share_of_limit, 0.5);
}

TEST(report_limit, is_the_fastest_kernel_whoever_it_is_but_never_the_cpu) {
  run_of_ladder run = three_rungs();
  EXPECT_DOUBLE_EQ(limit_seconds(run), 1e-6);
  EXPECT_EQ(limit_in_words(run), "4.0 GB/s (reader)");
  run.measured[2].seconds = 0.5e-6;
  EXPECT_DOUBLE_EQ(limit_seconds(run), 0.5e-6);
  EXPECT_EQ(limit_in_words(run), "8.0 GB/s (the rung warpfold)");
  run.measured.push_back({about(ladder_of::cpu, "cpu-one-thread", ""), 0.1e-6, "right"});
  EXPECT_DOUBLE_EQ(limit_seconds(run), 0.5e-6);
}

TEST(report_check, one_wrong_sum_is_enough) {
  run_of_ladder run = three_rungs();
  EXPECT_TRUE(all_right(run));
  run.measured[1].check = "WRONG: 1, not 2";
  EXPECT_FALSE(all_right(run));
}

TEST(report_csv, has_a_header_and_one_line_a_rung) {
  std::ostringstream out;
  write_csv(out, three_rungs());
  std::istringstream lines(out.str());
  std::string header, line;
  std::getline(lines, header);
  const auto commas = std::count(header.begin(), header.end(), ',');
  int rungs = 0;
  for (; std::getline(lines, line); ++rungs) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas + (rungs < 2 ? 1 : 0))
        << line;  // "003, lecture slides"
    EXPECT_TRUE(line.starts_with("\"A \"\"GPU\"\" <1>\",float,1000,")) << line;
  }
  EXPECT_EQ(rungs, 3);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(report_table, shows_times_and_shares_of_the_limit_on_a_gpu) {
  std::ostringstream out;
  print_table(out, three_rungs());
  for (const char* text : {"GB/s", "of limit", "25.0 %", "50.0 %", "0.0080", "2.000"})
    EXPECT_NE(out.str().find(text), out.str().npos) << text << " in\n" << out.str();
}

TEST(report_table, shows_no_figures_in_the_emulator) {
  run_of_ladder run = three_rungs();
  run.emulated = true;
  run.read_only_seconds = 0;  // nobody measured it
  run.measured[1].check = "WRONG: 1, not 2";
  std::ostringstream out;
  print_table(out, run);
  EXPECT_EQ(words_of(out.str()), words_of("003, lecture slides rung commutativity kernel result "
                                          "atomic-global - right shared - WRONG: 1, not 2 "
                                          "Warpfold rung commutativity kernel result warpfold - right"));
}

TEST(report_csv, has_no_figures_in_the_emulator) {
  run_of_ladder run = three_rungs();
  std::ostringstream on_gpu, emulated;
  write_csv(on_gpu, run);
  EXPECT_NE(on_gpu.str().find(",-,0.008,0.5,1,1,,0.125,\"right\",no\n"), on_gpu.str().npos) << on_gpu.str();
  run.emulated = true;
  run.read_only_seconds = 0;
  write_csv(emulated, run);
  EXPECT_NE(emulated.str().find(",-,,,,,,,\"right\",yes\n"), emulated.str().npos) << emulated.str();
}

TEST(report_plot, draws_every_rung_and_escapes_text) {
  const run_of_ladder run = three_rungs();
  std::ostringstream out;
  plot(out, run).write();
  const std::string svg = out.str();
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("A \"GPU\" &lt;1>"), svg.npos);
  for (const measurement& m : run.measured) EXPECT_NE(svg.find(">" + std::string(m.about.name) + "<"), svg.npos);
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
}

options parsed(std::vector<std::string_view> arguments) { return parse(arguments); }

TEST(command_line, is_read) {
  const options all = parsed({"--rung", "shuffle", "--rung", "warpfold", "--items", "2^20", "--type", "double", "--csv",
                              "a.csv", "--plot", "b.svg", "--input", "c.npy", "--seed", "7", "--runs", "3"});
  EXPECT_TRUE(all.wants("shuffle"));
  EXPECT_TRUE(all.wants("warpfold"));
  EXPECT_FALSE(all.wants("dual-load"));
  EXPECT_EQ(all.items, 1 << 20);
  EXPECT_EQ(all.type, "double");
  EXPECT_EQ(all.csv, "a.csv");
  EXPECT_EQ(all.plot, "b.svg");
  EXPECT_EQ(all.input, "c.npy");
  EXPECT_EQ(all.seed, 7u);
  EXPECT_EQ(all.runs, 3);
  EXPECT_TRUE(parsed({}).wants("dual-load"));
  EXPECT_FALSE(parsed({}).items);
}

TEST(command_line, refuses_what_it_does_not_understand) {
  using arguments = std::vector<std::string_view>;
  for (const arguments& wrong : {arguments{"--items"},
                                 {"--items", "0"},
                                 {"--items", "-1"},
                                 {"--items", "1e6"},
                                 {"--items", "2^"},
                                 {"--items", "2^70"},
                                 {"--items", ""},
                                 {"--items", "99999999999999999999"},
                                 {"--type", "half"},
                                 {"--runs", "0"},
                                 {"--seed", "x"},
                                 {"--frobnicate"},
                                 {"shuffle"}})
    EXPECT_THROW(parse(wrong), examples::usage_error) << wrong.front() << ' ' << wrong.back();
}

TEST(random_array, is_the_same_for_a_seed_and_has_exact_sums) {
  const auto a = random_array<float>(5000, 3), b = random_array<float>(5000, 3), c = random_array<float>(5000, 4);
  EXPECT_EQ(a.items, b.items);
  EXPECT_NE(a.items, c.items);
  for (float x : a.items) {
    EXPECT_LE(std::abs(x), 1.0f);
    EXPECT_EQ(x * 64, std::round(x * 64));
  }
  float backwards = 0;
  for (auto x = a.items.rbegin(); x != a.items.rend(); ++x) backwards += *x;
  EXPECT_EQ(backwards, sum_by_one_thread(std::span<const float>(a.items)));
  EXPECT_EQ(backwards, sum_by_all_threads(std::span<const float>(a.items)));
  EXPECT_EQ(backwards, static_cast<float>(sum_of(a.items).value));
}

TEST(array_from_file, repeats_or_cuts_the_numbers) {
  const auto path = examples::bundled_data("flight_delays.npy");
  const auto once = array_from_file<float>(path, -1), twice = array_from_file<float>(path, 300000);
  const auto integers = array_from_file<int>(path, 10);
  ASSERT_EQ(once.items.size(), 200000u);
  ASSERT_EQ(twice.items.size(), 300000u);
  EXPECT_TRUE(std::equal(once.items.begin(), once.items.end(), twice.items.begin()));
  EXPECT_TRUE(std::equal(once.items.begin(), once.items.begin() + 100000, twice.items.begin() + 200000));
  ASSERT_EQ(integers.items.size(), 10u);
  EXPECT_TRUE(std::equal(integers.items.begin(), integers.items.end(), once.items.begin()));
  EXPECT_FALSE(once.every_sum_is_exact);
}

TEST(array_from_file, refuses_real_numbers_for_integers_and_missing_files) {
  EXPECT_THROW(array_from_file<int>(examples::bundled_data("country_points.npy"), -1), examples::file_error);
  EXPECT_THROW(array_from_file<int>("no/such/file.npy", -1), examples::file_error);
}

TEST(error_bound, grows_with_the_chain_until_it_says_nothing) {
  const true_sum sum{.value = 1, .magnitudes = 10};
  EXPECT_NEAR(static_cast<double>(error_bound<float>(sum, 10)), 10 * 10 * 0x1p-24, 1e-10);
  EXPECT_TRUE(std::isinf(error_bound<float>(sum, std::int64_t{1} << 24)));
  EXPECT_TRUE(is_right(1.0f, sum, true, 10));
  EXPECT_FALSE(is_right(1.0000001f, sum, true, 10));
  EXPECT_TRUE(is_right(1.0000001f, sum, false, 10));
  EXPECT_FALSE(is_right(1.0001f, sum, false, 10));
  EXPECT_FALSE(is_right(std::nanf(""), sum, false, std::int64_t{1} << 30));
}

TEST(integer_sums, wrap) {
  const std::vector<unsigned> items = {0xffffffffu, 0xffffffffu, 3};
  EXPECT_TRUE(is_right(1u, sum_of(items), true, 3));
  EXPECT_FALSE(is_right(2u, sum_of(items), true, 3));
}

}  // namespace

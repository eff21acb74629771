// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three sums of the same numbers, plain, compensated and exact: their results on real and on ill-conditioned data, and
// their cost.
#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/npy.hpp"
#include "common/program.hpp"
#include "common/timing.cuh"

namespace wf = warpfold;

constexpr const char* help = R"(usage: numerics_tour [--runs N] [--plot FILE.svg] [FILE.npy]

Sums an array three ways: plain (wf::plus), compensated (wf::compensated_plus)
and exact (wf::exact_plus, rounded once). First the file's numbers, in the order
of the file and reversed, as float32; without a file the bundled country_points.npy.
Then random float64 numbers whose sum is worse and worse conditioned. Then, on a
GPU, the times of the three.

  --runs N         time N runs of each sum, and show the median (default 20)
  --plot FILE.svg  draw the errors over the condition
)";

struct sums {
  double plain, compensated, exact;
};
template <class T> sums sums_of(const std::vector<T>& items) {
  const examples::device_array<T> on_device(items);
  const std::span<const T> in(on_device.data(), on_device.size());
  return {wf::reduce_value(in, wf::plus{}), wf::reduce_value(in, wf::compensated_plus{}),
          wf::reduce_value(in, wf::exact_plus{})};
}

std::string nine_digits(double value) {
  if (std::isnan(value)) return "nan";  // its sign says nothing
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void show_file(const std::filesystem::path& path) {
  const examples::array_file file = examples::read_npy(path);
  if (file.type != examples::item_type::float32)
    throw examples::file_error(path.string() + ": not an array of float32");
  std::vector<float> items = file.items_as<float>();
  if (items.empty()) throw examples::file_error(path.string() + ": an empty array");
  const sums forwards = sums_of(items);
  const std::vector<float> reversed(items.rbegin(), items.rend());
  const sums backwards = sums_of(reversed);
  std::printf("%s: %s numbers, float32\n", path.filename().string().c_str(),
              examples::format_whole(items.size()).c_str());
  const auto is_same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const auto row = [&](const char* name, double a, double b) {
    examples::print_row(name,
                        nine_digits(a) + (is_same(a, b) ? ", reversed the same" : ", reversed " + nine_digits(b)));
  };
  row("plain", forwards.plain, backwards.plain);
  row("compensated", forwards.compensated, backwards.compensated);
  row("exact", forwards.exact, backwards.exact);
  if (!is_same(forwards.exact, backwards.exact)) throw std::runtime_error("exact sums of two orders differ");
}

/// SplitMix64.
struct random_source {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Between -1 and 1.
  double fraction() { return static_cast<double>((*this)() >> 11) * 0x1p-52 - 1; }
};

/// Numbers in random order, whose magnitudes add up to about `condition` times their sum. Half of them have random
/// exponents. Each of the others brings the sum so far down to a smaller value. `sum` is their sum, rounded once.
/// Source: Ogita, Rump and Oishi, "Accurate Sum and Dot Product", 2005.
std::vector<double> ill_conditioned(int count, double condition, random_source& source, double& sum) {
  const double octaves = std::log2(condition);
  auto exactly = wf::exact_plus{}.lift(0.0);  // also works on the host
  std::vector<double> items;
  const auto push = [&](double item) {
    items.push_back(item);
    exactly = wf::exact_plus{}(exactly, wf::exact_plus{}.lift(item));
  };
  const int half = count / 2;
  for (int i = 0; i < half; ++i) {
    const double exponent = i == 0 ? octaves : octaves * std::fabs(source.fraction());
    push(std::ldexp(source.fraction(), static_cast<int>(exponent)));
  }
  for (int i = half; i < count; ++i) {
    const double exponent = octaves * (count - 1 - i) / (count - half - 1);
    push(std::ldexp(source.fraction(), static_cast<int>(exponent)) - wf::exact_plus{}.lower(exactly));
  }
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[source() % i]);
  sum = wf::exact_plus{}.lower(exactly);
  return items;
}

struct point {
  double condition;
  double errors[3];  ///< of plain, compensated and exact, relative
};
constexpr const char* names[] = {"plain", "compensated", "exact"};

std::vector<point> show_conditions() {
  std::printf("\n4000 float64 numbers: relative errors\n");
  std::printf("  %-16s%16s%16s%16s\n", "condition", names[0], names[1], names[2]);
  random_source source{1};
  std::vector<point> points;
  for (int decade = 2; decade <= 32; decade += 3) {
    const double condition = std::pow(10.0, decade);
    double sum = 0;
    const sums got = sums_of(ill_conditioned(4000, condition, source, sum));
    const auto error = [&](double of) { return std::fabs((of - sum) / sum); };
    points.push_back({condition, {error(got.plain), error(got.compensated), error(got.exact)}});
    const double* errors = points.back().errors;
    std::printf("  1e%-14d%16.2g%16.2g%16.2g\n", decade, errors[0], errors[1], errors[2]);
    if (errors[2] != 0) throw std::runtime_error("the exact sum is not exact");
  }
  return points;
}

void show_times(int runs) {
  constexpr std::size_t count = std::size_t{1} << 26;
  std::vector<float> numbers(count);
  random_source source{2};
  for (float& number : numbers) number = static_cast<float>(source.fraction());
  const examples::device_array<float> items(numbers), out(1);
  const wf::workspace workspace;
  std::printf("\n2^26 float32 numbers between -1 and 1\n");
  examples::print_times_header("sum");
  const auto show = [&](const char* name, auto op) {
    examples::print_time(name, count * sizeof(float), runs,
                         [&] { wf::reduce(items, out.data(), op, {.workspace = workspace}); });
  };
  show(names[0], wf::plus{});
  show(names[1], wf::compensated_plus{});
  show(names[2], wf::exact_plus{});
}

/// Plots errors over the condition, both logarithmic. Errors of 0 are drawn at the bottom.
void draw(const std::filesystem::path& path, const std::vector<point>& points) {
  constexpr double left = 70, right = 620, top = 50, bottom = 330, least = -17, most = 16;
  const auto x = [&](double condition) { return left + (right - left) * (std::log10(condition) - 2) / 30; };
  const auto y = [&](double error) {
    const double log = error > 0 ? std::min(std::max(std::log10(error), least), most) : least;
    return bottom - (bottom - top) * (log - least) / (most - least);
  };
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"390\" font-family=\"sans-serif\" "
         "font-size=\"12\""
         " fill=\"#222222\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
         "<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"bold\">Relative error of a sum of 4000 doubles, by "
         "its "
         "condition</text>\n";
  for (int decade = -16; decade <= 16; decade += 8)
    out << "<line x1=\"" << left << "\" x2=\"" << right << "\" y1=\"" << y(std::pow(10.0, decade)) << "\" y2=\""
        << y(std::pow(10.0, decade)) << "\" stroke=\"#dddddd\"/>\n<text x=\"" << left - 8 << "\" y=\""
        << y(std::pow(10.0, decade)) + 4 << "\" text-anchor=\"end\">1e" << decade << "</text>\n";
  for (int decade = 2; decade <= 32; decade += 10)
    out << "<text x=\"" << x(std::pow(10.0, decade)) << "\" y=\"" << bottom + 20 << "\" text-anchor=\"middle\">1e"
        << decade << "</text>\n";
  out << "<text x=\"" << (left + right) / 2 << "\" y=\"" << bottom + 42
      << "\" text-anchor=\"middle\">condition: sum of magnitudes over the sum</text>\n";
  constexpr const char* colours[] = {"#b03030", "#c08020", "#2060a0"};
  for (int k = 0; k < 3; ++k) {
    out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colours[k] << "\" points=\"";
    for (const point& p : points) out << x(p.condition) << ',' << y(p.errors[k]) << ' ';
    out << "\"/>\n<text x=\"" << right + 8 << "\" y=\"" << y(points.back().errors[k]) + 4 << "\" fill=\"" << colours[k]
        << "\">" << names[k] << "</text>\n";
  }
  out << "</svg>\n";
  out.close();
  if (!out) throw std::runtime_error(path.string() + ": cannot be written");
}

int main(int argc, char** argv) {
  return examples::run_program(argc, argv, help, [](std::vector<std::string_view> arguments) {
    std::filesystem::path plot;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i] == "--plot") {
        if (i + 1 == arguments.size()) throw examples::usage_error("--plot needs a value");
        plot = arguments[i + 1];
        arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                        arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        break;
      }
    int runs = 20;
    const auto files = examples::read_options(arguments, {{"--runs", &runs}}, 1);
    std::printf("%s\n\n", examples::device_name().c_str());
    show_file(files.empty() ? examples::bundled_data("country_points.npy") : std::filesystem::path(files[0]));
    const std::vector<point> points = show_conditions();
    if (!plot.empty()) draw(plot, points);
    if (!examples::is_emulated) show_times(runs);
  });
}

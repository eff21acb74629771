// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the ladder as an SVG file: one line per rung, its bandwidth on a logarithmic axis, the limit as a vertical
// line.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>

#include "table.hpp"

namespace ladder {

class plot {
 public:
  plot(std::ostream& out, const run_of_ladder& run) : out_(out), run_(run), rows_(rows_of(run)) {
    limit_ = static_cast<double>(run.bytes) / limit_seconds(run) * 1e-9;
    double least = limit_, most = limit_;  // the CPU, on a small array, may pass the GPU's limit
    for (const row& r : rows_) {
      least = std::min(least, r.bandwidth * 1e-9);
      most = std::max(most, r.bandwidth * 1e-9);
    }
    first_decade_ = static_cast<int>(std::floor(std::log10(least)));
    decades_ = std::max(1, static_cast<int>(std::ceil(std::log10(most))) - first_decade_);
    int groups = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      groups += i == 0 || rows_[i].m->about.source != rows_[i - 1].m->about.source;
    bottom_ = top + line * static_cast<int>(rows_.size()) + heading * groups + 8;
  }

  void write() {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << bottom_ + 66
         << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
         << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    text(16, 24, "start", "The ladder: " + std::to_string(run_.items) + " x " + run_.type + ", " + run_.device,
         " font-size=\"15\" font-weight=\"bold\"");
    text(16, 42, "start",
         run_.emulated ? "Run in the emulator, on a CPU: these times say nothing about a GPU."
                       : "Bandwidth of each rung; in brackets, its share of the limit.");
    write_axis();
    write_rungs();
    out_ << "</svg>\n";
  }

 private:
  static constexpr int width = 860, left = 210, right = 740, top = 62, line = 19, heading = 26;

  double x(double gb_s) const { return left + (right - left) * (std::log10(gb_s) - first_decade_) / decades_; }
  void text(double at_x, double at_y, std::string_view anchor, std::string_view words, std::string_view style = "") {
    out_ << "<text x=\"" << at_x << "\" y=\"" << at_y << "\" text-anchor=\"" << anchor << "\"" << style << ">";
    for (char c : words) out_ << (c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c));
    out_ << "</text>\n";
  }
  void segment(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" " << style << "/>\n";
  }

  void write_axis() {
    for (int d = 0; d <= decades_; ++d) {
      const double at = left + (right - left) * static_cast<double>(d) / decades_;
      segment(at, top, at, bottom_, "stroke=\"#dddddd\"");
      text(at, bottom_ + 16, "middle", format("%g", std::pow(10.0, first_decade_ + d)));
    }
    text((left + right) / 2.0, bottom_ + 36, "middle", "bandwidth in GB/s, logarithmic");
    segment(x(limit_), top, x(limit_), bottom_, "stroke=\"#b03030\" stroke-dasharray=\"4 3\"");
    text(x(limit_), bottom_ + 56, "middle", format("limit: %.4g GB/s", limit_), " fill=\"#b03030\"");
  }

  void write_rungs() {
    int y = top;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const rung_facts& about = rows_[i].m->about;
      if (i == 0 || about.source != rows_[i - 1].m->about.source) {
        y += heading;
        text(16, y - 8, "start", to_string(about.source), " font-weight=\"bold\"");
      }
      const double gb_s = rows_[i].bandwidth * 1e-9;
      const bool ordered = about.needs == commutativity::not_needed;
      text(left - 10, y + 9, "end", about.name);
      segment(left, y + 5, x(gb_s), y + 5, "stroke=\"#9db8d2\" stroke-width=\"3\"");
      out_ << "<circle cx=\"" << x(gb_s) << "\" cy=\"" << y + 5
           << "\" r=\"5\" stroke=\"#1f5a92\" stroke-width=\"2\" fill=\"" << (ordered ? "#1f5a92" : "#ffffff")
           << "\"/>\n";
      text(x(gb_s) + 10, y + 9, "start", format("%.4g (%.1f %%)", gb_s, rows_[i].share_of_limit * 100),
           " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"");
      y += line;
    }
    text(16, bottom_ + 56, "start", "filled: keeps the order of the items; hollow: needs commutativity");
  }

  std::ostream& out_;
  const run_of_ladder& run_;
  std::vector<row> rows_;
  double limit_{};
  int first_decade_{}, decades_{}, bottom_{};
};

}  // namespace ladder

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns kept results of segmented_strategy_bench into the README's section, results/segmented_strategies.md, its plot.

  segmented_strategy_report.py --add raw.json ...   keep a run as results/segmented_strategies-<device>.json, then write
  segmented_strategy_report.py                      write README section, page and plot from the kept results
  segmented_strategy_report.py --check              exit 1 if they differ from what would be written

Needs python3 and nothing else. No figure is typed by hand but the paper's own, and what the text says follows from them.
"""

import sys
from pathlib import Path

import measurements
import pages
import segmented_strategy_answers
from pages import heading, microseconds, percent, size, table
from plots import Series, line_plot, stacked
from segmented_strategy_run import (FUNCTION, OFFSETS, OTHERS, PAPER, WORKLOAD_TITLES, WORKLOADS, SegmentedStrategyRun,
                                    contender_title, floor_seconds, in_paper, item_bandwidth, moved_bandwidth,
                                    share_of_floor)
from strategy_report import FACTS

TITLE = """# The segmented strategies of the paper, today

Written by `bench/segmented_strategy_report.py` from the results beside it; [bench/README.md](../README.md) says how they
are measured. The experiment behind the paper's Figure 5: float minimum over (a) one segment, (b) segments of random sizes
in [10, 50] and (c) segments of 3, the owner of each item given; every segmented strategy, Warpfold's default and CUB's
reduction by key. Random items, cold: L2 holds neither the input nor dirty lines. *GB/s of items* counts the items' 4
bytes each and nothing else, so that owners and offsets stand on one scale; *GB/s moved* counts all that has to be read
and written, as the paper's effective bandwidth: items, owners or offsets (4 bytes each), and a result a segment. *Floor*:
the fastest of the kernels that read and write those bytes, with owners or with offsets, and reduce nothing."""

MARKERS = "<!-- segmented-strategies:begin -->", "<!-- segmented-strategies:end -->"  # where the README has its section
NOT_MEASURED = "The three workloads of the paper's Figure 5 have not been measured on a current GPU yet."

PAPER_COLOURS = dict(zip(PAPER, ("#c8553d", "#e39a2d", "#2e6f95", "#7b4fa3", "#b83280", "#8a6d3b")))
OTHER_COLOURS = dict(zip(OTHERS, ("#0b6e4f", "#3fa34d", "#4a4a4a")))
FLOOR = "#7a7a8c"


def gigabytes(value):
    return f"{value:.0f}"


def sizes_table(groups):
    """GB/s of items over N: the paper's six, and what there is today."""
    columns = {**PAPER, **{title: name for name, title in OTHERS.items()}}
    rows = [[size(g.items), *(gigabytes(item_bandwidth(g, g.seconds[name])) for name in columns.values()),
             gigabytes(item_bandwidth(g, floor_seconds(g, "")))] for g in groups]
    return table(["items", *columns, "floor, owners"], rows)


def ranking(run, group):
    """All contenders of one group, the fastest first; the floors stand below."""
    rows = [[str(rank), f"`{name}`", in_paper(name), microseconds(group.seconds[name]),
             gigabytes(item_bandwidth(group, group.seconds[name])), gigabytes(moved_bandwidth(group, name)),
             percent(share_of_floor(group, name))]
            for rank, name in enumerate(sorted(run.names, key=group.seconds.get), 1)]
    for title, prefix in (("floor, owners", ""), ("floor, offsets", OFFSETS)):
        seconds = floor_seconds(group, prefix)
        moved = 1e-9 * group.counters[prefix + "warpfold"]["bytes"] / seconds
        rows.append(["", title, "", microseconds(seconds), gigabytes(item_bandwidth(group, seconds)), gigabytes(moved), ""])
    return table(["rank", "contender", "in the paper", "µs", "GB/s of items", "GB/s moved", "of the floor"], rows)


def sums_table(run):
    """The sum beside the minimum, where both were measured."""
    rows = []
    for workload, groups in run.workloads.items():
        minima = {g.items: g for g in groups}
        for g in run.sums(workload):
            if g.items in minima:
                rows.append([f"{WORKLOADS[workload]} {size(g.items)}"] + [
                    f"{microseconds(minima[g.items].seconds[name])} / {microseconds(g.seconds[name])}"
                    for name in [*PAPER.values(), *OTHERS]])
    return table(["workload, items", *PAPER, *OTHERS.values()], rows) if rows else ""


def features_table(run):
    """The paper's Table II, of all strategies."""
    rows = [[f"`{name}`", in_paper(name), *(f"{run.fact(name, key):,.0f}" for key in FACTS.values()),
             percent(run.fact(name, "occupancy"), 0), f"{run.fact(name, 'bytes_in_flight') / 1024:.0f}"]
            for name in run.strategies()]
    return table(["composition", "in the paper", *FACTS, "occupancy", "KiB in flight"], rows)


def workload_title(workload):
    return f"{WORKLOADS[workload]} {WORKLOAD_TITLES[workload]}"


def panel(run, workload):
    """One of Figure 5's three: throughput over N."""
    groups = run.workloads[workload]

    def points(seconds):
        return [(g.items, item_bandwidth(g, seconds(g))) for g in groups]

    def series(label, colour, name):
        return Series(label, colour, points(lambda g: g.seconds[name]))

    lines = [Series(f"floor, {form}", FLOOR, points(lambda g, prefix=prefix: floor_seconds(g, prefix)), dash)
             for form, prefix, dash in (("owners", "", "6 4"), ("offsets", OFFSETS, "2 3"))]
    lines += [series(title, PAPER_COLOURS[title], name) for title, name in PAPER.items()]
    lines += [series(title, OTHER_COLOURS[name], name) for name, title in OTHERS.items()]
    return line_plot(f"{workload_title(workload)}: float minimum, cold, {run.device}", "GB/s of items", lines, True)


def plot_name(run):
    return f"{FUNCTION}-{measurements.slug(run.device)}.svg"


def plot(run):
    return stacked([panel(run, workload) for workload in run.workloads])


def image(run, folder=""):
    return f"![Throughput of the segmented strategies on the paper's three workloads]({folder}{plot_name(run)})"


def run_heading(run):
    return heading(run.run.context, f"CUB {run.run.context.get('cub', '?')}")


def section(run):
    """One device's part of the page."""
    parts = [f"## {run.device}", run_heading(run) + " Medians; all contenders take turns on the same data.",
             "### Figure 5", "GB/s of items over N.", image(run),
             "### What the paper found, and what holds", "Over the paper's sizes, N = m · 2^20 with m from 16 to 31, as far "
             "as measured. In brackets: how many times as fast; equal means within "
             f"{percent(segmented_strategy_answers.EQUAL, 0)}.",
             segmented_strategy_answers.answers(run)]
    for workload, groups in run.workloads.items():
        parts += [f"### {workload_title(workload)}", "GB/s of items:", sizes_table(groups),
                  f"All contenders at {size(groups[-1].items)} items:", ranking(run, groups[-1])]
    sums = sums_table(run)
    if sums:
        parts += ["### Minimum and plus", "µs of minimum / of plus. The sums are of whole numbers, exact in any "
                  "association.", sums]
    parts += ["### Table II", f"All strategies, float minimum over {size(run.table_group().items)} items and their owners. "
              "B: threads a block; D: items a data-block; MBPM: resident blocks a multiprocessor; G: blocks of the first "
              "launch over the input; launches with the one that fills the output. *In flight*: what a multiprocessor can "
              "have asked of memory and not yet received, at most.", features_table(run)]
    return "\n\n".join(parts)


def readme_section(run, folder):
    """One device's part of the README."""
    return "\n\n".join([f"{run_heading(run)} Float minimum, cold, an owner for each item but where it says "
                        "offsets. GB/s count the items alone; *floor*: a kernel that reads and writes all the same bytes, "
                        "owners or offsets included, and reduces nothing.",
                        image(run, folder + "/"), segmented_strategy_answers.since_then(run)])


def documents(results, readme):
    """Path -> content of everything that is written; without results the README says so."""
    runs = [SegmentedStrategyRun(measurements.read_run(path)) for path in sorted(results.glob(f"{FUNCTION}-*.json"))]
    if not runs:
        return {readme: pages.with_content(readme, *MARKERS, NOT_MEASURED)}
    folder, page = pages.relative_folder(results, readme), f"{FUNCTION}.md"
    parts = [readme_section(run, folder) for run in runs]
    parts.append(f"All strategies, sizes and features, and the paper's other findings: [{page}]({folder}/{page}).")
    written = {results / plot_name(run): plot(run) for run in runs}
    return {**written, results / page: "\n\n".join([TITLE, *map(section, runs)]) + "\n",
            readme: pages.with_content(readme, *MARKERS, "\n\n".join(parts))}


def main(arguments=None):
    parser = pages.argument_parser(__doc__)
    parser.add_argument("--readme", type=Path, default=pages.BENCH.parent / "README.md")
    options = parser.parse_args(arguments)

    def run():
        pages.keep_added(options)
        return pages.write_or_check(documents(options.results, options.readme), options.check)

    return pages.exit_status("segmented_strategy_report.py", run)


if __name__ == "__main__":
    sys.exit(main())

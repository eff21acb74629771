#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns kept results of strategy_bench into results/strategies.md and its plots.

  strategy_report.py --add raw.json ...   keep the raw output of a run as results/strategies-<device>.json, then write
  strategy_report.py                      write page and plots from the kept results
  strategy_report.py --check              exit 1 if they differ from what would be written

Needs python3 and nothing else. No figure is typed by hand, and what the text says follows from the figures.
"""

import sys

import measurements
import pages
import strategy_answers
from measurements import ResultError
from pages import is_power_of_two, microseconds, percent, size, table
from plots import Series, line_plot
from strategy_run import ALGORITHMS, FINISHES, SCHEDULES, StrategyRun, gigabytes, in_words, limit_bandwidth, parts_of

TITLE = """# The strategies of the sources, today

Written by `bench/strategy_report.py` from the results beside it; [bench/README.md](../README.md) says how they are
measured, and which command runs each strategy. Random floats, cold: L2 holds neither the input nor dirty lines. The
limit is the fastest kernel of any kind in the run that reads as many bytes, kernels that only read included."""

COLUMNS = """B: threads a block; D: items a data-block; MBPM: resident blocks a multiprocessor; G: blocks of the first
launch. *In flight*: what a multiprocessor can have asked of memory and not yet received, at most. *Turn*: that of all
multiprocessors over the bandwidth, which is the time until a byte's place is asked for again: memory's latency, and all
that the block does in between."""

# Columns of Table I and the counters that they show.
FACTS = {"registers": "registers", "local bytes": "local_bytes", "shared bytes": "shared_bytes", "B": "block_threads",
         "D": "data_block_items", "MBPM": "blocks_per_multiprocessor", "G": "grid_blocks", "launches": "launches"}
# The paper's names for the compositions that it measured; its persistent ones end in a second launch.
PAPER = {"TB2": "tree.multi_pass.none", "TB4-warp": "warp_tree.multi_pass.none", "Matrix": "matrix.multi_pass.none",
         "Persistent Matrix": "matrix.persistent.two_launch", "Diffwarps": "matrix.producer_consumer.two_launch"}
SCHEDULE_COLOURS = dict(zip(SCHEDULES, ("#c8553d", "#2e6f95", "#b58900", "#7b4fa3")))
ALGORITHM_COLOURS = dict(zip(ALGORITHMS, ("#c8553d", "#b58900", "#2e6f95", "#7b4fa3")))
DEFAULT, LIMIT = "#0b6e4f", "#7a7a8c"


def features_table(run):
    """The paper's Table I, of all compositions."""
    sums = {g.items: g for g in run.run.select("strategies", operator="plus")}.get(run.table.items)
    rows = []
    for name in run.compositions():
        row = [f"`{name}`", *(f"{run.fact(name, key):,.0f}" for key in FACTS.values()),
               percent(run.fact(name, "occupancy"), 0), f"{run.fact(name, 'bytes_in_flight') / 1024:.0f}",
               f"{run.turn_ns(name, run.table):.0f}", gigabytes(run.table, name), percent(run.share_of_limit(name))]
        rows.append(row + ([gigabytes(sums, name)] if sums else []))
    header = ["composition", *FACTS, "occupancy", "KiB in flight", "turn, ns", "GB/s", "of the limit"]
    return table(header + (["sum: GB/s"] if sums else []), rows)


def bandwidth_table(groups, columns):
    """GB/s over N; `columns` are titles and contenders."""
    present = {title: name for title, name in columns.items() if all(name in g.seconds for g in groups)}
    rows = [[size(g.items), *(gigabytes(g, name) for name in present.values()), f"{limit_bandwidth(g):.0f}"]
            for g in groups]
    return table(["items", *present, "limit"], rows)


def finishes_table(run):
    """What each finish costs, on persistent blocks, where it shows most."""
    algorithm = parts_of(run.best(schedule="persistent"))[0]
    names = {finish: f"{algorithm}.persistent.{finish}" for finish in FINISHES}
    names = {finish: name for finish, name in names.items() if name in run.compositions()}
    rows = [[size(g.items), *(microseconds(g.seconds[name]) for name in names.values())]
            for g in run.groups if is_power_of_two(g.items) and g.items.bit_length() % 4 == 3]
    return f"`{algorithm}.persistent`, µs:\n\n" + table(["items", *names], rows)


def best_of_each(run, kind, parts):
    """Part -> the best composition with it; `kind` is schedule or algorithm."""
    found = {part: run.best(**{kind: part}) for part in parts}
    return {part: name for part, name in found.items() if name}


def plot(run, kind, colours):
    groups = [g for g in run.groups if is_power_of_two(g.items) and g.items >= 1 << 12]
    series = [Series("limit", LIMIT, [(g.items, limit_bandwidth(g)) for g in groups], "6 4")]
    for part, name in best_of_each(run, kind, colours).items():
        series.append(Series(in_words(part), colours[part], [(g.items, g.bandwidth(name)) for g in groups]))
    series.append(Series("default", DEFAULT, [(g.items, g.bandwidth("warpfold")) for g in groups]))
    return line_plot(f"Minimum of floats, cold: the best of each {kind}, {run.device}", "GB/s", series)


def plots(run):
    """File name -> document."""
    stem = f"strategies-{measurements.slug(run.device)}"
    return {f"{stem}-schedules.svg": plot(run, "schedule", SCHEDULE_COLOURS),
            f"{stem}-algorithms.svg": plot(run, "algorithm", ALGORITHM_COLOURS)}


def section(run):
    """One device's part of the page."""
    powers = [g for g in run.groups if is_power_of_two(g.items) and g.items.bit_length() % 2 == 1]
    best = {f"`{name}`": name for name in best_of_each(run, "schedule", SCHEDULES).values()}
    first, second = plots(run)
    return "\n\n".join([
        f"## {run.device}", pages.heading(run.run.context) + " Medians; all contenders take turns on the same data.",
        "### The paper's questions", strategy_answers.answers(run),
        "### Bandwidth over N", "The best composition of each schedule, float minimum, GB/s. "
        f"*Default* is `warpfold::reduce` without a strategy. Best: over {run.paper_in_words()}.",
        f"![Bandwidth of the best of each schedule]({first})", f"![Bandwidth of the best of each algorithm]({second})",
        bandwidth_table(powers, {**best, "default": "warpfold"}),
        "### The paper's five, at the paper's sizes",
        "Float minimum, GB/s, N = m · 2^20; the best of today beside them.",
        bandwidth_table(run.paper, {**PAPER, f"`{run.best()}`": run.best(), "default": "warpfold"}),
        "### Finishes", finishes_table(run),
        "### Table I", f"All compositions, float minimum over {size(run.table.items)} items. {COLUMNS}",
        features_table(run)])


def documents(results):
    """Path -> content of everything that is written."""
    runs = [StrategyRun(measurements.read_run(path)) for path in sorted(results.glob("strategies-*.json"))]
    if not runs:
        raise ResultError(f"{results}: no strategies-*.json")
    written = {results / name: document for run in runs for name, document in plots(run).items()}
    return {**written, results / "strategies.md": "\n\n".join([TITLE, *map(section, runs)]) + "\n"}


def main(arguments=None):
    options = pages.argument_parser(__doc__).parse_args(arguments)

    def run():
        pages.keep_added(options)
        return pages.write_or_check(documents(options.results), options.check)

    return pages.exit_status("strategy_report.py", run)


if __name__ == "__main__":
    sys.exit(main())

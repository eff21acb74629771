#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns kept benchmark results into the README's tables and the plots beside the results.

  report.py --add raw.json ...   keep the raw output of a benchmark run, then write
  report.py                      write README tables and plots from the kept results
  report.py --check              exit 1 if README or plots differ from what would be written
  report.py --show               print the tables of the kept results, write nothing

Needs python3 and nothing else. No figure in the tables or plots is typed by hand.
"""

import sys
from pathlib import Path

import measurements
import pages
from bars import Bar, bars_table
from measurements import Group, ResultError
from pages import heading, is_power_of_two, microseconds, percent, ratio, size, table
from plots import Series, line_plot

BEGIN, END = "<!-- reduce-table:begin -->", "<!-- reduce-table:end -->"
SUM_BITS = (8, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)  # sizes of the float sum's table
LATENCY_BITS = (4, 8, 12, 16, 20, 24)
EQUAL_BYTES = 1 << 30  # where types and operators are compared; whole items, so a few bytes less for some
WARPFOLD, CUB, LIMIT = "#0b6e4f", "#c8553d", "#7a7a8c"


def sum_table(run):
    groups = [g for g in run.select() if g.items in [1 << bits for bits in SUM_BITS]]
    rows = [[size(g.items), microseconds(g.seconds["warpfold"]), microseconds(g.seconds.get("cub")),
             ratio(g.speed_up("cub")), f"{g.bandwidth('warpfold'):.0f}", percent(g.share_of_limit())] for g in groups]
    return table(["items", "Warpfold µs", "CUB µs", "times as fast", "Warpfold GB/s", "of the limit"], rows)


def latency_table(run):
    modes = {mode: {g.items: g for g in run.select(mode=mode)} for mode in ("graph", "enqueue", "wait")}
    rows = []
    for items in [1 << bits for bits in LATENCY_BITS]:
        row = [size(items)]
        for mode, groups in modes.items():
            names = ("warpfold", "cub") if mode == "graph" else ("warpfold", "cub", "empty_kernel")
            row += [microseconds(groups[items].seconds.get(name)) if items in groups else "" for name in names]
        if any(row[1:]):
            rows.append(row)
    return table(["items", "graph: Warpfold", "CUB", "enqueue: Warpfold", "CUB", "empty kernel", "wait: Warpfold",
                  "CUB", "empty kernel"], rows)


def at_equal_bytes(run):
    """The groups of every type and operator that miss EQUAL_BYTES by two items at most: full, one short, misaligned."""
    return [g for g in run.groups if g.mode == "cold" and "warpfold" in g.seconds
            and 0 <= EQUAL_BYTES - g.bytes <= 2 * g.item_bytes()]


def largest_of_each_kind(groups):
    """(type, operator) -> the group of most items, in the order of the file."""
    chosen = {}
    for g in groups:
        kind = (g.item_type, g.operator)
        chosen[kind] = max(chosen.get(kind, g), g, key=lambda h: h.items)
    return chosen


def over_float_sum(g):
    """Bandwidth over that of Warpfold's aligned float sum of as many bytes, in the same rounds."""
    return g.speed_up("float_plus") or (1.0 if (g.item_type, g.operator, g.offset) == ("float", "plus", 0) else None)


def types_table(run):
    misaligned = largest_of_each_kind(g for g in at_equal_bytes(run) if g.offset)
    rows = []
    for kind, g in largest_of_each_kind(g for g in at_equal_bytes(run) if not g.offset).items():
        shifted = over_float_sum(misaligned[kind]) if kind in misaligned else None
        rows.append([kind[0], kind[1].replace("_", " "), str(g.item_bytes()), f"{g.bandwidth('warpfold'):.0f}",
                     percent(g.share_of_limit()), ratio(over_float_sum(g)), ratio(shifted), ratio(g.speed_up("cub"))])
    return table(["type", "operator", "item bytes", "GB/s", "of the limit", "over float sum",
                  "misaligned, over float sum", "times as fast as CUB"], rows)


def bars(run, compile_times):
    """The performance bars of the design, each with its worst case."""
    cold = [g for g in run.select() if is_power_of_two(g.items)]

    def cases(groups, value):
        return [(v, size(g.items)) for g in groups for v in [value(g)] if v is not None]

    def over_cub(low, high, groups):
        return cases([g for g in groups if low <= g.items <= high], lambda g: g.speed_up("cub"))

    large = [g for g in cold if g.items >= 1 << 24]
    graph, enqueue, wait = (run.select(mode=mode) for mode in ("graph", "enqueue", "wait"))
    equal = [(over_float_sum(g), f"{g.item_type} {g.operator}, {size(g.items)}{', misaligned' if g.offset else ''}",
              g.item_bytes()) for g in at_equal_bytes(run) if over_float_sum(g) is not None]
    found = [
        Bar("float sum, 2^24 items and more, cold, share of the limit", 0.98, cases(large, Group.share_of_limit)),
        Bar("the same, times as fast as CUB", 1.0, over_cub(1 << 24, 1 << 62, cold)),
        Bar("float sum, 2^14 to 2^22, cold, times as fast as CUB", 1.15, over_cub(1 << 14, 1 << 22, cold)),
        Bar("float sum, below 2^14, cold, times as fast as CUB", 1.0, over_cub(1, (1 << 14) - 1, cold)),
        Bar("float sum, replayed in a graph, times as fast as CUB", 0.99, over_cub(1, 1 << 62, graph)),
        Bar("host time to enqueue, over an empty kernel", 1.2,
            [(1 / v, where) for v, where in cases(enqueue, lambda g: g.speed_up("empty_kernel"))], True),
        Bar("call and wait, 2^16, times as fast as CUB", 1.25, over_cub(1 << 16, 1 << 16, wait)),
        Bar("any operator, aligned or not, item sizes 1 to 16, 1 GiB, over float sum", 0.97,
            [(v, where) for v, where, item_bytes in equal if is_power_of_two(item_bytes)]),
        Bar("the same, 12-byte items", 0.90, [(v, where) for v, where, item_bytes in equal if item_bytes == 12]),
        Bar("compile time of one float sum, over CUB's", 0.6, compile_times, True),
    ]
    return [bar for bar in found if bar.cases]


def section(run, compile_times, plot_directory):
    """One device's part of the README."""
    where = heading(run.context, f"CUB {run.context.get('cub', '?')}")
    parts = [where + " Medians of one run; contenders take turns on the same random data."]
    device = measurements.slug(run.context.get("device", "unknown"))
    if run.select():
        parts += [f"![Bandwidth over the number of items]({plot_directory}/reduce-{device}-bandwidth.svg)",
                  f"![Time over the number of items]({plot_directory}/reduce-{device}-latency.svg)",
                  "Float sum, cold: L2 holds neither the input nor dirty lines. The limit is the fastest kernel of any "
                  "kind in the run that reads as many bytes, kernels that only read included.", sum_table(run)]
    if any(run.select(mode=mode) for mode in ("graph", "enqueue", "wait")):
        parts += ["Float sum, µs a call: replayed in a graph of 20 calls; host time to enqueue; call and wait for the "
                  "value.", latency_table(run)]
    if at_equal_bytes(run):
        parts += ["Other types and operators at 1 GiB, cold.", types_table(run)]
    if bars(run, compile_times):
        parts += ["What must hold, and its worst case in this run.", bars_table(bars(run, compile_times))]
    return "\n\n".join(parts)


def plots(run):
    """File name -> document."""
    device = run.context.get("device", "unknown device")
    cold = [g for g in run.select() if is_power_of_two(g.items)]
    graph = [g for g in run.select(mode="graph") if is_power_of_two(g.items)]
    if not cold:
        return {}

    def points(groups, name, value, smallest=0, largest=1 << 62):
        return [(g.items, value(g)) for g in groups
                if (name in g.seconds or name == "limit") and smallest <= g.items <= largest]

    def microseconds_of(name):
        return lambda g: 1e6 * (g.limit_seconds() if name == "limit" else g.seconds[name])

    def bandwidth_of(name):
        return lambda g: g.bytes / (g.limit_seconds() if name == "limit" else g.seconds[name]) * 1e-9

    def bandwidth_points(name):
        return points(cold, name, bandwidth_of(name), smallest=1 << 12)  # below, launches are all there is

    def time_points(groups, name):
        return points(groups, name, microseconds_of(name), largest=1 << 24)  # above, bandwidth is all there is

    bandwidth = [Series("limit", LIMIT, bandwidth_points("limit"), "6 4"), Series("CUB", CUB, bandwidth_points("cub")),
                 Series("Warpfold", WARPFOLD, bandwidth_points("warpfold"))]
    latency = [Series("limit", LIMIT, time_points(cold, "limit"), "6 4"), Series("CUB", CUB, time_points(cold, "cub")),
               Series("Warpfold", WARPFOLD, time_points(cold, "warpfold")),
               Series("CUB, in a graph", CUB, time_points(graph, "cub"), "2 3"),
               Series("Warpfold, in a graph", WARPFOLD, time_points(graph, "warpfold"), "2 3")]
    stem = f"reduce-{measurements.slug(device)}"
    return {f"{stem}-bandwidth.svg": line_plot(f"Sum of floats, cold: bandwidth, {device}", "GB/s", bandwidth),
            f"{stem}-latency.svg": line_plot(f"Sum of floats: time of one call, {device}", "µs", latency, True)}


def read_compile_times(results):
    """[(Warpfold's seconds over CUB's, compiler)], or [] where they were not measured."""
    path = results / "compile-time.json"
    if not path.exists():
        return []
    document = measurements.read_json(path)
    seconds = {entry["name"].split("/")[-1]: entry["real_time"] for entry in document["benchmarks"]}
    return [(seconds["warpfold"] / seconds["cub"], f"nvcc {document['context'].get('nvcc', '?')}")]


def documents(results, readme):
    """Path -> content of everything that is written."""
    runs = [measurements.read_run(path) for path in sorted(results.glob("reduce-*.json"))]
    if not runs:
        raise ResultError(f"{results}: no reduce-*.json")
    compile_times = read_compile_times(results)
    plot_directory = pages.relative_folder(results, readme)
    content = "\n\n".join(section(run, compile_times, plot_directory) for run in runs)
    written = {results / name: document for run in runs for name, document in plots(run).items()}
    return {**written, readme: pages.with_content(readme, BEGIN, END, content)}


def show(results):
    compile_times = read_compile_times(results)
    for path in sorted(results.glob("reduce-*.json")):
        run = measurements.read_run(path)
        print(f"{path.name}\n\n{section(run, compile_times, results.as_posix())}\n")


def main(arguments=None):
    parser = pages.argument_parser(__doc__)
    parser.add_argument("--show", action="store_true", help="print the tables, write nothing but what --add keeps")
    parser.add_argument("--readme", type=Path, default=pages.BENCH.parent / "README.md")
    options = parser.parse_args(arguments)

    def run():
        pages.keep_added(options)
        if options.show:
            show(options.results)
            return 0
        return pages.write_or_check(documents(options.results, options.readme), options.check)

    return pages.exit_status("report.py", run)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns kept results of segmented_reduce_bench into the README's table, results/segmented_reduce.md and its plots.

  segmented_report.py --add raw.json ...   keep the raw output of a run as results/segmented_reduce-<device>.json, write
  segmented_report.py                      write README table, page and plots from the kept results
  segmented_report.py --check              exit 1 if they differ from what would be written

Needs python3 and nothing else. No figure is typed by hand.
"""

import sys
from pathlib import Path

import measurements
import pages
from bars import bars_table
from measurements import ResultError
from pages import heading, microseconds, percent, ratio, size, table
from plots import Series, line_plot
from segmented_run import (MAIN_ITEMS, SegmentedRun, floor_seconds, form_in_words, held_items, in_words, is_equal_lengths,
                           mean_length, over_best_cub, over_neighbours, seconds, seconds_a_byte, segment_count)

TITLES = {"warpfold": "Warpfold", "cub_segmented": "CUB segmented", "cub_by_key": "CUB by key"}
COLOURS = {"warpfold": "#0b6e4f", "cub_segmented": "#c8553d", "cub_by_key": "#b58900"}
FLOOR = "#7a7a8c"

TITLE = """# Segmented reduction

Written by `bench/segmented_report.py` from the results beside it; [bench/README.md](../README.md) says how they are
measured. Random items, cold: L2 holds neither the input nor dirty lines. *Floor*: the fastest of the kernels that read
and write the same bytes and reduce nothing. *Limit*: the fastest of all contenders of that input, reducers included."""


def mean_in_words(length):
    return "" if length is None else f"{length:,.0f}" if length >= 100 else f"{length:.3g}"


def sums_table(run, items=MAIN_ITEMS):
    rows = [[in_words(g.segments), mean_in_words(mean_length(g)), f"{segment_count(g):,}",
             *(microseconds(g.seconds.get(name)) for name in run.contenders), microseconds(floor_seconds(g)),
             percent(g.share_of_limit()), ratio(over_best_cub(g))] for g in run.sums(items)]
    return table([f"{run.part}s", "mean length", "how many", *(f"{TITLES[name]} µs" for name in run.contenders),
                  "floor µs", "of the limit", "times as fast as the best of CUB"], rows)


def forms_table(run):
    by_form = {form: {g.segments: g for g in run.sums(form=form)} for form in run.forms()}
    columns = [f"{form_in_words(form)}: {what}" for form in by_form for what in ("µs", "of the limit")]
    rows = []
    for segments in dict.fromkeys(name for groups in by_form.values() for name in groups):
        row = [in_words(segments)]
        for groups in by_form.values():
            g = groups.get(segments)
            row += [microseconds(seconds(g)), percent(g.share_of_limit())] if g else ["", ""]
        rows.append(row)
    return table([f"{run.part}s", *columns], rows)


def kinds_table(run):
    kinds = run.kinds()
    sums = {g.segments: g for g in run.sums()}
    rows = []
    for segments in dict.fromkeys(name for groups in kinds.values() for name in groups):
        row = [in_words(segments), percent(sums[segments].share_of_limit()) if segments in sums else ""]
        for groups in kinds.values():
            g = groups.get(segments)
            row += [percent(g.share_of_limit()), ratio(run.over_float(g))] if g else ["", ""]
        rows.append(row)
    names = [f"{item_type} {operator.replace('_', ' ')}" for item_type, operator in kinds]
    return table([f"{run.part}s", "float plus: of the limit",
                  *(f"{name}: {what}" for name in names for what in ("of the limit", "over float"))], rows)


def fixed_length_table(run):
    lengths = run.fixed_lengths()
    groups = list(lengths.values())
    beside = zip(over_neighbours(groups, seconds), over_neighbours(groups, seconds_a_byte))
    rows = [[str(length), f"{segment_count(g):,}", microseconds(seconds(g)), microseconds(floor_seconds(g)),
             percent(g.share_of_limit()), *map(ratio, ratios)] for (length, g), ratios in zip(lengths.items(), beside)]
    return table(["length", "segments", "Warpfold µs", "floor µs", "of the limit", "time over a neighbour's",
                  "time a byte over a neighbour's"], rows)


def below_aim(run):
    """Which of the main table's rows miss the aim."""
    below = [f"{in_words(g.segments)} ({percent(g.share_of_limit())})" for g in run.sums()
             if g.share_of_limit() < run.limit_aim]
    return f"Below the aim of {percent(run.limit_aim, 0)} of the limit: {', '.join(below) or 'none'}."


def bars_section(run):
    found = run.bars()
    missing = [bar.case for bar in found if not bar.cases]
    fixed = f" and {len(run.fixed_lengths())} fixed lengths" if run.fixed_lengths() else ""
    parts = [f"Over {len(run.sums())} kinds of {run.part}s{fixed}.", bars_table([bar for bar in found if bar.cases])]
    if missing:
        parts.append(f"Not measured in this run: {'; '.join(missing)}.")
    return "\n\n".join(parts)


def cub_version(run):
    return f"CUB {run.run.context.get('cub', '?')}"


def section(run):
    """One device's part of the page."""
    form = form_in_words(run.all_forms[0])
    parts = [f"## {run.device}", heading(run.run.context, cub_version(run)) + " Medians; all contenders of one input "
             "take turns on the same data.", *(f"![{title}]({name})" for name, (title, _) in plots(run).items()),
             "### What must hold, and its worst case", bars_section(run)]
    if run.sums() and run.limit_aim:
        parts.append(below_aim(run))
    for items in run.sizes():
        if items != MAIN_ITEMS:
            parts += [f"### {size(items)} items", f"Float sums, {form}.", sums_table(run, items)]
    if len(run.forms()) > 1:
        parts += [f"### {run.forms_title}", f"Float sums, {size(MAIN_ITEMS)} items, each by its own limit.",
                  forms_table(run)]
    if run.kinds():
        parts += ["### Types and operators", f"{form.capitalize()}. *Over float*: the share of the limit over that of "
                  f"the float sum of {size(MAIN_ITEMS)} items, same lengths of {run.part}s.", kinds_table(run)]
    if run.fixed_lengths():
        parts += ["### Fixed lengths", f"Float sums, {size(MAIN_ITEMS)} items, whole segments. The neighbour is the "
                  "faster of the lengths above and below in this table; shorter segments write more results for as "
                  "many items, so the last column compares the time a byte.", fixed_length_table(run)]
    return "\n\n".join(parts)


def readme_section(run, folder):
    """One device's part of the README."""
    parts = [heading(run.run.context, cub_version(run)) + f" Float sums of at most {size(MAIN_ITEMS)} items, "
             f"{form_in_words(run.all_forms[0])}, cold."]
    images = [f"![{title}]({folder}/{name})" for name, (title, _) in plots(run).items() if name.endswith("-time.svg")]
    if run.sums():
        parts += [*images, "*Floor*: a kernel that reads and writes the same bytes and reduces nothing; the limit is "
                  "the fastest of all contenders.", sums_table(run)]
    return "\n\n".join(parts)


def time_plot(run):
    """A line for each contender over segments of equal length, and dots for others that hold as many items."""
    equal = [g for g in run.sums() if is_equal_lengths(g)]
    others = [g for g in run.sums() if not is_equal_lengths(g) and held_items(g) == MAIN_ITEMS]

    def points(groups, value):
        found = sorted((mean_length(g), value(g)) for g in groups if value(g) is not None)
        return [(length, 1e6 * t) for length, t in found]

    def series(label, colour, value, dash=""):
        return Series(label, colour, points(equal, value), dash, points(others, value))

    contenders = [series(title, COLOURS[name], lambda g, name=name: g.seconds.get(name))
                  for name, title in reversed(TITLES.items())]
    return line_plot(f"{run.title} of {size(MAIN_ITEMS)} floats, cold: time, {run.device}", "µs",
                     [series("floor", FLOOR, floor_seconds, "6 4"), *contenders], True,
                     f"mean length of a {run.part} (lines: equal lengths; dots: others)")


def fixed_length_plot(run):
    def shares(name):
        return [(length, 100 * g.limit_seconds() / g.seconds[name]) for length, g in run.fixed_lengths().items()
                if name in g.seconds]

    return line_plot(f"Segments of one fixed length, sum of {size(MAIN_ITEMS)} floats, cold: {run.device}",
                     "% of the limit", [Series(title, COLOURS[name], shares(name)) for name, title in TITLES.items()],
                     x_label="length of a segment")


def plots(run):
    """File name -> (title, document)."""
    stem = f"{run.function}-{measurements.slug(run.device)}"
    found = {}
    if any(is_equal_lengths(g) for g in run.sums()):
        found[f"{stem}-time.svg"] = (f"Time over the mean length of a {run.part}", time_plot(run))
    if run.fixed_lengths():
        found[f"{stem}-fixed-length.svg"] = ("Share of the limit over the fixed length", fixed_length_plot(run))
    return found


def documents(results, readme, kind, title):
    """Path -> content of everything that is written of runs of one kind."""
    runs = [kind(measurements.read_run(path)) for path in sorted(results.glob(f"{kind.function}-*.json"))]
    if not runs:
        raise ResultError(f"{results}: no {kind.function}-*.json")
    folder, page = pages.relative_folder(results, readme), f"{kind.function}.md"
    parts = [readme_section(run, folder) for run in runs]
    parts.append(f"Other sizes, {kind.forms_title.lower()}, types and lengths, and what must hold: "
                 f"[{page}]({folder}/{page}).")
    written = {results / name: document for run in runs for name, (_, document) in plots(run).items()}
    return {**written, results / page: "\n\n".join([title, *map(section, runs)]) + "\n",
            readme: pages.with_content(readme, *kind.markers, "\n\n".join(parts))}


def main(arguments=None, kind=SegmentedRun, title=TITLE, program="segmented_report.py", description=__doc__):
    parser = pages.argument_parser(description)
    parser.add_argument("--readme", type=Path, default=pages.BENCH.parent / "README.md")
    options = parser.parse_args(arguments)

    def run():
        pages.keep_added(options)
        return pages.write_or_check(documents(options.results, options.readme, kind, title), options.check)

    return pages.exit_status(program, run)


if __name__ == "__main__":
    sys.exit(main())

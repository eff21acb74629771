#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages and plots of the kept benchmark results: bench/results/*.json -> bench/results/*.md and *.svg.

  report.py                    write every page and plot
  report.py --check            write nothing; exit 1 if a page or plot is not that of the kept results
  report.py --add RAW.json     keep a run's raw JSON of Google Benchmark first; a failed benchmark is refused

Needs pandas, matplotlib and Jinja (Debian: python3-pandas python3-matplotlib python3-jinja2). Sentences about findings stand
in bench/templates, written by people; figures come from here.
"""
import argparse
import json
import re
import sys
from pathlib import Path

import jinja2
import pandas as pd

import plots

BENCH = Path(__file__).resolve().parent
KEPT_CONTEXT = ("date", "device", "compute_capability", "multiprocessors", "l2_bytes", "memory_bus_bits", "memory_clock_mhz",
                "maximum_clock_mhz", "measured_clock_mhz", "cuda_driver", "cuda_runtime", "nvcc", "cub", "commit", "repeats")
DROPPED = ("family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index", "threads",
           "iterations", "cpu_time", "items", "bytes_per_second")
SUFFIX = re.compile(r"(/(iterations:\d+|manual_time|real_time|min_time:[^/]+|repeats:\d+))+$")
GROUP = ["function", "type", "operator", "mode", "items", "offset", "segments", "form", "ranks", "devices", "chunk"]


class ResultError(Exception):
    """A file that does not hold what it should; the message says which and why."""


def count_of(text):
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent) if exponent else int(base)


def split_name(name):
    """reduce/float/plus/items:2^28/offset:1/cub/cold -> its parts; others also have segments:, form: or keys:, and so on."""
    parts = SUFFIX.sub("", name).split("/")
    settings = dict(part.split(":", 1) for part in parts if ":" in part)
    plain = [part for part in parts if ":" not in part]
    if len(plain) != 5 or "items" not in settings:
        raise ResultError(f"cannot take the benchmark name apart: {name}")
    function, item_type, operator, contender, mode = plain
    return {"function": function, "type": item_type, "operator": operator, "mode": mode, "items": count_of(settings["items"]),
            "offset": int(settings.get("offset", 0)), "segments": settings.get("segments", ""),
            "form": settings.get("form", settings.get("keys", "")), "ranks": int(settings.get("ranks", 1)),
            "devices": int(settings.get("devices", 1)), "chunk": settings.get("chunk", ""), "contender": contender}


def read_json(path):
    try:
        document = json.loads(Path(path).read_text())
        return document["context"], document["benchmarks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultError(f"{path}: not the JSON of Google Benchmark: {error}") from error


def keep(raw_paths, results):
    """Merges raw files of one device and commit into the kept files, one a function."""
    contexts, entries = [], {}
    for path in raw_paths:
        context, benchmarks = read_json(path)
        contexts.append({key: context[key] for key in KEPT_CONTEXT if key in context})
        for entry in benchmarks:
            if entry.get("error_occurred"):
                raise ResultError(f"{path}: {entry['name']} failed: {entry.get('error_message', 'no reason given')}")
            name = SUFFIX.sub("", entry["name"])
            split_name(name)
            entries[name] = {"name": name, **{k: v for k, v in entry.items() if k not in DROPPED + ("name",)}}
    for key in ("device", "commit"):
        if len({context.get(key) for context in contexts}) > 1:
            raise ResultError(f"the files differ in {key}; a run is of one {key}")

    def rounded(value):
        return value if not isinstance(value, float) else int(value) if value.is_integer() else float(f"{value:.6g}")
    device = re.sub(r"[^a-z0-9]+", "-", contexts[-1].get("device", "unknown").lower()).strip("-")
    for function in sorted({name.split("/")[0] for name in entries}):
        lines = ",\n".join("  " + json.dumps({k: rounded(v) for k, v in entry.items()})
                           for name, entry in entries.items() if name.startswith(function + "/"))
        (results / f"{function}-{device}.json").write_text(
            f'{{"context": {json.dumps(contexts[-1], indent=1)},\n"benchmarks": [\n{lines}\n]}}\n')


class Run:
    """One kept file: a row for each input, a column for each contender's time in µs. Ratios within a row are fair."""

    def __init__(self, path):
        self.context, benchmarks = read_json(path)
        unit = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
        self.entries = pd.DataFrame([{**entry, **split_name(entry["name"]), "us": entry["real_time"] * unit[entry["time_unit"]]}
                                     for entry in benchmarks])
        rows = self.entries.pivot_table(index=GROUP, columns="contender", values="us", sort=False)
        self.contenders = list(rows.columns)
        rows["limit"] = rows.drop(columns=["empty_kernel", "float_plus"], errors="ignore").min(axis=1)
        floors = [c for c in self.contenders if c.startswith(("read_", "move_"))]
        rows["floor"] = rows[floors].min(axis=1) if floors else float("nan")
        rows["bytes"] = self.entries.groupby(GROUP, sort=False)["bytes"].first()
        cubs = [c for c in self.contenders if c.startswith("cub")]
        rows["best_cub"] = rows[cubs].min(axis=1) if cubs else float("nan")
        if "warpfold" in rows:
            rows["of_limit"] = rows["limit"] / rows["warpfold"]
            rows["over_cub"] = rows["best_cub"] / rows["warpfold"]
            for other in ("float_plus", "empty_kernel", "plain", "plus", "separate"):
                if other in rows:
                    rows["over_" + other] = rows["warpfold"] / rows[other]
            rows["gbs"] = rows["bytes"] / rows["warpfold"] * 1e-3
        if "segments" in benchmarks[0]:
            counts = pd.Series({name: e["segments"] for name, e in
                                ((tuple(split_name(e["name"])[g] for g in GROUP), e) for e in benchmarks)})
            rows["count"] = counts.reindex(rows.index)
            rows["mean"] = rows.index.get_level_values("items") / rows["count"]
        self.rows = rows.reset_index()

    def select(self, **wanted):
        """The rows of an input: cold, no offset, unless said otherwise. A list means any of these."""
        chosen = self.rows
        for column, value in {"mode": "cold", "offset": 0, **wanted}.items():
            chosen = chosen[chosen[column].isin(value if isinstance(value, (list, tuple)) else [value])]
        return chosen.copy()

    def by_contender(self, sizes, *counters, **wanted):
        """A row for each contender of some inputs: its times at `sizes` items, and what is known of its kernel."""
        entries = self.entries
        for column, value in wanted.items():
            entries = entries[entries[column] == value]
        table = entries[entries["items"].isin(sizes)].pivot_table(index="contender", columns="items", values="us", sort=False)
        table.columns = [f"us_{items}" for items in table.columns]
        facts = entries[entries["items"] == sizes[-1]].set_index("contender")[list(counters)] if counters else []
        return (table.join(facts) if counters else table).reset_index().sort_values(f"us_{sizes[-1]}")

    def commit(self):
        return f"commit {self.context['commit'][:12]}"

    def heading(self):
        c = self.context
        return (f"**{c['device']}**, {c['multiprocessors']} multiprocessors, {int(c['l2_bytes']) / 2**20:.0f} MiB of L2, CUDA "
                f"{c['cuda_runtime']}, CUB {c['cub']}, commit {c['commit'][:12]}. Medians of one run; contenders take turns on the "
                "same random data; cold means that L2 holds neither the input nor dirty lines.")


FORMATS = {"us": lambda v: f"{v:.2f}" if v < 100 else f"{v:.1f}", "ratio": lambda v: f"{v:.2f}", "percent": lambda v: f"{100 * v:.1f} %",
           "gbs": lambda v: f"{v:.0f}", "n": lambda v: f"{int(v):,}", "mean": lambda v: f"{v:,.3g}" if v < 100 else f"{v:,.0f}",
           "size": lambda v: f"2^{int(v).bit_length() - 1}" if int(v) & (int(v) - 1) == 0 else f"{int(v):,}",
           "code": lambda v: f"`{v}`", "text": lambda v: str(v).replace("_", " ")}


def markdown(rows, *columns):
    """A table. A column is "heading: name as format"; times (us) are the default format."""
    parsed = [re.fullmatch(r"(.+?): (\w+)(?: as (\w+))?", column).groups() for column in columns]

    def cell(value, form):
        missing = value is None or (isinstance(value, float) and pd.isna(value))
        return "" if missing else FORMATS[form or "us"](value)
    lines = [[heading for heading, _, _ in parsed], ["---"] + ["---:"] * (len(parsed) - 1)]
    lines += [[cell(row.get(name), form) for _, name, form in parsed] for row in rows.to_dict("records")]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bars(*promises):
    """Bounds and their worst cases: (case, must, rows, column), at most for times, at least for all else."""
    lines = ["| case | must | worst | at | |", "| --- | ---: | ---: | ---: | ---: |"]
    for case, must, rows, column, *at_most in promises:
        rows = rows[rows[column].notna()] if column in rows else rows[:0]
        if rows.empty:
            continue
        worst = rows.loc[rows[column].idxmax() if at_most else rows[column].idxmin()]
        met = worst[column] <= must if at_most else worst[column] >= must
        where = " ".join(str(worst[c]).replace("_", " ") for c in ("type", "operator", "segments", "form", "chunk") if worst[c])
        lines.append(f"| {case} | {'≤' if at_most else '≥'} {must:g} | {worst[column]:.3f} | {where}, "
                     f"{FORMATS['size'](worst['items'])} | {'met' if met else '**missed**'} |")
    return "\n".join(lines)


def with_column(rows, key, name, values):
    """The rows with a column of recorded figures, by what `key` says: a column, or several for a tuple."""
    keys = rows[key] if isinstance(key, str) else pd.Series(rows[key].itertuples(index=False, name=None), rows.index, object)
    return rows.assign(**{name: keys.map(values)})


def over(rows, other):
    """The rows with a column over_<other>: how many times as fast as it Warpfold is."""
    return rows.assign(**{"over_" + other: rows[other] / rows["warpfold"]})


def documents(results):
    """Path -> content of every page and plot."""
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(BENCH / "templates"), keep_trailing_newline=True,
                                   undefined=jinja2.StrictUndefined, trim_blocks=True)
    templates.globals.update(markdown=markdown, bars=bars, concat=lambda *frames: pd.concat(frames),
                             with_column=with_column, over=over, GRID=plots.GRID,
                             is_power_of_two=lambda n: n & (n - 1) == 0)
    written = {}
    for template in sorted((BENCH / "templates").glob("*.md.j2")):
        name = template.name.removesuffix(".md.j2")
        for path in sorted(results.glob(f"{name}-*.json")):
            run = Run(path)

            def kept(function, device=path.stem.removeprefix(name)):
                """Another function's run on the same device, or None."""
                other = results / f"{function}{device}.json"
                return Run(other) if other.exists() else None
            written.update({results / f"{path.stem}-{plot}.svg": svg for plot, svg in plots.of(name, run).items()})
            written[results / f"{name}.md"] = templates.get_template(template.name).render(run=run, stem=path.stem, kept=kept)
    return written


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", nargs="+", metavar="RAW", help="raw JSON of one run on one device, to keep")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=Path, default=BENCH / "results")
    options = parser.parse_args(arguments)
    try:
        if options.add:
            keep(options.add, options.results)
        stale = {path: text for path, text in documents(options.results).items() if not path.exists() or path.read_text() != text}
    except ResultError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    for path, text in stale.items():
        print(f"{'out of date' if options.check else 'wrote'}: {path}")
        if not options.check:
            path.write_text(text)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

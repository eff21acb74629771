#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the ladder with --csv and, on a GPU, --plot, and checks that both files can be read, agree and add up.

usage: check_outputs.py --gpu|--emulator PROGRAM --type TYPE --items N [further arguments for the program]

In the emulator no value that comes from a time may be there, in the table or in the file.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RUNGS = {"003, lecture slides": 10, "001, course note": 2, "004, Harris": 7,
         "002, Faster Parallel Reductions on Kepler": 7, "Warpfold": 1, "CPU baselines": 2}
ITEM_BYTES = {"int": 4, "float": 4, "double": 8}


def close(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-6)


FIGURES = ("time_ms", "bandwidth_gb_s", "step_speedup", "cumulative_speedup", "speedup_to_reduction", "share_of_limit")


def run_ladder(program, arguments, draw):
    """Its output, the rows of the CSV file and the texts of the plot."""
    with tempfile.TemporaryDirectory() as folder:
        table, plot = pathlib.Path(folder, "ladder.csv"), pathlib.Path(folder, "ladder.svg")
        run = subprocess.run([program, *arguments, "--csv", str(table), *(["--plot", str(plot)] if draw else [])],
                             capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [e.text for e in xml.etree.ElementTree.parse(plot).iter() if e.tag.endswith("text")] if draw else []
    return run.stdout, rows, texts


def check_figures(rows, texts, items, item_bytes):
    times = {row["rung"]: float(row["time_ms"]) for row in rows}
    for row in rows:
        name = row["rung"]
        assert times[name] > 0
        assert close(row["bandwidth_gb_s"], items * item_bytes / times[name] * 1e-6), name
        assert 0 < float(row["share_of_limit"]) <= 1 or name.startswith("cpu"), name
        assert name in texts, f"{name} is not in the plot"
        if row["speedup_to_reduction"]:
            assert close(row["speedup_to_reduction"], times["shared"] / times[name]), name
    by_name = {row["rung"]: row for row in rows}
    assert close(by_name["anti-divergence"]["step_speedup"], times["shared"] / times["anti-divergence"])
    assert close(by_name["harris-7"]["cumulative_speedup"], times["harris-1"] / times["harris-7"])
    assert close(by_name["warpfold"]["cumulative_speedup"], times["atomic-global"] / times["warpfold"])


def check_no_figures(output, rows):
    for row in rows:
        assert not any(row[name] for name in FIGURES), row
    for word in ("%", "GB/s", " ms", "step", "Limit:"):
        assert word not in output, f"the emulator has no '{word}'"
    assert "times say nothing about a GPU" in output


def main():
    backend, program, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    on_gpu = {"--gpu": True, "--emulator": False}[backend]
    kind = arguments[arguments.index("--type") + 1]
    items = int(arguments[arguments.index("--items") + 1])
    output, rows, texts = run_ladder(program, arguments, draw=on_gpu)

    counts = {}
    for row in rows:
        counts[row["source"]] = counts.get(row["source"], 0) + 1
    assert counts == RUNGS, counts

    for row in rows:
        name = row["rung"]
        assert None not in row and None not in row.values(), f"{name}: a field too many or too few"
        assert row["result"] == "right", f"{name}: {row['result']}"
        assert row["type"] == kind and int(row["items"]) == items
        assert row["emulated"] == ("no" if on_gpu else "yes")
        assert f" {name} " in output, f"{name} is not in the table"
    assert {row["rung"]: row for row in rows}["harris-2"]["needs_commutativity"] == "-"
    if on_gpu:
        check_figures(rows, texts, items, ITEM_BYTES[kind])
    else:
        check_no_figures(output, rows)
    print(f"{len(rows)} rungs, all right; what was written agrees with the table")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the ladder with --csv and --plot and checks that both files can be read, agree and add up.

usage: check_outputs.py PROGRAM --type TYPE --items N [further arguments for the program]
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


def main():
    program, arguments = sys.argv[1], sys.argv[2:]
    kind = arguments[arguments.index("--type") + 1]
    items = int(arguments[arguments.index("--items") + 1])
    with tempfile.TemporaryDirectory() as folder:
        table, plot = pathlib.Path(folder, "ladder.csv"), pathlib.Path(folder, "ladder.svg")
        run = subprocess.run([program, *arguments, "--csv", str(table), "--plot", str(plot)],
                             capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        texts = [e.text for e in xml.etree.ElementTree.parse(plot).iter() if e.tag.endswith("text")]

    counts = {}
    for row in rows:
        counts[row["source"]] = counts.get(row["source"], 0) + 1
    assert counts == RUNGS, counts

    times = {row["rung"]: float(row["time_ms"]) for row in rows}
    for row in rows:
        name = row["rung"]
        assert None not in row and None not in row.values(), f"{name}: a field too many or too few"
        assert row["result"] == "right", f"{name}: {row['result']}"
        assert row["type"] == kind and int(row["items"]) == items
        assert times[name] > 0
        assert close(row["bandwidth_gb_s"], items * ITEM_BYTES[kind] / times[name] * 1e-6), name
        assert 0 < float(row["share_of_limit"]) <= 1 or name.startswith("cpu"), name
        assert name in texts, f"{name} is not in the plot"
        assert f" {name} " in run.stdout, f"{name} is not in the table"
        if row["speedup_to_reduction"]:
            assert close(row["speedup_to_reduction"], times["shared"] / times[name]), name
    by_name = {row["rung"]: row for row in rows}
    assert close(by_name["anti-divergence"]["step_speedup"], times["shared"] / times["anti-divergence"])
    assert close(by_name["harris-7"]["cumulative_speedup"], times["harris-1"] / times["harris-7"])
    assert close(by_name["warpfold"]["cumulative_speedup"], times["atomic-global"] / times["warpfold"])
    assert by_name["harris-2"]["needs_commutativity"] == "-"
    emulated = rows[0]["emulated"] == "yes"
    assert emulated == ("times mean nothing" in run.stdout), "the emulator must say so, and only it"
    print(f"{len(rows)} rungs, all right; the CSV file and the plot agree with the table")


main()

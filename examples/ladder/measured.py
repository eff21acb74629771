#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the section "Measured" of the ladder's README from the files that a GPU run left, so that no number is typed.

LADDER.csv is what `ladder --csv` wrote, PLOT.svg what --plot wrote (it is linked, not read), NCU.csv what ncu printed
with the options that --ncu-options shows. The section replaces the one that is there, or is added at the end.
"""
import argparse
import csv
import os
import pathlib
import re
import sys

HEADING = "## Measured"
# What ncu counts, in the columns' order.
NCU_COLUMNS = {
    "smsp__thread_inst_executed_per_inst_executed.ratio": "threads an instruction, of 32",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio": "not predicated off",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "shared-memory bank conflicts",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors a global load",
    "smsp__inst_executed.sum": "warp instructions",
    "lts__t_sectors_op_red.sum": "L2 sectors of atomics",
}

# The clocks are left alone, and names keep their template arguments: they tell the finishes and the loads apart.
NCU_OPTIONS = f"--csv --clock-control none --print-kernel-base demangled --metrics {','.join(NCU_COLUMNS)}"
COMMANDS = """```
ladder --csv ladder.csv --plot ladder.svg
ncu $(examples/ladder/measured.py --ncu-options) ladder --runs 1 > ncu.csv
```"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def speed_up(text):
    return f"{float(text):.2f}" if text else ""


def ladder_table(rows):
    bodies = []
    for source in dict.fromkeys(row["source"] for row in rows):
        group = [row for row in rows if row["source"] == source]
        bodies += [f"**{source}**", ""]
        bodies += table(
            ["rung", "commutativity", "time, ms", "GB/s", "step", "cumulative", "to `shared`", "share of the limit"],
            [[f"`{row['rung']}`" + (f" = `{row['same_kernel_as']}`" if row["same_kernel_as"] else ""),
              row["needs_commutativity"], f"{float(row['time_ms']):.4g}", f"{float(row['bandwidth_gb_s']):.4g}",
              speed_up(row["step_speedup"]), speed_up(row["cumulative_speedup"]),
              speed_up(row["speedup_to_reduction"]), f"{100 * float(row['share_of_limit']):.1f} %"]
             for row in group])
    return bodies


def short_name(demangled):
    """`void ladder::two_pass<ladder::vector_loads, float>(const T2 *, ...)` is two_pass<vector_loads>."""
    name = re.sub(r"^void |\(.*$", "", demangled.replace("(unsigned int)", ""), flags=re.S)
    if not name.startswith("ladder::"):
        return re.sub(r"<.*", "", name)
    name = name.replace("ladder::", "")
    return re.sub(r"(, |<)(int|float|double)>$", lambda end: ">" if end[1] == ", " else "", name)


def read_ncu(path):
    """The metrics of the first launch of each kernel. ncu prints lines of its own, and the program's, around them."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        first = kernels.setdefault(short_name(row["Kernel Name"]), {"ID": row["ID"]})
        if first["ID"] == row["ID"]:
            first[row["Metric Name"]] = row["Metric Value"]
    return kernels


def ncu_table(kernels):
    columns = [metric for metric in NCU_COLUMNS if any(metric in counted for counted in kernels.values())]
    return table(["kernel", *(NCU_COLUMNS[metric] for metric in columns)],
                 [[f"`{name}`", *(counted.get(metric, "") for metric in columns)] for name, counted in kernels.items()])


def section(arguments):
    with open(arguments.csv, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{arguments.csv}: no rungs")
    wrong = [row["rung"] for row in rows if row["result"] != "right"]
    if wrong:
        sys.exit(f"{arguments.csv}: wrong results: {', '.join(wrong)}")
    if any(row["emulated"] != "no" for row in rows):
        sys.exit(f"{arguments.csv}: from the emulator, whose times mean nothing")
    first = rows[0]
    lines = [HEADING, "", f"{first['device']}, {int(first['items']):,} items of type {first['type']} "
             f"({first['array']}), written by `measured.py` from what these left:", "", COMMANDS, ""]
    if arguments.plot:
        link = os.path.relpath(arguments.plot, pathlib.Path(arguments.readme).resolve().parent)
        lines += [f"![bandwidth of every rung]({link})", ""]
    kernels = read_ncu(arguments.ncu) if arguments.ncu else {}
    lines += ["### Step by step", "", *ladder_table(rows)]
    if kernels:
        lines += ["### Counters", "", "What ncu counted in the first launch of each kernel. Bank conflicts hold a rest "
                  "of other traffic through the L1 cache, which kernels without conflicts have, too.", "",
                  *ncu_table(kernels)]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?")
    parser.add_argument("--ncu", metavar="NCU.csv")
    parser.add_argument("--plot", metavar="PLOT.svg")
    parser.add_argument("--readme", default=str(pathlib.Path(__file__).resolve().parent / "README.md"))
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the README would change")
    parser.add_argument("--ncu-options", action="store_true", help="print the options for ncu and stop")
    arguments = parser.parse_args()
    if arguments.ncu_options:
        return print(NCU_OPTIONS)
    if not arguments.csv:
        parser.error("which CSV file?")
    readme = pathlib.Path(arguments.readme)
    before = readme.read_text()
    prose, _, _ = before.partition("\n" + HEADING + "\n")
    after = prose.rstrip() + "\n\n" + section(arguments)
    if arguments.check:
        sys.exit(0 if before == after else f"{readme}: not what {arguments.csv} says; run measured.py again")
    readme.write_text(after)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds faulty_kernels by nvcc and runs each kernel, and its mended twin, under compute-sanitizer's four tools.

usage: sanitize.py [--arch ARCH] [--logs FOLDER] [--jobs N]

Prints a line of a Markdown table for each kernel: what it does alone, and the first finding of each tool. --logs keeps all
that the tools say. It needs nvcc, compute-sanitizer and a GPU."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
TOOLS = {
    "alone": [],
    "memcheck": [],
    "racecheck": ["--racecheck-report", "all"],
    "initcheck": [],
    "synccheck": [],
}
SECONDS = 60  # a kernel that takes longer hangs


def run(program, kernel, mended, tool):
    """What is printed, and None or the exit code."""
    command = [program, *(["--mended"] if mended else []), kernel]
    if tool != "alone":
        command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], *command]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        return process.communicate(timeout=SECONDS)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the tool and what it runs
        return process.communicate()[0], None


def finding(tool, output, code):
    """One phrase: the first kind of finding and how often it comes."""
    lines = [line.strip() for line in output.splitlines()]
    if tool == "alone":
        said = [line for line in lines[1:] if line]
        return "hangs" if code is None else said[0] if said else f"exit code {code}"
    found = []
    for line in lines:
        match = re.match(r"=+ (?:Error: |Warning: )?((?:Invalid|Race reported|Potential|Uninitialized|Divergent|Barrier|"
                         r"Misaligned|Unused|Missing|Program hit).*)", line)
        if match:
            # "Race reported between Write access at f(int*)+0x90 in file:1": the place is in the log.
            found.append(re.split(r" (?:at|by thread|on address|due to)\b", match[1])[0].rstrip(". "))
    kinds = [f"{kind}, {number} times" if number > 1 else kind
             for kind, number in collections.Counter(found).most_common(2)]
    summary = next((re.sub(r"^=+ ", "", line) for line in reversed(lines) if "SUMMARY" in line), "no summary")
    return ("hangs; " if code is None else "") + ("; ".join(kinds) if kinds else
                                                 "nothing" if re.search(r": 0 (errors|hazards)", summary) else summary)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="native")
    parser.add_argument("--logs", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "faulty_kernels")
        subprocess.run(["nvcc", "-std=c++20", "-O1", "-lineinfo", f"-arch={given.arch}", "-I", here.parent.parent / "include",
                        here / "faulty_kernels.cu", "-o", program], check=True)
        kernels = subprocess.run([program, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        work = [(kernel, mended, tool) for mended in (False, True) for kernel in kernels for tool in TOOLS]
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            results = dict(zip(work, pool.map(lambda one: run(program, *one), work)))
    version = subprocess.run(["compute-sanitizer", "--version"], stdout=subprocess.PIPE, text=True).stdout.split("\n")
    print("\n".join(line for line in version if "ersion" in line))
    for mended in (False, True):
        print(f"\n| {'mended ' if mended else ''}kernel | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 1)}")
        for kernel in kernels:
            print(f"| {kernel} | " + " | ".join(finding(tool, *results[kernel, mended, tool]) for tool in TOOLS) + " |")
    if given.logs:
        given.logs.mkdir(parents=True, exist_ok=True)
        for (kernel, mended, tool), (output, code) in results.items():
            name = f"{kernel}{'_mended' if mended else ''}.{tool}.txt"
            (given.logs / name).write_text(f"{output}\nexit code {code}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

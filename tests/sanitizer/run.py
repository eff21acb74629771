#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of a GPU build's programs labelled `sanitizer` under compute-sanitizer's four tools.

usage: run.py BUILD_FOLDER [--jobs N] [--logs FOLDER]

First racecheck must find the race of planted_race. Then it is shown kernels without a race, whose order comes from what
it does not follow in some versions (an arrival for a whole warp, barriers of some warps). If it reports a hazard there,
it cannot judge tests that are ordered in the same way: they are left out, and counted. Exit code 0 if the race is found
and every test is clean.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

TOOLS = {
    "memcheck": [],
    "racecheck": ["--racecheck-report", "all"],
    "synccheck": ["--num-cuda-barriers", "65536"],  # a warp has one each; it stops the kernel where it cannot follow them all
    "initcheck": [],
}

# A kernel without a race -> the tests that racecheck cannot judge where it reports a hazard in that kernel.
ORDERED = {
    "ordered_by_bulk_copy": r"bulk_producer_consumer|staged_axis_kernels|staged_columns_join_splits",
    "ordered_by_named_barrier": r"(?<!bulk)_producer_consumer",
}


def sanitize(tool, options, command, folder):
    """Exit code 0 only if the program passes and the tool finds nothing."""
    run = subprocess.run(
        ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", "--require-cuda-init", "no", *options, *command],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return run.returncode, run.stdout


def tests_of(program):
    """(what GoogleTest says of it, program, name in the program) of each test."""
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, stdout=subprocess.PIPE, text=True)
    for line in listed.stdout.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  "):
            yield suite_line + line, program, suite + name
        elif name.endswith("."):
            suite, suite_line = name, line


def findings(output):
    """The first lines that say what the tool found and where, and the last ones."""
    lines = output.splitlines()
    found = [line for line in lines if re.search(r"=+ +(Error|Warning|Race|.* Thread .* at )", line)]
    return "\n".join(found[:12] + lines[-6:])


def batches(tests, jobs):
    """(program, names) of at most `jobs` batches a program: most of a short test's time goes into starting the tool."""
    programs = {}
    for _, program, name in tests:
        programs.setdefault(program, []).append(name)
    for program, names in programs.items():
        for first in range(min(jobs, len(names))):
            yield program, names[first::jobs]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--logs", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    planted = next(build.rglob("planted_race"))
    code, output = sanitize("racecheck", TOOLS["racecheck"], [str(planted)], str(build))
    if code != 99 or "hazard" not in output.lower():
        sys.exit(f"racecheck does not see the planted race (exit code {code}):\n{output}")
    print("racecheck sees the planted race")
    beyond_racecheck = []
    for name, pattern in ORDERED.items():
        code, output = sanitize("racecheck", TOOLS["racecheck"], [str(next(build.rglob(name)))], str(build))
        if code == 99 and "hazard" in output.lower():
            print(f"racecheck sees a race in {name}, where there is none:\n{findings(output)}")
            beyond_racecheck.append(pattern)
        elif code != 0:
            sys.exit(f"{name} fails (exit code {code}):\n{output}")

    tests = []
    for program in (build / "tests/sanitizer/programs").read_text().splitlines():  # CMake has written their paths
        found = list(tests_of(program))
        if not found:
            sys.exit(f"{program} has no test")
        tests += found
    if not tests:
        sys.exit(f"no program labelled sanitizer in {build}")
    judged = [test for test in tests if not any(re.search(pattern, test[0]) for pattern in beyond_racecheck)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(sanitize, tool, options, [program, "--gtest_filter=" + ":".join(names)], str(build)):
                (tool, f"{pathlib.Path(program).name}-{number}")
                for tool, options in TOOLS.items()
                for number, (program, names) in enumerate(batches(judged if tool == "racecheck" else tests, arguments.jobs))}
        for run in concurrent.futures.as_completed(runs):
            tool, name = runs[run]
            code, output = run.result()
            print(f"{'clean ' if code == 0 else 'FAILED'} {tool} {name}", flush=True)
            if code != 0:
                failed += 1
                print(f"exit code {code}\n{findings(output)}", flush=True)
            if arguments.logs:
                arguments.logs.mkdir(parents=True, exist_ok=True)
                (arguments.logs / f"{tool}-{name}.log").write_text(output)
    print(f"{len(TOOLS)} tools on {len(tests)} tests, {len(tests) - len(judged)} of them not for racecheck: "
          f"{len(runs) - failed} batches clean, {failed} not")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

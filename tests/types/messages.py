#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""messages.py ROUNDS COMPILER ARGUMENT...: compiles a file of cells that announce themselves (messages.hpp), by g++.

A cell that announces a sentence must be refused by it alone: one error, a static assertion of its words. Another cell
must compile without an error.

The compiler fails an assertion once, although several cells instantiate it: of an operator and an accumulator, say. So
those that no error names are compiled again without the others, up to ROUNDS times in all; 0: until each is named. Those
that are left after the last round are not judged.
"""
import collections
import re
import subprocess
import sys

CELL = re.compile(
    r"types::written<F, T, Kind>::(announced|called)\(.*\[with .*?F = (.*?); T = (.*?); Kind = types::(\w+)[];]")
ANNOUNCED = re.compile(r"warning: .*announce\(\) \[with int Number = (\d+); .*refusal\{\"(.*?)\"\}")
SENTENCE = re.compile(r"error: static assertion failed: (warpfold: .*)")


def read(lines):
    """The number of each cell and the sentence that it announces, and the errors of each."""
    announcements, errors, cell = {}, collections.defaultdict(list), None
    for line in lines:
        if line.startswith("In file included from"):
            continue
        if "In instantiation of" in line or "In substitution of" in line:
            cell = None
        found = CELL.search(line)
        if found:
            cell = found.groups()[1:]
        announced = ANNOUNCED.search(line)
        if announced and cell:
            announcements[cell] = int(announced.group(1)), announced.group(2)
        elif " error: " in line:
            errors[cell].append(line.strip())
    return announcements, errors


def judge(announcements, errors):
    """Lists the mistakes, and the cells that should be refused and were not."""
    wrong, silent = [f"outside any cell: {error}" for error in errors.pop(None, [])], {}
    for cell, (number, sentence) in announcements.items():
        got = errors.pop(cell, [])
        name = ", ".join(cell)
        if not sentence:
            wrong += [f"{name}: does not compile: {error}" for error in got[:1]]
            continue
        first = SENTENCE.search(got[0]) if got else None
        if not got:
            silent[number] = f"{name}: compiles, but should be refused: {sentence}"
        elif not first or sentence not in first.group(1):
            wrong.append(f"{name}: should be refused: {sentence}, but: {got[0]}")
        elif len(got) > 1:
            wrong.append(f"{name}: {len(got) - 1} more errors bury the sentence: {got[1]}")
    return wrong + [f"{', '.join(cell)}: not announced: {got[0]}" for cell, got in errors.items()], silent


def main():
    rounds = int(sys.argv[1])
    command = sys.argv[2:] + ["-fsyntax-only", "-ftemplate-backtrace-limit=0", "-fno-diagnostics-show-caret",
                              "-fmax-errors=0", "-Wdeprecated-declarations", "-Wno-error"]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
    cells, done, wrong, chosen = None, 0, [], []
    while True:
        answer = subprocess.run(command + chosen, stderr=subprocess.PIPE, text=True, env=environment, check=False)
        announcements, errors = read(answer.stderr.splitlines())
        more, silent = judge(announcements, errors)
        cells = len(announcements) if cells is None else cells
        wrong, done = wrong + more, done + 1
        if not silent or done == rounds:
            break
        if len(silent) == len(announcements):  # alone or not, they compile
            wrong += silent.values()
            break
        chosen = ["-DCELLS=" + ",".join(map(str, sorted(silent)))]
    print(*wrong, sep="\n")
    print(f"{cells} cells, {len(wrong)} of them wrong, {len(silent)} not refused, {done} compilations")
    return 1 if wrong or not cells else 0


if __name__ == "__main__":
    sys.exit(main())

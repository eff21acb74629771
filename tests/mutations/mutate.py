#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants faults in the headers, one at a time, and says which tests see them.

  mutate.py --races PROGRAM           leaves out each order and each barrier of the rooms that synchronise; PROGRAM is
                                      kernels_races, built with WARPFOLD_TEST_ALL_RACES=ON. Nothing is compiled again.
  mutate.py --faults --cuda TOOLKIT   plants the faults of faults.txt, and compiles the test that shall fail
  mutate.py --check                   only whether the lists still fit the headers
  mutate.py --sample PROGRAM          the orders of sample.txt, each of which must be found: CI

--only TEXT takes mutants whose place holds TEXT; --write writes mutations.md; results are kept in --results FILE, and
mutants that have one are not run again."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parent.parent
include = root / "include"
headers = include / "warpfold"

rooms = ["arch", "grid", "scan", "segmented_scan", "by_key", "reduce", "axes", "exact", "segmented", "warp", "block"]
barriers = re.compile(r"__syncthreads\w*\(|__syncwarp\(")
bare = re.compile(r"__sync\w+\(\);")  # is told from others by the line before
# What a line makes: both orders, or one.
orders = [
    (re.compile(r"arch::(arrive|warp_completes)\(|__threadfence\(|memory_order_acq_rel"),
     (":acquire", ":release")),
    (re.compile(r"arch::(release|count_arrival|fence_before_arrival)\(|\.fence\(\)|memory_order_release|"
                r"\.arrive\w*\(|barrier_arrive\("), (":release",)),
    (re.compile(r"arch::(acquire|fence_after_arrivals)\(|memory_order_acquire|\.(try_)?wait_parity\(|barrier_(try_)?wait\("), (":acquire",)),
    (re.compile(r"fence_proxy_async\(|named_barrier_sync\(|arch::named_barrier\w*|cluster_(arrive|wait|sync)\w*\("),
     ("",)),
]
# The tests that a room's mutants meet.
every_small = "*sanitizer*:strategies_scan_sums*:last_block*-segmented_reduce_sanitizer*"
filters = {
    "scan": "scan_sanitizer*",
    "segmented_scan": "segmented_scan_sanitizer*:node_ring*",
    "by_key": "reduce_by_key_sanitizer*:staged_*:look_back*",
    "reduce": "*/reduce_sanitizer*:reduce_sanitizer*:fuse_sanitizer*",
    "axes": "axes_sanitizer*",
    "exact": "exact_sanitizer*",
    "segmented": "segmented_reduce_sanitizer*:equal_segments*:fold_span*",
    "grid": "last_block*:drawn_work*:node_ring*:*scan_sanitizer*:reduce_by_key*:*/reduce_sanitizer*:axes_sanitizer*",
    "block": "block_*:strategies_*",
}


def code_lines(path):
    """The lines that the emulator compiles, without comments and declarations: number, code, and what names it."""
    for_gpu, before = False, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = line.split("//")[0].strip()
        if code.startswith("#"):
            for_gpu = code.startswith("#if defined(__CUDA")
        elif code and not for_gpu and "inline void " not in code:
            yield number, code, f"{before} {code}" if bare.fullmatch(code) else code
            before = code


def planted_orders():
    """(file, line, code, what is left out, the environment that does it) for each mutant."""
    for room in rooms:
        for path in sorted((headers / room).rglob("*.cuh")):
            file = path.relative_to(headers).as_posix()
            for number, code, label in code_lines(path):
                place = f"warpfold/{file}:{number}"
                if barriers.search(code):
                    yield file, number, label, "barrier", {"CUDA_EMULATOR_WITHOUT_BARRIER": place}
                for pattern, halves in orders:
                    if pattern.search(code):
                        for half in halves:
                            named = {"CUDA_EMULATOR_WITHOUT_ORDER": place + half}
                            yield file, number, label, half[1:] or "order", named
                        break


def run_races(program, file, environment, tests=None):
    """What a run without an order finds: (verdict, by what)."""
    room = file.split("/")[0]
    command = [program, "--gtest_fail_fast", "--gtest_filter=" + (tests or filters.get(room, every_small))]
    # All blocks may say that an item is found: only these words are written without order.
    all_variables = dict(os.environ, CUDA_EMULATOR_ORDERED_STRONG_WRITES="1", **environment)
    try:
        run = subprocess.run(command, env=all_variables, capture_output=True, text=True, errors="replace", timeout=600)
    except subprocess.TimeoutExpired:
        return "killed", "it does not end"
    output = run.stdout + run.stderr
    if "cuda_emulator: no order at" not in run.stderr:
        return "not met", ""
    if run.returncode == 0:
        return "alive", ""
    failed = re.search(r"\[ RUN +\] (\S+)(?:.(?!\[ RUN))*?\[  FAILED", output, re.S)
    names = re.findall(r"\[  FAILED  \] ([\w/]+\.[\w/]+)", output)
    what = "race" if "data race" in output else "result" if names else "crash"
    return "killed", f"{what}, {names[0] if names else failed.group(1) if failed else 'at once'}"


def read_blocks(path):
    """Blocks of `name: text` lines, between empty lines; '#' begins a comment."""
    blocks, block = [], {}
    for line in path.read_text().splitlines() + [""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if block:
                blocks.append(block)
            block = {}
            continue
        name, _, text = line.partition(": ")
        block[name.strip()] = text
    return blocks


def problems():
    """What of the lists does not fit the headers any more."""
    found = []
    for fault in read_blocks(here / "faults.txt"):
        count = (include / fault["file"]).read_text().count(fault["old"])
        if count != 1:
            found.append(f"faults.txt: {fault['file']} holds {count} times: {fault['old']}")
        if "test" in fault and not (root / "tests" / fault["test"].split()[0]).exists():
            found.append(f"faults.txt: there is no {fault['test']}")
    there = {(file, code, what) for file, _, code, what, _ in planted_orders()}
    for name in ("orders.txt", "sample.txt"):
        for note in read_blocks(here / name):
            if (note["file"], note["code"], note["without"]) not in there:
                found.append(f"{name}: {note['file']} has no {note['without']} at: {note['code']}")
            model, _, event = note.get("model", "").partition(" ")
            if model and f'"{event}"' not in (root / "tests/memory_model" / model).read_text():
                found.append(f"{name}: tests/memory_model/{model} has no order named {event}")
    return found


def run_fault(fault, cuda, compiler, folder):
    """Plants one fault, compiles its test, runs it. The test passes without the fault, or its failure says nothing."""
    if "equivalent" in fault:
        return "equivalent", fault["equivalent"]
    changed = folder / "include" / fault["file"]
    text = (include / fault["file"]).read_text()
    unchanged = (fault["test"], fault.get("mode"))
    if unchanged not in passing:
        passing[unchanged] = run_test(fault, cuda, compiler, folder)[0] == "alive"
    if not passing[unchanged]:
        return "not run", "the test fails without the fault"
    changed.write_text(text.replace(fault["old"], fault["new"]))
    try:
        return run_test(fault, cuda, compiler, folder)
    finally:
        changed.write_text(text)


passing = {}


def run_test(fault, cuda, compiler, folder):
    """Compiles the fault's test with the headers of the folder, and runs it."""
    file, _, tests = fault["test"].partition(" ")
    mode = fault.get("mode", "plain")
    flags = {"plain": [], "asan": ["-fsanitize=address,undefined", "-g1"],
             "races": ["-fsanitize=thread", "-Wno-tsan", "--param=tsan-distinguish-volatile=1", "-fno-builtin-memcpy",
                       "-fno-builtin-memmove", "-fno-builtin-memset", "-g1", "-DCUDA_EMULATOR_RACES"],
             "split": ["-fsanitize=thread", "-Wno-tsan", "-DCUDA_EMULATOR_SPLIT_ACCESSES"]}[mode]
    program = folder / "test"
    # What only the sanitizer tells the linker: its own library is for asan alone.
    compile_only = [compiler, "-std=c++20", "-O0", "-w", "-DWARPFOLD_EMULATOR", f"-I{folder / 'include'}",
                    f"-I{root / 'tests'}", "-isystem", f"{cuda}/include/cccl", "-isystem", f"{cuda}/include", *flags,
                    "-x", "c++", "-c", str(root / "tests" / file), "-o", str(program) + ".o"]
    link = [compiler, str(program) + ".o", "-o", str(program), "-lgtest", "-lgtest_main", "-pthread",
            *(flags[:1] if mode == "asan" else [])]
    try:
        if subprocess.run(compile_only, capture_output=True).returncode != 0:
            return "not run", "does not compile"
        subprocess.run(link, check=True)
        run = subprocess.run([str(program), "--gtest_fail_fast"] + ([f"--gtest_filter={tests}"] if tests else []),
                             capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return "killed", "it does not end, " + file
    if run.returncode == 0:
        return "alive", ""
    names = re.findall(r"\[  FAILED  \] ([\w/]+\.[\w/]+)", run.stdout)
    return "killed", names[0] if names else f"stopped, {tests or file}"


def write_page(results):
    notes = {(n["file"], n["code"], n["without"]): n for n in read_blocks(here / "orders.txt")}
    rows, count = [], {}

    def add(place, what, verdict, by):
        count[verdict] = count.get(verdict, 0) + 1
        rows.append(f"| {place} | {what} | {verdict} | {by} |".replace("||", "\\|\\|"))

    for file, number, code, what, _ in planted_orders():
        verdict, by = results.get(f"{file}|{number}|{what}", ("not run", ""))
        note = notes.get((file, code, what))
        if note and verdict != "killed":
            verdict = next(v for v in ("model", "equivalent", "alive", "not met") if v in note)
            by = note[verdict]
            if verdict == "model":
                verdict, by = "killed", "in the model: {}, {}".format(*by.split(" ", 1))
        text = code if len(code) < 70 else code[:67] + "..."
        add(f"{file}", f"without {what}: `{text}`", verdict, by)
    for fault in read_blocks(here / "faults.txt"):
        verdict, by = results.get(f"fault|{fault['file']}|{fault['new']}", ("not run", ""))
        change = f"`{fault['new'].strip()}` for `{fault['old'].strip()}`"
        add(fault["file"].removeprefix("warpfold/"), change, verdict, by)
    summary = ", ".join(f"{n} {verdict}" for verdict, n in sorted(count.items()))
    head = (here / "head.md").read_text()
    lines = "\n".join(row.replace("|| ", "| ") for row in rows)
    (here / "mutations.md").write_text(f"{head}\n{len(rows)} mutants: {summary}.\n\n"
                                       f"| where | fault | verdict | by, or why |\n|---|---|---|---|\n{lines}\n")
    print(f"{len(rows)} mutants: {summary}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--races")
    parser.add_argument("--sample")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", help="a filter of tests instead of the room's")
    parser.add_argument("--again", action="store_true", help="mutants that were alive or not met, too")
    parser.add_argument("--results", default=str(here / "results.json"))
    parser.add_argument("--cuda", default="/usr/local/cuda")
    parser.add_argument("--compiler", default="g++")
    given = parser.parse_args()

    stale = problems()
    for problem in stale:
        print(problem, file=sys.stderr)
    if stale or given.check:
        return 1 if stale else 0

    if given.sample:
        wanted = {(n["file"], n["code"], n["without"]): n["test"] for n in read_blocks(here / "sample.txt")}
        missed = 0
        for file, number, code, what, environment in planted_orders():
            if (file, code, what) in wanted:
                verdict, by = run_races(given.sample, file, environment, wanted[file, code, what])
                missed += verdict != "killed"
                print(f"{file}:{number} without {what}: {verdict}, {by}", flush=True)
        return 1 if missed else 0

    kept = Path(given.results)
    results = json.loads(kept.read_text()) if kept.exists() else {}

    def save(key, result, begin):
        results[key] = result
        kept.write_text(json.dumps(results, indent=1))
        print(f"{time.time() - begin:6.1f} s  {key}: {result}", flush=True)

    def is_open(key):
        return key not in results or (given.again and results[key][0] != "killed")

    if given.races:
        noted = {(n["file"], n["code"], n["without"]) for n in read_blocks(here / "orders.txt")}
        for file, number, code, what, environment in planted_orders():
            key = f"{file}|{number}|{what}"
            if given.only in key and is_open(key) and (given.again or (file, code, what) not in noted):
                begin = time.time()
                save(key, run_races(given.races, file, environment, given.tests), begin)
    if given.faults:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subprocess.run(["cp", "-r", str(include), str(folder)], check=True)
            for fault in read_blocks(here / "faults.txt"):
                key = f"fault|{fault['file']}|{fault['new']}"
                if given.only in key and is_open(key):
                    begin = time.time()
                    save(key, run_fault(fault, given.cuda, given.compiler, folder), begin)
    if given.write:
        write_page(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())

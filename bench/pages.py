# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generated pages share: how figures are written, and how documents are kept up to date."""

import argparse
import sys
from pathlib import Path

import measurements

BENCH = Path(__file__).resolve().parent


def is_power_of_two(items):
    return items & (items - 1) == 0


def size(items):
    return f"2^{items.bit_length() - 1}" if is_power_of_two(items) else f"{items:,}"


def microseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e6:.2f}" if seconds < 1e-4 else f"{seconds * 1e6:.1f}"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


def percent(value, digits=1):
    return f"{100 * value:.{digits}f} %"


def table(header, rows):
    """A Markdown table; all columns but the first are flush right."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def heading(context, *more):
    """Where a run was made, and with what."""
    parts = [f"**{context.get('device', 'unknown device')}**",
             f"{context.get('multiprocessors', '?')} multiprocessors",
             f"{int(context.get('l2_bytes', 0)) / 2**20:.0f} MiB of L2", f"CUDA {context.get('cuda_runtime', '?')}",
             *more, f"commit {context.get('commit', 'unknown')[:12]}"]
    return ", ".join(parts) + "."


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", nargs="+", metavar="RAW", help="raw JSON of one run on one device, to keep")
    parser.add_argument("--drop-failed", action="store_true", help="with --add: leave failed benchmarks out")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if something is out of date")
    parser.add_argument("--results", type=Path, default=BENCH / "results", help="folder of the kept results")
    return parser


def keep_added(options):
    if options.add:
        for path in measurements.keep(options.add, options.results, options.drop_failed):
            print(f"kept {path}")


def relative_folder(folder, page):
    """How `page` links into `folder`."""
    try:
        return folder.relative_to(page.parent).as_posix()
    except ValueError:
        return folder.as_posix()


def with_content(path, begin, end, content):
    """The text of a page with `content` between two of its markers."""
    try:
        text = path.read_text()
    except OSError as error:
        raise measurements.ResultError(f"{path}: {error.strerror}") from error
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise measurements.ResultError(f"{path}: no {begin} … {end}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def stale(path, content):
    return not path.exists() or path.read_text() != content


def write_or_check(documents, only_check):
    """Writes what differs of path -> content, or only names it; the exit status."""
    outdated = {path: content for path, content in documents.items() if stale(path, content)}
    for path, content in outdated.items():
        print(f"{'out of date' if only_check else 'wrote'}: {path}")
        if not only_check:
            path.write_text(content)
    return 1 if only_check and outdated else 0


def exit_status(program, action):
    """That of `action`; 2, with the message, if a file does not hold what it should."""
    try:
        return action()
    except measurements.ResultError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Google Benchmark's JSON as Warpfold's benchmarks write it: names taken apart, contenders of one input together."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

# What is kept of the context: what a figure needs to be read later, nothing about the machine that is not the device.
KEPT_CONTEXT = (
    "date", "device", "compute_capability", "multiprocessors", "l2_bytes", "memory_bus_bits", "memory_clock_mhz",
    "maximum_clock_mhz", "measured_clock_mhz", "cuda_driver", "cuda_runtime", "nvcc", "cub", "commit", "repeats")
# What Google Benchmark appends to a name.
NAME_SUFFIX = re.compile(r"(/(iterations:\d+|manual_time|real_time|min_time:[^/]+|repeats:\d+))+$")
# What an entry holds and nothing here reads, or what follows from the rest of it.
DROPPED_FIELDS = ("family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                  "repetition_index", "threads", "iterations", "cpu_time", "items", "bytes_per_second")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class ResultError(Exception):
    """A file that does not hold what it should; the message says which and why."""


def item_count(text):
    """2^k or a plain number."""
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent) if exponent else int(base)


@dataclass
class Group:
    """Contenders that were measured together, in turn, on one input: ratios within a group are fair."""
    function: str  # reduce
    item_type: str  # float
    operator: str  # plus
    mode: str  # cold, graph, enqueue, wait
    items: int
    offset: int = 0
    segments: str = ""  # how long segments are, where there are any: all_32, power_law
    form: str = ""  # how segments are told apart: offsets, owners; runs by keys of a type, int32
    bytes: int = 0
    seconds: dict = field(default_factory=dict)  # of each contender
    counters: dict = field(default_factory=dict)  # of each contender

    def key(self):
        """What its name says."""
        return (self.function, self.item_type, self.operator, self.mode, self.items, self.offset, self.segments,
                self.form)

    def limit_seconds(self):
        """The fastest kernel of any kind that moves these bytes, reducers included."""
        return min(t for name, t in self.seconds.items() if name != "empty_kernel")

    def bandwidth(self, contender):
        """GB/s."""
        return self.bytes / self.seconds[contender] * 1e-9

    def speed_up(self, over, contender="warpfold"):
        """How many times as fast as `over`; None where that was not measured."""
        return self.seconds[over] / self.seconds[contender] if over in self.seconds else None

    def share_of_limit(self):
        return self.limit_seconds() / self.seconds["warpfold"]

    def item_bytes(self):
        return self.bytes // self.items


@dataclass
class Run:
    """One file: where it was measured, and its groups."""
    context: dict
    groups: list

    def select(self, function="reduce", item_type="float", operator="plus", mode="cold", offset=0, form=""):
        """The matching groups that hold Warpfold, by item count, with segments of any lengths."""
        wanted = (function, item_type, operator, mode, offset, form)
        found = [g for g in self.groups if (g.function, g.item_type, g.operator, g.mode, g.offset, g.form) == wanted]
        return sorted((g for g in found if "warpfold" in g.seconds), key=lambda g: g.items)


def split_name(name):
    """reduce/float/plus/items:2^28/offset:1/cub/cold/... -> (Group without times, contender); of segmented functions
    segmented_reduce/float/plus/items:2^26/segments:all_32/form:offsets/cub_by_key/cold, or keys:int32 for a form."""
    parts = NAME_SUFFIX.sub("", name).split("/")
    settings = dict(part.split(":", 1) for part in parts if ":" in part)
    plain = [part for part in parts if ":" not in part]
    if len(plain) != 5 or "items" not in settings:
        raise ResultError(f"cannot take the benchmark name apart: {name}")
    function, item_type, operator, contender, mode = plain
    group = Group(function, item_type, operator, mode, item_count(settings["items"]), int(settings.get("offset", 0)),
                  settings.get("segments", ""), settings.get("form") or settings.get("keys", ""))
    return group, contender


def read_run(path):
    """A kept file as a Run."""
    document = read_json(path)
    groups = {}
    for entry in document["benchmarks"]:
        group, contender = split_name(entry["name"])
        group = groups.setdefault(group.key(), group)
        group.bytes = int(entry["bytes"])
        group.seconds[contender] = entry["real_time"] * SECONDS[entry["time_unit"]]
        group.counters[contender] = entry
    return Run(document["context"], list(groups.values()))


def read_json(path):
    try:
        document = json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: {error}") from error
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        raise ResultError(f"{path}: not the JSON of Google Benchmark: no context or no benchmarks")
    return document


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def kept_fields(entry):
    """What is kept of an entry: its item count only where that is not the one in its name."""
    group, _ = split_name(entry["name"])
    return {key: value for key, value in entry.items()
            if key not in DROPPED_FIELDS or (key == "items" and value != group.items)}


def keep(raw_paths, results_directory, drop_failed=False):
    """Merges raw files of one device into the files that are kept, one for each function; returns their paths.

    A later file's entries replace an earlier one's. A failed benchmark is no figure: it is refused, or left out.
    """
    contexts, entries = [], {}
    for path in raw_paths:
        document = read_json(path)
        contexts.append({key: document["context"][key] for key in KEPT_CONTEXT if key in document["context"]})
        for entry in document["benchmarks"]:
            if entry.get("error_occurred"):
                if drop_failed:
                    continue
                raise ResultError(f"{path}: {entry['name']} failed: {entry.get('error_message', 'no reason given')}")
            name = NAME_SUFFIX.sub("", entry["name"])
            entries[name] = kept_fields({**entry, "name": name})
    for key in ("device", "commit"):
        if len({context.get(key) for context in contexts}) > 1:
            raise ResultError(f"the files differ in {key}; a run is of one {key}")
    Path(results_directory).mkdir(parents=True, exist_ok=True)
    written = []
    for function in sorted({name.split("/")[0] for name in entries}):
        chosen = [entry for name, entry in entries.items() if name.startswith(function + "/")]
        path = Path(results_directory) / f"{function}-{slug(contexts[-1].get('device', 'unknown'))}.json"
        write_document(path, contexts[-1], chosen)
        written.append(path)
    return written


def rounded(value):
    """Counts stay whole; times keep six digits."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else float(f"{value:.6g}")


def write_document(path, context, entries):
    """One line an entry, so that a new run's difference can be read."""
    lines = ",\n".join("  " + json.dumps({key: rounded(value) for key, value in entry.items()}) for entry in entries)
    path.write_text(f'{{"context": {json.dumps(context, indent=1)},\n"benchmarks": [\n{lines}\n]}}\n')

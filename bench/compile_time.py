#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long nvcc takes for one source file with one sum of floats, one of segments of floats, or one running sum,
Warpfold's and CUB's in turn; one of the columns of a matrix, moments of segments, or the best of rows; and how large the
objects are.

Writes results/compile-time.json in the form of Google Benchmark. Exits 1 if Warpfold takes more than --bar of CUB's
time for a sum, or more than CUB's for a segmented one, or if the object of the latter exceeds --segmented-kilobytes,
or that of a sum of columns --columns-kilobytes. Time is processor time of nvcc and all it starts, one after another:
what else the machine does hardly shows. Needs no GPU.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    "warpfold": """#include <warpfold/reduce.cuh>
void sum(const float* in, std::int64_t count, float* out, cudaStream_t stream) {
  warpfold::reduce(in, count, out, {.stream = stream});
}
""",
    "cub": """#include <cub/device/device_reduce.cuh>
cudaError_t sum(void* scratch, size_t& bytes, const float* in, long long count, float* out, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(scratch, bytes, in, out, count, stream);
}
""",
    "warpfold_segmented": """#include <warpfold/segmented_reduce.cuh>
void sum(std::span<const float> in, std::span<const std::int64_t> offsets, std::span<float> out, cudaStream_t stream) {
  warpfold::segmented_reduce(in, offsets, out, {.stream = stream});
}
""",
    "warpfold_columns": """#include <warpfold/reduce_axes.cuh>
void sum(const float* in, int rows, int columns, std::span<float> out, cudaStream_t stream) {
  warpfold::reduce_columns(warpfold::strided(in, {rows, columns}), out, {.stream = stream});
}
""",
    "cub_segmented": """#include <cub/device/device_segmented_reduce.cuh>
cudaError_t sum(void* scratch, size_t& bytes, const float* in, const long long* offsets, long long segments, float* out,
                cudaStream_t stream) {
  return cub::DeviceSegmentedReduce::Sum(scratch, bytes, in, out, segments, offsets, offsets + 1, stream);
}
""",
    "warpfold_scan": """#include <warpfold/scan.cuh>
void sums(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  warpfold::inclusive_scan(in, out, {.stream = stream});
}
""",
    "cub_scan": """#include <cub/device/device_scan.cuh>
cudaError_t sums(void* scratch, size_t& bytes, const float* in, float* out, long long count, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, count, stream);
}
""",
    "warpfold_segmented_moments": """#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>
void moments(std::span<const float> in, std::span<const std::int64_t> offsets,
             std::span<warpfold::moments_of<2>> out, cudaStream_t stream) {
  warpfold::segmented_reduce(in, offsets, out, warpfold::moments<2>{}, {.stream = stream});
}
""",
    "warpfold_segmented_top_k": """#include <warpfold/top_k.cuh>
void best(std::span<const float> in, std::int64_t row, float* values, std::int64_t* places, cudaStream_t stream) {
  warpfold::segmented_top_k(in, warpfold::fixed_length{row}, 64, values, places, {.stream = stream});
}
""",
    "empty": "#include <cuda_runtime.h>\n",  # what nvcc takes for nothing at all
}


def compile_seconds(command, source):
    begin = os.times()
    subprocess.run([*command, str(source), "-o", str(source.with_suffix(".o"))], check=True)
    end = os.times()
    return end.children_user + end.children_system - begin.children_user - begin.children_system


def compiler_version(nvcc):
    output = subprocess.run([nvcc, "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"V([\d.]+)", output).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; each compiles every source once")
    parser.add_argument("--bar", type=float, default=0.6)
    parser.add_argument("--segmented-kilobytes", type=float, default=300)
    parser.add_argument("--columns-kilobytes", type=float, default=800)
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results" / "compile-time.json")
    options = parser.parse_args()
    command = [options.nvcc, "-std=c++20", "-O3", f"-arch={options.arch}", f"-I{ROOT / 'include'}", "-c"]
    seconds = {name: [] for name in SOURCES}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in SOURCES.items():
            (Path(folder) / f"{name}.cu").write_text(source)
            compile_seconds(command, Path(folder) / f"{name}.cu")  # headers into the page cache
        for _ in range(options.repeats):
            for name in SOURCES:
                seconds[name].append(compile_seconds(command, Path(folder) / f"{name}.cu"))
        sizes = {name: (Path(folder) / f"{name}.o").stat().st_size for name in SOURCES}
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    context = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "nvcc": compiler_version(options.nvcc), "arch": options.arch, "repeats": options.repeats,
               "commit": os.environ.get("WARPFOLD_COMMIT", "unknown")}
    entries = [{"name": f"compile_time/float/{name}", "real_time": round(median, 3), "time_unit": "s",
                "minimum": round(min(seconds[name]), 3)} for name, median in medians.items()]
    options.output.write_text(json.dumps({"context": context, "benchmarks": entries}, indent=1) + "\n")
    for name, median in medians.items():
        print(f"{name:26} {median:6.2f} s, object of {sizes[name] / 1000:.0f} kB")
    bars = [("warpfold / cub", medians["warpfold"] / medians["cub"], options.bar),
            ("the same, segmented", medians["warpfold_segmented"] / medians["cub_segmented"], 1),
            ("segmented object, kB", sizes["warpfold_segmented"] / 1000, options.segmented_kilobytes),
            ("object of columns, kB", sizes["warpfold_columns"] / 1000, options.columns_kilobytes)]
    for what, value, most in bars:
        print(f"{what}: {value:.4g}, at most {most:g}: {'met' if value <= most else 'missed'}")
    return 0 if all(value <= most for _, value, most in bars) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds extension.cu by PyTorch's own means, and checks what it computes. Needs PyTorch, nvcc and a GPU."""
import math
import pathlib

import torch
from torch.utils.cpp_extension import load

here = pathlib.Path(__file__).resolve().parent
wf = load(name="warpfold_torch", sources=[str(here / "extension.cu")],
          extra_include_paths=[str(here.parent.parent / "include")],
          extra_cflags=["-std=c++20"], extra_cuda_cflags=["-std=c++20", "-O3"])

x = torch.randn(64, 4096, device="cuda")

# Sums of rows: a row has the same bits alone and in a batch.
rows = wf.axis_sum(x, 1)
assert torch.equal(rows[5:6], wf.axis_sum(x[5:6], 1))
# So do columns, which are read as they lie, and segments.
assert torch.equal(wf.axis_sum(x, 0), wf.axis_sum(x.t(), 1))
offsets = torch.arange(0, x.numel() + 1, 4096, device="cuda")
assert torch.equal(rows, wf.segmented_sum(x.flatten(), offsets))
# The last prefix of a row is its sum.
assert torch.equal(rows, wf.axis_scan(x, 1)[:, -1])
# The exact sum, rounded once.
exact = math.fsum(x.flatten().tolist())
assert wf.exact_sum(x).item() == torch.tensor(exact, dtype=torch.float64).float().item()

# In a graph.
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    captured = wf.axis_sum(x, 1)
x.copy_(torch.randn_like(x))
graph.replay()
assert torch.equal(captured, wf.axis_sum(x, 1))
print("all right")

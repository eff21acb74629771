# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of the kept results: the same bytes each time, so that --check can compare them."""
import io

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)

plt.rcParams.update({"svg.hashsalt": "warpfold", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
                     "figure.facecolor": "white", "legend.frameon": False})
COLOURS = {"Warpfold": "#0b6e4f", "CUB": "#c8553d", "limit": "#7a7a8c", "floor": "#7a7a8c"}


def line_plot(title, x_label, y_label, series, log_y=False):
    """series: (label, x values, y values), drawn with a line style of its own if its label has a comma."""
    figure, axes = plt.subplots(figsize=(7.2, 4.0))
    for label, x, y in series:
        name, _, variant = label.partition(",")
        style = ":" if variant else "--" if name in ("limit", "floor") else "-"
        axes.plot(list(x), list(y), style, marker="o", markersize=3, color=COLOURS.get(name), label=label)
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    axes.set_xscale("log", base=2 if x_label == "items" else 10)
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.legend()
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def of(name, run):
    """Plot name -> SVG, of a page."""
    device = run.context["device"]
    if name == "reduce":
        cold = run.select(type="float", operator="plus").sort_values("items")
        cold = cold[(cold["items"] & (cold["items"] - 1)) == 0]
        large, small = cold[cold["items"] >= 1 << 12], cold[cold["items"] <= 1 << 24]
        graph = run.select(type="float", operator="plus", mode="graph").sort_values("items")
        bandwidth = [(label, large["items"], large["bytes"] / large[column] * 1e-3)
                     for label, column in (("limit", "limit"), ("CUB", "cub"), ("Warpfold", "warpfold"))]
        times = [(label, small["items"], small[column])
                 for label, column in (("limit", "limit"), ("CUB", "cub"), ("Warpfold", "warpfold"))]
        times += [(label, graph["items"], graph[column])
                  for label, column in (("CUB, in a graph", "cub"), ("Warpfold, in a graph", "warpfold"))]
        return {"bandwidth": line_plot(f"Sum of floats, cold: {device}", "items", "GB/s", bandwidth),
                "latency": line_plot(f"Sum of floats, time of one call: {device}", "items", "µs", times, True)}
    if name == "reduce_axes":
        rows = run.select(type="float", operator="plus")
        rows = rows.assign(kind=rows["form"].str.extract(r"^(rows|columns)_\d+$")[0],
                           extent=rows["form"].str.extract(r"_(\d+)$")[0].astype(float))
        series = []
        for kind in ("rows", "columns"):
            for log_items in (26, 22):
                chosen = rows[(rows["kind"] == kind) & (rows["items"] > 1 << (log_items - 1)) & (rows["items"] <= 1 << log_items)]
                chosen = chosen.sort_values("extent")
                series.append((f"{kind} of 2^{log_items}", chosen["extent"], 100 * chosen["floor"] / chosen["warpfold"]))
        return {"share": line_plot(f"Sums of floats along an axis, cold: {device}", "length of rows, or number of columns",
                                   "% of the floor", series)}
    if name == "scan":
        rows = run.select(type="float", operator="plus").sort_values("items")
        rows = rows[(rows["items"] & (rows["items"] - 1)) == 0]
        return {"time": line_plot(f"Running sum of floats, cold: {device}", "items", "µs", [
            ("floor", rows["items"], rows["floor"]), ("CUB", rows["items"], rows["cub"]),
            ("Warpfold", rows["items"], rows["warpfold"])], True)}
    if name in ("segmented_reduce", "reduce_by_key", "scan_by_key", "segmented_scan"):
        form = "offsets" if name.startswith("segmented") else "int32"
        rows = run.select(type="float", operator="plus", form=form)
        rows = rows[(rows["items"] > 1 << 25) & (rows["items"] <= 1 << 26) & rows["segments"].str.startswith(("all_", "one"))]
        rows = rows.sort_values("mean")
        return {"time": line_plot(f"Sums of 2^26 floats, cold: {device}", "mean length", "µs", [
            ("floor", rows["mean"], rows["floor"]), ("CUB", rows["mean"], rows["best_cub"]),
            ("Warpfold", rows["mean"], rows["warpfold"])], True)}
    if name.startswith(("fuse", "arg_reduce", "vector_reductions", "exact")):
        return {}
    rows = run.rows[run.rows["mode"] == "cold"]
    rows = rows[rows["operator"] == "minimum"].groupby("items")
    best = {kind: rows[[c for c in run.contenders if c.startswith(kind + ".")]].min().min(axis=1)
            for kind in ("tree", "warp_tree", "matrix", "shuffle") if any(c.startswith(kind + ".") for c in run.contenders)}
    return {"algorithms": line_plot(f"Float minimum, the fastest of each block algorithm, cold: {device}", "items", "µs",
                                    [(kind.replace("_", " "), times.index, times) for kind, times in best.items()], True)}

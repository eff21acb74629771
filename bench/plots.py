# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of the kept results: the same bytes each time, so that --check can compare them."""
import io

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)

plt.rcParams.update({"svg.hashsalt": "warpfold", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
                     "figure.facecolor": "white", "legend.frameon": False})
GRID = r"^(?P<rows>\d+)x(?P<columns>\d+)_axis_(?P<axis>[01])$"  # forms of matrices of all pairs of extents
COLOURS = {"Warpfold": "#0b6e4f", "CUB": "#c8553d", "limit": "#7a7a8c", "floor": "#7a7a8c"}


def as_svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def heat_maps(title, panels):
    """panels: (label, rows with the columns rows, columns, percent). A cell for each pair of extents, green where it is good."""
    extents = sorted(set().union(*(table["rows"] for _, table in panels)))
    names = [f"2^{int(n).bit_length() - 1}" if n > 5000 else str(int(n)) for n in extents]
    figure, all_axes = plt.subplots(1, len(panels), figsize=(4.8 * len(panels), 4.6), sharey=True)
    for axes, (label, table) in zip(all_axes, panels):
        grid = table.pivot_table(index="rows", columns="columns", values="percent").reindex(index=extents, columns=extents)
        axes.grid(False)
        axes.pcolormesh(grid.to_numpy(), cmap="RdYlGn", vmin=0, vmax=100, edgecolors="white", linewidth=0.5)
        for (row, column), percent in grid.stack().items():
            axes.text(extents.index(column) + 0.5, extents.index(row) + 0.5, f"{percent:.0f}", ha="center", va="center", size=7)
        axes.set(title=label, xlabel="columns", xticks=[i + 0.5 for i in range(len(extents))],
                 yticks=[i + 0.5 for i in range(len(extents))])
        axes.set_xticklabels(names, size=7, rotation=90)
        axes.set_yticklabels(names, size=7)
    all_axes[0].set_ylabel("rows")
    figure.suptitle(title, y=1.0)
    return as_svg(figure)


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
    return as_svg(figure)


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
    if name == "ranks":
        most = run.select(mode="graph")
        most = most[(most["ranks"] == most["ranks"].max()) & ((most["items"] & (most["items"] - 1)) == 0)].sort_values("items")
        series = [(label, most["items"], most[column]) for label, column in
                  (("reduce of a part alone", "local"), ("all_reduce, peer memory", "peers"), ("all_reduce, NCCL", "nccl"),
                   ("reduce, then NCCL's all-reduce", "nccl_all_reduce"))]
        return {"time": line_plot(f"Sum of floats over {most['ranks'].iloc[0]} GPUs, in a graph: {device}", "items of a rank", "µs",
                                  series, True)}
    if name == "host_memory":
        one = run.select(mode="wait", devices=1)
        one = one.assign(mebibytes=one["chunk"].str.extract(r"^(\d+)MiB$")[0].astype(float)).sort_values("mebibytes")
        series = []
        for kind in ("pinned", "pageable"):
            rows = one[one["operator"] == kind]
            series += [(f"Warpfold, {kind}" if kind == "pageable" else "Warpfold", rows["mebibytes"], rows["gbs"]),
                       (f"copies, then sums: {kind}", rows["mebibytes"], rows["bytes"] / rows["copies_and_sums"] * 1e-3)]
        rows = one[one["operator"] == "pinned"]
        series.append(("limit", rows["mebibytes"], rows["bytes"] / rows["copies"] * 1e-3))
        return {"chunks": line_plot(f"Sum of 4 GiB of host memory: {device}", "MiB in a chunk", "GB/s", series)}
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
        drawn = {"share": line_plot(f"Sums of floats along an axis, cold: {device}", "length of rows, or number of columns",
                                    "% of the floor", series)}
        grid = rows["form"].str.extract(GRID).dropna().astype(int).join(rows)
        if not grid.empty:
            grid = grid.assign(ours=100 * grid["floor"] / grid["warpfold"], theirs=100 * grid["floor"] / grid["best_cub"])
            panels = [(label, grid[grid["axis"] == axis].rename(columns={share: "percent"})) for label, axis, share in
                      (("rows: Warpfold", 1, "ours"), ("rows: CUB", 1, "theirs"), ("columns: Warpfold (CUB has none)", 0, "ours"))]
            drawn["grid"] = heat_maps(f"Sums of floats along an axis, % of the floor, cold: {device}", panels)
        return drawn
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
    if name.startswith(("everyday", "fuse", "arg_reduce", "vector_reductions", "top_k", "exact", "scan_strategies")):
        return {}
    rows = run.rows[run.rows["mode"] == "cold"]
    rows = rows[rows["operator"] == "minimum"].groupby("items")
    best = {kind: rows[[c for c in run.contenders if c.startswith(kind + ".")]].min().min(axis=1)
            for kind in ("tree", "warp_tree", "matrix", "shuffle") if any(c.startswith(kind + ".") for c in run.contenders)}
    return {"algorithms": line_plot(f"Float minimum, the fastest of each block algorithm, cold: {device}", "items", "µs",
                                    [(kind.replace("_", " "), times.index, times) for kind, times in best.items()], True)}

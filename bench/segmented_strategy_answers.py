# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paper's findings on segmented reductions, and which of them hold in a run: words that follow from its figures."""

from dataclasses import dataclass, field

from pages import percent, ratio, size, table
from segmented_strategy_run import OFFSETS, PAPER, WORKLOADS, contender_title, in_paper, moved_bandwidth
from strategy_answers import EQUAL, joined, span
from strategy_run import geometric_mean, parts_of

FASTER, AS_FAST, SLOWER = "faster", "as fast", "slower"
TREES = (PAPER["TB2"], PAPER["TB4-warp"])
MATRICES = tuple(PAPER[name] for name in ("Matrix", "P_Matrix", "Diffwarps", "Diffwarps16"))
DIFFWARPS = (PAPER["Diffwarps"], PAPER["Diffwarps16"])
# Figures of the paper, from its text.
PAPER_DEVICE = "GTX 480"
PAPER_OCCUPANCY = {"Diffwarps": "38 %", "Diffwarps16": "94 %"}
PAPER_READ = "53.67 GB/s"  # read by the first launch of Diffwarps16 over one segment of 30 * 2^20 items


@dataclass
class Finding:
    """How the best of `new` stands against the best of `old`, then and now."""
    question: str
    subject: str
    than: str
    new: tuple
    old: tuple
    claim: str = ""  # the paper's, and its reason
    reason: str = ""
    then: dict = field(default_factory=dict)  # workload -> outcome, by the paper

    def pairs(self, run):
        """Workload -> the two that are compared."""
        return {w: (run.best(self.new, w), run.best(self.old, w)) for w in run.workloads}

    def ratios(self, run):
        """Workload -> how many times as fast."""
        return {w: run.times_as_fast(w, *pair) for w, pair in self.pairs(run).items()}


def in_all(outcome):
    return {workload: outcome for workload in WORKLOADS}


TREES_OR_MATRICES = Finding(
    "Trees or matrices?", "the best matrix form", "the best tree", MATRICES, TREES,
    "matrices are faster for large and medium segments, trees for small ones",
    "where segments end, trees meet the output side by side, a matrix's rows do not",
    {"one": FASTER, "uniform_10_50": FASTER, "all_3": SLOWER})
PRODUCER_CONSUMER = Finding(
    "Producer and consumer warps?", "the better Diffwarps", "P_Matrix", DIFFWARPS, (PAPER["P_Matrix"],),
    "neither Diffwarps is competitive", "items and owners in two buffers leave room for few blocks, \"although this "
    "could change for future devices\"", in_all(SLOWER))
WIDTHS = Finding(
    "W = 16 or W = 32?", "Diffwarps16", "Diffwarps", DIFFWARPS[1:], DIFFWARPS[:1],
    "Diffwarps16 is faster than Diffwarps", "more of its blocks fit", in_all(FASTER))
PAPER_FINDINGS = (
    Finding("TB2 or TB4-warp?", "TB2", "TB4-warp", TREES[:1], TREES[1:], "TB2 is faster in all three",
            "TB4-warp's warps diverge more", in_all(FASTER)),
    TREES_OR_MATRICES,
    Finding("Persistent blocks?", "P_Matrix", "Matrix", (PAPER["P_Matrix"],), (PAPER["Matrix"],),
            "they are faster for large segments, and change nothing for medium and small ones", "",
            {"one": FASTER, "uniform_10_50": AS_FAST, "all_3": AS_FAST}),
    PRODUCER_CONSUMER, WIDTHS)
OFFSETS_OR_OWNERS = Finding("What do owners cost?", "the default, from offsets,", "from owners", (OFFSETS + "warpfold",),
                            ("warpfold",))
DEFAULT_OR_CUB = Finding("And CUB?", "the default, from owners,", "CUB's reduction by key", ("warpfold",), ("cub_by_key",))


def default_or_strategies(run):
    return Finding("And Warpfold's default?", "the default, from the same owners,", "the fastest of all strategies",
                   ("warpfold",), tuple(run.strategies()))


def later_findings(run):
    """What the paper left to do, and what it could not know."""
    schedules = [name for name in run.strategies() if parts_of(name)[0] in ("tree", "warp_tree") and name not in TREES]
    trees = Finding("Do trees gain from persistent blocks or producers and consumers? (The paper left that to do.)",
                    "the best tree with them", "the best in passes", tuple(schedules), TREES)
    return ([trees] if schedules else []) + [default_or_strategies(run), OFFSETS_OR_OWNERS, DEFAULT_OR_CUB]


def outcome(value):
    return FASTER if value > 1 + EQUAL else SLOWER if value < 1 - EQUAL else AS_FAST


def letters(workloads):
    return joined([WORKLOADS[w] for w in workloads])


def outcomes(finding, run):
    """The best matrix form is faster than the best tree in (a) (1.20), slower in (b) and (c) (0.50 to 0.70)."""
    ratios = finding.ratios(run)
    said = []
    for word in (FASTER, AS_FAST, SLOWER):
        chosen = {w: value for w, value in ratios.items() if outcome(value) == word}
        if chosen:
            than = "" if said else f" {'as' if word == AS_FAST else 'than'} {finding.than}"
            said.append(f"{word}{than} in {letters(chosen)} ({span(list(chosen.values()))})")
    return f"{finding.subject} is {', '.join(said)}"


def verdict(finding, run):
    """Which of the paper's outcomes hold."""
    ratios = finding.ratios(run)
    holds = [w for w in ratios if outcome(ratios[w]) == finding.then[w]]
    changed = [w for w in ratios if w not in holds]
    if holds and changed:
        return f"still so in {letters(holds)}, no longer in {letters(changed)}"
    return "no longer" if changed else "still so"


def capitalised(text):
    return text[:1].upper() + text[1:]


def answer(finding, run):
    if not finding.then:
        return f"**{finding.question}** {capitalised(outcomes(finding, run))}."
    reason = f": {finding.reason}" if finding.reason else ""
    return (f"**{finding.question}** The paper found that {finding.claim}{reason}. {capitalised(verdict(finding, run))}: "
            f"{outcomes(finding, run)}.")


def comparison_table(run, findings):
    def cell(finding, workload):
        return f"{ratio(finding.ratios(run)[workload])}: " + " / ".join(
            contender_title(name) for name in finding.pairs(run)[workload])

    return table(["times as fast", *(WORKLOADS[w] for w in run.workloads)],
                 [[finding.question, *(cell(finding, w) for w in run.workloads)] for finding in findings])


def winners(run):
    """The fastest of the paper's six on each workload."""
    said = []
    for w in run.workloads:
        name = run.best(PAPER.values(), w)
        said.append(f"in {WORKLOADS[w]} {in_paper(name)} ({run.mean_item_bandwidth(w, name):.0f} GB/s of items, "
                    f"{percent(run.mean_share_of_floor(w, name), 0)} of the floor)")
    return f"the fastest of the paper's six is {joined(said)}"


def later_winners(run):
    """Where a composition that the paper did not have is faster than its best."""
    said = []
    for w in run.workloads:
        best = run.best(run.strategies(), w)
        gain = run.times_as_fast(w, best, run.best(PAPER.values(), w))
        if outcome(gain) == FASTER:
            said.append(f"in {WORKLOADS[w]} `{best}`, {ratio(gain)} times as fast")
    return f"Of all compositions it is {joined(said)}." if said else \
        f"No other composition is faster by more than {percent(EQUAL, 0)}."


def occupancies(run):
    """What the paper put Diffwarps' place down to, then and now."""
    now = [f"{name} fills {percent(run.fact(PAPER[name], 'occupancy'), 0)} ({then} on the {PAPER_DEVICE})"
           for name, then in PAPER_OCCUPANCY.items()]
    return f"Of the threads that a multiprocessor can hold {joined(now)}"


def read_bandwidth(run):
    """The one bandwidth that the paper's text gives for a segmented algorithm."""
    if "one" not in run.workloads:
        return ""
    group, name = run.paper_groups("one")[-1], PAPER["Diffwarps16"]
    return (f"Over one segment Diffwarps16 read {PAPER_READ} on the {PAPER_DEVICE}; here it moves "
            f"{moved_bandwidth(group, name):.0f} GB/s at {size(group.items)} items.")


def sums(run):
    """Whether plus takes as long as minimum, in every strategy at every size that has both."""
    values = {name: [] for name in run.strategies()}
    for w in run.workloads:
        minima = {g.items: g for g in run.workloads[w]}
        for g in run.sums(w):
            for name in values:
                if g.items in minima and name in g.seconds:
                    values[name].append(g.seconds[name] / minima[g.items].seconds[name])
    means = {name: geometric_mean(found) for name, found in values.items() if found}
    if not means:
        return []
    still = "Still so" if all(outcome(value) == AS_FAST for value in means.values()) else "Not quite"
    return [f"**Plus or minimum?** The paper: similar. {still}: by strategy, plus takes {span(list(means.values()))} "
            "times as long as minimum."]


def answers(run):
    """The paper's questions and those since, one after another."""
    since = later_findings(run)
    room = f"{occupancies(run)}. {read_bandwidth(run)}".strip()
    return "\n\n".join([f"{capitalised(winners(run))}. {later_winners(run)}",
                        *(answer(finding, run) for finding in PAPER_FINDINGS), room, *sums(run),
                        *(answer(finding, run) for finding in since), comparison_table(run, [*PAPER_FINDINGS, *since])])


def since_then(run):
    """What changed since the paper, in one paragraph."""
    held = [f"That {finding.claim}: {verdict(finding, run)}; {outcomes(finding, run)}."
            for finding in (TREES_OR_MATRICES, PRODUCER_CONSUMER, WIDTHS)]
    default = "; ".join(outcomes(finding, run) for finding in (default_or_strategies(run), OFFSETS_OR_OWNERS))
    return " ".join([f"What changed since the paper, which had a {PAPER_DEVICE}: over its sizes {winners(run)}. Brackets "
                     "from here on: how many times as fast.", *held,
                     f"{occupancies(run)}.", f"{capitalised(default)}."])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of segmented_reduce_bench, or a kin of it: its groups, how each stands against CUB and its limit, and what
must hold."""

import re

from bars import Bar
from measurements import ResultError
from pages import size

MAIN_ITEMS, SMALL_ITEMS = 1 << 26, 1 << 20
LONG_ITEMS = 1000  # mean length from which little but the items is read


def in_words(name):
    """all_32 -> all of 32."""
    name = re.sub(r"^geometric_(\d+)$", r"geometric of mean \1", name)
    name = re.sub(r"^(all|length)_(.+)$", r"\1 of \2", name)
    return re.sub(r"^uniform_(\d+)_(\d+)$", r"uniform in [\1, \2]", name).replace("_", " ")


def form_in_words(form):
    """int32 -> int32 keys."""
    return re.sub(r"^u?int\d+$", r"\g<0> keys", form)


def is_equal_lengths(group):
    return group.segments.startswith("all_") or group.segments == "one"


def where_in_words(group):
    return f"{in_words(group.segments)}, {size(group.items)}"


def segment_count(group):
    if "segments" not in group.counters["warpfold"]:
        raise ResultError(f"{group.function} of {where_in_words(group)}: no count of segments")
    return int(group.counters["warpfold"]["segments"])


def held_items(group):
    """Items that there are: a counter says so where they are fewer than the name says. None where it should and does
    not: so many floats would be more than the bytes that were moved."""
    items = int(group.counters["warpfold"].get("items", group.items))
    return None if group.item_type == "float" and group.bytes < 4 * items else items


def mean_length(group):
    """None where the items are not known."""
    return None if held_items(group) is None else held_items(group) / segment_count(group)


def fastest(group, prefix):
    """Seconds of the fastest contender so named; None if there is none."""
    return min((t for name, t in group.seconds.items() if name.startswith(prefix)), default=None)


def floor_seconds(group):
    """The fastest kernel that moves the same bytes and reduces nothing."""
    return fastest(group, "move_")


def over_best_cub(group):
    """How many times as fast as the faster of CUB's functions; None where CUB was not measured."""
    cub = fastest(group, "cub")
    return None if cub is None else cub / group.seconds["warpfold"]


def over_neighbours(groups, cost):
    """What each costs over the cheaper of those beside it; None for one alone."""
    costs = [cost(g) for g in groups]
    beside = [costs[max(i - 1, 0):i] + costs[i + 1:i + 2] for i in range(len(costs))]
    return [own / min(others) if others else None for own, others in zip(costs, beside)]


class SegmentedRun:
    function = "segmented_reduce"
    contenders = ("warpfold", "cub_segmented", "cub_by_key")
    all_forms = ("offsets", "owners", "bounds")  # whose segments may have any lengths; the first is that of all sizes
    limit_aim = 0.90  # the page names what has less, unless it is None
    title, part, forms_title = "Segmented sum", "segment", "Forms"  # the words for a sum of floats, and for its parts
    markers = "<!-- segmented-table:begin -->", "<!-- segmented-table:end -->"  # where the README has its table

    def __init__(self, run):
        self.run = run
        self.device = run.context.get("device", "unknown device")
        self.groups = [g for g in run.groups if g.mode == "cold" and "warpfold" in g.seconds]
        if not self.groups:
            raise ResultError(f"no {self.function}/… of Warpfold in the kept results")

    def sums(self, items=MAIN_ITEMS, form=None):
        """Float sums over segments of every kind, in the order of the file."""
        return [g for g in self.run.select(self.function, form=form or self.all_forms[0]) if g.items == items]

    def sizes(self):
        return sorted({g.items for g in self.run.select(self.function, form=self.all_forms[0])})

    def forms(self):
        return [form for form in self.all_forms if self.sums(form=form)]

    def kinds(self):
        """(type, operator) -> segments -> its group, of most items; without the float sums."""
        found = {}
        for g in self.groups:
            if g.form == self.all_forms[0] and (g.item_type, g.operator) != ("float", "plus"):
                chosen = found.setdefault((g.item_type, g.operator), {})
                chosen[g.segments] = max(chosen.get(g.segments, g), g, key=lambda h: h.items)
        return found

    def over_float(self, group):
        """Its share of the limit over that of the float sum of as long segments; None where there is none."""
        sums = [g for g in self.sums() if g.segments == group.segments]
        return group.share_of_limit() / sums[0].share_of_limit() if sums else None

    def fixed_lengths(self):
        """length -> group, ascending."""
        found = {int(g.segments.removeprefix("length_")): g for g in self.sums(form="fixed_length")
                 if re.fullmatch(r"length_\d+", g.segments)}
        return dict(sorted(found.items()))

    def bars(self):
        """What must hold; a bar without cases was not measured."""
        kinds = [Bar(f"{item_type} {operator.replace('_', ' ')}: share of the limit over float sum's", 0.9,
                     [(self.over_float(g), in_words(g.segments)) for g in groups.values()
                      if self.over_float(g) is not None])
                 for (item_type, operator), groups in self.kinds().items()]
        forms = [bar for form in self.all_forms for bar in form_bars(self, form)]
        return forms + cub_bars(self) + fixed_length_bars(self) + (kinds or [Bar("other types and operators", 0.9, [])])


def lengths_in_words(group):
    return in_words(group.segments)


def share_bars(case, groups, where=lengths_in_words):
    """What holds for every form by its own limit."""
    long = [g for g in groups if mean_length(g) is not None and mean_length(g) >= LONG_ITEMS]
    return [Bar(f"{case}: share of the limit", 0.70, [(g.share_of_limit(), where(g)) for g in groups]),
            Bar(f"{case}, mean length {LONG_ITEMS} and more: share of the limit", 0.90,
                [(g.share_of_limit(), where(g)) for g in long])]


def form_bars(run, form):
    return share_bars(f"{form_in_words(form)}, float sum, {size(MAIN_ITEMS)}", run.sums(form=form))


def over_cub_bar(case, groups, where=lengths_in_words):
    return Bar(f"{case}: time over the best of CUB's", 1.02,
               [(1 / over_best_cub(g), where(g)) for g in groups if over_best_cub(g) is not None], True)


def cub_bars(run):
    compared = [(over_best_cub(g), in_words(g.segments), fastest(g, "cub") > 8e-6)
                for g in run.sums(SMALL_ITEMS) if over_best_cub(g) is not None]
    case = f"offsets, float sum, {size(SMALL_ITEMS)}, CUB's best takes"
    return [over_cub_bar(f"offsets, float sum, {size(MAIN_ITEMS)}", run.sums()),
            Bar(f"{case} more than 8 µs: times as fast", 2, [(v, where) for v, where, slow in compared if slow]),
            Bar(f"{case} 8 µs or less: times as fast", 1, [(v, where) for v, where, slow in compared if not slow])]


def fixed_length_bars(run):
    lengths = run.fixed_lengths()

    def cases(values):
        return [(v, f"length {length}") for v, length in zip(values, lengths) if v is not None]

    groups = list(lengths.values())
    case = f"fixed length, float sum, {size(MAIN_ITEMS)}"
    return [Bar(f"{case}: share of the limit", 0.8, cases(g.share_of_limit() for g in groups)),
            Bar(f"{case}: time over a neighbour's", 1.25, cases(over_neighbours(groups, seconds)), True),
            Bar(f"{case}: time a byte over a neighbour's", 1.25, cases(over_neighbours(groups, seconds_a_byte)), True)]


def seconds(group):
    return group.seconds["warpfold"]


def seconds_a_byte(group):
    return group.seconds["warpfold"] / group.bytes

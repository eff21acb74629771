# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Line plots as SVG, drawn by hand: a machine with python3 alone can draw them. Legible on light and dark pages."""

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 780, 430
LEFT, RIGHT, TOP, BOTTOM = 68, 144, 62, 52  # margins; the right one holds the labels at the ends of the lines
LABEL_HEIGHT = 15
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass
class Series:
    label: str
    colour: str
    points: list  # of (items, value)
    dash: str = ""
    dots: list = field(default_factory=list)  # more of them, off the line


@dataclass
class Axis:
    """Maps values to pixels, on a linear or a logarithmic scale."""
    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool

    def pixel(self, value):
        scale = math.log if self.logarithmic else (lambda x: x)
        share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.begin + share * (self.end - self.begin)


def linear_ticks(high):
    """0 and up in steps of 1, 2 or 5 times a power of ten: five to ten steps."""
    step = 10 ** math.floor(math.log10(high / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if high / (step * factor) <= 8)
    return [step * i for i in range(math.ceil(high / step) + 1)]


def logarithmic_ticks(low, high):
    """1, 2 and 5 times powers of ten that span the values."""
    ticks = [m * 10.0 ** e for e in range(-3, 8) for m in (1, 2, 5)]
    first = max(i for i, tick in enumerate(ticks) if tick <= low)
    last = min(i for i, tick in enumerate(ticks) if tick >= high)
    return ticks[first:last + 1]


def spread(positions, gap, lowest):
    """Moves positions (pixels, ascending) apart to at least `gap`, none past `lowest`."""
    placed = []
    for position in positions:
        placed.append(max(position, placed[-1] + gap) if placed else position)
    limit = lowest
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - gap
    return placed


def text(x, y, content, anchor="middle", colour="#333", size=12, extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}"{extra}>'
            f'{escape(content)}</text>')


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def line_plot(title, y_label, series, logarithmic_y=False, x_label="items"):
    """The document as text. X is the item count on a logarithmic scale of base 2."""
    series = [s for s in series if s.points]
    xs = [x for s in series for x, _ in s.points + s.dots]
    ys = [y for s in series for _, y in s.points + s.dots]
    ticks = logarithmic_ticks(min(ys), max(ys)) if logarithmic_y else linear_ticks(max(ys))
    x_axis = Axis(min(xs), max(max(xs), 2 * min(xs)), LEFT, WIDTH - RIGHT, True)
    y_axis = Axis(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP, logarithmic_y)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
             f'height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" role="img" aria-label="{escape(title)}">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>',
             text(LEFT, 24, title, "start", "#111", 15, ' font-weight="bold"')]
    parts += grid(x_axis, y_axis, ticks, x_label, y_label)
    parts += legend(series)
    parts += [polyline(s, x_axis, y_axis) for s in series]
    parts += [dot(x, y, s, x_axis, y_axis) for s in series for x, y in s.dots]
    parts += end_labels(series, x_axis, y_axis)
    return "\n".join(parts + ["</svg>"]) + "\n"


def stacked(plots):
    """One document of several plots, one below another."""
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT * len(plots)}" width="{WIDTH}" '
             f'height="{HEIGHT * len(plots)}">\n']
    for i, plot in enumerate(plots):
        parts.append(plot.replace("<svg ", f'<svg y="{i * HEIGHT}" ', 1))
    return "".join(parts + ["</svg>\n"])


def grid(x_axis, y_axis, y_ticks, x_label, y_label):
    parts = []
    for tick in y_ticks:
        y = y_axis.pixel(tick)
        parts += [line(LEFT, y, WIDTH - RIGHT, y, "#e3e3e3"), text(LEFT - 8, y + 4, f"{tick:,.10g}", "end")]
    bits = [round(math.log2(x_axis.low)), round(math.log2(x_axis.high))]
    for exponent in range(bits[0] + bits[0] % 2, bits[1] + 1, 2):
        x = x_axis.pixel(2.0 ** exponent)
        parts += [line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "#777"),
                  text(x, HEIGHT - BOTTOM + 20, "2" + str(exponent).translate(SUPERSCRIPTS))]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return parts + [line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "#777"),
                    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label, size=13),
                    text(18, middle, y_label, size=13, extra=f' transform="rotate(-90 18 {middle:.1f})"')]


def stroke(s):
    dash = f' stroke-dasharray="{s.dash}"' if s.dash else ""
    return f'fill="none" stroke="{s.colour}" stroke-width="2.2" stroke-linejoin="round"{dash}'


def polyline(s, x_axis, y_axis):
    points = " ".join(f"{x_axis.pixel(x):.1f},{y_axis.pixel(y):.1f}" for x, y in s.points)
    return f'<polyline points="{points}" {stroke(s)}/>'


def dot(x, y, s, x_axis, y_axis):
    return f'<circle cx="{x_axis.pixel(x):.1f}" cy="{y_axis.pixel(y):.1f}" r="3.6" fill="{s.colour}"/>'


def legend(series):
    """In a row, if it fits; the lines have their names at their ends as well."""
    parts, x = [], LEFT
    for s in series:
        parts += [f'<polyline points="{x},42 {x + 26},42" {stroke(s)}/>', text(x + 32, 46, s.label, "start")]
        x += 52 + 6.6 * len(s.label)
    return parts if x - 20 <= WIDTH else []


def end_labels(series, x_axis, y_axis):
    """Each line's name where it ends, moved apart where lines end together."""
    ends = sorted(((y_axis.pixel(s.points[-1][1]), x_axis.pixel(s.points[-1][0]), s) for s in series),
                  key=lambda end: end[0])
    rows = spread([y for y, _, _ in ends], LABEL_HEIGHT, HEIGHT - BOTTOM)
    return [text(x + 7, row + 4, s.label, "start", s.colour, 12) for row, (_, x, s) in zip(rows, ends)]

"""Plots as SVG: groups of bars on a logarithmic scale. Bars of ratios begin at 1."""

import math
from xml.sax.saxutils import escape

BAR, GAP, LEFT, WIDTH, RIGHT, TOP = 14, 12, 230, 480, 70, 62
COLORS = ["#2f6db5", "#d9822b", "#4f9d55", "#a54fa0", "#c0392b", "#6b7785"]


def bars(title, groups, unit, form="{:,.2f}"):
    """A plot of groups: (name, [(series, value)]). Values are more than 0."""
    series = list(dict.fromkeys(name for _, values in groups for name, _ in values))
    numbers = [value for _, values in groups for _, value in values]
    if unit == "ratio":
        numbers.append(1)
    low = math.floor(math.log10(min(numbers)))
    high = max(low + 1, math.ceil(math.log10(max(numbers))))

    def x(value):
        return LEFT + WIDTH * (math.log10(value) - low) / (high - low)

    origin = x(1) if unit == "ratio" else LEFT
    rows = sum(len(values) for _, values in groups)
    bottom = TOP + 16 * math.ceil(len(series) / 3) + rows * BAR + len(groups) * GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" '
           f'height="{bottom + 40}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           text(LEFT, 22, title, size=15)]
    for index, name in enumerate(series):
        left, top = LEFT + index % 3 * 180, 38 + index // 3 * 16
        out += [rectangle(left, top, 10, 10, COLORS[index % len(COLORS)]),
                text(left + 14, top + 9, plain(name))]
    start = TOP + 16 * (math.ceil(len(series) / 3) - 1)
    for power in range(low, high + 1):
        place = x(10.0 ** power)
        strong = unit == "ratio" and power == 0
        out += [f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{start}" y2="{bottom}" '
                f'stroke="{"#333" if strong else "#ddd"}"/>',
                text(place, bottom + 16, f"{10.0 ** power:,.10g}", anchor="middle")]
    out.append(text(LEFT + WIDTH / 2, bottom + 34, f"{unit}, logarithmic scale", anchor="middle"))
    y = start + GAP / 2
    for name, values in groups:
        out.append(text(LEFT - 8, y + len(values) * BAR / 2 + 4, plain(name), anchor="end"))
        for label, value in values:
            color = COLORS[series.index(label) % len(COLORS)]
            left, right = sorted((origin, x(value)))
            side = ("start", 4) if right > origin else ("end", -4)
            out += [rectangle(left, y + 1, max(1, right - left), BAR - 2, color),
                    text(x(value) + side[1], y + 11, form.format(value), side[0], 10)]
            y += BAR
        y += GAP
    return "\n".join([*out, "</svg>", ""])


def plain(title):
    """A title without Markdown's marks."""
    return title.replace("`", "")


def text(x, y, words, anchor="start", size=12):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
            f"{escape(words)}</text>")


def rectangle(x, y, width, height, color):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{color}"/>')


def events(rows, titles):
    groups = {}
    for row in rows:
        setting = f"{row['connections']} × {row['under_way']}"
        groups.setdefault(titles[row["beside"]], []).append((setting, row["ratio"]))
    return bars("Durable events per second: Grove ÷ peer", list(groups.items()), "ratio")


def fan_out(rows, titles):
    groups = {}
    for row in rows:
        groups.setdefault(titles[row["beside"]], []).append(
            (f"window {row['window']}", row["ratio"]))
    return bars("Deliveries per second: Grove ÷ peer", list(groups.items()), "ratio")


def catch_up(rows, titles):
    groups = [(titles[row["beside"]], [("Grove", row["grove"]["per_second"]),
                                       ("the peer", row["peer"]["per_second"])]) for row in rows]
    return bars("Catch-up: records per second", groups, "records per second", "{:,.0f}")


def start_up(rows, titles):
    servers = [("Grove", rows[0]["grove"])] + [(titles[row["beside"]], row["peer"]) for row in rows]
    groups = [(name, [("after a clean stop", side["clean_ms"]),
                      ("after SIGKILL", side["killed_ms"])]) for name, side in servers]
    return bars(f"Start with {rows[0]['instances']:,} instances", groups, "milliseconds",
                "{:,.0f}")


PLOTS = {"events": events, "fan-out": fan_out, "catch-up": catch_up, "start-up": start_up}


def all_plots(results):
    """The text of each plot by its file's name."""
    return {f"{name}.svg": plot(results["parts"][name], results["titles"][name])
            for name, plot in PLOTS.items() if results["parts"].get(name)}

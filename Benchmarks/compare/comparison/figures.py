"""Medians, and numbers as text."""

import statistics


def median(values):
    return statistics.median(list(values))


def median_row(rounds, names):
    """The rounds of two servers with their medians: of the ratios, and of each side's figures."""
    row = {"ratio": median(result["ratio"] for result in rounds), "rounds": rounds}
    for side in ("grove", "peer"):
        row[side] = {name: median(result[side][name] for result in rounds) for name in names}
    return row


def ratio(value):
    """Three digits are more than the machine's noise allows."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def milliseconds(microseconds):
    return f"{microseconds / 1000:.2f}"


def table(head, rows):
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)

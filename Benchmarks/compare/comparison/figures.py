"""Medians, and numbers as text."""

import statistics


def median(values):
    return statistics.median(list(values))


def median_of(rounds, side, name):
    """The median of one figure of one server over the rounds."""
    return median(result[side][name] for result in rounds)


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

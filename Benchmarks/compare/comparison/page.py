"""The Markdown page of a comparison."""

import textwrap

from . import figures, machine

INTRODUCTION = """\
{machine} Measured in turns, {rounds} of {seconds} s for each server; figures are medians, and a
ratio is the median of the rounds' ratios. A ratio above 1 means that Grove was better. The load
generator shares the machine: “own” is the processor time that it took, as a share of one core."""


def page(results):
    options = results["options"]
    introduction = INTRODUCTION.format(
        machine=machine.in_words(results["machine"]), rounds=times(options["rounds"]),
        seconds=f"{options['seconds']:g}")
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    text = ["# Grove beside other servers\n", wrapped(introduction),
            wrapped(f"Versions: {versions}.")]
    if options["quick"]:
        text.append("**A quick run: it shows that everything works, not how fast it is.**\n")
    for name, section in SECTIONS.items():
        rows = results["parts"].get(name)
        if rows:
            text.append(section(rows, results["titles"][name]))
    problems = [f"- `{key}` can't be had here: {why}" for key, why in results["missing"].items()]
    problems += [f"- {row['part']}, `{row['peer']}`: {row['why']}" for row in results["failed"]]
    if problems:
        text.append("## Not measured\n\n" + "\n".join(problems) + "\n")
    return "\n".join(text)


def wrapped(words):
    return textwrap.fill(" ".join(words.split()), 100, break_on_hyphens=False) + "\n"


def times(count):
    return "one round" if count == 1 else f"{count} rounds"


def own(side):
    return f"{100 * side['own_s'] / side['measured_s']:.0f} %"


def by_peer(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["beside"], []).append(row)
    return groups


def events(rows, titles):
    text = ["## Durable events\n", "Ratios of acknowledged events per second:\n",
            overview(rows, titles), "",
            wrapped("In the tables below, “processor” is the server's time for one event, in user and "
                    "in system mode.")]
    for key, group in by_peer(rows).items():
        measured = ["p50 ms", "p99 ms", "p99.9 ms", "processor µs", "own"]
        head = ["connections", "under way each", "Grove events/s", *measured,
                f"{titles[key]}, events/s", *measured, "ratio"]
        lines = []
        for row in group:
            line = [row["connections"], row["under_way"]]
            for side in (row["grove"], row["peer"]):
                line += [f"{side['per_second']:,.0f}",
                         *(figures.milliseconds(side[f"p{part}_us"]) for part in (50, 99, 999)),
                         f"{side['user_us']:.1f} + {side['system_us']:.1f}", own(side)]
            lines.append([*line, figures.ratio(row["ratio"])])
        text += [f"### Events beside {titles[key]}\n", figures.table(head, lines), ""]
    return "\n".join([*text, "![Ratios of events per second](events.svg)\n", syncs(rows)])


def syncs(rows):
    """How the disk was during the loads."""
    times = sorted(load["sync_us"] for row in rows for both in row["rounds"]
                   for load in (both["grove"], both["peer"]))
    tenth = len(times) // 10
    low, high = (figures.milliseconds(times[index]) for index in (tenth, len(times) - 1 - tenth))
    return wrapped(
        "Before these loads, a sync of the disk took "
        f"{figures.milliseconds(figures.median(times))} ms (median), and {low} to {high} ms "
        "without the lowest and the highest tenth.")


def overview(rows, titles):
    """Settings down, peers across."""
    peers = list(by_peer(rows))
    settings = list(dict.fromkeys((row["connections"], row["under_way"]) for row in rows))
    ratios = {(row["beside"], row["connections"], row["under_way"]): figures.ratio(row["ratio"])
              for row in rows}
    lines = [[f"{connections} × {under_way}",
              *(ratios.get((peer, connections, under_way), "") for peer in peers)]
             for connections, under_way in sorted(settings)]
    return figures.table(["connections × under way", *(titles[peer] for peer in peers)], lines)


def fan_out(rows, titles):
    head = ["subscribers", "window", "beside", "Grove deliveries/s", "own", "peer deliveries/s",
            "own", "bytes of a delivery", "ratio"]
    lines = []
    for row in rows:
        lines.append([
            f"{row['subscribers']:,}", row["window"], titles[row["beside"]],
            f"{row['grove']['per_second']:,.0f}", own(row["grove"]),
            f"{row['peer']['per_second']:,.0f}", own(row["peer"]),
            f"{row['grove']['bytes_each']:.0f} and {row['peer']['bytes_each']:.0f}",
            figures.ratio(row["ratio"])])
    return "\n".join(["## Fan-out\n", "One publisher; Grove's records are on disk before they are "
                      "sent, the peers keep nothing.\n", figures.table(head, lines), "",
                      "![Ratios of deliveries per second](fan-out.svg)\n", syncs(rows)])


def catch_up(rows, titles):
    head = ["records", "beside", "Grove records/s", "own", "peer records/s", "own",
            "bytes of a record", "ratio"]
    lines = []
    for row in rows:
        lines.append([
            f"{row['records']:,}", titles[row["beside"]],
            f"{row['grove']['per_second']:,.0f}", own(row["grove"]),
            f"{row['peer']['per_second']:,.0f}", own(row["peer"]),
            f"{row['grove']['bytes_each']:.0f} and {row['peer']['bytes_each']:.0f}",
            figures.ratio(row["ratio"])])
    return "\n".join(["## Catch-up\n", "One client reads all records from the first.\n",
                      figures.table(head, lines), "",
                      "![Records per second](catch-up.svg)\n"])


def start_up(rows, titles):
    starts = ["server", "instances", "ready after a clean stop, ms", "after SIGKILL, ms",
              "after SIGKILL with few busy, ms", "a clean stop takes, ms", "MiB after a start"]
    sizes = ["server", "bytes of memory for each instance", "bytes of disk for each",
             "events/s to 10,000 of them", "to all at random", "ratio",
             "events/s to all after a start"]
    start_lines, size_lines = [], []
    for name, count, side in sides(rows, titles, "instances"):
        start_lines.append([name, count, f"{side['clean_ms']:.0f}", f"{side['killed_ms']:.0f}",
                            f"{side['busy_killed_ms']:.0f}", f"{side['stop_ms']:.0f}",
                            f"{side['start_bytes'] / 2**20:.0f}"])
        size_lines.append([name, f"{side['bytes_each']:,.0f}", f"{side['disk_bytes_each']:,.0f}",
                           f"{side['few_per_second']:,.0f}", f"{side['all_per_second']:,.0f}",
                           figures.ratio(side["all_by_few"]),
                           f"{side['started_per_second']:,.0f}"])
    return "\n".join(["## Start-up with many instances\n", figures.table(starts, start_lines), "",
                      "![Milliseconds until a server answers](start-up.svg)\n",
                      "### Many instances\n", figures.table(sizes, size_lines), ""])


def connections(rows, titles):
    lines = [[name, count, f"{side['bytes_each'] / 1024:.1f}"]
             for name, count, side in sides(rows, titles, "connections")]
    return "\n".join(["## Memory of idle connections\n",
                      figures.table(["server", "connections", "KiB each"], lines), ""])


def sides(rows, titles, count):
    """Name, number and figures: of Grove as it was beside the first peer, then of each peer."""
    if rows:
        yield "Grove", f"{rows[0][count]:,}", rows[0]["grove"]
    for row in rows:
        yield titles[row["beside"]], f"{row[count]:,}", row["peer"]


SECTIONS = {"events": events, "fan-out": fan_out, "catch-up": catch_up, "start-up": start_up,
            "connections": connections}

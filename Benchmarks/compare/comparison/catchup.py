"""Catch-up: one client reads all stored records from the first, Grove and a peer in turns."""

from .figures import median_row
from .install import say
from .peer import COUNTERS


def compare(grove, peer, options):
    """One row. The records are those of as many events to 10,000 counters."""
    say(f"catch-up: {peer.key}, {options.records:,} records")
    results = []
    try:
        for server in (grove, peer):
            server.start()
            server.fill(COUNTERS, options.records)
        for _ in range(options.rounds):
            ours = measure(grove, options)
            theirs = measure(peer, options)
            results.append({"grove": ours, "peer": theirs,
                            "ratio": ours["per_second"] / theirs["per_second"]})
    finally:
        grove.remove()
        peer.remove()
    row = {"beside": peer.key, "records": options.records,
           **median_row(results, ("per_second", "bytes_each", "own_s", "measured_s"))}
    say(f"  {row['grove']['per_second']:,.0f} and {row['peer']['per_second']:,.0f} records/s, "
        f"ratio {row['ratio']:.2f}")
    yield row


def measure(server, options):
    server.prepare_catch_up()
    return server.bench.generator("catch-up", server.key, server.port, options.records)

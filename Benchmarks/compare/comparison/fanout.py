"""Fan-out: one publisher and many subscribers, Grove and a peer in turns."""

from . import machine
from .figures import median_row
from .install import say

WINDOWS = (16, 64)
# The bytes of a delivery around its payload: "*3\r\n$7\r\nmessage\r\n…" and "MSG fan 1 …".
OVERHEAD = {"redis": 34, "nats": 17}


def compare(grove, peer, options):
    """A row for each window."""
    for window in WINDOWS:
        say(f"fan-out: {peer.key}, {options.subscribers} subscribers, window {window}")
        results = []
        try:
            grove.start()
            peer.start()
            for _ in range(options.rounds):
                ours = measure(grove, "grove", window, 0, options)
                # Deliveries of the peer are as long as those of Grove.
                payload = round(ours["bytes_each"]) - OVERHEAD[peer.key]
                theirs = measure(peer, peer.key, window, payload, options)
                results.append({"grove": ours, "peer": theirs,
                                "ratio": ours["per_second"] / theirs["per_second"]})
        finally:
            grove.remove()
            peer.remove()
        row = {"beside": peer.key, "subscribers": options.subscribers, "window": window,
               **median_row(results, ("per_second", "bytes_each", "own_s", "measured_s"))}
        say(f"  {row['grove']['per_second']:,.0f} and {row['peer']['per_second']:,.0f} "
            f"deliveries/s, ratio {row['ratio']:.2f}")
        yield row


def measure(server, protocol, window, payload, options):
    sync_us = machine.sync_us(server.bench.folder)
    result = server.bench.generator(
        "fan-out", protocol, server.port, options.subscribers, window,
        max(0.2, options.seconds / 10), options.seconds, payload)
    return {**result, "sync_us": sync_us}

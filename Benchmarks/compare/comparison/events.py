"""Durable events: Grove and a peer in turns, for each setting."""

import dataclasses

from . import machine
from .figures import median_row
from .install import say
from .peer import COUNTERS
from .processes import Failure


@dataclasses.dataclass
class Setting:
    connections: int
    under_way: int
    counters: int = COUNTERS


def measure(server, setting, seconds, seed):
    """One load on one server. Its own count must agree with what it acknowledged."""
    before = server.stored_events()
    sync_us = machine.sync_us(server.bench.folder)
    used = server.processor_seconds()
    result = server.events(setting, seconds, seed)
    user_us, system_us = (1e6 * (now - then) / result["acknowledged"]
                          for now, then in zip(server.processor_seconds(), used))
    stored = server.stored_events() - before
    if stored != result["acknowledged"]:
        raise Failure(
            f"{server.key} acknowledged {result['acknowledged']} events and holds {stored}")
    return {**result, "sync_us": sync_us, "user_us": user_us, "system_us": system_us}


def compare_setting(grove, peer, setting, rounds, seconds):
    """Both servers in turns, from empty data, with all counters there before the first load."""
    results = []
    try:
        for server in (grove, peer):
            server.start()
            server.fill(setting.counters, setting.counters)
        for number in range(rounds):
            ours = measure(grove, setting, seconds, number)
            theirs = measure(peer, setting, seconds, number)
            results.append({"grove": ours, "peer": theirs,
                            "ratio": ours["per_second"] / theirs["per_second"]})
    finally:
        grove.remove()
        peer.remove()
    return {"beside": peer.key, "connections": setting.connections,
            "under_way": setting.under_way,
            **median_row(results, ("per_second", "p50_us", "p99_us", "p999_us", "own_s",
                                 "measured_s", "user_us", "system_us"))}


def compare(grove, peer, options):
    """A row for each setting of a peer."""
    for connections in peer.connections:
        for under_way in peer.under_way[:2][-1:] if options.quick else peer.under_way:
            setting = Setting(connections, under_way)
            say(f"events: {peer.key}, {connections} × {under_way}")
            row = compare_setting(grove, peer, setting, options.rounds, options.seconds)
            say(f"  {row['grove']['per_second']:,.0f} and {row['peer']['per_second']:,.0f} "
                f"events/s, ratio {row['ratio']:.2f}")
            yield row

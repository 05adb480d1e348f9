"""The command Benchmarks/compare/run: its options, and the way through its parts."""

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile

from . import (
    catchup, connections, events, fanout, install, machine, page, plot, startup)
from .dbos import Dbos
from .generator import Generator
from .grove import Grove
from .nats import JetStream, JetStreamSynced, Nats
from .peer import Bench
from .postgres import PostgreSQL
from .processes import Failure, Ports
from .redis import Redis, RedisStream, RedisStreams
from .temporal import Temporal

PARTS = {"events": events, "fan-out": fanout, "catch-up": catchup, "start-up": startup,
         "connections": connections}
PEERS = [Redis, RedisStreams, RedisStream, PostgreSQL, JetStreamSynced, JetStream, Nats, Temporal,
         Dbos]

DESCRIPTION = """\
Starts Grove and other servers on this machine, one pair after the other, puts the same load on
both in turns, and reports the medians of the ratios. Everything is on the loopback interface, and
ends with this command. Results go to the output folder as JSON, a Markdown page, and plots."""

EPILOG = """\
examples:
  Benchmarks/compare/run --quick                          whether everything works here
  Benchmarks/compare/run --only events --peers redis,xadd
  Benchmarks/compare/run --grove .build/release/grove
  Benchmarks/compare/run --page                           the page of the last run again

exit codes: 0 done, also if a peer can't be had here; 1 a load or a server failed; 2 wrong usage."""


def default_cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "grove-compare")


def parse(arguments):
    def names(known):
        def parsed(text):
            chosen = [name for name in text.split(",") if name]
            for name in chosen:
                if name not in known:
                    raise argparse.ArgumentTypeError(
                        f"{name} is none of {', '.join(known)}")
            return chosen
        return parsed

    def count(text):
        value = int(text)
        if not 1 <= value <= 1_000_000:
            raise argparse.ArgumentTypeError("not in 1 to 1,000,000")
        return value

    peers = [peer.key for peer in PEERS]
    parser = argparse.ArgumentParser(
        prog="Benchmarks/compare/run", description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", metavar="PART,…", type=names(list(PARTS)), default=list(PARTS),
        help=f"the parts to run: {', '.join(PARTS)}")
    add("--peers", metavar="PEER,…", type=names(peers), default=peers,
        help=f"the servers beside Grove: {', '.join(peers)}")
    add("--rounds", type=count, default=5, help="times that each pair is measured (5)")
    add("--seconds", type=float, default=4, help="length of each measurement (4)")
    add("--subscribers", type=count, default=1000, help="subscribers of a fan-out (1000)")
    add("--records", type=count, default=1_000_000,
        help="stored records that a catch-up reads (1000000)")
    add("--instances", type=count, default=1_000_000,
        help="stored instances at a start (1000000)")
    add("--connections", type=count, default=5000,
        help="idle connections whose memory is measured (5000)")
    add("--quick", action="store_true",
        help="one short round of few settings: shows that it works, not how fast it is")
    add("--grove", metavar="PATH", help="the program to measure; otherwise a release is built")
    add("--out", metavar="DIR", default=os.path.join(install.HERE, "results"),
        help="the output folder (Benchmarks/compare/results)")
    add("--data", metavar="DIR", default="/var/tmp",
        help="where the servers' data is, in a folder that is removed at the end; it should be on "
             "the disk to measure (/var/tmp)")
    add("--cache", metavar="DIR", default=default_cache(),
        help="where the load generator and the peers' Python packages are kept "
             "(~/.cache/grove-compare)")
    add("--port", type=int, default=17500,
        help="the first of a hundred ports to choose free ones from (17500)")
    add("--json", action="store_true", help="print the results as JSON instead of Markdown")
    add("--page", action="store_true",
        help="measure nothing; make the page and the plots again from the stored results")
    options = parser.parse_args(arguments)
    if options.seconds <= 0:
        parser.error("--seconds must be more than 0")
    if options.quick:
        options.rounds, options.seconds = 1, 0.5
        options.subscribers, options.connections = 100, 500
        options.records = options.instances = 20_000
    return options


def find_peers(bench, options):
    """The peers that can be had here with their versions, and the reasons why others can't."""
    found, missing = [], {}
    for kind in PEERS:
        if kind.key not in options.peers or not any(
                part in kind.titles for part in options.only):
            continue
        peer = kind(bench)
        try:
            peer.find()
            found.append((peer, peer.version()))
        except (install.Unavailable, Failure) as reason:
            install.say(f"{peer.key} can't be measured: {reason}")
            missing[peer.key] = str(reason)
    return found, missing


def measure(bench, options):
    """Runs the parts. Returns the results, which are stored after each step, too."""
    grove = Grove(bench)
    peers, missing = find_peers(bench, options)
    results = {
        "machine": machine.describe(bench.folder),
        "versions": {server.program_name: version
                     for server, version in [(grove, grove.version()), *peers]},
        "titles": {part: {kind.key: kind.titles[part] for kind in PEERS if part in kind.titles}
                   for part in PARTS},
        "options": {"rounds": options.rounds, "seconds": options.seconds, "quick": options.quick},
        "missing": missing, "failed": [], "parts": {},
    }
    for name in options.only:
        rows = results["parts"][name] = []
        for peer, _ in peers:
            if name not in peer.titles:
                continue
            try:
                for row in PARTS[name].compare(grove, peer, options):
                    rows.append(row)
                    store(results, options.out)
            except (Failure, OSError) as failure:
                install.say(f"{name}, {peer.key}: {failure}")
                results["failed"].append({"part": name, "peer": peer.key, "why": str(failure)})
                store(results, options.out)
    return results


def store(results, folder):
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")


def publish(results, options):
    """Writes the page and the plots, and prints the page or the results."""
    for name, text in plot.all_plots(results).items():
        with open(os.path.join(options.out, name), "w") as file:
            file.write(text)
    text = page.page(results)
    with open(os.path.join(options.out, "results.md"), "w") as file:
        file.write(text)
    print(json.dumps(results) if options.json else text, end="\n" if options.json else "")
    return 1 if results["failed"] else 0


def allow_connections(count):
    """Raises the limit of open files, which the servers and the load inherit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 1000
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Failure(f"{wanted} open files are needed, and {hard} are allowed (ulimit -Hn)")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def run(options):
    os.makedirs(options.out, exist_ok=True)
    if options.page:
        with open(os.path.join(options.out, "results.json")) as file:
            return publish(json.load(file), options)
    allow_connections(max(options.subscribers, options.connections))
    os.makedirs(options.cache, exist_ok=True)
    generator = Generator(install.build_generator(options.cache))
    grove = os.path.abspath(options.grove) if options.grove else install.build_grove()
    folder = tempfile.mkdtemp(prefix="grove-compare-", dir=options.data)
    try:
        os.chmod(folder, 0o711)  # PostgreSQL runs as another user, in a folder of its own.
        bench = Bench(grove, generator, install.Environment(options.cache),
                      Ports(options.port), folder)
        return publish(measure(bench, options), options)
    finally:
        shutil.rmtree(folder)


def main():
    options = parse(sys.argv[1:])
    # As Ctrl-C does: the servers are ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(options)
    except KeyboardInterrupt:
        install.say("ended early; finished rows are in results.json")
        return 130
    except (Failure, OSError) as failure:
        install.say(f"error: {failure}")
        return 1

"""The measurements of Benchmarks/access/run: python3 measure.py GROVE FOLDER"""

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "serving"))
from serving import ROUNDS, Server, ask, computing, load, print_beside, read_lines

GROVE, FOLDER = sys.argv[1:3]
SETTINGS = [(1, 1), (50, 1), (50, 16)]
UNKNOWN = 1_000
PRINCIPALS = 1_000
LINES = 20_000
READS = 200_000
INSTANCES = 10_000


def path(name):
    return os.path.join(FOLDER, name)


def serve(name, *flags):
    return Server(GROVE, path(f"{name}.db"), "--listen", "127.0.0.1:0", *flags)


def token(name, principal, *grants):
    """A token of the data file of a server that doesn't run; the name of its file."""
    made = subprocess.run(
        [GROVE, "token", "create", "--data", path(f"{name}.db"), "--principal", principal,
         *[part for grant in grants for part in ("--grant", grant)]],
        check=True, capture_output=True, text=True)
    file = path(f"{name}-{principal}.token")
    with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as text:
        text.write(made.stdout)
    return file


def connect(server, file=None):
    host, port = server.addresses[0].rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    read_lines(connection, 1)
    if file:
        with open(file) as text:
            reply = ask(connection, op="auth", token=text.read().strip())
        if not reply.get("ok"):
            sys.exit(f"not let in: {reply}")
    return connection


def throughput():
    """Events beside a server without accounts: with one grant, and with as many as there may be."""
    token("one", "ops", "admin */*")
    one = token("one", "load", "send */*")
    token("many", "ops", "admin */*")
    grants = [f"send(increment) counter/{number}-?*" for number in range(63)]
    many = token("many", "load", *grants, "send(increment) counter/bench-*")
    servers = [serve("open"), serve("one"), serve("many")]
    print(f"Medians of {ROUNDS} rounds, in turns:\n")
    print("| connections × under way | without accounts, events/s | ratio with one grant "
          "| ratio with 64 grants with patterns |")
    print("|---|---|---|---|")
    flags = [[], ["--token-file", one], ["--token-file", many]]
    for server, flag in zip(servers, flags):
        load(GROVE, server.addresses[0], 50, 16, *flag)
    for connections, pipeline in SETTINGS:
        rounds = []
        for _ in range(ROUNDS):
            rates = [load(GROVE, server.addresses[0], connections, pipeline, *flag)[0]
                     for server, flag in zip(servers, flags)]
            rounds.append((rates[0], rates[1] / rates[0], rates[2] / rates[0]))
        rate, first, second = map(statistics.median, zip(*rounds))
        print(f"| {connections} × {pipeline} | {rate:,.0f} | {first:.2f} | {second:.2f} |",
              flush=True)
    for server in servers:
        server.stop()


def pipelined(server, connection, lines, count=LINES):
    """The server's processor time for a line and its reply, in microseconds. The lines, a multiple
    of 100, are sent again and again."""
    used = server.processor_seconds()
    blocks = [b"".join(lines[at:at + 100]) for at in range(0, len(lines), 100)]
    for number in range(count // 100):
        connection.sendall(blocks[number % len(blocks)])
        read_lines(connection, 100)
    return (server.processor_seconds() - used) / count * 1e6


def line_of(**fields):
    return json.dumps({"id": 1, **fields}).encode() + b"\n"


def authentication():
    file = token("auth", "ops", "admin */*")
    server = serve("auth")
    connection = connect(server, file)
    with open(file) as text:
        auth = [line_of(op="auth", token=text.read().strip())] * 100
    ping = [line_of(op="ping")] * 100
    rounds = [(pipelined(server, connection, ping), pipelined(server, connection, auth))
              for _ in range(ROUNDS)]
    pings, auths = map(statistics.median, zip(*rounds))
    print(f"\nThe server's processor time: {auths:.1f} µs for an auth, and {pings:.1f} µs for a "
          "ping beside it.", flush=True)
    connection.close()
    server.stop()


def decisions():
    """What a decision about a request takes: reads, beside those on a server without accounts."""
    grants = {"reads-one": ["read */*"],
              "reads-many": [*(f"read counter/{number}-?*" for number in range(63)),
                             "read counter/r-*"]}
    files = {}
    for name, of in grants.items():
        token(name, "ops", "admin */*")
        files[name] = token(name, "load", *of)
    servers = [(serve(name), files.get(name)) for name in ["reads-open", *grants]]
    connections = [connect(server, file) for server, file in servers]
    for connection in connections:
        code = ask(connection, op="get", to="counter/r-1")["error"]["code"]
        if code != "NO_SUCH_INSTANCE":
            sys.exit(f"a read isn't answered by {code} everywhere")
    # None of the instances is there, so that the reads themselves take little.
    kinds = {"one instance": [line_of(op="get", to="counter/r-1")] * 100,
             "another instance each time": [
                 line_of(op="get", to=f"counter/r-{number}") for number in range(INSTANCES)]}
    print("\nThe server's processor time for a read, in µs:\n")
    print("| reads of | without accounts | more with one grant | more with 64 grants with patterns |")
    print("|---|---|---|---|")
    for name, lines in kinds.items():
        rounds = []
        for _ in range(ROUNDS):
            plain, *others = (pipelined(server, connection, lines, READS)
                              for (server, _), connection in zip(servers, connections))
            rounds.append((plain, *(other - plain for other in others)))
        plain, one, many = map(statistics.median, zip(*rounds))
        print(f"| {name} | {plain:.2f} | {one:.2f} | {many:.2f} |", flush=True)
    for connection, (server, _) in zip(connections, servers):
        connection.close()
        server.stop()


def unknown(server, over):
    """Connections that don't say who they are; those that are closed come again."""
    connections = []
    while not over.is_set():
        if len(connections) < UNKNOWN:
            host, port = server.addresses[0].rsplit(":", 1)
            connections.append(socket.create_connection((host, int(port))))
            continue
        connections.pop(0).close()
        time.sleep(0.005)
    for connection in connections:
        connection.close()


def wrong(server, over):
    """Wrong tokens, as fast as one program sends them."""
    line = json.dumps({"op": "auth", "id": 1, "token": "grove_aaaaaaaa_" + "0" * 49}) + "\n"
    host, port = server.addresses[0].rsplit(":", 1)
    while not over.is_set():
        with socket.create_connection((host, int(port))) as connection:
            try:
                connection.sendall(line.encode() * 3)
                while connection.recv(4096):
                    pass
            except ConnectionError:
                pass


def changes(server, file, over):
    """Changes of accounts, one after the other."""
    connection = connect(server, file)
    number = 0
    while not over.is_set():
        number += 1
        ask(connection, op="accounts", action="change", principal=f"p{number % PRINCIPALS}",
            quotas={"connections": number})
    connection.close()


def spent(server, file, over):
    """A principal that sends far more than its quota, on ten connections."""
    admin = connect(server, file)
    made = ask(admin, op="token", action="create", principal="spent", grants=["send counter/*"])
    ask(admin, op="accounts", action="change", principal="spent", quotas={"events_per_s": 100})
    line = json.dumps({"op": "send", "to": "counter/spent", "event": "increment"}) + "\n"
    connections = []
    for _ in range(10):
        connection = connect(server)
        ask(connection, op="auth", token=made["token"])
        connection.setblocking(False)
        connections.append(connection)
    while not over.is_set():
        for connection in connections:
            try:
                connection.send(line.encode() * 100)
            except BlockingIOError:
                pass
        time.sleep(0.001)
    for connection in connections:
        connection.close()
    ask(admin, op="accounts", action="revoke", principal="spent")
    admin.close()


def neighbours():
    admin = token("beside", "ops", "admin */*")
    client = token("beside", "client", "send counter/*")
    server = serve("beside")
    setup = connect(server, admin)
    for number in range(PRINCIPALS):
        ask(setup, op="accounts", action="change", principal=f"p{number}",
            add={"grants": [f"read order/{number}-*"]})
    setup.close()
    print(f"\nA client's events beside others, with {PRINCIPALS:,} principals. The middle one of "
          f"{ROUNDS} rounds:\n")
    connection = connect(server, client)
    print_beside(connection, [
        (f"{UNKNOWN:,} clients that don't say who they are", lambda over: unknown(server, over)),
        ("a program that sends wrong tokens", lambda over: wrong(server, over)),
        ("a program that changes accounts", lambda over: changes(server, admin, over)),
        ("a principal that sends more than its quota", lambda over: spent(server, admin, over)),
        ("a program that only computes", computing)])
    connection.close()
    server.stop()


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if hard != resource.RLIM_INFINITY and hard < UNKNOWN + 600:
    sys.exit(f"{UNKNOWN + 600} descriptors are needed, and {hard} are allowed (ulimit -Hn)")
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, UNKNOWN + 600), hard))
throughput()
authentication()
decisions()
neighbours()

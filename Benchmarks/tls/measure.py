"""The measurements of Benchmarks/tls/run: python3 measure.py GROVE FOLDER"""

import os
import resource
import socket
import ssl
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "serving"))
from serving import ROUNDS, Server, ask, computing, load, print_beside

GROVE, FOLDER = sys.argv[1:3]
SECONDS = 3
SETTINGS = [(1, 1), (1, 16), (50, 1), (50, 16), (50, 128)]
IDLE = 2_000
HALF_OPEN = 1_000


def path(name):
    return os.path.join(FOLDER, name)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificates():
    """An authority, and a server for this machine with a key on P-256 and one with RSA."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    openssl("req", "-x509", *curve, "-nodes", "-days", "2", "-keyout", path("ca.key"),
            "-out", path("ca.pem"), "-subj", "/CN=ca")
    for name, key in [("p256", curve), ("rsa", ["-newkey", "rsa:2048"])]:
        openssl("req", "-x509", *key, "-nodes", "-days", "2", "-keyout", path(f"{name}.key"),
                "-out", path(f"{name}.pem"), "-subj", f"/CN={name}",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-addext", "basicConstraints=critical,CA:FALSE",
                "-CA", path("ca.pem"), "-CAkey", path("ca.key"))


class TLSServer(Server):
    """A server with an address in plaintext and one with TLS."""

    def __init__(self, name, *flags, certificate="p256"):
        super().__init__(
            GROVE, path(f"{name}.db"), "--listen", "127.0.0.1:0", "--listen", "tls:127.0.0.1:0",
            "--tls-certificate", path(f"{certificate}.pem"),
            "--tls-key", path(f"{certificate}.key"), *flags, addresses=2)
        self.plain, self.encrypted = self.addresses

    @property
    def tls_port(self):
        return int(self.encrypted.rsplit(":", 1)[1])


def throughput():
    server = TLSServer("events")
    print(f"Medians of {ROUNDS} rounds, in turns. The load generator encrypts as well, on the same "
          "machine; the last columns are the server's processor time alone:\n")
    print("| connections × under way | plaintext, events/s | TLS, events/s | ratio "
          "| p50, plaintext, µs | p50, TLS, µs "
          "| plaintext, µs of processor time | TLS, the same | rate for equal time |")
    print("|---|---|---|---|---|---|---|---|---|")
    load(GROVE, server.plain, 50, 16)
    for connections, pipeline in SETTINGS:
        rounds = []
        for _ in range(ROUNDS):
            plain = measured(server, server.plain, connections, pipeline)
            tls = measured(
                server, server.encrypted, connections, pipeline, "--tls-ca", path("ca.pem"))
            pairs = [value for pair in zip(plain, tls) for value in pair]
            rounds.append([tls[0] / plain[0], plain[2] / tls[2], *pairs])
        ratio, of_time, plain, tls, plain_median, tls_median, plain_used, tls_used = map(
            statistics.median, zip(*rounds))
        print(f"| {connections} × {pipeline} | {plain:,.0f} | {tls:,.0f} | {ratio:.2f} "
              f"| {plain_median:,.0f} | {tls_median:,.0f} "
              f"| {plain_used:.1f} | {tls_used:.1f} | {of_time:.2f} |", flush=True)
    server.stop()


def measured(server, address, connections, pipeline, *flags):
    """Events per second, the median latency, and the server's processor time for one, both in
    microseconds."""
    used = server.processor_seconds()
    rate, median = load(GROVE, address, connections, pipeline, *flags, seconds=SECONDS)
    return rate, median, (server.processor_seconds() - used) / (rate * SECONDS) * 1e6


def handshakes():
    print("\n| key | handshakes/s | server's processor time for each, µs | per second of a core |")
    print("|---|---|---|---|")
    for name, certificate in [("P-256", "p256"), ("RSA 2048", "rsa")]:
        server = TLSServer(f"handshakes-{certificate}", "--tls-handshakes-per-s", "100000",
                        certificate=certificate)
        used, began = server.processor_seconds(), time.monotonic()
        subprocess.run(
            ["openssl", "s_time", "-connect", f"127.0.0.1:{server.tls_port}", "-new",
             "-time", str(2 * SECONDS), "-CAfile", path("ca.pem")],
            check=True, capture_output=True)
        took = time.monotonic() - began
        used = server.processor_seconds() - used
        count = stats(server)["tls_handshakes"]
        print(f"| {name} | {count / took:,.0f} | {used / count * 1e6:,.0f} "
              f"| {count / used:,.0f} |", flush=True)
        server.stop()


def connect(server, context):
    connection = context.wrap_socket(
        socket.create_connection(("127.0.0.1", server.tls_port)), server_hostname="localhost")
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.recv(4096)
    return connection


def client_context():
    return ssl.create_default_context(cafile=path("ca.pem"))


def stats(server):
    host, port = server.plain.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)))
    connection.recv(4096)
    reply = ask(connection, op="stats")
    connection.close()
    return reply


def idle():
    server = TLSServer("idle", "--tls-handshakes-per-s", "100000")
    context = client_context()
    connections = [connect(server, context) for _ in range(100)]
    before = server.mebibytes()
    connections += [connect(server, context) for _ in range(IDLE)]
    # Empty buffers are dropped once a second.
    time.sleep(2)
    each = (server.mebibytes() - before) * 1024 / IDLE
    print(f"\n{IDLE:,} idle connections with TLS take {each:.1f} KiB each.", flush=True)
    for connection in connections:
        connection.close()
    server.stop()


def half_open(server, over):
    """Connections that never begin their handshake; those that are closed come again."""
    connections = []
    while not over.is_set():
        if len(connections) < HALF_OPEN:
            connections.append(socket.create_connection(("127.0.0.1", server.tls_port)))
            continue
        connections.pop(0).close()
        time.sleep(0.005)
    for connection in connections:
        connection.close()


def full(server, over, *before):
    """Handshakes as fast as one program makes them, begun by another command where there is one."""
    while not over.is_set():
        subprocess.run(
            [*before, "openssl", "s_time", "-connect", f"127.0.0.1:{server.tls_port}", "-new",
             "-time", "1", "-CAfile", path("ca.pem")], capture_output=True)


def floods():
    server = TLSServer("floods")
    # What the programs take from the machine, without the server's own part.
    other = TLSServer("other")
    lowest = ["nice", "-n", "19"]
    print(f"\nThe middle one of {ROUNDS} rounds:\n")
    connection = connect(server, client_context())
    print_beside(connection, [
        (f"{HALF_OPEN:,} half-open connections", lambda over: half_open(server, over)),
        ("a program that only computes", computing),
        ("a program that makes handshakes", lambda over: full(server, over)),
        ("handshakes with another server", lambda over: full(other, over)),
        ("handshakes with the lowest priority", lambda over: full(server, over, *lowest)),
        ("both", lambda over: full(other, over, *lowest))])
    time.sleep(6)
    left = stats(server)["tls_handshakes_waiting"]
    made, elsewhere = (stats(one)["tls_handshakes"] for one in (server, other))
    print(f"\n6 s later {left} unfinished handshakes were left. {made:,} were made with the server, "
          f"and {elsewhere:,} with the other one.")
    connection.close()
    server.stop()
    other.stop()


def memory():
    """Two programs that make as many handshakes as the server can."""
    server = TLSServer("memory", "--tls-handshakes-per-s", "100000")
    connect(server, client_context()).close()
    before = most = server.mebibytes()
    over = threading.Event()
    # Not waited for if the server ends.
    programs = [threading.Thread(target=full, args=(server, over), daemon=True) for _ in range(2)]
    for program in programs:
        program.start()
    end = time.monotonic() + 10
    while time.monotonic() < end:
        most = max(most, server.mebibytes())
        time.sleep(0.02)
    count = stats(server)["tls_handshakes"]
    over.set()
    for program in programs:
        program.join()
    time.sleep(5)
    print(f"\nBeside {count / 10:,.0f} handshakes per second for 10 s, the server took at most "
          f"{most:.1f} MiB, {before:.1f} before them, and {server.mebibytes():.1f} 5 s later.")
    server.stop()


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if hard != resource.RLIM_INFINITY and hard < IDLE + 600:
    sys.exit(f"{IDLE + 600} descriptors are needed, and {hard} are allowed (ulimit -Hn)")
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, IDLE + 600), hard))
make_certificates()
throughput()
handshakes()
idle()
floods()
memory()

"""The measurements of Benchmarks/connections/run: python3 measure.py GROVE FOLDER"""

import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

GROVE, FOLDER = sys.argv[1:3]
IDLE = 10_000
LIMIT = 10_240
EVENTS = 1_000
ROUNDS = 3
NETWORK = "grove-connections"


class Server:
    """A server on a data file of its own."""

    def __init__(self, name, *flags):
        self.process = subprocess.Popen(
            [GROVE, "serve", "--data", os.path.join(FOLDER, name), "--log-level", "error",
             "--max-connections-per-address", "20000", *flags],
            stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        if not words or words[0] != "listening":
            sys.exit("the server did not start")
        host, port = words[1].rsplit(":", 1)
        self.address = ("127.0.0.1" if host == "0.0.0.0" else host, int(port))

    def mebibytes(self):
        """Its resident memory."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        if code != 0:
            sys.exit(f"the server ended with {code}")


class Client:
    """Lines over one connection."""

    def __init__(self, address, greeted=True):
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("rb", buffering=4096)
        if greeted:
            self.lines.readline()

    def send(self, **fields):
        self.socket.sendall(json.dumps(fields).encode() + b"\n")

    def ask(self, **fields):
        self.send(id=1, **fields)
        while True:
            reply = json.loads(self.lines.readline())
            if "id" in reply:
                return reply

    def close(self):
        self.lines.close()
        self.socket.close()


def raise_limit():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < LIMIT + 600:
        sys.exit(f"{LIMIT + 600} descriptors are needed, and {hard} are allowed (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, LIMIT + 600), hard))


def idle():
    server = Server("idle.db", "--listen", "127.0.0.1:0")
    watcher = Client(server.address)
    for _ in range(200):
        watcher.ask(op="send", to="counter/warm", event="increment")
    before = server.mebibytes()
    # As sockets alone: the objects of this program are not what is measured, but take time.
    others = []
    began = time.monotonic()
    for _ in range(IDLE):
        connection = socket.create_connection(server.address)
        connection.recv(4096)
        others.append(connection)
    took = time.monotonic() - began
    if watcher.ask(op="stats")["connections"] != IDLE + 1:
        sys.exit("not all connections stand")
    after = server.mebibytes()
    print("| idle connections | resident MiB | each, KiB |")
    print("|---|---|---|")
    print(f"| 1 | {before:.1f} | |")
    print(f"| {IDLE + 1:,} | {after:.1f} | {(after - before) * 1024 / IDLE:.2f} |")
    print()
    print(f"{IDLE:,} connections were opened and greeted in {took:.1f} s and took "
          f"{after - before:.1f} MiB.")
    while len(others) < LIMIT - 1:
        connection = socket.create_connection(server.address)
        connection.recv(4096)
        others.append(connection)
    refused = Client(server.address, greeted=False)
    line = refused.lines.readline().decode().strip()
    if json.loads(line)["error"]["code"] != "OVERLOADED" or refused.lines.readline():
        sys.exit(f"the connection past the limit got {line}")
    print(f"\nConnection {LIMIT + 1:,} is told this, and closed:\n\n    {line}\n")
    watcher.ask(op="send", to="counter/warm", event="increment")
    for connection in others:
        connection.close()
    server.stop()
    if after - before >= 100:
        sys.exit("idle connections take more than 100 MiB")


def p99(server):
    """Of events that are sent one after the other, in milliseconds."""
    client = Client(server.address)
    times = []
    for number in range(EVENTS):
        began = time.perf_counter()
        reply = client.ask(op="send", to=f"counter/p-{number % 100}", event="increment")
        times.append(time.perf_counter() - began)
        if not reply.get("ok"):
            sys.exit(f"an event was refused: {reply}")
    client.close()
    times.sort()
    return times[int(len(times) * 0.99)] * 1000


def slowly(server, begun, over):
    """One byte of a line a second."""
    client = Client(server.address)
    begun.set()
    line = b'{"op":"send","id":1,"to":"counter/slow","event":"increment"}\n'
    for byte in line:
        if over.wait(1):
            break
        try:
            client.socket.send(bytes([byte]))
        except OSError:
            break
    client.close()


def never_reading(server, begun, over):
    """Subscribes to everything, asks for more and more, and reads nothing. It has begun when
    nothing is taken from it any more: until then it is a client that is busy."""
    client = Client(server.address)
    client.send(op="subscribe", id=1, sub="s")
    client.socket.setblocking(False)
    line = b'{"op":"definitions","id":2}\n' * 100
    sent = time.monotonic()
    while not over.wait(0.01):
        try:
            client.socket.send(line)
            sent = time.monotonic()
        except BlockingIOError:
            if time.monotonic() - sent > 0.5:
                begun.set()
        except OSError:
            break
    begun.set()
    client.close()


def vanishing(server, begun, over):
    """Subscribes to everything and is gone without a word, again and again."""
    begun.set()
    while not over.is_set():
        if not may_make_networks():
            client = Client(server.address)
            client.send(op="subscribe", id=1, sub="s")
            client.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
            continue
        network("set up")
        inside = subprocess.Popen(
            ["ip", "netns", "exec", NETWORK, sys.executable, "-c",
             "import socket, sys, time\n"
             f"s = socket.create_connection(('10.213.7.1', {server.address[1]}))\n"
             "s.recv(4096); s.sendall(b'{\"op\":\"subscribe\",\"id\":1,\"sub\":\"s\"}\\n')\n"
             "s.recv(4096); print('there', flush=True); time.sleep(60)\n"],
            stdout=subprocess.PIPE)
        inside.stdout.readline()
        network("cut")
        inside.kill()
        inside.wait()
        over.wait(3)
        network("take down")


def may_make_networks():
    return os.geteuid() == 0 and shutil.which("ip") is not None


def network(what):
    """One end of a cable here, the other in a network of its own."""
    commands = {
        "set up": [
            f"ip netns add {NETWORK}", "ip link add grove-c0 type veth peer name grove-c1",
            f"ip link set grove-c1 netns {NETWORK}", "ip addr add 10.213.7.1/24 dev grove-c0",
            "ip link set grove-c0 up", f"ip -n {NETWORK} addr add 10.213.7.2/24 dev grove-c1",
            f"ip -n {NETWORK} link set grove-c1 up",
        ],
        "cut": [f"ip -n {NETWORK} link set grove-c1 down"],
        "take down": ["ip link del grove-c0", f"ip netns del {NETWORK}"],
    }[what]
    for command in commands:
        subprocess.run(command.split(), check=True)


def bad_clients():
    # A second without a word, so that who has vanished is found out while this runs.
    server = Server(
        "bad.db", "--listen", "0.0.0.0:0", "--insecure-plaintext", "--heartbeat-ms", "1000")
    print(f"The middle one of {ROUNDS} rounds:\n")
    print("| beside a client that | p99 ms without | p99 ms with | ratio |")
    print("|---|---|---|---|")
    p99(server)
    for name, behave in [
        ("sends one byte a second", slowly), ("never reads", never_reading),
        ("vanishes", vanishing),
    ]:
        rounds = []
        for _ in range(ROUNDS):
            begun, over = threading.Event(), threading.Event()
            quiet = p99(server)
            bad = threading.Thread(target=behave, args=(server, begun, over))
            bad.start()
            begun.wait(60)
            busy = p99(server)
            over.set()
            bad.join()
            rounds.append((busy / quiet, quiet, busy))
        ratio, quiet, busy = statistics.median_low(rounds)
        print(f"| {name} | {quiet:.2f} | {busy:.2f} | {ratio:.2f} |", flush=True)
    watcher = Client(server.address)
    began = time.monotonic()
    while watcher.ask(op="stats")["connections"] > 1:
        if time.monotonic() - began > 30:
            sys.exit("connections of clients that are gone stay open")
        time.sleep(0.1)
    print(f"\n{time.monotonic() - began:.1f} s later none of their connections was left.")
    server.stop()


raise_limit()
idle()
bad_clients()

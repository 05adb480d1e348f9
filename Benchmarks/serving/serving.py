"""Servers and clients of the measurements: what several of them use."""

import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

EVENTS = 1_000
ROUNDS = 5


class Server:
    """A server on a data file of its own, at the addresses of its flags."""

    def __init__(self, grove, data, *flags, addresses=1):
        self.process = subprocess.Popen(
            [grove, "serve", "--data", data, "--log-level", "error",
             "--max-connections-per-address", "20000", *flags],
            stdout=subprocess.PIPE, text=True)
        self.addresses = [self.address() for _ in range(addresses)]

    def address(self):
        words = self.process.stdout.readline().split()
        if not words or words[0] != "listening":
            sys.exit("the server did not start")
        return words[1]

    def mebibytes(self):
        """Its resident memory."""
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def processor_seconds(self):
        """The processor time that it has used, in user and system mode: the clock of another
        process, as clock_getcpuclockid(3) makes its number."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2) / 1e9

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        if code != 0:
            sys.exit(f"the server ended with {code}")


def bench(grove, address, *flags):
    """The report of a load: rates per second, latencies in microseconds."""
    run = subprocess.run(
        [grove, "bench", "--server", address, "--json", *flags], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the load failed: {run.stderr}")
    return json.loads(run.stdout)


def load(grove, address, connections, pipeline, *flags, seconds=3):
    """Events per second, and the median latency in microseconds."""
    report = bench(
        grove, address, "--connections", str(connections), "--pipeline", str(pipeline),
        "--duration", f"{seconds}s", *flags)
    return report["per_second"], report["latency_us"]["p50"]


def read_lines(connection, count):
    """The next lines of a connection, each with its newline."""
    text = b""
    while text.count(b"\n") < count:
        piece = connection.recv(1 << 16)
        if not piece:
            sys.exit("the server has closed a connection")
        text += piece
    return text.splitlines()


def ask(connection, **fields):
    connection.sendall(json.dumps({"id": 1, **fields}).encode() + b"\n")
    return json.loads(read_lines(connection, 1)[-1])


def p99(connection):
    """Of events that are sent one after the other, in milliseconds."""
    times = []
    for number in range(EVENTS):
        began = time.perf_counter()
        reply = ask(connection, op="send", to=f"counter/p-{number % 100}", event="increment")
        times.append(time.perf_counter() - began)
        if not reply.get("ok"):
            sys.exit(f"an event was refused: {reply}")
    times.sort()
    return times[int(len(times) * 0.99)] * 1000


def computing(over):
    """A program that uses a core, which is not a server's work: what remains is the machine's."""
    program = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    over.wait()
    program.kill()
    program.wait()


def print_beside(connection, bodies):
    """A table of the 99th percentile of a client's events beside others, as a multiple of the one
    alone. Each body runs until its event is set."""
    print("| beside | p99 ms without | p99 ms with | ratio |")
    print("|---|---|---|---|")
    p99(connection)
    for name, body in bodies:
        rounds = []
        for _ in range(ROUNDS):
            quiet = p99(connection)
            over = threading.Event()
            thread = threading.Thread(target=body, args=(over,))
            thread.start()
            time.sleep(1)
            busy = p99(connection)
            over.set()
            thread.join()
            time.sleep(1)
            rounds.append((busy / quiet, quiet, busy))
        ratio, quiet, busy = statistics.median_low(rounds)
        print(f"| {name} | {quiet:.2f} | {busy:.2f} | {ratio:.2f} |", flush=True)

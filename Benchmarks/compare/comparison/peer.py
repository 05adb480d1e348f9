"""What all servers of a comparison have in common."""

import os
import shutil
import signal
import tempfile

from .processes import Process, until

COUNTERS = 10_000


class Bench:
    """What the peers use: programs, ports, and a folder for data."""

    def __init__(self, grove, generator, environment, ports, folder):
        self.grove = grove
        self.generator = generator
        self.environment = environment
        self.ports = ports
        self.folder = folder


class Peer:
    """A server that can be started with empty data, loaded, and asked what it holds."""

    key = ""  # its name on the command line
    program_name = ""  # what has a version
    titles = {}  # its names in tables, by the parts of a comparison that it is in
    protocol = ""  # its name for the load generator
    stop_signal = signal.SIGTERM
    # Settings that are useful to measure: connections and events under way on each.
    connections = (1, 50)
    under_way = (1, 16, 128)
    connections_max = 10_000
    question = b""  # what a client sends over an idle connection, and the end of its answer
    answer = b""

    def __init__(self, bench):
        self.bench = bench
        self.process = None
        self.folder = None
        self.port = None

    # What each peer says for itself.

    def find(self):
        """Finds or installs its programs. Raises `Unavailable` with the reason if it can't."""
        raise NotImplementedError

    def version(self):
        raise NotImplementedError

    def command(self):
        """The command that starts it on its folder and port, and options for the process."""
        raise NotImplementedError

    def is_ready(self):
        """Whether it answers."""
        raise NotImplementedError

    def create(self):
        """Makes what events need, such as tables, in a server that has just started."""

    def stored_events(self):
        """How many events it holds."""
        raise NotImplementedError

    def read_one(self):
        """Reads the first counter, as a client does. Fails if it isn't there."""
        raise NotImplementedError

    def tidy(self):
        """Does at once what the server does now and then, so that its next start is short."""

    def prepare_catch_up(self):
        """Makes what a reader of all records needs."""

    # What they share.

    def start(self):
        """Starts it with empty data, and creates what events need."""
        self.folder = tempfile.mkdtemp(prefix=f"{self.key}-", dir=self.bench.folder)
        self.port = self.bench.ports.take()
        self.start_again()
        self.create()

    def start_again(self):
        """Starts it with the data that it has."""
        command, options = self.command()
        output = os.path.join(self.bench.folder, f"{os.path.basename(self.folder)}.out")
        self.process = Process(command, output, **options)
        until(self.is_ready, self.process, 120, f"the start of {self.key}")

    def stop(self):
        """Ends it as its users do."""
        process, self.process = self.process, None
        if process:
            process.end(self.stop_signal)

    def kill(self):
        process, self.process = self.process, None
        if process:
            process.end(signal.SIGKILL)

    def remove(self):
        """Ends it and removes its data."""
        self.kill()
        if self.folder:
            shutil.rmtree(self.folder)
            self.folder = None

    def fill(self, counters, events):
        """Stores events in one counter after the other."""
        return self.bench.generator.fill(self.protocol, self.port, counters, events)

    def events(self, setting, seconds, seed):
        """Durable events to random counters: what the load generator reports."""
        return self.bench.generator.events(self.protocol, self.port, setting, seconds, seed)

    def processor_seconds(self):
        """What it has used so far, in user and in system mode; nothing without a process."""
        return self.process.processor_seconds() if self.process else [0, 0]

    def keyed_events(self, setting, seconds, seed):
        """The same with a dedup key for each event, if the server has such keys."""
        return self.events(setting, seconds, seed)

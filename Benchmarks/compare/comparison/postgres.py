"""PostgreSQL: one call of a function per event, each a transaction that is on disk at its reply."""

import glob
import os
import shutil
import signal
import socket

from .install import system_program
from .peer import Peer
from .processes import Failure, output_of

SCHEMA = """
CREATE TABLE counters (name text PRIMARY KEY, count bigint NOT NULL);
CREATE TABLE journal (
    number bigserial PRIMARY KEY, name text NOT NULL, version bigint NOT NULL, event text NOT NULL,
    at timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION add_event(counter text, event text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE version bigint;
BEGIN
    INSERT INTO counters VALUES (counter, 1)
        ON CONFLICT (name) DO UPDATE SET count = counters.count + 1 RETURNING count INTO version;
    INSERT INTO journal (name, version, event) VALUES (counter, version, event);
    RETURN version;
END $$;
"""

# Rarer checkpoints than by default, which spares the server work; all else as it comes.
SETTINGS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "300",
    "synchronous_commit": "on", "fsync": "on", "max_wal_size": "8GB", "checkpoint_timeout": "1h",
}

# The first message of a connection: its length, version 3.0, the user and the database.
_WORDS = b"user\0postgres\0database\0postgres\0\0"
HELLO = (8 + len(_WORDS)).to_bytes(4, "big") + (196608).to_bytes(4, "big") + _WORDS
READY = b"Z\0\0\0\5I"


FILL = """
INSERT INTO counters SELECT 'k' || lpad(i::text, 6, '0'), 1 FROM generate_series(0, {last}) i;
INSERT INTO journal (name, version, event)
    SELECT name, 1, '{{"type":"add","amount":1}}' FROM counters;
"""


def ask(connection, message):
    """What the server answers to a message, until it is ready for another or has closed."""
    connection.sendall(message)
    answer = b""
    while READY not in answer:
        received = connection.recv(4096)
        if not received:
            break
        answer += received
    return answer


class PostgreSQL(Peer):
    key = "postgres"
    program_name = "PostgreSQL"
    titles = {"events": "PostgreSQL", "start-up": "PostgreSQL", "connections": "PostgreSQL"}
    connections_max = 250  # Each is a process.
    protocol = "postgres"
    question = HELLO
    answer = READY
    stop_signal = signal.SIGINT  # its fast shutdown; SIGTERM waits for clients to leave

    def find(self):
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
        self.program = system_program("postgres", "postgresql", folders)
        # Debian keeps the programs of a version in a folder that isn't in PATH.
        self.programs = os.path.dirname(os.path.realpath(self.program))
        # PostgreSQL refuses to run as root.
        self.user = {"user": "postgres", "group": "postgres", "extra_groups": []} \
            if os.geteuid() == 0 else {}

    def version(self):
        return output_of([self.program, "--version"]).split()[2]

    def command(self):
        data = os.path.join(self.folder, "data")
        if not os.path.exists(data):
            os.chmod(self.folder, 0o711)
            os.mkdir(data, 0o700)
            if self.user:
                shutil.chown(data, "postgres", "postgres")
            output_of([os.path.join(self.programs, "initdb"), "--pgdata", data, "--auth", "trust",
                       "--username", "postgres", "--no-locale", "--encoding", "UTF8",
                       "--no-sync"], cwd="/", **self.user)
        settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        return [self.program, "-D", data, "-p", str(self.port), *settings], self.user

    def is_ready(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                # It refuses clients until it has recovered.
                return READY in ask(connection, HELLO)
        except (ConnectionRefusedError, ConnectionResetError):
            return False

    def read_one(self):
        text = b"SELECT count FROM counters WHERE name = 'k000000'\0"
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            ask(connection, HELLO)
            answer = ask(connection, b"Q" + (4 + len(text)).to_bytes(4, "big") + text)
        if b"SELECT 1\0" not in answer:
            raise Failure(f"a counter is gone: {answer!r}")

    def create(self):
        self.query(SCHEMA)

    def fill(self, counters, events):
        if events != counters:
            raise ValueError("one event for each counter")
        self.query(FILL.format(last=counters - 1))

    def tidy(self):
        self.query("CHECKPOINT")

    def query(self, text):
        """The first column of the first row of the last statement."""
        return output_of([os.path.join(self.programs, "psql"), "--host", "127.0.0.1", "--port",
                          str(self.port), "--username", "postgres", "--no-psqlrc", "--quiet",
                          "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
                          "--command", text], cwd="/").strip()

    def stored_events(self):
        """The rows of the journal, which the counters must agree with."""
        return int(self.query(
            "SELECT CASE WHEN count(*) = (SELECT coalesce(sum(count), 0) FROM counters) "
            "THEN count(*) ELSE -1 END FROM journal"))

"""Redis, with each write on disk before its reply."""

from .client import Client
from .install import system_program
from .peer import Peer
from .processes import Failure, output_of, until


class Redis(Peer):
    key = "redis"
    program_name = "Redis"
    titles = {"events": "Redis `EVAL`", "fan-out": "Redis pub/sub", "catch-up": "Redis `XREAD`",
              "start-up": "Redis", "connections": "Redis"}
    protocol = "eval"
    question = b"PING\r\n"
    answer = b"+PONG\r\n"

    def find(self):
        self.program = system_program("redis-server", "redis-server")

    def version(self):
        words = output_of([self.program, "--version"]).split()
        return next(word[2:] for word in words if word.startswith("v="))

    def command(self):
        return [self.program, "--port", str(self.port), "--bind", "127.0.0.1",
                "--dir", self.folder, "--save", "", "--appendonly", "yes",
                "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0",
                "--maxclients", "20000"], {}

    def is_ready(self):
        try:
            with Commands(self.port) as client:
                return client.ask("PING") == "PONG"
        except ConnectionRefusedError:
            return False
        except Failure as failure:
            if "LOADING" in str(failure):
                return False
            raise

    def read_one(self):
        with Commands(self.port) as client:
            if client.ask("GET", "k000000") is None:
                raise Failure("a counter is gone")

    def tidy(self):
        """Rewrites its log, which a start reads, without what was overwritten."""
        with Commands(self.port) as client:
            client.ask("BGREWRITEAOF")
            until(lambda: "aof_rewrite_in_progress:0" in client.ask("INFO", "persistence"),
                  self.process, 300, "rewriting the log of Redis")

    def stored_events(self):
        """The entries of streams, which the counters must agree with."""
        with Commands(self.port) as client:
            entries = self.entries(client)
            names = client.ask("KEYS", "k*")
            counts = client.ask("MGET", *names) if names else []
        if sum(map(int, counts)) != entries:
            raise Failure(f"the counters of Redis add up to {sum(map(int, counts))}, not {entries}")
        return entries

    def entries(self, client):
        return client.ask("XLEN", "journal")


class RedisStreams(Redis):
    """Redis with a stream for each counter, so that it keeps the history of each."""

    key = "redis-streams"
    titles = {"events": "Redis `EVAL`, a stream for each counter"}
    protocol = "eval-streams"

    def entries(self, client):
        return client.ask(
            "EVAL", "local n = 0 for _, name in ipairs(redis.call('KEYS', 's*')) do "
            "n = n + redis.call('XLEN', name) end return n", "0")


class RedisStream(Redis):
    """Redis without counters: it appends to a stream, and keeps no state."""

    key = "xadd"
    titles = {"events": "Redis `XADD` alone"}
    protocol = "xadd"

    def stored_events(self):
        with Commands(self.port) as client:
            return client.ask("XLEN", "journal")


class Commands(Client):
    """A client of Redis, one command after the other."""

    def ask(self, *words):
        self.file.write(b"*%d\r\n" % len(words))
        for word in words:
            text = word.encode()
            self.file.write(b"$%d\r\n%s\r\n" % (len(text), text))
        self.file.flush()
        return self._value()

    def _value(self):
        line = self.file.readline()
        if not line:
            raise Failure("Redis closed the connection")
        kind, text = line[:1], line[1:].decode().strip()
        if kind == b"-":
            raise Failure(f"Redis: {text}")
        if kind == b":":
            return int(text)
        if kind == b"$":
            if int(text) < 0:
                return None
            return self.file.read(int(text) + 2)[:-2].decode()
        if kind == b"*":
            return [self._value() for _ in range(int(text))]
        return text

"""The memory of idle connections, each of which has asked once."""

import socket

from .figures import median
from .install import say
from .processes import Failure

ROUNDS_MAX = 3


def compare(grove, peer, options):
    """One row. Both servers have the same number of connections."""
    count = min(options.connections, peer.connections_max)
    say(f"connections: {peer.key}, {count}")
    rounds = [{"grove": measure(grove, count), "peer": measure(peer, count)}
              for _ in range(min(options.rounds, ROUNDS_MAX))]
    row = {"beside": peer.key, "connections": count, "rounds": rounds,
           "grove": {"bytes_each": median(figures["grove"] for figures in rounds)},
           "peer": {"bytes_each": median(figures["peer"] for figures in rounds)}}
    row["ratio"] = row["peer"]["bytes_each"] / row["grove"]["bytes_each"]
    say(f"  {row['grove']['bytes_each']:,.0f} and {row['peer']['bytes_each']:,.0f} bytes each")
    yield row


def measure(server, count):
    """Bytes of the server's memory for each connection."""
    sockets = []
    try:
        server.start()
        open_one(server, sockets)
        before = server.process.memory()
        for _ in range(count):
            open_one(server, sockets)
        return (server.process.memory() - before) / count
    finally:
        for one in sockets:
            one.close()
        server.remove()


def open_one(server, sockets):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    sockets.append(connection)
    connection.sendall(server.question)
    answer = b""
    while server.answer not in answer:
        received = connection.recv(4096)
        if not received:
            raise Failure(f"{server.key} closed connection {len(sockets)}: {answer[-200:]!r}")
        answer += received

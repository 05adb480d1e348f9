"""Odd arguments: each is refused by itself, and ends nothing else."""

from __future__ import annotations

import asyncio
import math
import unittest
from typing import Any, Callable, Dict, List

import grove_client as grove
from servers import Connection, FakeServer, RealServer, Script, needs_server


def client(server: FakeServer, **options: Any) -> grove.AsyncClient:
    options = {"first_delay": 0.001, "delay_max": 0.005, "timeout": 30.0, **options}
    return grove.AsyncClient(server.address, **options)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


#: Values of which a server can't read the line, or the client can't write one.
UNREADABLE: List[Any] = [
    nested(70), nested(100_000), {1: 1, "1": 2}, {"a": [{True: 1, "true": 2}]}, {None: 1, "null": 2},
    10**309, -(10**400), 10**5000, [0] * 100_000, ["[", *[0] * 100_000], math.nan, [math.inf], "\ud800",
    {"\udc00": 1}, object(), {1}, b"x", {(1, 2): 3},
]  # fmt: skip
#: Values that are only unusual.
READABLE: List[Any] = [
    nested(60), 10**308, 2**53, -0.0, 5e-324, {1: 1, "2": 2}, [0] * 90_000, '"[{' * 60_000, "\\",
    "\u2028\ufeff\0", {"": {}}, [[]] * 1000, None, True,
]  # fmt: skip
NO_TIMES: List[Any] = [math.nan, -1, -math.inf, "5", {}, True, [], b"1"]


class Requests(unittest.IsolatedAsyncioTestCase):
    async def fake(self, *scripts: Script) -> FakeServer:
        return await FakeServer(*scripts).start()

    async def test_a_line_that_no_server_reads_is_refused_alone(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            held = await connection.request("get")
            for _ in READABLE:
                connection.reply(await connection.request("send"), v=1)
            connection.reply(held, v=7)

        server = await self.fake(script)
        async with client(server) as c:
            held = c.get("c/a")
            for number, value in enumerate(UNREADABLE):
                for call in (
                    c.send("c/a", {"type": "go", "value": value}),
                    c.request("batch", items=[{"to": "c/a", "event": value}]),
                ):
                    with self.assertRaises(grove.InvalidRequest, msg=str(number)):
                        await call
            for fields in ({"id": 5}, {"op_": "x"}, {"jsonrpc": "2.0"}):
                with self.assertRaises(grove.InvalidRequest):
                    await c.request("ping", **fields)
            for op in ("", "Ping", "ping\n", 'ping","id":7,"x":"', "x" * 33, 5, None):
                with self.assertRaises(grove.InvalidRequest):
                    await c.request(op)  # type: ignore[arg-type]
            for value in READABLE:
                await c.send("c/a", {"type": "go", "value": value})
            self.assertEqual((await held)["v"], 7)
            await server.finish()

    async def test_a_line_that_the_server_could_not_read_ends_no_other_call(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            subscribe = await connection.request("subscribe")
            connection.reply(subscribe, cur="p")
            stop = await connection.request("stop")
            send = await connection.request("send")
            assert send["event"] == "unread", send
            for code in ("BAD_JSON", "LINE_TOO_LONG"):
                connection.write('{"id":null,"error":{"code":"%s","message":"no"}}' % code)
            connection.reply(stop, v=1)
            connection.write('{"sub":"s1","cur":"q","to":"c/a","v":1,"kind":"state"}')
            connection.reply(await connection.request("get"), v=1)
            await connection.close_seen()

        server = await self.fake(script)
        async with client(server) as c:
            records = await c.subscribe("c")
            stop = c.stop("c/a")
            unread = c.send("c/b", "unread", timeout=1)
            self.assertEqual((await stop)["v"], 1)
            self.assertEqual((await records.__anext__())["v"], 1)
            await c.get("c/a")
            with self.assertRaises(grove.NoReply) as caught:
                await unread
            self.assertIn("LINE_TOO_LONG", str(caught.exception))
        await server.finish()

    async def test_what_is_no_time_is_refused_alone_and_a_long_wait_is_the_longest(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("get"))
            for op in ("await", "await", "send", "send"):
                request = await connection.request(op)
                assert request["timeout_ms"] == 3_600_000, request
                connection.reply(request)
            connection.reply(await connection.request("ping"))

        server = await self.fake(script)
        # There is no connection yet when the calls are made.
        async with client(server, calls_max=6) as c:
            get = c.get("c/a")
            for time in NO_TIMES:
                for call in (
                    c.wait_until("c/a", wait=time),
                    c.send("c/a", "go", settle="own", wait=time),
                    c.get("c/a", timeout=time),
                    c.ping(timeout=time),
                ):
                    with self.assertRaises(grove.InvalidRequest, msg=repr(time)):
                        await call
                with self.assertRaises(grove.InvalidRequest, msg=repr(time)):
                    await c.subscribe(timeout=time)
            waits = [c.wait_until("c/a", wait=wait) for wait in (math.inf, 3600.5)]
            waits += [c.send("c/a", "go", settle="own", wait=wait) for wait in (math.inf, 10**400)]
            ping = c.ping(timeout=math.inf)
            await asyncio.gather(get, *waits, ping)
            await server.finish()

    async def test_one_by_one_an_endless_wait_does_not_block_its_lane(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))
            connection.reply(await connection.request("send"), v=1)
            connection.reply(await connection.request("get"), v=1)

        server = await self.fake(script)
        async with client(server, order="one_by_one") as c:
            await c.ping()
            await c.send("c/a", "go", settle="own", wait=math.inf)
            await c.get("c/a")
            await server.finish()

    async def test_a_key_that_is_none_is_made_by_the_client(self) -> None:
        seen: List[Dict[str, Any]] = []

        async def script(connection: Connection) -> None:
            await connection.greet()
            batch = await connection.request("batch")
            seen.extend(batch["items"])
            connection.reply(batch, results=[])

        server = await self.fake(script)
        async with client(server) as c:
            await c.batch({"to": f"c/{n}", "event": "go", "dedup": None} for n in range(2))
            for items in (None, 5, [5], "ab", {"to": "c/a"}, [None]):
                with self.assertRaises(grove.InvalidRequest):
                    await c.batch(items)  # type: ignore[arg-type]
        self.assertEqual([isinstance(item["dedup"], str) for item in seen], [True, True])
        self.assertEqual(len({item["dedup"] for item in seen}), 2)


class Subscriptions(unittest.IsolatedAsyncioTestCase):
    async def test_a_refused_one_leaves_nothing_that_a_later_connection_meets(self) -> None:
        wrong: List[Dict[str, Any]] = [
            {"kind": {"output"}}, {"machine": "\ud800"}, {"type": object()}, {"after": b"x"},
            {"start": math.nan}, {"slow": {1}}, {"credit": "x"}, {"timeout": "5"},
        ]  # fmt: skip

        async def first(connection: Connection) -> None:
            await connection.greet(',"max_line":300')
            connection.reply(await connection.request("ping"))
            connection.reply(await connection.request("ping"))

        async def second(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("send"), v=1)
            subscribe = await connection.request("subscribe")
            assert subscribe["select"] == {"kind": ["output"]}, subscribe
            connection.reply(subscribe, cur="p")

        server = await FakeServer(first, second).start()
        async with client(server) as c:
            for fields in wrong:
                with self.assertRaises(grove.InvalidRequest, msg=str(fields)):
                    await c.subscribe(**fields)
            await c.ping()
            for fields in wrong:
                with self.assertRaises(grove.InvalidRequest, msg=str(fields)):
                    await c.subscribe(**fields)
            # The server couldn't say which line was too long.
            with self.assertRaises(grove.InvalidRequest):
                await c.subscribe("x" * 300)
            self.assertEqual(c._subscriptions, {})
            await c.ping()
            self.assertEqual((await c.send("c/a", "go"))["v"], 1)
            kind = ["output"]
            starting = asyncio.ensure_future(c.subscribe(kind=kind))
            await asyncio.sleep(0)
            kind.append("state")
            await starting
            await server.finish()


@needs_server
class RealServerTests(unittest.IsolatedAsyncioTestCase):
    async def test_no_argument_ends_a_connection(self) -> None:
        server = RealServer()
        self.addCleanup(server.remove)
        # A client that doesn't repeat loses what its connection loses.
        async with grove.AsyncClient(server.address, retry=False, timeout=60) as c:
            await c.create("counter/witness")
            records = await c.subscribe("counter", "witness")
            under_way = asyncio.ensure_future(c.wait_until("counter/witness", "done", wait=60))
            values = [*UNREADABLE, *READABLE, *NO_TIMES]
            makers: List[Callable[[Any], Any]] = [
                lambda value: c.send("counter/a", value),
                lambda value: c.send("counter/a", {"type": "add", "amount": value}),
                lambda value: c.send(value, "increment"),
                lambda value: c.send("counter/a", "increment", expect=value),
                lambda value: c.send("counter/a", "increment", dedup=value),
                lambda value: c.create("counter/a", input=value),
                lambda value: c.batch([{"to": "counter/a", "event": value}]),
                lambda value: c.batch(value),
                lambda value: c.wait_until("counter/none", value, wait=0.01),
                lambda value: c.get("counter/a", timeout=value),
                lambda value: c.request("ping", t=value),
                lambda value: c.request("get", to=value, at=value, id=value),
                lambda value: c.request(value),
                lambda value: c.define(value),
                lambda value: c.subscribe("counter", "b", kind=value, timeout=5),
                lambda value: c.subscribe(value, timeout=5),
                lambda value: c.subscribe("counter", credit=value, timeout=5),
            ]
            for number, make in enumerate(makers):
                for place, value in enumerate(values):
                    try:
                        made = await make(value)
                        if isinstance(made, grove.AsyncSubscription):
                            await made.close()
                    except (grove.InvalidRequest, grove.ServerError, grove.NoReply):
                        pass
                    self.assertFalse(under_way.done(), (number, place))
            await c.send("counter/witness", "increment")
            self.assertEqual((await records.__anext__())["v"], 1)
            await c.stop("counter/witness")
            self.assertTrue((await under_way)["done"])

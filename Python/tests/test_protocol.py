"""The lines that the client sends to a server that plays a script."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import tempfile
import threading
import time
import unittest
from typing import Any, Dict, List, Tuple
from unittest import mock

import grove_client as grove
from servers import Connection, FakeServer, Script, refused


def client(server: FakeServer, **options: Any) -> grove.AsyncClient:
    options = {"first_delay": 0.001, "delay_max": 0.005, "timeout": 30.0, **options}
    return grove.AsyncClient(server.address, **options)


class Calls(unittest.IsolatedAsyncioTestCase):
    async def fake(self, *scripts: Script) -> FakeServer:
        return await FakeServer(*scripts).start()

    async def test_every_op_has_its_fields(self) -> None:
        seen: List[Dict[str, Any]] = []

        async def script(connection: Connection) -> None:
            await connection.greet()
            for _ in range(18):
                request = await connection.line()
                connection.reply(request)
                del request["id"]
                seen.append(request)

        server = await self.fake(script)
        async with client(server, make_keys=False) as c:
            await c.send("c/a", "go", dedup="k", expect=3, create="never", reply="full")
            await c.send("c/a", {"type": "go"}, settle="own", wait=1.5)
            await c.batch([{"to": "c/a", "event": "go"}], atomic=True)
            await c.create("c/a", input=1)
            await c.get("c/a", at=0)
            await c.can("c/a", "go")
            await c.list_instances("c", prefix="p", done=False, limit=3)
            await c.history("c/a", after=1)
            await c.effects(phase="failed")
            await c.cancel("c/a", timer="t")
            await c.retry("c/a", 4)
            await c.complete("t", None)
            await c.fail("t", "no")
            await c.wait_until("c/a", "paid", wait=2)
            await c.stop("c/a", reason="r")
            await c.delete("c/a")
            await c.describe("c", format="dot")
            await c.request("subscribe", sub="x", from_="first")
            await server.finish()
        self.assertEqual(
            seen,
            [
                {"op": "send", "to": "c/a", "event": "go", "dedup": "k", "expect": 3,
                 "create": "never", "reply": "full"},
                {"op": "send", "to": "c/a", "event": {"type": "go"}, "settle": "own",
                 "timeout_ms": 1500},
                {"op": "batch", "items": [{"to": "c/a", "event": "go"}], "atomic": True},
                {"op": "create", "to": "c/a", "input": 1},
                {"op": "get", "to": "c/a", "at": 0},
                {"op": "can", "to": "c/a", "event": "go"},
                {"op": "list", "machine": "c", "prefix": "p", "done": False, "limit": 3},
                {"op": "history", "to": "c/a", "after": 1},
                {"op": "effects", "phase": "failed"},
                {"op": "cancel", "to": "c/a", "timer": "t"},
                {"op": "retry", "to": "c/a", "effect": 4},
                {"op": "complete", "token": "t", "result": None},
                {"op": "complete", "token": "t", "error": "no"},
                {"op": "await", "to": "c/a", "until": "paid", "timeout_ms": 2000},
                {"op": "stop", "to": "c/a", "reason": "r"},
                {"op": "delete", "to": "c/a"},
                {"op": "describe", "name": "c", "format": "dot"},
                {"op": "subscribe", "sub": "x", "from": "first"},
            ],
        )  # fmt: skip

    async def test_unanswered_calls_are_sent_again_in_order_with_their_keys(self) -> None:
        keys: List[str] = []

        async def first(connection: Connection) -> None:
            await connection.greet()
            for _ in range(6):
                keys.append((await connection.request("send"))["dedup"])

        async def second(connection: Connection) -> None:
            await connection.greet()
            for number in range(9):
                send = await connection.request("send")
                assert send["event"] == f"e{number}", send
                if number < 6:
                    assert send["dedup"] == keys[number], send
                connection.reply(send, v=number)

        server = await self.fake(first, second)
        async with client(server) as c:
            replies = [c.send(f"c/{n % 2}", f"e{n}") for n in range(9)]
            self.assertEqual([(await r)["v"] for r in replies], list(range(9)))
            await server.finish()
        self.assertEqual(len(set(keys)), 6)

    async def test_a_writing_call_without_a_key_is_not_sent_twice(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            await connection.request("stop")

        async def second(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))

        server = await self.fake(first, second)
        async with client(server) as c:
            with self.assertRaises(grove.ConnectionLost) as caught:
                await c.stop("c/a")
            self.assertTrue(caught.exception.outcome_unknown)
            await c.ping()
            await server.finish()

    async def test_a_batch_is_repeated_when_all_its_items_have_keys(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            await connection.request("batch")

        async def second(connection: Connection) -> None:
            await connection.greet()
            batch = await connection.request("batch")
            assert [item["dedup"] == "k" for item in batch["items"]] == [True, False]
            connection.reply(batch, results=[])

        server = await self.fake(first, second)
        async with client(server) as c:
            await c.batch([{"to": "c/a", "event": "go", "dedup": "k"}, {"to": "c/b", "event": 1}])
            await server.finish()

    async def test_the_callers_values_stay_unchanged_and_can_be_used_again(self) -> None:
        events: List[Any] = []
        keys: List[str] = []

        async def script(connection: Connection) -> None:
            await connection.greet()
            for _ in range(2):
                batch = await connection.request("batch")
                keys.extend(item["dedup"] for item in batch["items"])
                connection.reply(batch, results=[])
            for _ in range(3):
                send = await connection.request("send")
                events.append(send["event"])
                connection.reply(send, v=1)

        server = await self.fake(script)
        async with client(server) as c:
            item = {"to": "c/a", "event": "go"}
            for _ in range(2):
                await c.request("batch", items=[item] * 3)
            self.assertEqual(item, {"to": "c/a", "event": "go"})
            replies = []
            event: Dict[str, Any] = {"type": "add"}
            for number in range(3):
                event["amount"] = number
                replies.append(c.send("c/a", event))
            event.clear()
            await asyncio.gather(*replies)
            await server.finish()
        self.assertEqual(len(set(keys)), 6)
        self.assertEqual([event["amount"] for event in events], [0, 1, 2])

    async def test_a_repeat_is_the_same_line_when_the_event_value_has_changed(self) -> None:
        lines: List[Dict[str, Any]] = []
        arrived = asyncio.Event()
        changed = asyncio.Event()

        async def first(connection: Connection) -> None:
            await connection.greet()
            lines.append(await connection.request("send"))
            arrived.set()
            await changed.wait()

        async def second(connection: Connection) -> None:
            await connection.greet()
            lines.append(await connection.request("send"))
            connection.reply(lines[1], v=1)

        server = await self.fake(first, second)
        async with client(server) as c:
            event = {"type": "add", "amount": 1}
            reply = c.send("c/a", event)
            await arrived.wait()
            event["amount"] = 2
            changed.set()
            await reply
            await server.finish()
        for line in lines:
            del line["id"]
        self.assertEqual(lines[0], lines[1])
        self.assertEqual(lines[0]["event"]["amount"], 1)

    async def test_a_batch_that_is_no_list_of_sends_is_refused(self) -> None:
        c = grove.AsyncClient("127.0.0.1:1", timeout=30)
        deep: List[Any] = []
        for _ in range(100_000):
            deep = [deep]
        for items in (None, 1, "ab", [1], [["to", "c/a"]], {"to": "c/a"}):
            with self.assertRaises(grove.InvalidRequest):
                await c.request("batch", items=items)
        with self.assertRaises(grove.InvalidRequest):
            await c.send("c/a", deep)
        await c.close()

    async def test_the_next_call_is_sent_after_thousands_that_were_cancelled(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))
            send = await connection.request("send")
            connection.reply(await connection.request("ping"))
            connection.reply(send, v=1)
            last = await connection.request("send")
            assert last["event"] == "last", last
            connection.reply(last, v=2)

        server = await self.fake(script)
        async with client(server, order="one_by_one") as c:
            await c.ping()
            first = c.send("c/a", "first")
            waiting = [c.send("c/a", "given up") for _ in range(5_000)]
            last = c.send("c/a", "last")
            for reply in waiting:
                reply.cancel()
            await c.ping()
            await first
            self.assertEqual((await last)["v"], 2)
            await server.finish()

    async def test_an_address_without_an_answer_delays_the_next_for_a_moment(
        self,
    ) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))

        with contextlib.ExitStack() as stack:
            silent = silent_address(stack)
            server = await self.fake(script)
            here = ("127.0.0.1", int(server.address.rsplit(":", 1)[1]))
            found = [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in (silent, here)
            ]

            async def look_up(*_: Any, **__: Any) -> List[Any]:
                return found

            loop = asyncio.get_running_loop()
            stack.enter_context(mock.patch.object(loop, "getaddrinfo", look_up))
            async with grove.AsyncClient("two.example:7400", connect_timeout=20) as c:
                await c.ping()
            await server.finish()

    async def test_a_postponed_call_delays_only_its_instance(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            sends = [await connection.request("send") for _ in range(3)]
            connection.refuse(sends[0], "OVERLOADED", retry_after_ms=20)
            connection.reply(sends[1], v=1)
            other = await connection.request("send")
            assert other["to"] == "c/b", other
            connection.reply(other, v=1)
            connection.reply(sends[2], v=2)
            # It is sent alone, and no later call before it is accepted.
            alone = await connection.request("send")
            assert alone["event"] == "e0", alone
            connection.refuse(alone, "OVERLOADED")
            for event, version in (("e0", 3), ("e3", 4), ("e4", 5)):
                send = await connection.request("send")
                assert send["event"] == event, send
                connection.reply(send, v=version)

        server = await self.fake(script)
        async with client(server) as c:
            replies = [c.send("c/a", f"e{n}") for n in range(3)]
            self.assertEqual((await replies[1])["v"], 1)
            replies += [c.send("c/a", f"e{n}") for n in (3, 4)]
            self.assertEqual((await c.send("c/b", "go"))["v"], 1)
            self.assertEqual([(await r)["v"] for r in replies], [3, 1, 2, 4, 5])
            await server.finish()

    async def test_the_last_outstanding_call_may_be_postponed_after_the_pause(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            sends = [await connection.request("send") for _ in range(2)]
            connection.refuse(sends[0], "OVERLOADED")
            # The pause for the first one is over when this one gets its answer.
            ping = await connection.request("ping")
            connection.refuse(sends[1], "OVERLOADED")
            connection.reply(ping)
            for event, version in (("e0", 1), ("e1", 2)):
                send = await connection.request("send")
                assert send["event"] == event, send
                connection.reply(send, v=version)

        server = await self.fake(script)
        async with client(server) as c:
            replies = [c.send("c/a", f"e{n}") for n in range(2)]
            while "c/a" not in c._lanes._lanes or c._lanes._lanes["c/a"].phase != "gathering":
                await asyncio.sleep(0)
            await c.ping()
            self.assertEqual([(await r)["v"] for r in replies], [1, 2])
            await server.finish()

    async def test_a_call_is_repeated_after_a_storage_error(self) -> None:
        keys: List[str] = []

        async def first(connection: Connection) -> None:
            await connection.greet()
            sends = [await connection.request("send") for _ in range(3)]
            keys.extend(send["dedup"] for send in sends)
            connection.refuse(sends[0], "STORAGE_ERROR")

        async def second(connection: Connection) -> None:
            await connection.greet()
            for number in range(3):
                send = await connection.request("send")
                assert (send["event"], send["dedup"]) == (f"e{number}", keys[number]), send
                connection.reply(send, v=number)

        server = await self.fake(first, second)
        async with client(server) as c:
            replies = [c.send("c/a", f"e{n}") for n in range(3)]
            self.assertEqual([(await r)["v"] for r in replies], [0, 1, 2])
            await server.finish()

    async def test_which_refusals_are_repeated(self) -> None:
        # For each code the calls that are sent again; the same table as the Swift client's.
        every = {"get", "await", "keyed", "settling", "stop"}
        table = {
            "DRAINING": every,
            "OVERLOADED": every,
            "SUSPENDED": every,
            "RATE_LIMITED": every,
            "STORAGE_FULL": every,
            "NOT_OWNER": every,
            "UNAVAILABLE": every - {"stop"},
            "STORAGE_ERROR": {"keyed", "settling"},
            "TIMEOUT": {"get", "keyed"},
        }
        fields: Dict[str, Dict[str, Any]] = {
            "get": {},
            "await": {},
            "keyed": {"dedup": "k"},
            "settling": {"dedup": "k", "settle": "own"},
            "stop": {},
        }
        ops = {"keyed": "send", "settling": "send"}
        page = os.path.join(os.path.dirname(__file__), "../../docs/reference/errors/README.md")
        with open(page, encoding="utf-8") as file:
            rows = re.findall(r"^\| \[?`([A-Z_]+)`.*?\| (.*?) \|", file.read(), re.MULTILINE)
        self.assertGreater(len(rows), 30)
        self.assertLessEqual(set(table), {code for code, _ in rows})
        for code, retry in rows:
            self.assertEqual(retry == "no", code not in table, code)
            error = grove._server_error({"code": code, "retry": retry != "no"})
            never = grove._server_error({"code": code, "retry": False})
            for kind, given in fields.items():
                future: asyncio.Future[grove.Reply] = asyncio.get_running_loop().create_future()
                call = grove._Call(ops.get(kind, kind), given, future, 1)
                expected = kind in table.get(code, set())
                self.assertEqual(call.is_worth_repeating(error), expected, (code, kind))
                self.assertFalse(call.is_worth_repeating(never), (code, kind))

    async def test_a_call_that_times_out_reports_the_last_refusal(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            send = await connection.request("send")
            connection.refuse(send, "STORAGE_ERROR", retry_after_ms=60_000)
            await connection.close_seen()

        server = await self.fake(script)
        async with client(server, timeout=2) as c:
            with self.assertRaises(grove.ServerError) as caught:
                await c.send("c/a", "go")
            self.assertEqual(caught.exception.code, "STORAGE_ERROR")
            self.assertTrue(caught.exception.outcome_unknown)
        await server.finish()

    async def test_calls_that_end_a_suspension_do_not_wait_for_it(self) -> None:
        passing = ["get", "history", "cancel", "stop", "resume", "suspend", "delete"]

        async def script(connection: Connection) -> None:
            await connection.greet()
            send = await connection.request("send")
            # This one comes before the refusal, and the pause of its own.
            early = await connection.request("get")
            connection.refuse(send, "SUSPENDED", retry_after_ms=300)
            connection.refuse(early, "RATE_LIMITED", retry_after_ms=10)
            connection.reply(await connection.request("get"), v=1)
            for op in passing:
                connection.reply(await connection.request(op), v=1, items=[])
            for event in ("e0", "e1"):
                send = await connection.request("send")
                assert send["event"] == event, send
                connection.reply(send, v=2)

        server = await self.fake(script)
        async with client(server) as c:
            sends = [c.send("c/a", "e0")]
            await c.get("c/a")
            sends.append(c.send("c/a", "e1"))
            for op in passing:
                await c.request(op, to="c/a")
            await asyncio.gather(*sends)
            self.assertEqual(c._lanes._lanes, {})
            await server.finish()

    async def test_calls_that_were_held_pass_by_once_the_instance_is_suspended(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            # In the ordinary case they are sent in their order, also after other refusals.
            connection.refuse(await connection.request("send"), "OVERLOADED")
            connection.refuse(await connection.request("send"), "SUSPENDED", retry_after_ms=300)
            for op in ("get", "resume"):
                connection.reply(await connection.request(op), v=1)
            for event in ("e0", "e1"):
                send = await connection.request("send")
                assert send["event"] == event, send
                connection.reply(send, v=2)
            connection.reply(await connection.request("stop"), v=2)

        server = await self.fake(script)
        async with client(server, order="one_by_one") as c:
            calls = [c.send("c/a", "e0"), c.get("c/a"), c.resume("c/a"), c.send("c/a", "e1")]
            await asyncio.gather(*calls)
            await c.stop("c/a")
            self.assertEqual(c._lanes._lanes, {})
            await server.finish()

    async def test_a_call_that_is_refused_itself_keeps_its_place(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            for _ in range(3):
                connection.refuse(await connection.request("delete"), "STORAGE_FULL")
            connection.reply(await connection.request("delete"), v=1)
            connection.reply(await connection.request("create"), v=0)

        server = await self.fake(script)
        async with client(server, order="one_by_one") as c:
            await asyncio.gather(c.delete("c/a"), c.create("c/a"))
            await server.finish()

    async def test_a_call_that_waits_behind_another_ends_with_the_others_refusal(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            send = await connection.request("send")
            connection.refuse(send, "SUSPENDED", retry_after_ms=60_000, data={"to": "c/a"})
            send = await connection.request("send")
            connection.refuse(send, "STORAGE_ERROR", retry_after_ms=60_000)
            await connection.close_seen()

        server = await self.fake(script)
        async with client(server, timeout=1) as c:
            first = c.send("c/a", "e0")
            await refused(c, "c/a")
            second = c.send("c/a", "e1")
            for reply in (first, second):
                with self.assertRaises(grove.Suspended):
                    await reply
            first = c.send("c/b", "e0")
            await refused(c, "c/b")
            second = c.send("c/b", "e1")
            with self.assertRaises(grove.ServerError):
                await first
            # It was never sent, so its own outcome is known.
            with self.assertRaises(grove.Unreachable) as caught:
                await second
            self.assertIn("STORAGE_ERROR", str(caught.exception))
        await server.finish()

    async def test_a_greeting_that_is_cut_is_a_lost_connection(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("subscribe"), cur="p")

        async def cut(connection: Connection) -> None:
            connection.write('{"op":"hello","server":"grove","vers', end="")

        async def last(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("subscribe"), cur="p")
            connection.reply(await connection.request("stop"), v=1)
            connection.write(record(1))
            await connection.close_seen()

        server = await self.fake(first, cut, cut, last)
        async with client(server) as c:
            records = await c.subscribe("c")
            while c._writer is not None:
                await asyncio.sleep(0.001)
            self.assertEqual((await c.stop("c/a"))["v"], 1)
            self.assertEqual((await records.__anext__())["v"], 1)
        await server.finish()

    async def test_the_cost_of_many_calls_grows_with_their_number(self) -> None:
        asyncio.get_running_loop().set_debug(False)

        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))
            await connection.close_seen()

        async def draining(connection: Connection) -> None:
            await connection.greet()
            connection.write('{"op":"draining","deadline_ms":10000}')
            connection.reply(await connection.request("ping"))
            await connection.close_seen()

        async def cost(count: int, silent: Any) -> float:
            server = await self.fake(silent)
            async with client(server) as c:
                await c.ping()
                before = time.process_time()
                calls = [c.get(f"c/{n}", timeout=1) for n in range(count)]
                for outcome in await asyncio.gather(*calls, return_exceptions=True):
                    self.assertIsInstance(outcome, (grove.NoReply, grove.Unreachable))
                spent = time.process_time() - before
            await server.finish()
            return spent

        for silent in (script, draining):
            few = await cost(2_000, silent)
            # Eight times as many; by the square, it would be 64 times as much.
            self.assertLess(await cost(16_000, silent), 32 * few)

    async def test_one_by_one_no_refusal_changes_the_order(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            for number in range(4):
                send = await connection.request("send")
                assert send["event"] == f"e{number}", send
                connection.refuse(send, "STORAGE_FULL")
                again = await connection.request("send")
                assert again["dedup"] == send["dedup"], again
                connection.reply(again, v=number)

        server = await self.fake(script)
        async with client(server, order="one_by_one") as c:
            replies = [c.send("c/a", f"e{n}") for n in range(4)]
            self.assertEqual([(await r)["v"] for r in replies], list(range(4)))
            await server.finish()

    async def test_a_draining_server_gets_no_more_calls(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            sends = [await connection.request("send") for _ in range(3)]
            connection.reply(sends[0], v=1)
            connection.write('{"op":"draining","deadline_ms":10000}')
            for send in sends[1:]:
                connection.refuse(send, "DRAINING")

        async def second(connection: Connection) -> None:
            await connection.greet()
            for number in range(1, 5):
                send = await connection.request("send")
                assert send["event"] == f"e{number}", send
                connection.reply(send, v=number + 1)

        server = await self.fake(first, second)
        async with client(server) as c:
            replies = [c.send("c/a", f"e{n}") for n in range(3)]
            self.assertEqual((await replies[0])["v"], 1)
            replies += [c.send("c/a", f"e{n}") for n in (3, 4)]
            self.assertEqual([(await r)["v"] for r in replies], [1, 2, 3, 4, 5])
            await server.finish()

    async def test_errors_have_a_class_per_code_and_all_members_of_the_error(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            send = await connection.request("send")
            connection.refuse(send, "VERSION_CONFLICT", retry=False, data={"v": 45})
            connection.refuse(await connection.request("get"), "SOMETHING_NEW", retry=False)
            connection.refuse(await connection.request("await"), "TIMEOUT")

        server = await self.fake(script)
        async with client(server) as c:
            with self.assertRaises(grove.VersionConflict) as conflict:
                await c.send("c/a", "go", expect=41)
            self.assertEqual(conflict.exception.data, {"v": 45})
            self.assertFalse(conflict.exception.retry)
            with self.assertRaises(grove.ServerError) as new:
                await c.get("c/a")
            self.assertEqual(new.exception.code, "SOMETHING_NEW")
            with self.assertRaises(grove.WaitTimeout):
                await c.wait_until("c/a", wait=1)
            await server.finish()

    async def test_a_call_times_out_in_time_and_gives_the_reason(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.refuse(
                await connection.request("send"), "OVERLOADED", retry_after_ms=60_000
            )
            await connection.request("send")

        server = await self.fake(script)
        async with client(server, timeout=1.5) as c:
            with self.assertRaises(grove.Overloaded):
                await c.send("c/a", "go")
            with self.assertRaises(grove.NoReply) as lost:
                await c.send("c/b", "go")
            self.assertTrue(lost.exception.outcome_unknown)
            with self.assertRaises(grove.Unreachable):
                await c.send("c/c", "go")
            with self.assertRaises(grove.Unreachable):
                await c.subscribe()
            await server.finish()

    async def test_without_retries_nothing_is_repeated_and_no_key_is_made(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            send = await connection.request("send")
            assert "dedup" not in send, send

        server = await self.fake(script)
        async with client(server, retry=False) as c:
            with self.assertRaises(grove.ConnectionLost):
                await c.send("c/a", "go")
            with self.assertRaises(grove.Unreachable):
                await c.ping()
            await server.finish()

    async def test_bounds(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet(',"max_line":200')
            for _ in range(2):
                connection.reply(await connection.request("send"), v=1)

        server = await self.fake(script)
        async with client(server, calls_max=3) as c:
            replies = [c.send("c/a", "go"), c.send("c/a", "go"), c.send("c/a", "x" * 200)]
            with self.assertRaises(grove.QueueFull):
                await c.send("c/a", "go")
            for reply in replies[:2]:
                self.assertEqual((await reply)["v"], 1)
            with self.assertRaises(grove.InvalidRequest):
                await replies[2]
            for event in (float("nan"), object(), "\ud800"):
                with self.assertRaises(grove.InvalidRequest):
                    await c.send("c/a", event)
            await server.finish()

    async def test_a_cancelled_call_is_not_sent_again(self) -> None:
        arrived = asyncio.Event()

        async def first(connection: Connection) -> None:
            await connection.greet()
            await connection.request("send")
            arrived.set()
            await connection.request("ping")

        async def second(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("ping"))

        server = await self.fake(first, second)
        async with client(server) as c:
            sending = asyncio.ensure_future(c.send("c/a", "go"))
            await arrived.wait()
            sending.cancel()
            await c.ping()
            await server.finish()

    async def test_unix_socket_and_heartbeats(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            ping = await connection.request("ping")
            connection.write('{"op":"ping","t":1}')
            assert await connection.line() == {"op": "ping"}
            connection.write('{"op":"news"}')
            connection.reply(ping)

        async def silent(connection: Connection) -> None:
            await connection.greet(',"heartbeat_ms":10')
            await connection.request("stop")
            await connection.close_seen()

        with tempfile.TemporaryDirectory() as folder:
            server = await FakeServer(script).start(folder + "/s")
            async with client(server) as c:
                await c.ping()
                await server.finish()
        server = await self.fake(silent)
        async with client(server) as c:
            with self.assertRaises(grove.ConnectionLost):
                await c.stop("c/a")
            await server.finish()

    async def test_a_peer_that_is_no_server_is_refused(self) -> None:
        for line in ('{"op":"hello","proto":[2]}', '{"hi":1}', "220 mail", "[]"):

            async def script(connection: Connection, line: str = line) -> None:
                connection.write(line)
                await connection.close_seen()

            server = await self.fake(script)
            async with client(server) as c:
                with self.assertRaises(grove.ProtocolViolation):
                    await c.ping()
            await server.finish()

    async def test_close_fails_outstanding_and_later_calls(self) -> None:
        arrived = asyncio.Event()

        async def script(connection: Connection) -> None:
            await connection.greet()
            await connection.request("get")
            arrived.set()
            await connection.close_seen()

        server = await self.fake(script)
        c = client(server)
        reply = c.get("c/a")
        await arrived.wait()
        await c.close()
        for call in (reply, c.ping()):
            with self.assertRaises(grove.Closed):
                await call
        with self.assertRaises(grove.Closed):
            await c.subscribe()
        await server.finish()


def silent_address(stack: contextlib.ExitStack) -> Tuple[str, int]:
    """An address of this machine that answers no attempt to connect."""
    listener = stack.enter_context(socket.socket())
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    address: Tuple[str, int] = listener.getsockname()
    # The queue of connections is full, and no program accepts them.
    for _ in range(4):
        waiting = stack.enter_context(socket.socket())
        waiting.setblocking(False)
        waiting.connect_ex(address)
    return address


class Blocking(unittest.TestCase):
    """The interface without asyncio, with a peer that is no server."""

    def test_a_wrong_argument_is_an_error_at_once(self) -> None:
        with grove.Client("127.0.0.1:1", timeout=30.0) as c:
            with self.assertRaises(grove.InvalidRequest):
                c.request("batch", itmes=[{"to": "c/a", "event": "go"}])
            with self.assertRaises(grove.InvalidRequest):
                c.request("batch", items=[1])
            with self.assertRaises(grove.InvalidRequest):
                c.submit("send", to="c/a", event=object()).result(timeout=30)
            with self.assertRaises(grove.InvalidRequest):
                c.send("c/a", "go", timeout="soon")  # type: ignore[arg-type]

    def test_a_waiting_call_fails_when_another_thread_closes(self) -> None:
        for _ in range(50):
            c = grove.Client("127.0.0.1:1", timeout=60.0)
            outcomes: List[BaseException] = []
            ready = threading.Barrier(4)

            def work(c: grove.Client = c) -> None:
                ready.wait(30)
                try:
                    while True:
                        c.submit("ping")
                        c.send("c/a", "go")
                except BaseException as error:
                    outcomes.append(error)

            threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
            for thread in threads:
                thread.start()
            ready.wait(30)
            c.close()
            for thread in threads:
                thread.join(30)
                self.assertFalse(thread.is_alive())
            self.assertEqual([type(error) for error in outcomes], [grove.Closed] * 3)
            with self.assertRaises(grove.Closed):
                c.subscribe()


def record(number: int, name: str = "s1") -> str:
    return (
        f'{{"sub":"{name}","cur":"c{number}","to":"c/a","v":{number},"kind":"output",'
        f'"data":{number}}}'
    )


class Subscriptions(unittest.IsolatedAsyncioTestCase):
    async def test_a_subscription_resumes_after_the_last_record(self) -> None:
        async def first(connection: Connection) -> None:
            await connection.greet()
            subscribe = await connection.request("subscribe")
            assert subscribe["select"] == {"machine": "c", "kind": ["output"]}, subscribe
            assert subscribe["from"] == "now" and subscribe["credit"] == 4, subscribe
            connection.reply(subscribe, cur="c0")
            connection.write(record(1))
            connection.write(record(2))
            connection.write(record(3)[:20], end="")

        async def second(connection: Connection) -> None:
            await connection.greet()
            connection.refuse(await connection.request("subscribe"), "OVERLOADED")
            subscribe = await connection.request("subscribe")
            assert subscribe["from"] == {"after": "c2"}, subscribe
            connection.reply(subscribe, cur="c9")
            connection.write(record(3))
            connection.write(record(4))
            grant = await connection.request("credit")
            assert "id" not in grant and grant["n"] >= 2, grant
            connection.write('{"sub":"s1","cur":"c7","mark":"gap","reason":"old"}')
            connection.write(record(8))
            await connection.request("unsubscribe")

        server = await FakeServer(first, second).start()
        async with client(server) as c:
            subscription = await c.subscribe("c", kind=["output"], credit=4)
            seen = [(await subscription.__anext__())["v"] for _ in range(4)]
            self.assertEqual(seen, [1, 2, 3, 4])
            self.assertEqual(subscription.cursor, "c4")
            with self.assertRaises(grove.Gap) as gap:
                await subscription.__anext__()
            self.assertEqual(gap.exception.data["reason"], "old")
            self.assertEqual((await subscription.__anext__())["v"], 8)
            await subscription.close()
            self.assertEqual([r async for r in subscription], [])
            await server.finish()

    async def test_an_interrupted_snapshot_starts_again(self) -> None:
        present = '{"sub":"s1","to":"c/a","v":1,"kind":"state","after":1,"snapshot":true}'

        async def first(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("subscribe"), cur="c0")
            connection.write(present)

        async def second(connection: Connection) -> None:
            await connection.greet()
            subscribe = await connection.request("subscribe")
            assert subscribe["snapshot"] is True and subscribe["from"] == "now", subscribe
            connection.reply(subscribe, cur="c0")
            connection.write(present)
            connection.write('{"sub":"s1","cur":"c7","mark":"snapshot"}')
            connection.write(record(8))

        async def third(connection: Connection) -> None:
            await connection.greet()
            subscribe = await connection.request("subscribe")
            assert subscribe["from"] == {"after": "c8"}, subscribe
            assert "snapshot" not in subscribe, subscribe
            connection.refuse(subscribe, "CURSOR_TOO_OLD", retry=False)
            await connection.close_seen()

        server = await FakeServer(first, second, third).start()
        async with client(server) as c:
            subscription = await c.subscribe(snapshot=True, marks=True)
            seen: List[Any] = []
            with self.assertRaises(grove.CursorTooOld):
                async for entry in subscription:
                    seen.append(entry.get("mark", entry.get("v")))
            # The record of the first attempt may have been read before it was interrupted.
            self.assertEqual(seen[-3:], [1, "snapshot", 8])
        await server.finish()

    async def test_a_gap_within_a_snapshot_is_no_cursor_to_resume_from(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.reply(await connection.request("subscribe"), cur="c0")
            connection.write('{"sub":"s1","cur":"c3","mark":"gap","reason":"old"}')
            connection.write('{"sub":"s1","cur":"c5","mark":"snapshot"}')
            connection.write(record(8))
            await connection.close_seen()

        server = await FakeServer(script).start()
        async with client(server) as c:
            subscription = await c.subscribe(snapshot=True, marks=True)
            seen: List[Any] = []
            for _ in range(3):
                await subscription.__anext__()
                seen.append(subscription.cursor)
            self.assertEqual(seen, [None, "c5", "c8"])
        await server.finish()

    async def test_a_refused_subscription_fails_at_once(self) -> None:
        async def script(connection: Connection) -> None:
            await connection.greet()
            connection.refuse(await connection.request("subscribe"), "LIMIT", retry=False)

        server = await FakeServer(script).start()
        async with client(server) as c:
            with self.assertRaises(grove.ServerError):
                await c.subscribe()
        await server.finish()


class Values(unittest.TestCase):
    def test_addresses(self) -> None:
        good = {
            "127.0.0.1:7400": ("127.0.0.1", 7400),
            "host": ("host", 7400),
            ":8": ("127.0.0.1", 8),
            "[::1]:9": ("::1", 9),
            "[::1]": ("::1", 7400),
        }
        for text, address in good.items():
            self.assertEqual(grove._address(text), (*address, None, False))
        secure = {
            "tls:host:7443": ("host", 7443),
            "tls:[::1]:9": ("::1", 9),
            "tls::8": ("127.0.0.1", 8),
        }
        for text, address in secure.items():
            self.assertEqual(grove._address(text), (*address, None, True))
        self.assertEqual(grove._address("unix:/run/s").path, "/run/s")
        # Never a plain connection, and no port that nobody has named.
        wrong = ("tls:", "tls:host", "tls:7443", "tls:unix:/s", "tls:a:b", "tls:tls:h:1")
        for text in ("a:b", "a:99999", "a:²", "::1", "a b:1", *wrong):
            with self.assertRaises(ValueError):
                grove._address(text)

    def test_a_wrong_order_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            grove.AsyncClient(order="random")

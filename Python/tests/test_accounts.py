"""Tokens, and the calls about accounts."""

from __future__ import annotations

import unittest
from typing import Any, Dict, List
from unittest import mock

import grove_client as grove
from servers import Connection, FakeServer, Script

GREETING = '{"op":"hello","server":"grove","proto":[1]}'


def client(server: FakeServer, **options: Any) -> grove.AsyncClient:
    options = {"first_delay": 0.001, "delay_max": 0.005, "timeout": 30.0, **options}
    return grove.AsyncClient(server.address, **options)


class Tokens(unittest.IsolatedAsyncioTestCase):
    async def fake(self, *scripts: Script) -> FakeServer:
        return await FakeServer(*scripts).start()

    async def test_the_token_is_in_hello_and_nothing_follows_before_the_answer(self) -> None:
        async def script(connection: Connection) -> None:
            connection.write(GREETING)
            hello = await connection.line()
            assert hello["op"] == "hello" and hello["token"] == "secret", hello
            connection.write('{"op":"ping"}')
            assert (await connection.line()) == {"op": "ping"}
            connection.reply(hello, principal="shop")
            connection.reply(await connection.request("ping"))

        server = await self.fake(script)
        async with client(server, token="secret") as c:
            await c.ping()
            await server.finish()

    async def test_every_connection_begins_with_the_token(self) -> None:
        async def first(connection: Connection) -> None:
            connection.write(GREETING)
            connection.reply(await connection.line())
            await connection.request("get")

        async def second(connection: Connection) -> None:
            connection.write(GREETING)
            hello = await connection.line()
            assert hello["token"] == "secret", hello
            connection.reply(hello)
            connection.reply(await connection.request("get"))

        server = await self.fake(first, second)
        async with client(server, token="secret") as c:
            await c.get("c/a")
            await server.finish()

    async def test_a_refused_token_is_an_error_and_no_further_connection(self) -> None:
        async def script(connection: Connection) -> None:
            connection.write(GREETING)
            hello = await connection.line()
            connection.refuse(hello, "UNAUTHENTICATED", retry=False)

        server = await self.fake(script)
        async with client(server, token="wrong") as c:
            with self.assertRaises(grove.Unauthenticated) as caught:
                await c.send("c/a", "go")
            self.assertFalse(caught.exception.outcome_unknown)
            self.assertFalse(c._needed)
            await server.finish()

    async def test_a_revoked_token_ends_subscriptions(self) -> None:
        async def script(connection: Connection) -> None:
            connection.write(GREETING)
            connection.reply(await connection.line())
            connection.reply(await connection.request("subscribe"), cur="1")
            connection.refuse({"id": None}, "UNAUTHENTICATED", retry=False)

        server = await self.fake(script)
        async with client(server, token="secret") as c:
            subscription = await c.subscribe()
            with self.assertRaises(grove.Unauthenticated):
                await subscription.__anext__()
            self.assertFalse(c._needed)

    async def test_a_token_is_not_sent_in_plaintext_to_another_machine(self) -> None:
        lines: List[Any] = []

        async def script(connection: Connection) -> None:
            connection.write(GREETING)
            try:
                lines.append(await connection.line())
            except Exception:
                pass

        server = await self.fake(script)
        with mock.patch.object(grove, "_is_loopback", return_value=False):
            async with client(server, token="secret") as c:
                with self.assertRaises(grove.TokenNeedsTLS) as caught:
                    await c.ping()
                self.assertIn("tls:HOST:PORT", str(caught.exception))
                self.assertNotIn("secret", str(caught.exception))
        self.assertEqual(lines, [])

    async def test_another_token_is_used_from_then_on(self) -> None:
        async def first(connection: Connection) -> None:
            connection.write(GREETING)
            connection.reply(await connection.line())
            connection.reply(await connection.request("ping"))
            auth = await connection.request("auth")
            assert auth["token"] == "new", auth
            connection.reply(auth, principal="shop", grants=[])
            await connection.request("get")

        async def second(connection: Connection) -> None:
            connection.write(GREETING)
            hello = await connection.line()
            assert hello["token"] == "new", hello
            connection.reply(hello)
            connection.reply(await connection.request("get"))

        server = await self.fake(first, second)
        async with client(server, token="old") as c:
            await c.ping()
            self.assertEqual((await c.auth("new"))["principal"], "shop")
            await c.get("c/a")
            await server.finish()

    def test_nothing_shows_a_token(self) -> None:
        c = grove.AsyncClient(token="hush")
        self.assertNotIn("hush", repr(c) + str(c) + repr(vars(c)))

    def test_the_loopback_addresses(self) -> None:
        for host in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"):
            self.assertTrue(grove._is_loopback((host, 1)), host)
        for host in ("10.0.0.1", "::2", "::ffff:10.0.0.1", "fe80::1%eth0", ""):
            self.assertFalse(grove._is_loopback((host, 1)), host)
        self.assertFalse(grove._is_loopback(None))


class Fields(unittest.IsolatedAsyncioTestCase):
    async def test_every_call_has_its_fields(self) -> None:
        seen: List[Dict[str, Any]] = []

        async def script(connection: Connection) -> None:
            await connection.greet()
            for _ in range(11):
                request = await connection.line()
                connection.reply(request)
                del request["id"]
                seen.append(request)

        server = await FakeServer(script).start()
        async with client(server) as c:
            await c.accounts_list(after="a", limit=5)
            await c.accounts_change("shop", add={"grants": ["read order/*"]},
                                    quotas={"connections": None}, new=True)  # fmt: skip
            await c.accounts_revoke("shop", force=True)
            await c.accounts_apply({"accounts": 1, "principals": {}}, dry_run=True)
            await c.token_create("shop", label="web", expires="never")
            await c.token_create("shop", grants=["read order/*"])
            await c.token_rotate("k3v7qzt2", overlap=1.5)
            await c.token_revoke("k3v7qzt2")
            await c.token_revoke_all(force=True)
            await c.audit(after=3)
            await c.reload()
            await server.finish()
        self.assertEqual(
            seen,
            [
                {"op": "accounts", "action": "list", "after": "a", "limit": 5},
                {"op": "accounts", "action": "change", "principal": "shop", "new": True,
                 "add": {"grants": ["read order/*"]}, "quotas": {"connections": None}},
                {"op": "accounts", "action": "revoke", "principal": "shop", "force": True},
                {"op": "accounts", "action": "apply", "dry_run": True,
                 "document": {"accounts": 1, "principals": {}}},
                {"op": "token", "action": "create", "principal": "shop", "label": "web",
                 "expires": None},
                {"op": "token", "action": "create", "principal": "shop",
                 "grants": ["read order/*"]},
                {"op": "token", "action": "rotate", "token_id": "k3v7qzt2", "overlap_ms": 1500},
                {"op": "token", "action": "revoke", "token_id": "k3v7qzt2"},
                {"op": "token", "action": "revoke", "all": True, "force": True},
                {"op": "audit", "after": 3},
                {"op": "reload"},
            ],
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()

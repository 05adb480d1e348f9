"""A client for Grove servers: one file, only the standard library, Python 3.9 or newer.

There are two interfaces with one core. ``AsyncClient`` is for asyncio::

    async with AsyncClient("127.0.0.1:7400") as client:
        reply = await client.send("counter/a", "increment")
        async for record in await client.subscribe(machine="counter"):
            print(record["to"], record["data"])

``Client`` is for programs without asyncio; it runs the same core on a separate thread, and may be
used from any thread::

    with Client("127.0.0.1:7400") as client:
        client.send("counter/a", "increment")

Replies and records are dictionaries with the members of the protocol
(docs/reference/protocol.md). The client repeats calls after a lost connection, and calls that the
server has postponed; each is applied once nevertheless. docs/clients.md has all promises.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import collections
import concurrent.futures
import contextlib
import hashlib
import ipaddress
import itertools
import json
import math
import os
import random
import re
import ssl
import threading
import time
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Coroutine,
    Deque,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

__version__ = "0.1.0"

Reply = Dict[str, Any]
Record = Dict[str, Any]
R = TypeVar("R")
T = TypeVar("T")

# MARK: Errors


class GroveError(Exception):
    """The reason why a call or a subscription failed. Decide by ``code``."""

    code = "INTERNAL"
    #: Whether the same call may succeed later.
    retry = False
    #: Whether the call may have been applied although no reply says so.
    outcome_unknown = False

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" if self.message else self.code


class Unreachable(GroveError):
    """There was no connection, and the call was not sent."""

    code = "UNREACHABLE"
    retry = True


class TLSFailed(GroveError):
    """There was no secure connection, and nothing was sent: the server can't prove who it is,
    refuses this client, or doesn't speak TLS. ``reason`` is a word of docs/clients.md."""

    code = "TLS_FAILED"

    def __init__(self, message: str = "", reason: str = "other") -> None:
        super().__init__(message)
        self.reason = reason


class TokenNeedsTLS(GroveError):
    """There is a token, and the server is on another machine without TLS. Nothing was sent."""

    code = "TOKEN_NEEDS_TLS"


class ConnectionLost(GroveError):
    """The connection broke after a call was sent that can't be repeated."""

    code = "CONNECTION_LOST"
    retry = True
    outcome_unknown = True


class NoReply(GroveError):
    """No answer came in time."""

    code = "NO_REPLY"
    retry = True
    outcome_unknown = True


class QueueFull(GroveError):
    """The limit of waiting calls is reached; this call was not sent."""

    code = "QUEUE_FULL"
    retry = True


class ProtocolViolation(GroveError):
    """The server sent something that isn't this protocol."""

    code = "PROTOCOL_VIOLATION"


class InvalidRequest(GroveError):
    """The request can't be encoded as a line that the server accepts."""

    code = "INVALID_REQUEST"


class Closed(GroveError):
    """The client was closed."""

    code = "CLOSED"


class Gap(GroveError):
    """Retention has removed records before a subscription returned them. The next call returns
    the first record after the gap. ``data`` has ``from``, ``to`` and ``reason``."""

    code = "GAP"

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(str(data.get("reason", "")))
        self.data = data


class ServerError(GroveError):
    """A refusal by the server, with all members of its error object."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.code = str(error.get("code", "INTERNAL"))
        self.retry = bool(error.get("retry", False))
        self.outcome_unknown = self.code in _OPEN
        #: The data of the code, such as ``{"v": 45}``.
        self.data: Any = error.get("data")
        after = error.get("retry_after_ms")
        #: Seconds that the server asks to wait before a repeat.
        self.retry_after: float = after / 1000 if isinstance(after, (int, float)) else 0.0


class BadRequest(ServerError):
    pass


class Unauthenticated(ServerError):
    """The server has to know who asks: the token is wrong, has ended or was revoked, or there is
    none. The client doesn't connect again by itself; ``auth`` gives it another token."""


class Forbidden(ServerError):
    """Nobody has granted this to the token's principal. ``data`` has the verb that is missing."""


class NoSuchMachine(ServerError):
    pass


class NoSuchInstance(ServerError):
    pass


class NoSuchEffect(ServerError):
    pass


class AlreadyExists(ServerError):
    pass


class InstanceDone(ServerError):
    pass


class Suspended(ServerError):
    """An operator has suspended the instance or its machine; ``resume`` releases it."""


class SetAside(ServerError):
    """The server has set the instance aside, because its steps had ended the process."""


class VersionConflict(ServerError):
    pass


class DedupMismatch(ServerError):
    pass


class BadEvent(ServerError):
    pass


class InternalEvent(ServerError):
    """``INTERNAL_EVENT``: the machine has this event, but only it may send it."""


class EventRejected(ServerError):
    pass


class Overloaded(ServerError):
    pass


class Draining(ServerError):
    pass


class WaitTimeout(ServerError):
    """``TIMEOUT``: the awaited effects or state didn't come in time."""


class StorageFull(ServerError):
    pass


class CursorTooOld(ServerError):
    pass


class CursorForeign(ServerError):
    pass


_BY_CODE: Dict[str, Type[ServerError]] = {
    "BAD_REQUEST": BadRequest,
    "UNAUTHENTICATED": Unauthenticated,
    "FORBIDDEN": Forbidden,
    "NO_SUCH_MACHINE": NoSuchMachine,
    "NO_SUCH_INSTANCE": NoSuchInstance,
    "NO_SUCH_EFFECT": NoSuchEffect,
    "ALREADY_EXISTS": AlreadyExists,
    "INSTANCE_DONE": InstanceDone,
    "SUSPENDED": Suspended,
    "SET_ASIDE": SetAside,
    "VERSION_CONFLICT": VersionConflict,
    "DEDUP_MISMATCH": DedupMismatch,
    "BAD_EVENT": BadEvent,
    "INTERNAL_EVENT": InternalEvent,
    "EVENT_REJECTED": EventRejected,
    "OVERLOADED": Overloaded,
    "DRAINING": Draining,
    "TIMEOUT": WaitTimeout,
    "STORAGE_FULL": StorageFull,
    "CURSOR_TOO_OLD": CursorTooOld,
    "CURSOR_FOREIGN": CursorForeign,
}


def _server_error(error: Any) -> ServerError:
    error = error if isinstance(error, dict) else {}
    return _BY_CODE.get(str(error.get("code")), ServerError)(error)


# MARK: Calls

#: Ops that only read, and can always be repeated.
_READING = frozenset(
    "audit await can definitions describe effects get history list ping stats".split()
)
#: Refusals after which nobody knows whether the request was carried out.
_OPEN = frozenset("TIMEOUT UNAVAILABLE STORAGE_ERROR".split())
#: Refusals that guarantee that nothing was done, and that end by themselves.
_PASSING = frozenset("DRAINING OVERLOADED RATE_LIMITED STORAGE_FULL NOT_OWNER SUSPENDED".split())
#: Refusals that an operator may have to end, by a call that doesn't wait for them.
_HOLDING = frozenset("STORAGE_FULL SUSPENDED".split())
#: Ops that don't wait while one of these holds up their instance.
_PASSING_BY = _READING | frozenset("cancel delete resume stop suspend".split())
#: Refusals of a line whose id the server couldn't read; it goes on with the next line.
_UNREAD = frozenset("BAD_JSON BAD_REQUEST LINE_TOO_LONG".split())


def _is_idempotent(op: str, fields: Mapping[str, Any]) -> bool:
    """Whether a call about accounts changes nothing when it is repeated."""
    action = fields.get("action")
    if op == "accounts":
        is_change = action == "change" and not fields.get("new")
        return is_change or action in (None, "list", "revoke")
    return op in ("auth", "reload") or (op == "token" and action == "revoke")


class _Call:
    """One request from its submission to its answer, with all its repeats."""

    __slots__ = (
        "op", "future", "order", "lane", "number", "timer", "wait", "patient",
        "repeatable", "started", "unknown", "last", "timeout", "text",
    )  # fmt: skip

    def __init__(
        self,
        op: str,
        fields: Dict[str, Any],
        future: asyncio.Future[Reply],
        order: int,
        text: bytes = b"{}",
    ) -> None:
        self.op = op
        # Encoded when the call is made: values that the caller changes afterwards change neither
        # the call nor a repeat.
        self.text = text
        self.future = future
        self.order = order
        #: The key of the calls whose order is kept: the instance, or the call's own number.
        to = fields.get("to")
        self.lane: Union[str, int] = to if isinstance(to, str) and op != "await" else order
        #: The id of its last line.
        self.number = 0
        self.timeout = 0.0
        self.timer: Optional[asyncio.TimerHandle] = None
        self.wait: Optional[float] = None
        self.patient = op == "await" or fields.get("settle", "none") != "none"
        items = fields.get("items") if op == "batch" else None
        self.repeatable = (
            op in _READING
            or "dedup" in fields
            or _is_idempotent(op, fields)
            or (items is not None and all("dedup" in item for item in items))
        )
        self.started: Optional[float] = None
        self.unknown = False
        self.last: Optional[GroveError] = None

    @property
    def reading(self) -> bool:
        return self.op in _READING

    @property
    def size(self) -> int:
        return len(self.text)

    def expiry(self, holding: Optional[GroveError]) -> GroveError:
        """Returns the error of a call that isn't under way, which ``holding`` may have stopped."""
        if not self.unknown:
            # Another call's open outcome isn't this one's.
            if holding is not None and not isinstance(self.last, ServerError):
                text = f"not sent within {self.timeout} s: {holding}"
                return Unreachable(text) if holding.outcome_unknown else holding
            return self.last or Unreachable(f"not sent within {self.timeout} s")
        # The server's last refusal doesn't say the outcome either, and gives the reason.
        if isinstance(self.last, ServerError) and self.last.outcome_unknown:
            return self.last
        return NoReply(f"no reply within {self.timeout} s")

    def is_worth_repeating(self, error: GroveError) -> bool:
        if not error.retry or self.future.done():
            return False
        if error.code in _PASSING:
            return True
        # A time that the caller has set, and a read of damaged data, are reported at once. A
        # failed write is like a lost connection.
        if error.code == "STORAGE_ERROR" and self.reading:
            return False
        if error.code == "TIMEOUT" and self.patient:
            return False
        return self.repeatable


class _Lane:
    """The calls about one instance: the number under way, and those that wait for them."""

    __slots__ = ("phase", "under_way", "held", "stops", "refused", "refusal")

    def __init__(self) -> None:
        self.phase = "open"  # or: paused, gathering, probing
        self.under_way = 0
        self.held: Deque[_Call] = collections.deque()
        self.stops = 0
        #: The call that was refused last, and why.
        self.refused: Optional[_Call] = None
        self.refusal: Optional[GroveError] = None

    def lets_by(self, call: _Call) -> bool:
        """Whether a call doesn't wait for another one that the server refuses until somebody
        acts."""
        is_holding = self.refusal is not None and self.refusal.code in _HOLDING
        return is_holding and self.refused is not call and call.op in _PASSING_BY


class _Lanes:
    """Decides which calls may be sent on the present connection, and which wait for others about
    the same instance. A postponed call stops its lane until a pause is over and all calls under
    way are answered. Then it is sent alone, and the others after its answer. A call that needn't
    wait for that gets a lane of its own."""

    def __init__(self, one_by_one: bool) -> None:
        self._one_by_one = one_by_one
        self._lanes: Dict[Union[str, int], _Lane] = {}

    def _weight(self, call: _Call) -> int:
        return 1 if self._one_by_one or not call.patient else 0

    def admit(self, call: _Call) -> bool:
        lane = self._lanes.setdefault(call.lane, _Lane())
        is_free = not (self._one_by_one and lane.under_way)
        if lane.phase == "open" and not lane.held and is_free:
            lane.under_way += self._weight(call)
            return True
        if lane.lets_by(call):
            self._leave(call)
            return True
        lane.held.append(call)
        return False

    def _leave(self, call: _Call) -> None:
        """Moves a call that is to be sent now to a lane of its own."""
        call.lane = call.order
        lane = self._lanes.setdefault(call.lane, _Lane())
        lane.under_way += self._weight(call)

    def settle(self, call: _Call) -> List[_Call]:
        lane = self._lanes.get(call.lane)
        if lane is None:
            return []
        lane.under_way -= self._weight(call)
        # The answer to a long wait doesn't count as the probe's.
        is_probe = lane.phase == "probing" and (self._weight(call) or not lane.under_way)
        if is_probe or lane.phase == "open":
            lane.phase = "open"
            lane.stops = 0
            lane.refused = lane.refusal = None
        return self._release(call.lane, lane)

    def put_off(self, call: _Call, error: GroveError) -> Tuple[int, List[_Call]]:
        """Returns how often in a row the call's lane was stopped, if a pause must start now, else
        0; and the calls that may be sent now."""
        name = call.lane
        lane = self._lanes.setdefault(name, _Lane())
        lane.under_way -= self._weight(call)
        if lane.lets_by(call):
            # It was already sent when another call stopped the lane.
            self._leave(call)
            released = self._release(name, lane)
            return self.put_off(call, error)[0], released
        lane.refused, lane.refusal = call, error
        is_newest = not lane.held or lane.held[-1].order < call.order
        lane.held.append(call)
        if not is_newest:
            lane.held = collections.deque(sorted(lane.held, key=lambda held: held.order))
        # The last call under way may be postponed after the pause for another one is over.
        is_last = lane.phase == "gathering" and not lane.under_way
        stops = 0
        if lane.phase in ("open", "probing") or is_last:
            lane.phase = "paused"
            lane.stops += 1
            stops = lane.stops
        free = [held for held in lane.held if lane.lets_by(held)]
        if free:
            lane.held = collections.deque(h for h in lane.held if not lane.lets_by(h))
        for passing in free:
            self._leave(passing)
        return stops, free

    def resume(self, name: Union[str, int]) -> List[_Call]:
        lane = self._lanes.get(name)
        if lane is None or lane.phase != "paused":
            return []
        lane.phase = "gathering"
        return self._release(name, lane)

    def take_all(self) -> List[_Call]:
        held = [call for lane in self._lanes.values() for call in lane.held]
        self._lanes = {}
        return held

    def remove(self, call: _Call) -> Optional[GroveError]:
        """Removes a call that is held, if it is; returns what has stopped its lane."""
        lane = self._lanes.get(call.lane)
        if lane is None or call not in lane.held:
            return None
        lane.held.remove(call)
        self._drop_if_over(call.lane, lane)
        return lane.refusal

    def _release(self, name: Union[str, int], lane: _Lane) -> List[_Call]:
        if lane.phase == "gathering" and lane.under_way == 0:
            lane.phase = "probing"
        calls: List[_Call] = []
        if lane.phase in ("open", "probing"):
            is_narrow = self._one_by_one or lane.phase == "probing"
            while lane.held and not (is_narrow and lane.under_way):
                call = lane.held.popleft()
                lane.under_way += self._weight(call)
                calls.append(call)
        self._drop_if_over(name, lane)
        return calls

    def _drop_if_over(self, name: Union[str, int], lane: _Lane) -> None:
        if not lane.under_way and not lane.held and lane.phase != "paused":
            del self._lanes[name]


class _Calls(Generic[R]):
    """The ops of the protocol. ``Client`` returns a reply, ``AsyncClient`` one to await."""

    def _call(
        self,
        op: str,
        fields: Mapping[str, Any],
        wait: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> R:
        raise NotImplementedError

    def request(self, op: str, *, timeout: Optional[float] = None, **fields: Any) -> R:
        """Calls any op, with the protocol's names of fields; ``None`` leaves a field out. Append
        a ``_`` to a field with the name of a keyword."""
        return self._call(op, {k.rstrip("_"): v for k, v in fields.items()}, None, timeout)

    def send(
        self,
        to: str,
        event: Any,
        *,
        dedup: Optional[str] = None,
        expect: Union[int, str, None] = None,
        create: Optional[str] = None,
        reply: Optional[str] = None,
        settle: Optional[str] = None,
        wait: Optional[float] = None,
        traceparent: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Sends an event to an instance; the reply means that it is stored. ``wait`` is the
        longest time in seconds that the reply waits for effects, with ``settle``. The step and its
        effects belong to the trace ``traceparent``."""
        fields = {
            "to": to, "event": event, "dedup": dedup, "expect": expect, "create": create,
            "reply": reply, "settle": settle, "traceparent": traceparent,
        }  # fmt: skip
        return self._call("send", fields, wait, timeout)

    def batch(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        atomic: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Makes several sends in one request, each a dictionary with the fields of ``send``."""
        return self._call("batch", {"items": items, "atomic": atomic}, None, timeout)

    def create(
        self,
        to: str,
        *,
        input: Any = None,
        dedup: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Creates an instance in its initial state."""
        return self._call("create", {"to": to, "input": input, "dedup": dedup}, None, timeout)

    def get(self, to: str, *, at: Optional[int] = None, timeout: Optional[float] = None) -> R:
        """Returns the present state of an instance, or the state at a version."""
        return self._call("get", {"to": to, "at": at}, None, timeout)

    def can(self, to: str, event: Any, *, timeout: Optional[float] = None) -> R:
        """Checks whether an event would be accepted; nothing changes."""
        return self._call("can", {"to": to, "event": event}, None, timeout)

    def list_instances(
        self,
        machine: Optional[str] = None,
        *,
        prefix: Optional[str] = None,
        state: Optional[str] = None,
        done: Optional[bool] = None,
        outdated: Optional[bool] = None,
        held: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Returns one page of instances; ``instances`` reads all pages. ``held`` is
        ``"suspended"`` or ``"set_aside"``."""
        fields = {
            "machine": machine, "prefix": prefix, "state": state, "done": done, "held": held,
            "outdated": outdated, "after": after, "limit": limit,
        }  # fmt: skip
        return self._call("list", fields, None, timeout)

    def history(
        self,
        to: str,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Returns one page of an instance's steps; ``steps`` reads all pages."""
        return self._call("history", {"to": to, "after": after, "limit": limit}, None, timeout)

    def effects(
        self,
        to: Optional[str] = None,
        *,
        phase: Optional[str] = None,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Returns one page of effects, of one instance or of all."""
        fields = {"to": to, "phase": phase, "after": after, "limit": limit}
        return self._call("effects", fields, None, timeout)

    def cancel(
        self,
        to: str,
        *,
        effect: Union[int, str, None] = None,
        timer: Optional[str] = None,
        request: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Cancels effects of an instance. Give exactly one of the three to select them."""
        fields = {"to": to, "effect": effect, "timer": timer, "request": request}
        return self._call("cancel", fields, None, timeout)

    def retry(
        self,
        to: str,
        effect: Optional[int] = None,
        *,
        event: Any = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Restarts an effect that has failed for good; ``event`` replaces the one that a timer, a
        send or a child holds. Without an effect, releases an instance that the server has set
        aside."""
        return self._call("retry", {"to": to, "effect": effect, "event": event}, None, timeout)

    def suspend(
        self,
        to: Optional[str] = None,
        *,
        machine: Optional[str] = None,
        reason: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Suspends an instance, or all of a machine: it refuses events until ``resume``, and its
        effects and timers sleep."""
        fields = {"to": to, "machine": machine, "reason": reason}
        return self._call("suspend", fields, None, timeout)

    def resume(
        self,
        to: Optional[str] = None,
        *,
        machine: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Releases an instance or a machine that was suspended or set aside."""
        return self._call("resume", {"to": to, "machine": machine}, None, timeout)

    def complete(self, token: str, result: Any, *, timeout: Optional[float] = None) -> R:
        """Answers an effect that waits for an answer from outside; ``None`` is an answer too."""
        return self._call("complete", {"token": token, "result": _Given(result)}, None, timeout)

    def fail(self, token: str, reason: str, *, timeout: Optional[float] = None) -> R:
        """Answers an effect that waits for an answer from outside with a failure."""
        return self._call("complete", {"token": token, "error": reason}, None, timeout)

    def wait_until(
        self,
        to: str,
        until: str = "done",
        *,
        wait: float = 30.0,
        timeout: Optional[float] = None,
    ) -> R:
        """Waits until an instance is done or in a state, at most ``wait`` seconds."""
        return self._call("await", {"to": to, "until": until}, wait, timeout)

    def stop(
        self, to: str, *, reason: Optional[str] = None, timeout: Optional[float] = None
    ) -> R:
        """Ends an instance."""
        return self._call("stop", {"to": to, "reason": reason}, None, timeout)

    def delete(self, to: str, *, timeout: Optional[float] = None) -> R:
        """Removes an instance with its history."""
        return self._call("delete", {"to": to}, None, timeout)

    def definitions(
        self, *, counts: Optional[bool] = None, timeout: Optional[float] = None
    ) -> R:
        """Returns the machines that the server hosts, in ``items``. With ``counts`` each has the
        numbers of its instances, done ones, failed effects and open questions."""
        return self._call("definitions", {"counts": counts}, None, timeout)

    def define(
        self, definition: Any, *, trial: Optional[bool] = None, timeout: Optional[float] = None
    ) -> R:
        """Adds a version of a machine as data, a statechart. With ``trial`` only checks it."""
        return self._call("define", {"definition": definition, "trial": trial}, None, timeout)

    def undefine(self, name: str, *, timeout: Optional[float] = None) -> R:
        """Removes a machine as data. While it has ``instances``, it stays for them."""
        return self._call("undefine", {"name": name}, None, timeout)

    def prune(self, name: str, *, timeout: Optional[float] = None) -> R:
        """Removes the versions of a machine as data that no instance has, but for the present one.
        Returns those ``removed`` and those ``kept``."""
        return self._call("prune", {"name": name}, None, timeout)

    def migrate(
        self,
        to: str,
        *,
        version: Optional[str] = None,
        states: Optional[Any] = None,
        context: Optional[Any] = None,
        trial: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Gives an instance of a machine as data another version of its definition."""
        fields = {
            "to": to,
            "version": version,
            "states": states,
            "context": context,
            "trial": trial,
        }
        return self._call("migrate", fields, None, timeout)

    def describe(
        self, name: str, *, format: Optional[str] = None, timeout: Optional[float] = None
    ) -> R:
        """Returns the declared and observed behavior of a machine, with a diagram."""
        return self._call("describe", {"name": name, "format": format}, None, timeout)

    def ping(self, *, timeout: Optional[float] = None) -> R:
        """Checks that the server answers."""
        return self._call("ping", {}, None, timeout)

    def stats(self, *, series: Optional[str] = None, timeout: Optional[float] = None) -> R:
        """Returns the server's counters and gauges. With series "1s" or "10s" returns numbers
        over time instead: every_ms, until, and lists by name, the oldest number first."""
        return self._call("stats", {"series": series}, None, timeout)

    # Accounts

    def auth(self, token: str, *, timeout: Optional[float] = None) -> R:
        """Proves who the client is with another token of the same principal; from then on the
        client sends it with each new connection."""
        return self._call("auth", {"token": token}, None, timeout)

    def accounts_list(
        self,
        *,
        after: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Returns a page of principals in ``items``; ``next`` is ``after`` of the next page."""
        fields = {"action": "list", "after": after, "limit": limit}
        return self._call("accounts", fields, None, timeout)

    def accounts_change(
        self,
        principal: str,
        *,
        add: Optional[Mapping[str, Sequence[str]]] = None,
        remove: Optional[Mapping[str, Sequence[str]]] = None,
        quotas: Optional[Mapping[str, Optional[int]]] = None,
        new: Optional[bool] = None,
        force: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Gives ``identities`` and ``grants`` to a principal and takes some; creates it if it is
        missing, and with ``new`` only then. A quota of ``None`` is the standard one. ``changes``
        has what differs, for people. ``force`` also takes the last administrator."""
        fields = {
            "action": "change", "principal": principal, "add": add, "remove": remove,
            "quotas": quotas, "new": new, "force": force, "dry_run": dry_run,
        }  # fmt: skip
        return self._call("accounts", fields, None, timeout)

    def accounts_revoke(
        self,
        principal: str,
        *,
        force: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Revokes a principal with all its tokens; done when it is answered."""
        fields = {
            "action": "revoke", "principal": principal, "force": force, "dry_run": dry_run
        }  # fmt: skip
        return self._call("accounts", fields, None, timeout)

    def accounts_apply(
        self,
        document: Mapping[str, Any],
        *,
        force: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Makes the accounts those of a document, all or nothing; principals that aren't in it
        are revoked."""
        fields = {"action": "apply", "document": document, "force": force, "dry_run": dry_run}
        return self._call("accounts", fields, None, timeout)

    def token_create(
        self,
        principal: str,
        *,
        label: Optional[str] = None,
        expires: Optional[str] = None,
        grants: Optional[Sequence[str]] = None,
        force: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Makes a token, which only this reply shows, in ``token``. ``expires`` is a time of UTC
        such as ``2027-02-19T00:00:00Z``, or ``"never"``; without it 90 days. With ``grants`` the
        principal gets them, and is created if it is missing."""
        fields = {
            "action": "create", "principal": principal, "label": label,
            "expires": _expires(expires), "grants": grants, "force": force,
        }  # fmt: skip
        return self._call("token", fields, None, timeout)

    def token_rotate(
        self,
        token_id: str,
        *,
        overlap: Optional[float] = None,
        expires: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Makes a token that replaces another one, which ends after ``overlap`` seconds, else
        after a day."""
        fields = {
            "action": "rotate", "token_id": token_id, "expires": _expires(expires),
            "overlap_ms": None if overlap is None else round(overlap * 1000),
        }  # fmt: skip
        return self._call("token", fields, None, timeout)

    def token_revoke(
        self, token_id: str, *, force: Optional[bool] = None, timeout: Optional[float] = None
    ) -> R:
        """Revokes a token; done when it is answered."""
        fields = {"action": "revoke", "token_id": token_id, "force": force}
        return self._call("token", fields, None, timeout)

    def token_revoke_all(
        self, *, force: Optional[bool] = None, timeout: Optional[float] = None
    ) -> R:
        """Revokes all tokens of all principals, as after a backup was restored; done when it is
        answered."""
        fields = {"action": "revoke", "all": True, "force": force}
        return self._call("token", fields, None, timeout)

    def audit(
        self,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> R:
        """Returns who changed accounts, in ``items``; ``next`` is ``after`` of the next page."""
        return self._call("audit", {"after": after, "limit": limit}, None, timeout)

    def reload(self, *, timeout: Optional[float] = None) -> R:
        """Makes the server read its configuration again; ``changed`` names what it uses anew."""
        return self._call("reload", {}, None, timeout)


def _expires(expires: Optional[str]) -> Any:
    """The field of the end of a token."""
    return _Given(None) if expires == "never" else expires


class _Secret:
    """A token. Neither ``repr`` nor ``str`` shows it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "(a token)"


def _is_loopback(peer: Any) -> bool:
    """Whether a socket's peer is this machine."""
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except (TypeError, IndexError, ValueError):
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


class _Given:
    """A field that is sent although it may be None."""

    def __init__(self, value: Any) -> None:
        self.value = value


# MARK: asyncio


class AsyncClient(_Calls[Awaitable[Reply]]):
    """A client for asyncio. Calls are sent in their order, when they are made, and not when they
    are awaited: make many, then await them. Use it from one event loop.

    ``server`` is ``HOST:PORT``, ``tls:HOST:PORT`` or ``unix:PATH``. Times are seconds.
    ``retry=False`` sends every call once; ``make_keys=False`` omits the keys that make repeats of
    sends safe; ``order="one_by_one"`` sends the next call about an instance after the answer to
    the one before.

    A server at ``tls:HOST:PORT`` must have a certificate for that host from an authority that
    this system knows. ``tls_ca`` is a file of other authorities instead (PEM). ``tls_pin``,
    ``sha256/…``, is the hash of the server's public key: without ``tls_ca``, the key replaces
    authority and name. ``tls_certificate`` and ``tls_key`` are files of this client's own
    certificate, for servers that ask for one. The files are read again for each connection.

    ``token`` says who the client is. It goes through TLS, to this machine or to a Unix socket;
    elsewhere nothing is sent (``TokenNeedsTLS``). The library reads no environment variable.
    """

    def __init__(
        self,
        server: str = "127.0.0.1:7400",
        *,
        token: Optional[str] = None,
        tls_ca: Optional[str] = None,
        tls_pin: Optional[str] = None,
        tls_certificate: Optional[str] = None,
        tls_key: Optional[str] = None,
        name: str = "grove-python/" + __version__,
        timeout: float = 10.0,
        connect_timeout: float = 5.0,
        retry: bool = True,
        make_keys: bool = True,
        order: str = "pipelined",
        first_delay: float = 0.1,
        delay_max: float = 5.0,
        jitter: float = 0.5,
        calls_max: int = 16_384,
        bytes_max: int = 1 << 26,
        credit: int = 256,
        line_max: int = 1 << 26,
    ) -> None:
        if order not in ("pipelined", "one_by_one"):
            raise ValueError(f"order is 'pipelined' or 'one_by_one', not {order!r}")
        self._address = _address(server)
        self._tls = _TLS(self._address, tls_ca, tls_pin, tls_certificate, tls_key)
        self.server = server
        #: The server's first line on the present connection.
        self.greeting: Dict[str, Any] = {}
        self._hello = {"proto": 1, "client": name}
        self._token = None if token is None else _Secret(token)
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._retrying = retry
        self._make_keys = make_keys and retry
        self._delays = (first_delay, delay_max, jitter)
        self._calls_max = calls_max
        self._bytes_max = bytes_max
        self._credit = max(1, credit)
        self._line_max = line_max
        self._key_prefix = os.urandom(16).hex() + "."
        self._keys = itertools.count(1)
        self._orders = itertools.count(1)
        self._ids = itertools.count(1)
        self._names = itertools.count(1)
        self._lanes = _Lanes(order == "one_by_one")
        self._outgoing: Deque[_Call] = collections.deque()
        self._transmitting = False
        self._waiting: Dict[int, _Call] = {}
        self._pending: Dict[int, Union[_Call, AsyncSubscription, None]] = {}
        self._subscriptions: Dict[str, AsyncSubscription] = {}
        self._calls = 0
        self._bytes = 0
        self._link = 0
        self._writer: Optional[asyncio.StreamWriter] = None
        # The connection, until the server has accepted the token.
        self._proving: Optional[asyncio.StreamWriter] = None
        self._task: Optional[asyncio.Task[None]] = None
        self._heard = 0.0
        self._failures = 0
        self._draining = False
        # Why one of the calls under way may never be answered.
        self._doubt = ""
        self._closed = False

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection, fails all calls under way and ends all subscriptions."""
        if self._closed:
            return
        self._closed = True
        for subscription in list(self._subscriptions.values()):
            subscription._end(Closed("the client was closed"))
        self._subscriptions = {}
        task = self._task
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self._lost(Closed("the client was closed"))

    # Calls

    def _call(
        self,
        op: str,
        fields: Mapping[str, Any],
        wait: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> asyncio.Future[Reply]:
        try:
            given, text = self._prepare(op, fields)
        except InvalidRequest as error:
            return self._refused(error)
        return self._start(op, given, text, wait, timeout)

    def _prepare(self, op: str, fields: Mapping[str, Any]) -> Tuple[Dict[str, Any], bytes]:
        """Returns the fields of a call and their JSON, with dedup keys. They share nothing with
        the caller's values, which stay unchanged. Any thread may call it."""
        given = {name: value for name, value in fields.items() if value is not None}
        given = {k: v.value if isinstance(v, _Given) else v for k, v in given.items()}
        if not isinstance(op, str) or not re.fullmatch("[a-z]{1,32}", op):
            raise InvalidRequest("an op is a word of small letters")
        for name in ("op", "id", "jsonrpc"):
            if name in given:
                raise InvalidRequest(f"the client itself sets {name}")
        if op == "batch":
            given["items"] = self._items(given.get("items"))
        elif self._make_keys and op in ("send", "create"):
            given.setdefault("dedup", self._key())
        return given, _text(given)

    def _items(self, items: Any) -> List[Dict[str, Any]]:
        is_many = isinstance(items, Iterable) and not isinstance(items, (str, bytes, Mapping))
        given: List[Any] = list(items) if is_many else [None]
        if not all(isinstance(item, Mapping) for item in given):
            raise InvalidRequest("a batch has items, a list of dictionaries")
        # Copies: a key belongs to this call, and the caller may use the dictionary again.
        copies = [dict(item) for item in given]
        for item in copies:
            if item.get("dedup") is None:
                item.pop("dedup", None)
                if self._make_keys:
                    item["dedup"] = self._key()
        return copies

    def _refused(self, error: GroveError) -> asyncio.Future[Reply]:
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        # A call whose result is never read is no mistake.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        future.set_exception(error)
        return future

    def _start(
        self,
        op: str,
        given: Dict[str, Any],
        text: bytes,
        wait: Optional[float],
        timeout: Optional[float],
    ) -> asyncio.Future[Reply]:
        if self._closed:
            return self._refused(Closed("the client was closed"))
        try:
            wait = None if wait is None else min(_time(wait), _WAIT_MAX)
            timeout = None if timeout is None else _time(timeout)
        except InvalidRequest as error:
            return self._refused(error)
        size = len(text)
        if self._calls >= self._calls_max or (
            self._calls and self._bytes + size > self._bytes_max
        ):
            return self._refused(QueueFull(f"{self._calls} calls wait for their answers"))
        secret = _Secret(str(given.get("token"))) if op == "auth" else None
        if secret is not None:
            if self._writer is None:
                # The next connection begins with it.
                self._token = secret
            elif not self._may_send_token(self._writer):
                return self._refused(self._needs_tls())
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        if secret is not None:
            future.add_done_callback(lambda done: self._adopt(secret, done))
        call = _Call(op, given, future, next(self._orders), text)
        call.wait = wait if call.patient else None
        self._calls += 1
        self._bytes += call.size
        if timeout is None:
            timeout = self._timeout
            if call.patient:
                timeout += _WAIT_MAX if wait is None else wait
        call.timeout = timeout
        if timeout < math.inf:
            call.timer = loop.call_later(timeout, self._expire, call)
        if self._writer is None:
            self._waiting[call.order] = call
            self._wake()
        else:
            self._dispatch(call)
        return future

    def _adopt(self, secret: _Secret, done: asyncio.Future[Reply]) -> None:
        if not done.cancelled() and done.exception() is None:
            self._token = secret

    def _may_send_token(self, writer: asyncio.StreamWriter) -> bool:
        is_local = self._address.path is not None or self._address.is_tls
        return is_local or _is_loopback(writer.get_extra_info("peername"))

    def _needs_tls(self) -> TokenNeedsTLS:
        return TokenNeedsTLS(
            f"a token isn't sent to {self.server} in plaintext, where others can read it: connect "
            "to tls:HOST:PORT, to this machine, or to a Unix socket"
        )

    def _key(self) -> str:
        return f"{self._key_prefix}{next(self._keys)}"

    def _finish(self, call: _Call, outcome: Union[Reply, GroveError]) -> None:
        self._calls -= 1
        self._bytes -= call.size
        if call.timer is not None:
            call.timer.cancel()
        if call.future.done():
            return
        if isinstance(outcome, GroveError):
            call.future.set_exception(outcome)
        else:
            call.future.set_result(outcome)

    def _expire(self, call: _Call) -> None:
        if self._pending.get(call.number) is call:
            del self._pending[call.number]
            self._finish(call, NoReply(f"no reply within {call.timeout} s{self._doubt}"))
            self._settle(call)
            return
        holding: Optional[GroveError] = None
        if self._waiting.pop(call.order, None) is None:
            holding = self._lanes.remove(call)
        self._finish(call, call.expiry(holding))

    def _dispatch(self, call: _Call) -> None:
        if call.future.done():
            self._finish(call, Closed())
        elif self._draining or self._writer is None:
            self._waiting[call.order] = call
        elif self._lanes.admit(call):
            self._transmit(call)

    def _settle(self, call: _Call) -> None:
        self._transmit(*self._lanes.settle(call))

    def _transmit(self, *calls: _Call) -> None:
        """Sends calls. A call that isn't sent releases others; they wait in a queue, and not on
        the stack, because there may be thousands."""
        self._outgoing.extend(calls)
        if self._transmitting:
            return
        self._transmitting = True
        try:
            while self._outgoing:
                self._transmit_one(self._outgoing.popleft())
        finally:
            self._transmitting = False

    def _transmit_one(self, call: _Call) -> None:
        if self._draining or self._writer is None or self._writer.transport.is_closing():
            self._waiting[call.order] = call
            return
        now = time.monotonic()
        if call.future.done():
            self._finish(call, Closed())
            self._settle(call)
            return
        wait_ms: Optional[int] = None
        if call.wait is not None:
            elapsed = 0.0 if call.started is None else now - call.started
            wait_ms = max(1, round((call.wait - elapsed) * 1000))
        if call.started is None:
            call.started = now
        call.number = next(self._ids)
        try:
            line = self._frame(call.op, call.number, call.text, wait_ms)
        except InvalidRequest as error:
            self._finish(call, error)
            self._settle(call)
            return
        self._pending[call.number] = call
        self._writer.write(line)

    def _frame(
        self, op: str, number: int, text: bytes, wait_ms: Optional[int] = None
    ) -> bytes:
        """Returns a line for this server, which can't read the id of one that is too long."""
        line = _frame(op, number, text, wait_ms)
        line_max = self.greeting.get("max_line")
        if isinstance(line_max, int) and len(line) - 1 > line_max:
            raise InvalidRequest(
                f"the request has {len(line) - 1} bytes, the server takes {line_max}"
            )
        return line

    def _answered(self, call: _Call, outcome: Union[Reply, GroveError]) -> None:
        if not (
            self._retrying
            and isinstance(outcome, ServerError)
            and call.is_worth_repeating(outcome)
        ):
            self._finish(call, outcome)
            self._settle(call)
            return
        call.last = outcome
        if outcome.outcome_unknown and not call.reading:
            call.unknown = True
        if outcome.code == "DRAINING":
            # All later calls on this connection are refused too, so the order stays.
            self._draining = True
            self._waiting[call.order] = call
            return
        stops, passing = self._lanes.put_off(call, outcome)
        self._transmit(*passing)
        if stops:
            pause = self._pause(stops, outcome)
            loop = asyncio.get_running_loop()
            loop.call_later(pause, self._resume, call.lane, self._link)

    def _resume(self, lane: Union[str, int], link: int) -> None:
        if link == self._link and self._writer is not None:
            self._transmit(*self._lanes.resume(lane))

    def _pause(self, failures: int, error: Optional[GroveError]) -> float:
        first, longest, jitter = self._delays
        pause: float = min(longest, first * 2.0 ** min(failures - 1, 30))
        pause *= 1 - jitter * random.random()
        return max(pause, error.retry_after if isinstance(error, ServerError) else 0.0)

    # The connection

    @property
    def _needed(self) -> bool:
        return not self._closed and bool(self._waiting or self._subscriptions)

    def _wake(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        """Keeps a connection while a call or a subscription needs one."""
        while self._needed:
            error: GroveError
            try:
                error = await self._attempt()
            except asyncio.CancelledError:
                return
            self._lost(error)
            if self._needed:
                self._failures += 1
                await asyncio.sleep(self._pause(self._failures, error))

    async def _attempt(self) -> GroveError:
        """Connects, reads until the connection ends, and returns the reason."""
        self._link += 1
        writer: Optional[asyncio.StreamWriter] = None
        try:
            opened = await asyncio.wait_for(self._open(), self._connect_timeout)
            reader, writer = opened
            line = await asyncio.wait_for(reader.readline(), self._connect_timeout)
            if not line.endswith(b"\n"):
                text = f"{self.server}: the server closed the connection{self._tls.doubt}"
                return Unreachable(text)
            self._greeted(_document(line), opened[1])
            return await self._read(reader)
        except GroveError as error:
            return error
        except asyncio.TimeoutError:
            return Unreachable(f"{self.server}: no greeting from a server{self._tls.doubt}")
        except (OSError, ValueError) as error:
            # An end during the handshake has no words.
            text = f"{self.server}: {str(error) or 'the server closed the connection'}"
            if self._writer is not None or self._proving is not None:
                return ConnectionLost(text)
            return self._tls.failure(error) or Unreachable(text)
        finally:
            self._writer = None
            self._proving = None
            if writer is not None:
                writer.transport.abort()

    async def _open(self) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port, path, is_tls = self._address
        if path is not None:
            return await asyncio.open_unix_connection(path, limit=self._line_max)
        context: Optional[ssl.SSLContext] = None
        if is_tls:
            # Reads files.
            loop = asyncio.get_running_loop()
            context = await loop.run_in_executor(None, self._tls.context)
        # A name may have several addresses. One that never answers delays the next only for a
        # moment.
        reader, writer = await asyncio.open_connection(
            host, port, limit=self._line_max, happy_eyeballs_delay=0.25, ssl=context
        )
        try:
            self._tls.check_key(writer.get_extra_info("ssl_object"))
            if self._token is not None and not self._may_send_token(writer):
                raise self._needs_tls()
        except GroveError:
            writer.transport.abort()
            raise
        return reader, writer

    def _greeted(self, greeting: Dict[str, Any], writer: asyncio.StreamWriter) -> None:
        if "error" in greeting:
            raise _server_error(greeting["error"])
        if greeting.get("op") != "hello" or 1 not in greeting.get("proto", []):
            raise ProtocolViolation("the server did not greet as a Grove server does")
        self.greeting = greeting
        hello: Dict[str, Any] = dict(self._hello)
        if self._token is None or not self._may_send_token(writer):
            self._writer = writer
        else:
            # Nothing is sent before the server knows who asks: not as somebody else.
            self._proving = writer
            hello["token"] = self._token.text
        number = next(self._ids)
        self._pending[number] = None
        writer.write(_line("hello", hello, number))
        self._heard = time.monotonic()
        self._watch(self._link)
        if self._writer is not None:
            self._send_waiting()

    def _proved(self) -> None:
        if self._proving is not None:
            self._writer, self._proving = self._proving, None
            self._send_waiting()

    def _send_waiting(self) -> None:
        for subscription in list(self._subscriptions.values()):
            self._subscribe(subscription)
        waiting, self._waiting = self._waiting, {}
        for order in sorted(waiting):
            self._dispatch(waiting[order])

    def _watch(self, link: int) -> None:
        """Closes the connection when the server is silent for three heartbeats."""
        heartbeat = self.greeting.get("heartbeat_ms")
        writer = self._writer or self._proving
        if link != self._link or writer is None or not heartbeat:
            return
        left = self._heard + heartbeat * 3 / 1000 - time.monotonic()
        if left <= 0:
            writer.transport.abort()
        else:
            asyncio.get_running_loop().call_later(left, self._watch, link)

    async def _read(self, reader: asyncio.StreamReader) -> GroveError:
        while True:
            line = await reader.readline()
            self._heard = time.monotonic()
            if not line.endswith(b"\n"):
                return ConnectionLost("the server closed the connection")
            if line.strip():
                self._receive(_document(line))

    def _receive(self, document: Dict[str, Any]) -> None:
        if "id" in document:
            self._replied(document)
        elif "sub" in document:
            self._failures = 0
            subscription = self._subscriptions.get(document["sub"])
            if subscription is not None:
                subscription._receive(document)
        elif document.get("op") == "ping":
            writer = self._writer or self._proving
            if writer is not None:
                writer.write(_line("ping", {}))
        elif document.get("op") == "draining":
            # New calls wait for the next connection.
            self._draining = self._retrying

    def _replied(self, document: Dict[str, Any]) -> None:
        error = _server_error(document["error"]) if "error" in document else None
        number = document.pop("id")
        if number is None:
            if error is not None and error.code in _UNREAD and self._writer is not None:
                # It goes on with the next line, and answers all others.
                self._doubt = f"; the server couldn't read a line ({error})"
                return
            # The error is about the connection, not about one request.
            raise error or ProtocolViolation("a reply with an id that was never sent")
        if number not in self._pending:
            return
        pending = self._pending.pop(number)
        document.pop("ok", None)
        if pending is None:
            if error is not None:
                raise error
            self._proved()
            return
        if error is None:
            self._failures = 0
        if isinstance(pending, _Call):
            self._answered(pending, error or document)
        else:
            self._subscribed(pending, error or document)

    def _lost(self, error: GroveError) -> None:
        """Ends a connection or an attempt; calls that can be repeated wait for the next one."""
        self._writer = None
        self._draining = False
        self._link += 1
        is_retrying = self._retrying and error.retry
        unsent = Unreachable(error.message) if isinstance(error, ConnectionLost) else error
        is_own = isinstance(error, (ConnectionLost, Closed))
        lost = error if is_own else ConnectionLost(str(error))
        sent = [call for call in self._pending.values() if isinstance(call, _Call)]
        kept = [*self._waiting.values(), *self._lanes.take_all()]
        self._pending = {}
        self._waiting = {}
        self._doubt = ""
        for call in sent:
            call.unknown = call.unknown or not call.reading
            self._requeue(call, lost, is_retrying and call.repeatable)
        for call in kept:
            self._requeue(call, unsent, is_retrying)
        for subscription in list(self._subscriptions.values()):
            may_wait = error.retry and (subscription._started.done() or self._retrying)
            if may_wait:
                subscription._interrupt(unsent)
            else:
                del self._subscriptions[subscription.name]
                subscription._end(unsent)

    def _requeue(self, call: _Call, error: GroveError, may_repeat: bool) -> None:
        if may_repeat and not call.future.done():
            call.last = error
            self._waiting[call.order] = call
        else:
            self._finish(call, error)

    # Subscriptions

    async def subscribe(
        self,
        machine: Optional[str] = None,
        instance: Optional[str] = None,
        *,
        kind: Optional[Sequence[str]] = None,
        type: Optional[str] = None,
        start: Optional[str] = None,
        after: Optional[str] = None,
        snapshot: bool = False,
        slow: Optional[str] = None,
        credit: Optional[int] = None,
        marks: bool = False,
        timeout: Optional[float] = None,
    ) -> AsyncSubscription:
        """Follows records: from now on, with ``start="first"`` from the oldest record that the
        server holds, or right ``after`` a stored cursor. Returns when the server has accepted the
        subscription. With ``marks`` it also returns marks, dictionaries with ``mark``."""
        if self._closed:
            raise Closed("the client was closed")
        select = {"machine": machine, "instance": instance, "kind": kind, "type": type}
        given = {name: value for name, value in select.items() if value is not None}
        begin: Any = {"after": after} if after is not None else start or "now"
        if not isinstance(credit or 1, int):
            raise InvalidRequest("the credit of a subscription is an integer")
        # Copies: what isn't JSON is refused here, and the caller may change the values afterwards.
        copies = json.loads(_text({"select": given, "from": begin, "slow": slow}))
        limit = _time(self._timeout if timeout is None else timeout)
        name = f"s{next(self._names)}"
        window = max(1, credit or self._credit)
        subscription = AsyncSubscription(self, name, copies, bool(snapshot), window, marks)
        self._subscriptions[name] = subscription
        if self._writer is not None:
            self._subscribe(subscription)
        else:
            self._wake()
        try:
            await asyncio.wait_for(asyncio.shield(subscription._started), limit)
        except asyncio.TimeoutError:
            self._unsubscribe(subscription)
            last = subscription._last
            raise last or NoReply(f"no reply within {limit} s") from None
        except BaseException:
            self._unsubscribe(subscription)
            raise
        return subscription

    def _subscribe(self, subscription: AsyncSubscription) -> None:
        if self._writer is None or subscription.name not in self._subscriptions:
            return
        number = next(self._ids)
        try:
            line = self._frame("subscribe", number, _text(subscription._begin()))
        except InvalidRequest as error:
            del self._subscriptions[subscription.name]
            subscription._end(error)
            return
        self._pending[number] = subscription
        self._writer.write(line)

    def _subscribed(
        self, subscription: AsyncSubscription, outcome: Union[Reply, GroveError]
    ) -> None:
        if subscription.name not in self._subscriptions:
            return
        if not isinstance(outcome, GroveError):
            subscription._accepted(outcome.get("cur"))
        elif outcome.retry and (self._retrying or subscription._started.done()):
            subscription._last = outcome
            self._failures += 1
            pause = self._pause(self._failures, outcome)
            link = self._link

            def again() -> None:
                if link == self._link:
                    self._subscribe(subscription)

            asyncio.get_running_loop().call_later(pause, again)
        else:
            del self._subscriptions[subscription.name]
            subscription._end(outcome)

    def _unsubscribe(self, subscription: AsyncSubscription) -> None:
        if self._subscriptions.pop(subscription.name, None) and self._writer is not None:
            self._writer.write(_line("unsubscribe", {"sub": subscription.name}))

    def _grant(self, subscription: AsyncSubscription, count: int) -> None:
        if self._writer is not None:
            self._writer.write(_line("credit", {"sub": subscription.name, "n": count}))

    # Pages

    async def instances(
        self, machine: Optional[str] = None, **filters: Any
    ) -> AsyncIterator[Dict[str, Any]]:
        """Returns all instances that match a filter (``list_instances``)."""
        filters.setdefault("limit", 1000)
        while True:
            page = await self.list_instances(machine, **filters)
            for item in page["items"]:
                yield item
            if "next" not in page:
                return
            filters["after"] = page["next"]

    async def steps(
        self, to: str, *, after: Optional[int] = None, limit: int = 1000
    ) -> AsyncIterator[Dict[str, Any]]:
        """Returns all steps of an instance, oldest first."""
        while True:
            page = await self.history(to, after=after, limit=limit)
            for item in page["items"]:
                yield item
            if "next" not in page:
                return
            after = page["next"]


class AsyncSubscription:
    """Records in their order, each once, also after a lost connection. Iterate over it with
    ``async for``; it has one consumer."""

    def __init__(
        self,
        client: AsyncClient,
        name: str,
        asked: Dict[str, Any],
        snapshot: bool,
        window: int,
        marks: bool,
    ) -> None:
        self.name = name
        #: The cursor of the last record or mark that was returned. A program that stores it can
        #: continue right after it later, with ``after``.
        self.cursor: Optional[str] = None
        self._client = client
        self._select = asked["select"]
        self._position = asked["from"]
        self._snapshot = snapshot
        self._slow = asked["slow"]
        self._window = window
        self._marks = marks
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._started.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._entries: Deque[Tuple[Dict[str, Any], Optional[str]]] = collections.deque()
        self._arrived = asyncio.Event()
        self._records = 0
        self._outstanding = 0
        self._linked = False
        self._last: Optional[GroveError] = None
        self._over = False
        self._error: Optional[GroveError] = None

    def __aiter__(self) -> AsyncSubscription:
        return self

    async def __anext__(self) -> Record:
        """Returns the next record.

        Raises ``Gap`` where records are missing; the next call continues. Any other error is the
        end."""
        while True:
            while not self._entries:
                if self._over:
                    error, self._error = self._error, None
                    if error is not None:
                        raise error
                    raise StopAsyncIteration
                self._arrived.clear()
                await self._arrived.wait()
            entry, cursor = self._entries.popleft()
            if "mark" not in entry:
                self._records -= 1
                self._grant()
            if cursor is not None:
                self.cursor = cursor
            if "mark" not in entry or self._marks:
                return entry
            if entry["mark"] == "gap":
                raise Gap(entry)

    async def close(self) -> None:
        """Ends the subscription; records that were already received are still returned."""
        self._client._unsubscribe(self)
        self._end(None)

    def _begin(self) -> Dict[str, Any]:
        self._linked = True
        self._outstanding = max(1, self._window - self._records)
        fields: Dict[str, Any] = {"sub": self.name, "select": self._select}
        fields["from"] = self._position
        if self._snapshot:
            fields["snapshot"] = True
        if self._slow is not None:
            fields["slow"] = self._slow
        fields["credit"] = self._outstanding
        return fields

    def _accepted(self, cursor: Optional[str]) -> None:
        if self._position == "now" and not self._snapshot and cursor is not None:
            self._position = {"after": cursor}
        if not self._started.done():
            self._started.set_result(None)
        self._grant()

    def _receive(self, entry: Dict[str, Any]) -> None:
        del entry["sub"]
        mark = entry.get("mark")
        if mark == "snapshot":
            self._snapshot = False
        # A resume from a cursor within a snapshot would skip the rest of the snapshot.
        cursor: Optional[str] = None if self._snapshot else entry.get("cur")
        if cursor is not None:
            self._position = {"after": cursor}
        if mark is None:
            self._outstanding -= 1
            self._records += 1
        elif mark == "checkpoint" and self._entries:
            # Only the newest of the waiting checkpoints is kept.
            if self._entries[-1][0].get("mark") == "checkpoint":
                self._entries.pop()
        self._entries.append((entry, cursor))
        self._arrived.set()

    def _interrupt(self, error: GroveError) -> None:
        self._linked = False
        self._last = error
        if self._snapshot:
            # The server sends the snapshot again from its beginning.
            self._entries.clear()
            self._records = 0
            if self._started.done() and self._marks:
                self._entries.append(({"mark": "anew"}, None))
                self._arrived.set()

    def _grant(self) -> None:
        room = self._window - self._records - self._outstanding
        if self._linked and self._started.done() and room >= max(1, self._window // 2):
            self._outstanding += room
            self._client._grant(self, room)

    def _end(self, error: Optional[GroveError]) -> None:
        if self._over:
            return
        self._over = True
        self._linked = False
        if not self._started.done():
            self._started.set_exception(error or Closed("the subscription was closed"))
        else:
            self._error = error
        self._arrived.set()


# MARK: Blocking


class Client(_Calls[Reply]):
    """A client for programs without asyncio, with the parameters of ``AsyncClient``. Every call
    waits for its answer; ``submit`` doesn't. Any thread may use it."""

    def __init__(self, server: str = "127.0.0.1:7400", **options: Any) -> None:
        self._client = AsyncClient(server, **options)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="grove-client", daemon=True
        )
        self._is_closed = False
        # Held from the check of ``_is_closed`` until the loop has its new call.
        self._closing = threading.Lock()
        self._thread.start()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection and ends the thread."""
        with self._closing:
            if self._is_closed:
                return
            self._is_closed = True
            ending = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        ending.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def greeting(self) -> Dict[str, Any]:
        """The server's first line on the present connection."""
        return self._client.greeting

    async def _end(self) -> None:
        await self._client.close()
        # Other threads that wait get their answers before the loop stops.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=5)

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        with self._closing:
            if self._is_closed:
                work.close()
                raise Closed("the client was closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Interrupted, as by Ctrl-C: the caller doesn't wait any more.
            future.cancel()
            raise

    def _call(
        self,
        op: str,
        fields: Mapping[str, Any],
        wait: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> Reply:
        return self._submit(op, fields, wait, timeout).result()

    def _submit(
        self,
        op: str,
        fields: Mapping[str, Any],
        wait: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> concurrent.futures.Future[Reply]:
        result: concurrent.futures.Future[Reply] = concurrent.futures.Future()
        try:
            # Not in the loop's thread: the caller may change its values right after this call.
            given, text = self._client._prepare(op, fields)
        except InvalidRequest as error:
            result.set_exception(error)
            return result

        def finish(done: asyncio.Future[Reply]) -> None:
            if done.cancelled() or not result.set_running_or_notify_cancel():
                return
            error = done.exception()
            if error is not None:
                result.set_exception(error)
            else:
                result.set_result(done.result())

        def start() -> None:
            try:
                reply = self._client._start(op, given, text, wait, timeout)
            except BaseException as error:
                # Without this, the error would be lost and the caller would wait for ever.
                if result.set_running_or_notify_cancel():
                    result.set_exception(error)
            else:
                reply.add_done_callback(finish)

        with self._closing:
            if self._is_closed:
                raise Closed("the client was closed")
            self._loop.call_soon_threadsafe(start)
        return result

    def submit(
        self, op: str, *, timeout: Optional[float] = None, **fields: Any
    ) -> concurrent.futures.Future[Reply]:
        """Calls any op without waiting: ask the future for its ``result()``. Calls of one thread
        are sent in their order."""
        given = {name.rstrip("_"): value for name, value in fields.items()}
        return self._submit(op, given, None, timeout)

    def subscribe(self, *args: Any, **options: Any) -> Subscription:
        """Follows records, as ``AsyncClient.subscribe`` does."""
        return Subscription(self, self._do(self._client.subscribe(*args, **options)))

    def instances(
        self, machine: Optional[str] = None, **filters: Any
    ) -> Iterator[Dict[str, Any]]:
        """Returns all instances that match a filter (``list_instances``)."""
        return self._iterate(self._client.instances(machine, **filters))

    def steps(
        self, to: str, *, after: Optional[int] = None, limit: int = 1000
    ) -> Iterator[Dict[str, Any]]:
        """Returns all steps of an instance, oldest first."""
        return self._iterate(self._client.steps(to, after=after, limit=limit))

    def _iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> T:
            return await items.__anext__()

        while True:
            try:
                item = self._do(following())
            except StopAsyncIteration:
                return
            yield item


class Subscription:
    """Records for a ``for`` loop, which waits for the next one."""

    def __init__(self, client: Client, subscription: AsyncSubscription) -> None:
        self._client = client
        self._subscription = subscription

    @property
    def cursor(self) -> Optional[str]:
        """The cursor of the last record or mark that was returned."""
        return self._subscription.cursor

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        async def following() -> Optional[Record]:
            try:
                return await self._subscription.__anext__()
            except StopAsyncIteration:
                return None

        record = self._client._do(following())
        if record is None:
            raise StopIteration
        return record

    def close(self) -> None:
        """Ends the subscription; records that were already received are still returned."""
        with contextlib.suppress(Closed):
            self._client._do(self._subscription.close())


# MARK: Lines


#: The longest wait for effects or a state that a server takes, in seconds.
_WAIT_MAX = 3600.0
#: A server's bounds of a line: its nesting with the request itself, and its values.
_DEPTH_MAX = 64
_VALUES_MAX = 99_000


def _time(value: Any) -> float:
    """Checks a number of seconds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not value >= 0:
        shown = value if isinstance(value, float) else type(value).__name__
        raise InvalidRequest(f"a time is a number of seconds from 0, not {shown}")
    return float(value) if value < 1e300 else math.inf


def _text(fields: Mapping[str, Any]) -> bytes:
    """Returns the JSON of a request's fields, which the server can read: it couldn't say which
    request it refuses otherwise, since it hasn't read the id either."""
    try:
        text = _ENCODER.encode(fields)
        _check_size(text)
        # Only the text shows which keys are the same: 1 and "1" are.
        _DECODER.decode(text)
        return text.encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidRequest(str(error)) from None


def _check_size(text: str) -> None:
    # Fast: strings may only make it more.
    brackets = text.count("[") + text.count("{")
    if brackets < _DEPTH_MAX and brackets + text.count(",") < _VALUES_MAX:
        return
    depth, values, is_string = 0, 1, False
    for match in re.finditer(r'\\.|["[{\]},]', text):
        part = match.group()
        if part == '"':
            is_string = not is_string
        if part == '"' or is_string:
            continue
        if part in "[{":
            depth += 1
        elif part in "]}":
            depth -= 1
            continue
        values += 1
        if depth > _DEPTH_MAX:
            raise ValueError(f"values are nested deeper than {_DEPTH_MAX}")
        if values > _VALUES_MAX:
            raise ValueError(f"a request has at most {_VALUES_MAX} values")


def _check_members(members: List[Tuple[str, Any]]) -> None:
    if len({name for name, _ in members}) < len(members):
        raise ValueError("an object has a member twice, as 1 and \"1\" are one")


def _check_integer(digits: str) -> None:
    # A server reads numbers as doubles.
    float(int(digits))


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_DECODER = json.JSONDecoder(object_pairs_hook=_check_members, parse_int=_check_integer)


def _frame(
    op: str, number: Optional[int], text: bytes, wait_ms: Optional[int] = None
) -> bytes:
    """Returns the line for an op, its number and the JSON of its fields."""
    parts = [b'{"op":' + json.dumps(op).encode()]
    if number is not None:
        parts.append(b'"id":%d' % number)
    if len(text) > 2:
        parts.append(text[1:-1])
    if wait_ms is not None:
        parts.append(b'"timeout_ms":%d' % wait_ms)
    return b",".join(parts) + b"}\n"


def _line(op: str, fields: Mapping[str, Any], number: Optional[int] = None) -> bytes:
    return _frame(op, number, _text(fields))


def _document(line: bytes) -> Dict[str, Any]:
    try:
        document = json.loads(line)
    except ValueError as error:
        raise ProtocolViolation(f"the server sent a line that is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise ProtocolViolation("the server sent a line that is no object")
    return document


# MARK: Addresses and TLS


class _Address(NamedTuple):
    """Host and port, or the path of a Unix socket."""

    host: str = ""
    port: int = 0
    path: Optional[str] = None
    is_tls: bool = False


def _address(server: str) -> _Address:
    """Reads ``unix:PATH``, ``HOST:PORT``, ``HOST``, ``:PORT``, ``[IPV6]:PORT``, and
    ``tls:HOST:PORT``, which needs its port."""
    if server.startswith("unix:") and len(server) > 5:
        return _Address(path=server[5:])
    is_tls = server.startswith("tls:")
    text = server[4:] if is_tls else server
    form = "tls:HOST:PORT" if is_tls else "HOST:PORT, tls:HOST:PORT or unix:PATH"
    host, port = text, 7400
    bracket = text.rfind("]")
    colon = text.rfind(":")
    if colon > bracket:
        host = text[:colon]
        digits = text[colon + 1 :]
        if not (digits.isascii() and digits.isdigit()) or int(digits) > 65535:
            raise ValueError(f"{server!r} is not {form}")
        port = int(digits)
    elif is_tls:
        raise ValueError(f"{server!r} has no port: an address for TLS is {form}")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host or any(character.isspace() for character in host):
        raise ValueError(f"{server!r} is not {form}")
    return _Address(host or "127.0.0.1", port, is_tls=is_tls)


#: Numbers of OpenSSL for reasons why a certificate isn't accepted (x509_vfy.h).
_AUTHORITY_CODES = frozenset((2, 7, 18, 19, 20, 21, 24, 79))
_NAME_CODES = frozenset((62, 64))
_NOT_YET_VALID, _EXPIRED = 9, 10

#: Words of OpenSSL about bytes that are no TLS.
_NOT_TLS = frozenset(
    "WRONG_VERSION_NUMBER PACKET_LENGTH_TOO_LONG HTTP_REQUEST RECORD_LAYER_FAILURE".split()
)


class _TLS:
    """How the client proves who the server is, and who it is itself."""

    def __init__(
        self,
        address: _Address,
        ca: Optional[str],
        pin: Optional[str],
        certificate: Optional[str],
        key: Optional[str],
    ) -> None:
        given = [value for value in (ca, pin, certificate, key) if value is not None]
        if given and not address.is_tls:
            raise ValueError("tls_… options need a server at tls:HOST:PORT; this one is plain")
        if (certificate is None) != (key is None):
            raise ValueError("tls_certificate and tls_key are given together")
        self._address = address
        self._ca = ca
        self._certificate = certificate
        self._key = key
        self._pin = None if pin is None else _hash_of_pin(pin)

    def context(self) -> ssl.SSLContext:
        """Reads the files."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["grove/1"])
        if ssl.HAS_NEVER_CHECK_COMMON_NAME:
            # Only alternative names count, as for the other clients.
            context.hostname_checks_common_name = False
        if self._ca is not None:
            with self._reading(self._ca, "authorities"):
                context.load_verify_locations(self._ca)
        elif self._pin is not None:
            # The key that ``check_key`` compares is the identity.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        else:
            context.load_default_certs()
        if self._certificate is not None and self._key is not None:
            with self._reading(f"{self._certificate} and {self._key}", "certificate and key"):
                # An encrypted key fails, instead of asking at the terminal.
                context.load_cert_chain(self._certificate, self._key, password="")
        return context

    @contextlib.contextmanager
    def _reading(self, files: str, what: str) -> Iterator[None]:
        try:
            yield
        except ssl.SSLError as error:
            text = f"{files}: no {what} in PEM that fit"
            raise TLSFailed(f"{text} ({_words(error)})", "configuration") from None
        except OSError as error:
            raise TLSFailed(f"{files}: {error.strerror or error}", "configuration") from None

    def check_key(self, connection: Optional[ssl.SSLObject]) -> None:
        """Compares the key of the server with the pinned one, before anything is sent."""
        if self._pin is None:
            return
        certificate = connection.getpeercert(binary_form=True) if connection else None
        found = hashlib.sha256(_public_key(certificate)).digest() if certificate else b""
        if found != self._pin:
            raise self._failed(
                "the server's public key isn't the pinned one: if it was replaced by its "
                "operator, pin the new one",
                "wrong_key",
            )

    @property
    def doubt(self) -> str:
        """What may be wrong with a plain port that doesn't greet."""
        address = self._address
        if address.is_tls or address.path is not None:
            return ""
        return "; if that port speaks TLS, its address is tls:HOST:PORT"

    def failure(self, error: Exception) -> Optional[TLSFailed]:
        """Returns the reason why there is no secure connection; ``None`` when the connection
        itself broke, or the server has no room, so that a later attempt can succeed."""
        if isinstance(error, ssl.SSLCertVerificationError):
            return self._failed(*self._doubted(error))
        is_end = isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError))
        if not isinstance(error, ssl.SSLError) or is_end:
            return None
        if "ALERT_INTERNAL_ERROR" in _name(error):
            # A server that has as many connections as it may says nothing else.
            return None
        return self._failed(*self._refused(error))

    def _failed(self, text: str, reason: str) -> TLSFailed:
        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        return TLSFailed(f"tls:{host}:{self._address.port}: {text}", reason)

    def _doubted(self, error: ssl.SSLCertVerificationError) -> Tuple[str, str]:
        words = error.verify_message.strip().rstrip(".")
        if error.verify_code in _AUTHORITY_CODES:
            text = (
                f"the server's certificate comes from no authority that is known here ({words}): "
                "name the file of its authority (tls_ca) or its public key (tls_pin)"
            )
            return text, "unknown_authority"
        if error.verify_code in _NAME_CODES:
            text = (
                f"the server's certificate isn't for {self._address.host}: use a name that it has "
                "in the address, or give the server a certificate for this one"
            )
            return text, "wrong_name"
        if error.verify_code == _EXPIRED:
            return "the server's certificate has expired: renew it on the server", "expired"
        if error.verify_code == _NOT_YET_VALID:
            text = "the server's certificate isn't valid yet: compare the clocks of both machines"
            return text, "expired"
        return f"the server's certificate isn't valid: {words}", "other"

    def _refused(self, error: ssl.SSLError) -> Tuple[str, str]:
        name = _name(error)
        is_bare = self._certificate is None
        if name in _NOT_TLS:
            text = (
                "the server doesn't speak TLS at this port: use the port where it does; without "
                "encryption, the address is HOST:PORT"
            )
            return text, "not_tls"
        if name == "UNSUPPORTED_PROTOCOL":
            return "the server has no version of TLS from 1.2 on", "nothing_in_common"
        if "ALERT" not in name:
            return f"the handshake failed: {_words(error)}", "other"
        if "CERTIFICATE_REQUIRED" in name or (is_bare and "HANDSHAKE_FAILURE" in name):
            text = (
                "the server requires a certificate of the client: name the files of one "
                "(tls_certificate, tls_key)"
            )
            return text, "certificate_required"
        if "CERTIFICATE" in name or "UNKNOWN_CA" in name:
            text = f"the server refused this client's certificate ({_words(error)})"
            return text, "certificate_refused"
        if "APPLICATION_PROTOCOL" in name:
            return "the server speaks TLS, but not grove/1: is it a Grove server?", "wrong_protocol"
        if "PROTOCOL_VERSION" in name:
            return "the server refused TLS 1.2 and later", "nothing_in_common"
        return f"the server refused the connection ({_words(error)})", "other"


def _name(error: ssl.SSLError) -> str:
    """Returns OpenSSL's name for an error, which Python lacks for some of them."""
    text = error.strerror or str(error)
    words = text.partition("] ")[2].partition(" (_ssl")[0] or text
    return error.reason or words.upper().replace(" ", "_")


def _words(error: ssl.SSLError) -> str:
    """Returns OpenSSL's words without the name of the library."""
    name = _name(error)
    for prefix in ("TLSV1_ALERT_", "TLSV13_ALERT_", "SSLV3_ALERT_"):
        if name.startswith(prefix):
            name = "alert: " + name[len(prefix) :]
    return name.replace("_", " ").lower()


def _hash_of_pin(pin: str) -> bytes:
    """Reads ``sha256/`` and the base64 of 32 bytes."""
    kind, _, text = pin.partition("/")
    try:
        found = base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if kind != "sha256" or len(found) != 32:
        raise ValueError(f"{pin!r} is no pin: sha256/ and the base64 of a SHA-256, 44 characters")
    return found


def _public_key(certificate: bytes) -> bytes:
    """Returns the SubjectPublicKeyInfo of a certificate in DER (RFC 5280, section 4.1), whose
    form the library has checked: the member after version, serial number, algorithm, issuer,
    validity and subject."""
    start, _ = _content(certificate, 0)
    position, _ = _content(certificate, start)
    has_version = certificate[position] == 0xA0
    for _ in range(6 if has_version else 5):
        position = _content(certificate, position)[1]
    return certificate[position : _content(certificate, position)[1]]


def _content(der: bytes, position: int) -> Tuple[int, int]:
    """Returns where the content of the element at a position begins and ends."""
    start, length = position + 2, der[position + 1]
    if length & 0x80:
        count = length & 0x7F
        length = int.from_bytes(der[start : start + count], "big")
        start += count
    return start, start + length

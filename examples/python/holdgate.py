"""Locks over the HTTP API of holdgated, for Python 3.11 and later. Copy this file: it needs
nothing but the standard library.

A whole program, which runs on as many machines as you like, and one at a time does the work:

    import holdgate

    with holdgate.Session("http://127.0.0.1:8080", owner="nightly") as session:
        with session.lock("orders/42", reason="nightly", wait=60) as lock:
            for order in orders:
                lock.check()                    # raises Lost: stop, another may hold by now
                store.write(order, lock.token)  # which refuses smaller tokens than it has seen

With wait it stands in line for so many seconds, without it for as long as it takes, and wait=0
is a try. What it does not get it tells with Busy, which has the holder. At the end of the block
the lock is given back; if it was lost meanwhile, Lost is raised there.

What you may count on:

* While check() does not raise, the store has not given the lock to anybody else. The session is
  renewed in a thread. Its time counts from before a renewal is sent, and check() begins to raise
  a guard of TTL/20 (at least 0.1 s) before the store can free the lock. session.lost, an Event,
  is set then, and on_lost is called, whatever the network does.
* A process that was stopped, or a machine that slept, cannot see that between two lines of its
  program. So give the token to what you write to; it is the proof (docs/fencing.md).
* A request whose answer was lost is repeated under its Idempotency-Key, so it never makes a
  second place. What is left of an acquire that was given up is taken away in the background.
* A process that dies without a word loses its locks within the TTL.

A Session may be used by many threads and serves all their locks; a Lock is for one thread. A
session that is lost stays lost: open another. After os.fork only the parent may use it.
"""

from __future__ import annotations

import http.client
import itertools
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self
from urllib.parse import quote, urlencode, urlsplit

__all__ = [
    "Busy", "Denied", "Eviction", "HoldgateError", "Invalid", "Lock", "Lost", "Mismatch", "NotHeld", "Place",
    "Problem", "Session", "Unavailable",
]


@dataclass(frozen=True, slots=True)
class Place:
    """One who holds a lock, or waits for it."""

    line: str
    id: str
    owner: str
    granted: bool
    token: int  # 0 where the store gives none
    data: Any  # what the holder says of itself, such as {"reason": ...}


def _place(raw: Mapping[str, Any]) -> Place:
    return Place(raw["line"], raw["id"], raw.get("owner", ""), raw["granted"], int(raw.get("token", 0)), raw.get("data"))


@dataclass(frozen=True, slots=True)
class Eviction:
    """Somebody asks the holder of a lock to finish, and to release it."""

    line: str
    place: str
    reason: str
    by: str


class HoldgateError(Exception):
    """All that this module raises by itself."""


class Problem(HoldgateError):
    """An answer that is not a success. Go by its class, or by code; never by the text."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.code: str = raw.get("code", "")
        self.status: int = raw.get("status", 0)
        self.holder: Place | None = _place(raw["holder"]) if raw.get("holder") else None
        self.ahead: int = raw.get("ahead", 0)  # how many stand ahead
        self.ticket: str = raw.get("ticket", "")
        self.errors: Sequence[Mapping[str, str]] = raw.get("errors", ())
        super().__init__(raw.get("detail") or raw.get("title") or self.code)


class Busy(Problem):
    """Not granted in time. You do not stand in line any more."""


class Lost(Problem):
    """The session is gone, or must be taken for gone: so is all that it held."""


class NotHeld(Problem):
    """The place does not stand: it was released before, or removed by force."""


class Mismatch(Problem):
    """The name is used for another kind of lock."""


class Denied(Problem):
    """Not with your rights, or not so much."""


class Invalid(Problem):
    """The request breaks a rule; errors names each."""


class Unavailable(Problem):
    """Nobody answered in time, or the store did not."""

    unanswered = False  # the request may have been carried out, or may yet be


# The class of every code of the API.
CODES: Mapping[str, type[Problem]] = {
    "busy": Busy, "waiting": Busy, "lost": Lost, "gone": NotHeld, "mismatch": Mismatch,
    "unauthenticated": Denied, "denied": Denied, "limit": Denied,
    "invalid": Invalid, "too-large": Invalid, "not-found": Invalid, "method": Invalid, "conflict": Invalid,
    "unavailable": Unavailable, "draining": Unavailable, "unknown-outcome": Unavailable, "misdirected": Unavailable,
    "unsupported": Problem, "internal": Problem,
}


def _lost(why: str) -> Lost:
    return Lost({"code": "lost", "status": 410, "detail": why})


def _now() -> float:
    """Seconds of a clock that is never set, and that goes on while the machine sleeps, where there is one."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@dataclass(slots=True)
class _Trust:
    """Until when a session may be believed, by when its renewals were *sent*.

    The store starts its clock when a renewal reaches it, so at the earliest when it was sent. 1 %
    is taken off for clocks that run at different rates. Where the store's clock may start later
    than the answer (lag, ZooKeeper), a renewal proves those that were answered a lag before it.
    """

    ttl: float
    lag: float
    proven: float  # when the renewal was sent that counts
    pending: list[tuple[float, float]] = field(default_factory=list)  # sent and answered

    def renewed(self, sent: float, answered: float) -> None:
        if self.lag == 0:
            self.proven = max(self.proven, sent)
            return
        self.pending.append((sent, answered))
        while self.pending[0][1] <= sent - self.lag:
            self.proven = max(self.proven, self.pending.pop(0)[0])

    def until(self) -> float:
        return self.proven + 0.99 * self.ttl - max(0.1, self.ttl / 20)

    def renew_every(self) -> float:
        return self.ttl / (6 if self.lag else 4)


class _Servers:
    """Requests to servers over one store, on connections that are kept. When one does not answer, the next is asked."""

    def __init__(self, urls: Sequence[str], token: str | None, context: ssl.SSLContext | None) -> None:
        self._urls = [urlsplit(url) for url in urls]
        if not urls or any(u.scheme not in ("http", "https") or not u.hostname for u in self._urls):
            raise ValueError(f"servers are URLs such as http://127.0.0.1:8080, not {urls!r}")
        self._context = context
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._mutex = threading.Lock()  # for these two
        self._at = 0
        self._idle: list[list[http.client.HTTPConnection]] = [[] for _ in urls]

    def once(
        self, method: str, path: str, query: Mapping[str, Any], timeout: float, body: Any = None, headers: Mapping[str, str] = {}
    ) -> Any:
        """One request. It is the caller who repeats it."""
        at, connection = self._take(timeout)
        target = self._urls[at].path.rstrip("/") + path + ("?" + urlencode(query) if query else "")
        sent = self._headers | headers
        text = None
        if body is not None:
            text, sent = json.dumps(body).encode(), sent | {"Content-Type": "application/json"}
        try:
            connection.request(method, target, text, sent)
            response = connection.getresponse()
            answer = response.read()
            value = json.loads(answer) if answer and response.status < 300 else None
        except BaseException as e:  # also Ctrl-C: what comes on this connection answers no other request
            connection.close()
            if not isinstance(e, (OSError, http.client.HTTPException, ValueError)):
                raise
            self._next(at)
            silent = Unavailable({"code": "unavailable", "detail": f"{self._urls[at].netloc}: {e or type(e).__name__}"})
            silent.unanswered = True
            raise silent from e
        with self._mutex:
            self._idle[at].append(connection)
        if response.status >= 300:
            problem = self._problem(response.status, answer)
            if isinstance(problem, Unavailable):
                self._next(at)
            raise problem
        return value

    @staticmethod
    def _problem(status: int, answer: bytes) -> Problem:
        try:
            raw = dict(json.loads(answer))
        except (TypeError, ValueError):
            raw = {}
        if "code" not in raw:  # whoever that was: not holdgated
            raw = {"code": "unknown-outcome" if status in (502, 503, 504) else "", "status": status, "detail": f"HTTP status {status}"}
        problem = CODES.get(raw["code"], Problem)(raw)
        if isinstance(problem, Unavailable):
            problem.unanswered = problem.code == "unknown-outcome"
        return problem

    def call(
        self, method: str, path: str, until: float, query: Mapping[str, Any] = {}, body: Any = None, timeout: float = 10
    ) -> _Answer:
        """A request that is repeated until it is answered, or its time is over."""
        unanswered = False
        for pause in _pauses():
            sent = _now()
            try:
                return _Answer(self.once(method, path, query, max(0.01, min(timeout, until - sent)), body), sent, _now())
            except Unavailable as e:
                unanswered |= e.unanswered
                if _now() + pause >= until:
                    raise
            except NotHeld:
                if method == "DELETE" and unanswered:
                    return _Answer(None, sent, _now())  # by the request whose answer was lost
                raise
            time.sleep(pause)
        raise AssertionError("there is always another pause")

    def _take(self, timeout: float) -> tuple[int, http.client.HTTPConnection]:
        with self._mutex:
            at = self._at
            connection = self._idle[at].pop() if self._idle[at] else None
        if connection is None:
            u = self._urls[at]
            assert u.hostname
            if u.scheme == "https":
                connection = http.client.HTTPSConnection(u.hostname, u.port, context=self._context)
            else:
                connection = http.client.HTTPConnection(u.hostname, u.port)
        connection.timeout = timeout
        if connection.sock:
            connection.sock.settimeout(timeout)
        return at, connection

    def _next(self, after: int) -> None:
        with self._mutex:
            if self._at == after:
                self._at = (after + 1) % len(self._urls)

    def close(self) -> None:
        with self._mutex:
            for connection in itertools.chain.from_iterable(self._idle):
                connection.close()
            self._idle = [[] for _ in self._urls]


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Any
    sent: float
    answered: float


def _pauses() -> itertools.chain[float]:
    """How long to pause before each repetition."""
    return itertools.chain((0.0, 0.05, 0.1, 0.2, 0.5), itertools.repeat(1.0))


class Session:
    """What all locks of a process live by.

    servers   the URL of a server, or of several over one store: when one is gone, the next is asked
    owner     shown to people who ask who holds
    ttl       how many seconds after a crash others get the locks, and how long a network may fail
    token     of an access file, if the server has one; context is for https
    timeout   how many seconds a try, a release or opening is repeated when nobody answers
    on_lost   called once, in a thread of its own, when the session is lost
    """

    def __init__(
        self,
        servers: str | Sequence[str],
        *,
        owner: str = "",
        ttl: float = 15.0,
        token: str | None = None,
        context: ssl.SSLContext | None = None,
        timeout: float = 10.0,
        on_lost: Callable[[Lost], object] | None = None,
    ) -> None:
        self.lost = threading.Event()  # also when it was closed
        self._timeout = timeout
        self._on_lost = on_lost
        self._servers = _Servers([servers] if isinstance(servers, str) else list(servers), token, context)
        until = _now() + timeout
        features = self._servers.call("GET", "/v1/features", until).value
        # One whose answer was lost is renewed by nobody, and ends by itself.
        opened = self._servers.call("POST", "/v1/sessions", until, body={"ttl_ms": round(ttl * 1000), "owner": owner})
        self.id: str = opened.value["id"]  # as lines show it
        self._name: str = opened.value["session"]
        self._path = "/v1/sessions/" + quote(self._name, safe="")
        self._mutex = threading.Lock()  # for these four
        self._trust = _Trust(opened.value["ttl_ms"] / 1000, features["renew_lag_ms"] / 1000, opened.sent)
        self._why: Lost | None = None
        self._evictions: dict[str, Eviction] = {}
        self._strays: list[_Stray] = []
        self._keys = itertools.count(1)
        self._closed = threading.Event()
        self._wake = threading.Event()  # there is a stray, or the session is over
        # Two, so that no request keeps the loss from being told. Both end with the session.
        self._threads = [threading.Thread(target=run, name=f"holdgate {self.id}", daemon=True) for run in (self._keep, self._watch)]
        for thread in self._threads:
            thread.start()

    def lock(
        self,
        name: str,
        *,
        wait: float | None = None,
        mode: Literal["mutex", "read", "write"] | None = None,
        permits: int | None = None,
        limit: int | None = None,
        reason: str | None = None,
    ) -> Lock:
        """A lock of that name, which is taken by "with", acquire or try_acquire.

        mode read and write are the sides of a read/write lock; permits of limit are a semaphore's.
        """
        how = {"mode": mode, "permits": permits, "limit": limit, "reason": reason}
        return Lock(self, name, wait, {k: v for k, v in how.items() if v is not None})

    def check(self) -> None:
        """Raises Lost unless the session may be trusted, now, by the clock."""
        with self._mutex:
            why, until = self._why, self._trust.until()
        if why:
            raise why
        if _now() >= until:
            raise self._lose(_lost("no renewal was answered in time"))

    @property
    def trusted_for(self) -> float:
        """For how many seconds the session may be trusted without another renewal."""
        with self._mutex:
            return self._trust.until() - _now() if self._why is None else 0.0

    def close(self) -> None:
        """Gives everything back. It may be called again."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._wake.set()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
        self._lose(_lost("the session was closed"), tell=False)
        try:
            self._servers.call("DELETE", self._path, _now() + self._timeout)
        except (Unavailable, Lost, NotHeld):
            pass  # it ends by itself within its TTL
        self._servers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lose(self, why: Lost, tell: bool = True) -> Lost:
        """Notes why the session is over; the first reason stands."""
        with self._mutex:
            if self._why is not None:
                return self._why
            self._why = why
        self.lost.set()
        self._wake.set()
        if tell and self._on_lost is not None:
            threading.Thread(target=self._on_lost, args=(why,), name="holdgate lost", daemon=True).start()
        return why

    def _watch(self) -> None:
        """Tells the loss by the clock. It looks again each second: a machine that slept wakes up late for all else."""
        while not self._closed.is_set():
            try:
                self.check()
            except Lost:
                return
            self._closed.wait(min(1.0, max(0.0, self.trusted_for)))

    def _keep(self) -> None:
        """Renews the session until it is over, and takes strays away."""
        due = _now() + self._trust.renew_every()
        while not self._closed.is_set() and not self.lost.is_set():
            self._wake.wait(max(0.0, due - _now()))
            self._wake.clear()
            if self._closed.is_set() or self.lost.is_set():
                break
            if _now() >= due:
                due = _now() + (self._trust.renew_every() if self._renew() else min(1.0, self._trust.ttl / 20))
            self._sweep(due)
        if not self._closed.is_set():
            # A renewal that arrives late may keep alive what nobody believes in.
            try:
                self._servers.once("DELETE", self._path, {}, self._trust.ttl / 4)
            except HoldgateError:
                pass

    def _renew(self) -> bool:
        sent = _now()
        try:
            renewed = self._servers.once("POST", self._path + "/renew", {}, max(0.01, min(self._trust.ttl / 4, self.trusted_for)))
        except Lost as e:
            self._lose(e)
            return False
        except HoldgateError:
            return False  # again soon, for as long as there is time
        answered = _now()
        with self._mutex:
            if sent < self._trust.until() and answered < self._trust.until():  # what comes later revives nothing
                self._trust.renewed(sent, answered)
            for mark in renewed["evictions"]:
                self._evictions[mark["place"]] = Eviction(mark["line"], mark["place"], mark.get("reason", ""), mark.get("by", ""))
        return True

    def _acquire(self, name: str, how: Mapping[str, Any], wait: float | None) -> _Grant:
        """Stands in line until granted, or for so long. Whatever it ends with, but a grant, no place stays behind."""
        stray = _Stray(name, how, {"Idempotency-Key": str(next(self._keys))})  # a place's ID is made of it, the session and the line
        pauses, begun = _pauses(), _now()
        try:
            while True:
                self.check()
                # A request ends before the session may be over: then somebody has to look.
                trusted = max(0.01, self.trusted_for)
                left = trusted / 2 if wait is None else min(trusted / 2, max(0.0, begun + wait - _now()))
                query = {"name": name, "session": self._name} | how | ({"wait": f"{left * 1000:.0f}ms"} if wait != 0 else {})
                try:
                    place = _place(self._servers.once("POST", "/v1/locks", query, trusted, headers=stray.headers))
                except Busy as busy:
                    stray.ticket = busy.ticket
                    if wait is not None and _now() >= begun + wait:
                        raise
                except Unavailable as silent:
                    stray.doubt |= silent.unanswered
                    pause = next(pauses)
                    if wait is not None and _now() + pause >= begun + max(wait, self._timeout):
                        raise
                    time.sleep(min(pause, max(0.0, self.trusted_for)))
                else:
                    stray.ticket = place.id
                    self.check()
                    return _Grant(place, stray.doubt)
        except Lost as e:
            raise self._lose(e)
        except BaseException:  # also Ctrl-C
            if stray.ticket or stray.doubt:
                self._take_away(stray)
            raise

    def _leave(self, name: str, place: str, doubt: bool, until: float) -> None:
        query = {"name": name} | ({"doubt": "true"} if doubt else {})
        self._servers.call("DELETE", f"{self._path}/places/{place}", until, query)

    def _take_away(self, stray: _Stray) -> None:
        with self._mutex:
            self._strays.append(stray)
        self._wake.set()

    def _sweep(self, due: float) -> None:
        """Takes the places away that acquires have left behind. What fails, or takes too long, is left for after the next renewal."""
        with self._mutex:
            strays, self._strays = self._strays, []
        for i, stray in enumerate(strays):
            try:
                if _now() >= due:
                    raise Unavailable({"code": "unavailable"})
                self._sweep_one(stray)
            except Unavailable:
                with self._mutex:
                    self._strays += strays[i:]
                return
            except Lost as e:
                self._lose(e)
                return
            except Problem:
                pass  # it is not there

    def _sweep_one(self, stray: _Stray) -> None:
        timeout = max(0.01, min(self._timeout, self._trust.ttl / 4, self.trusted_for))
        if not stray.ticket:
            # Asked once more under the same key, the server says which place it is. A request
            # that is still on its way comes to nothing after that.
            query = {"name": stray.name, "session": self._name, "wait": "1ms"} | stray.how
            try:
                stray.ticket = _place(self._servers.once("POST", "/v1/locks", query, timeout, headers=stray.headers)).id
            except Busy as e:
                stray.ticket = e.ticket
        if stray.ticket:
            self._leave(stray.name, stray.ticket, True, _now() + timeout)


@dataclass(slots=True)
class _Stray:
    """A place that may stand in a line."""

    name: str
    how: Mapping[str, Any]
    headers: Mapping[str, str]
    ticket: str = ""  # its ID, once known
    doubt: bool = False  # a request for it was not answered


@dataclass(frozen=True, slots=True)
class _Grant:
    place: Place
    doubt: bool


class Lock:
    """A lock of a session. It may be taken again after it was released."""

    def __init__(self, session: Session, name: str, wait: float | None, how: Mapping[str, Any]) -> None:
        self.session = session
        self.name = name
        self._wait = wait
        self._how = how
        self._grant: _Grant | None = None

    def acquire(self, wait: float | None = None) -> Self:
        """Waits until the lock is granted, at most so many seconds. Raises Busy, or Lost when the session ends."""
        if self._grant is not None:
            raise RuntimeError(f"this object holds {self.name!r} already")
        self._grant = self.session._acquire(self.name, self._how, wait)
        return self

    def try_acquire(self) -> bool:
        """Takes the lock if that can be done at once."""
        try:
            self.acquire(0)
        except Busy:
            return False
        return True

    def release(self) -> None:
        """Gives the lock back. Repeated until the server has heard it, while the session lives.

        Raises Lost if the lock was lost before: then what was done under it may not have been alone.
        """
        grant, self._grant = self._held(), None
        self.session.check()
        try:
            self.session._leave(self.name, grant.place.id, grant.doubt, _now() + self.session.trusted_for)
        except Lost as e:
            raise self.session._lose(e)
        except Unavailable:
            self.session.check()  # mostly that is why
            raise

    def check(self) -> None:
        """Raises Lost unless the lock is held, now, by the clock."""
        self._held()
        self.session.check()

    @property
    def token(self) -> int:
        """The fencing token: give it to what you write to. 0 where the store gives none, and of shared locks it does not fence."""
        self.check()
        return self._held().place.token

    @property
    def eviction(self) -> Eviction | None:
        """Who wants this lock, and why: finish, and release it. Known after the next renewal."""
        with self.session._mutex:
            return self.session._evictions.get(self._held().place.id)

    def _held(self) -> _Grant:
        if self._grant is None:
            raise NotHeld({"code": "gone", "detail": f"{self.name!r} is not held"})
        return self._grant

    def __enter__(self) -> Self:
        return self.acquire(self._wait)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._grant is None:
            return  # released in the block
        try:
            self.release()
        except HoldgateError:
            if kind is None:  # else what the block raised tells more
                raise

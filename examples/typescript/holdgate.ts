/**
 * Locks over the HTTP API of holdgated, for Node 18 and later and for browsers. Copy this
 * file: it needs nothing but fetch.
 *
 * A whole program, which runs on as many machines as you like, and one at a time does the work:
 *
 *     import { Session } from "./holdgate.js";
 *
 *     const session = await Session.open("http://127.0.0.1:8080", { owner: "nightly" });
 *     try {
 *       await session.withLock("orders/42", { wait: 60_000 }, async (lock) => {
 *         for (const order of orders) {
 *           lock.check();                          // throws Lost: stop, another may hold by now
 *           await store.write(order, lock.token);  // which refuses smaller tokens than it has seen
 *         }
 *       });
 *     } finally {
 *       await session.close();
 *     }
 *
 * Times are milliseconds. With wait it stands in line for so long, without it for as long as it
 * takes, and wait: 0 is a try. What it does not get it tells with Busy, which has the holder. If
 * the lock was lost meanwhile, withLock throws Lost at the end.
 *
 * What you may count on:
 *
 * - While check() does not throw, the store has not given the lock to anybody else. The session
 *   is renewed in the background. Its time counts from before a renewal is sent, and check()
 *   begins to throw a guard of TTL/20 (at least 100 ms) before the store can free the lock. The
 *   session's signal is aborted then; give it to fetch and to whatever else takes one.
 * - A program that computes for long, a page in the background and a machine that slept see
 *   that late. So give the token to what you write to; it is the proof (docs/fencing.md).
 * - A request whose answer was lost is repeated under its Idempotency-Key, so it never makes a
 *   second place. What is left of an acquire that was given up is taken away in the background.
 * - A process that dies without a word loses its locks within the TTL.
 *
 * A session that is lost stays lost: open another. In a browser the page must come from the
 * server itself, or from a proxy in front of it: it takes no changes from other sites.
 */

/** The codes of the API. */
export const codes = [
  "invalid", "unauthenticated", "denied", "not-found", "gone", "method", "busy", "waiting", "conflict", "mismatch", "lost",
  "too-large", "misdirected", "limit", "internal", "unsupported", "unavailable", "draining", "unknown-outcome",
] as const;
export type Code = (typeof codes)[number];

/** One who holds a lock, or waits for it. */
export interface Place {
  line: string;
  id: string;
  owner: string;
  granted: boolean;
  /** 0n where the store gives none. */
  token: bigint;
  /** What the holder says of itself, such as {"reason": ...}. */
  data: unknown;
}

/** Somebody asks the holder of a lock to finish, and to release it. */
export interface Eviction {
  line: string;
  place: string;
  reason?: string;
  by?: string;
}

interface RawPlace {
  line: string;
  id: string;
  owner?: string;
  granted: boolean;
  token?: string;
  data?: unknown;
}

interface RawProblem {
  code: Code;
  status: number;
  title?: string;
  detail?: string;
  holder?: RawPlace;
  ahead?: number;
  ticket?: string;
  errors?: { location?: string; message: string }[];
}

function placeOf(raw: RawPlace): Place {
  return {
    line: raw.line, id: raw.id, owner: raw.owner ?? "", granted: raw.granted, token: BigInt(raw.token ?? "0"), data: raw.data,
  };
}

/** An answer that is not a success. Go by its code, never by the text. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: Code;
  readonly status: number;
  /** Of busy and waiting: the first of the line, and how many stand ahead. */
  readonly holder: Place | undefined;
  readonly ahead: number;
  readonly ticket: string | undefined;
  /** Of invalid: each thing that is wrong. */
  readonly errors: readonly { location?: string; message: string }[];

  constructor(raw: RawProblem, options?: ErrorOptions) {
    super(raw.detail || raw.title || raw.code, options);
    this.code = raw.code;
    this.status = raw.status;
    this.holder = raw.holder && placeOf(raw.holder);
    this.ahead = raw.ahead ?? 0;
    this.ticket = raw.ticket;
    this.errors = raw.errors ?? [];
  }
}

/** Not granted in time. You do not stand in line any more. */
export class Busy extends Problem {
  override name = "Busy";
}

/** The session is gone, or must be taken for gone: so is all that it held. */
export class Lost extends Problem {
  override name = "Lost";
}

/** Nobody answered in time, or the store did not. */
export class Unavailable extends Problem {
  override name = "Unavailable";
  /** The request may have been carried out, or may yet be. */
  unanswered = false;
}

function problemOf(raw: RawProblem, options?: ErrorOptions): Problem {
  switch (raw.code) {
    case "busy":
    case "waiting":
      return new Busy(raw, options);
    case "lost":
      return new Lost(raw, options);
    case "unavailable":
    case "draining":
    case "misdirected":
      return new Unavailable(raw, options);
    case "unknown-outcome": {
      const problem = new Unavailable(raw, options);
      problem.unanswered = true;
      return problem;
    }
    default:
      return new Problem(raw, options);
  }
}

const lost = (detail: string) => new Lost({ code: "lost", status: 410, detail });

/**
 * A moment by two clocks. The one that is never set may stand still while the machine sleeps;
 * the other one may be set. What has passed is the longer of the two: at worst a lock is taken
 * for lost that is not.
 */
class Moment {
  private readonly steady = performance.now();
  private readonly wall = Date.now();

  elapsed(): number {
    return Math.max(performance.now() - this.steady, Date.now() - this.wall);
  }
}

/**
 * Until when a session may be believed, by when its renewals were *sent*. The store starts its
 * clock when a renewal reaches it, so at the earliest when it was sent. 1 % is taken off for
 * clocks that run at different rates. Where the store's clock may start later than the answer
 * (lag, ZooKeeper), a renewal proves those that were answered a lag before it.
 */
class Trust {
  private pending: { sent: Moment; answered: Moment }[] = [];

  constructor(readonly ttl: number, private readonly lag: number, private proven: Moment) {}

  renewed(sent: Moment): void {
    if (this.lag === 0) {
      this.proven = sent;
      return;
    }
    const took = sent.elapsed();
    while (this.pending[0] && this.pending[0].answered.elapsed() - took >= this.lag) {
      this.proven = this.pending.shift()!.sent;
    }
    this.pending.push({ sent, answered: new Moment() });
  }

  left(): number {
    return 0.99 * this.ttl - Math.max(100, this.ttl / 20) - this.proven.elapsed();
  }

  renewEvery(): number {
    return this.ttl / (this.lag > 0 ? 6 : 4);
  }
}

/** Ends by itself, when it is ended, or when one of the signals is. */
class Bounded {
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly end = () => this.controller.abort();

  constructor(ms: number, private readonly signals: readonly (AbortSignal | undefined)[]) {
    this.timer = setTimeout(this.end, Math.max(10, ms));
    for (const signal of signals) {
      if (signal?.aborted) this.end();
      signal?.addEventListener("abort", this.end);
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Returns when its time is over, or one of the signals is aborted. */
  async over(): Promise<void> {
    if (!this.signal.aborted) await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
    this.free();
  }

  free(): void {
    clearTimeout(this.timer);
    for (const signal of this.signals) signal?.removeEventListener("abort", this.end);
  }
}

const pause = (ms: number, ...signals: (AbortSignal | undefined)[]) => new Bounded(ms, signals).over();

/** How long to pause before each repetition. */
function* pauses(): Generator<number, never> {
  yield* [10, 50, 100, 200, 500];
  for (;;) yield 1000;
}

interface Request {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  key?: string;
  timeout: number;
  signals?: readonly (AbortSignal | undefined)[];
}

/** Requests to servers over one store. When one does not answer, the next is asked. */
class Servers {
  private at = 0;

  constructor(private readonly urls: readonly string[], private readonly token: string | undefined) {
    if (urls.length === 0) throw new TypeError("there is no server to ask");
  }

  /** One request. It is the caller who repeats it. */
  async once<T>(r: Request): Promise<T> {
    const at = this.at;
    const query = new URLSearchParams(r.query).toString();
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.token !== undefined) headers["Authorization"] = `Bearer ${this.token}`;
    if (r.key !== undefined) headers["Idempotency-Key"] = r.key;
    if (r.body !== undefined) headers["Content-Type"] = "application/json";
    const bounded = new Bounded(r.timeout, r.signals ?? []);
    let status: number, text: string;
    try {
      const answer = await fetch(this.urls[at]!.replace(/\/+$/, "") + r.path + (query && `?${query}`), {
        method: r.method, headers, body: r.body === undefined ? null : JSON.stringify(r.body),
        signal: bounded.signal, cache: "no-store", redirect: "error",
      });
      status = answer.status;
      text = await answer.text();
      if (status < 300) return (text === "" ? undefined : JSON.parse(text)) as T;
    } catch (cause) {
      this.next(at);
      const problem = new Unavailable({ code: "unavailable", status: 0, detail: `${this.urls[at]} did not answer` }, { cause });
      problem.unanswered = true;
      throw problem;
    } finally {
      bounded.free();
    }
    const problem = problemOf(Servers.read(status, text));
    if (problem instanceof Unavailable) this.next(at);
    throw problem;
  }

  private static read(status: number, text: string): RawProblem {
    try {
      const raw = JSON.parse(text) as RawProblem;
      if (typeof raw.code === "string") return raw;
    } catch {
      // Whoever that was: not holdgated.
    }
    return { code: [502, 503, 504].includes(status) ? "unknown-outcome" : "internal", status, detail: `HTTP status ${status}` };
  }

  /** A request that is repeated until it is answered, or its time is over. */
  async call<T>(r: Request, within: number): Promise<{ value: T; sent: Moment }> {
    const begun = new Moment();
    let unanswered = false;
    for (const rest of pauses()) {
      const sent = new Moment();
      try {
        const timeout = Math.min(r.timeout, within - begun.elapsed());
        return { value: await this.once<T>({ ...r, timeout }), sent };
      } catch (e) {
        if (e instanceof Unavailable) {
          unanswered ||= e.unanswered;
          if (begun.elapsed() + rest >= within || r.signals?.some((s) => s?.aborted)) throw e;
        } else if (e instanceof Problem && e.code === "gone" && r.method === "DELETE" && unanswered) {
          return { value: undefined as T, sent }; // by the request whose answer was lost
        } else {
          throw e;
        }
      }
      await pause(rest, ...(r.signals ?? []));
    }
    throw new Error("there is always another pause");
  }

  private next(after: number): void {
    if (this.at === after) this.at = (after + 1) % this.urls.length;
  }
}

export interface SessionOptions {
  /** Shown to people who ask who holds. */
  owner?: string;
  /** How soon after a crash others get the locks, and how long a network may fail; by default 15 s. */
  ttl?: number;
  /** Of an access file, if the server has one. */
  token?: string;
  /** For how long a try, a release or opening is repeated when nobody answers; by default 10 s. */
  timeout?: number;
}

export interface LockOptions {
  /** For how long to stand in line; without it for as long as it takes, and 0 is a try. */
  wait?: number;
  /** The sides of a read/write lock. */
  mode?: "mutex" | "read" | "write";
  /** Permits of a semaphore that has limit. */
  permits?: number;
  limit?: number;
  /** What it is taken for, shown to who asks. */
  reason?: string;
  /** Ends the wait; it does not release. */
  signal?: AbortSignal;
}

/** A place that may stand in a line. */
interface Stray {
  name: string;
  how: Record<string, string>;
  key: string;
  ticket?: string; // its ID, once known
  doubt: boolean; // a request for it was not answered
}

/** What all locks of a process live by. */
export class Session {
  private readonly over = new AbortController();
  private readonly wake = new Wake();
  private readonly evictions = new Map<string, Eviction>();
  private strays: Stray[] = [];
  private keys = 0;
  private closed: Promise<void> | undefined;
  private readonly running: Promise<unknown>;

  private constructor(
    private readonly servers: Servers,
    /** As lines show it. */
    readonly id: string,
    private readonly name: string,
    private readonly trust: Trust,
    private readonly timeout: number,
  ) {
    // Two, so that no request keeps the loss from being told. Both end with the session.
    this.running = Promise.all([this.keep(), this.watch()]);
  }

  /** Opens a session at a server, or at one of several over one store: when one is gone, the next is asked. */
  static async open(servers: string | readonly string[], o: SessionOptions = {}): Promise<Session> {
    const timeout = o.timeout ?? 10_000;
    const all = new Servers(typeof servers === "string" ? [servers] : servers, o.token);
    const features = await all.call<{ renew_lag_ms: number }>({ method: "GET", path: "/v1/features", timeout }, timeout);
    // One whose answer was lost is renewed by nobody, and ends by itself.
    const { value, sent } = await all.call<{ session: string; id: string; ttl_ms: number }>(
      { method: "POST", path: "/v1/sessions", body: { ttl_ms: o.ttl ?? 15_000, owner: o.owner ?? "" }, timeout }, timeout,
    );
    const trust = new Trust(value.ttl_ms, features.value.renew_lag_ms, sent);
    return new Session(all, value.id, value.session, trust, timeout);
  }

  /** Aborted when the session is lost, with Lost as its reason; also when it is closed. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Throws Lost unless the session may be trusted, now, by the clock. */
  check(): void {
    if (!this.signal.aborted && this.trust.left() <= 0) this.lose(lost("no renewal was answered in time"));
    if (this.signal.aborted) throw this.signal.reason;
  }

  /** For how long the session may be trusted without another renewal. */
  get trustedFor(): number {
    return this.signal.aborted ? 0 : this.trust.left();
  }

  /**
   * Waits until the lock is granted. Throws Busy when it was not in time, Lost when the session
   * ends, and the reason of the signal. Whatever it ends with, but a lock, no place stays behind.
   */
  async lock(name: string, o: LockOptions = {}): Promise<Lock> {
    const how: Record<string, string> = {};
    for (const parameter of ["mode", "permits", "limit", "reason"] as const) {
      if (o[parameter] !== undefined) how[parameter] = String(o[parameter]);
    }
    // A place's ID is made of the key, the session and the line: a number will do.
    const stray: Stray = { name, how, key: String(++this.keys), doubt: false };
    try {
      const place = await this.stand(stray, o);
      return new Lock(this, place, stray.doubt);
    } catch (e) {
      if (e instanceof Lost) throw this.lose(e);
      if (stray.ticket !== undefined || stray.doubt) this.takeAway(stray);
      throw e;
    }
  }

  private async stand(stray: Stray, { wait, signal }: LockOptions): Promise<Place> {
    const begun = new Moment();
    for (const rest of pauses()) {
      this.check();
      signal?.throwIfAborted();
      try {
        const place = await this.standFor(stray, begun, wait, signal);
        this.check();
        signal?.throwIfAborted();
        return place;
      } catch (e) {
        if (!(e instanceof Unavailable)) throw e;
        stray.doubt ||= e.unanswered;
        if (wait !== undefined && begun.elapsed() + rest >= Math.max(wait, this.timeout)) throw e;
      }
      await pause(rest, this.signal, signal);
    }
    throw new Error("there is always another pause");
  }

  /** Asks, over and over, while a server answers. */
  private async standFor(stray: Stray, begun: Moment, wait: number | undefined, signal?: AbortSignal): Promise<Place> {
    for (;;) {
      this.check();
      signal?.throwIfAborted();
      // A request ends before the session may be over: then somebody has to look.
      const trusted = this.trustedFor;
      const left = wait === undefined ? trusted / 2 : Math.min(trusted / 2, Math.max(0, wait - begun.elapsed()));
      const query: Record<string, string> = { name: stray.name, session: this.name, ...stray.how };
      if (wait !== 0) query["wait"] = `${Math.ceil(left)}ms`;
      try {
        const raw = await this.servers.once<RawPlace>({
          method: "POST", path: "/v1/locks", query, key: stray.key, timeout: trusted, signals: [this.signal, signal],
        });
        stray.ticket = raw.id;
        return placeOf(raw);
      } catch (e) {
        if (!(e instanceof Busy)) throw e;
        if (e.ticket !== undefined) stray.ticket = e.ticket;
        if (wait !== undefined && begun.elapsed() >= wait) throw e;
      }
    }
  }

  /** Takes the lock if that can be done at once. */
  async tryLock(name: string, o: Omit<LockOptions, "wait"> = {}): Promise<Lock | undefined> {
    try {
      return await this.lock(name, { ...o, wait: 0 });
    } catch (e) {
      if (e instanceof Busy) return undefined;
      throw e;
    }
  }

  /** Does work under a lock. Throws Lost at the end if it was lost meanwhile, unless the work has thrown. */
  async withLock<T>(name: string, o: LockOptions, work: (lock: Lock) => Promise<T> | T): Promise<T> {
    const lock = await this.lock(name, o);
    let result: T;
    try {
      result = await work(lock);
    } catch (e) {
      if (!lock.released) await lock.release().catch(() => undefined); // what the work threw tells more
      throw e;
    }
    if (!lock.released) await lock.release();
    return result;
  }

  /** Gives everything back. It may be called again. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  private async end(): Promise<void> {
    this.lose(lost("the session was closed"));
    await this.running;
    try {
      await this.servers.call({ method: "DELETE", path: this.path(), timeout: this.timeout }, this.timeout);
    } catch (e) {
      if (!(e instanceof Problem)) throw e; // else it ends by itself within its TTL
    }
  }

  private path(rest = ""): string {
    return `/v1/sessions/${encodeURIComponent(this.name)}${rest}`;
  }

  /** Notes why the session is over; the first reason stands. */
  private lose(why: Lost): Lost {
    if (!this.signal.aborted) {
      this.over.abort(why);
      this.wake.now();
    }
    return this.signal.reason as Lost;
  }

  /** Tells the loss by the clock. It looks again each second: a machine that slept wakes up late for all else. */
  private async watch(): Promise<void> {
    while (!this.signal.aborted) {
      if (this.trust.left() <= 0) this.lose(lost("no renewal was answered in time"));
      await pause(Math.min(1000, this.trust.left()), this.signal);
    }
  }

  /** Renews the session until it is over, and takes strays away. */
  private async keep(): Promise<void> {
    let last = new Moment();
    let rest = this.trust.renewEvery();
    const due = () => rest - last.elapsed();
    while (!this.signal.aborted) {
      await this.wake.within(due());
      if (this.signal.aborted) break;
      if (due() <= 0) {
        rest = (await this.renew()) ? this.trust.renewEvery() : Math.min(1000, this.trust.ttl / 20);
        last = new Moment();
      }
      await this.sweep(due);
    }
    if (this.closed === undefined) {
      // A renewal that arrives late may keep alive what nobody believes in.
      await this.servers.once({ method: "DELETE", path: this.path(), timeout: this.trust.ttl / 4 }).catch(() => undefined);
    }
  }

  private async renew(): Promise<boolean> {
    const sent = new Moment();
    try {
      const { evictions } = await this.servers.once<{ evictions: Eviction[] }>({
        method: "POST", path: this.path("/renew"), timeout: Math.min(this.trust.ttl / 4, this.trustedFor), signals: [this.signal],
      });
      if (this.trustedFor > 0) this.trust.renewed(sent); // what comes later revives nothing
      for (const e of evictions) this.evictions.set(e.place, e);
      return true;
    } catch (e) {
      if (e instanceof Lost) this.lose(e);
      return false; // again soon, for as long as there is time
    }
  }

  private takeAway(stray: Stray): void {
    this.strays.push(stray);
    this.wake.now();
  }

  /** Takes the places away that acquires have left behind. What fails, or takes too long, is left for after the next renewal. */
  private async sweep(due: () => number): Promise<void> {
    const strays = this.strays;
    this.strays = [];
    for (let stray = strays.shift(); stray; stray = strays.shift()) {
      try {
        if (due() > 0) {
          await this.sweepOne(stray);
          continue;
        }
      } catch (e) {
        if (e instanceof Lost) this.lose(e);
        if (!(e instanceof Unavailable)) continue; // it is not there
      }
      this.strays.unshift(stray, ...strays);
      return;
    }
  }

  private async sweepOne(stray: Stray): Promise<void> {
    const timeout = Math.min(this.timeout, this.trust.ttl / 4, this.trustedFor);
    const signals = [this.signal];
    if (stray.ticket === undefined) {
      // Asked once more under the same key, the server says which place it is. A request that
      // is still on its way comes to nothing after that.
      const query = { name: stray.name, session: this.name, wait: "1ms", ...stray.how };
      try {
        stray.ticket = (await this.servers.once<RawPlace>({ method: "POST", path: "/v1/locks", query, key: stray.key, timeout, signals })).id;
      } catch (e) {
        if (!(e instanceof Busy) || e.ticket === undefined) throw e;
        stray.ticket = e.ticket;
      }
    }
    await this.leave(stray.name, stray.ticket, true, timeout);
  }

  /** @internal Leaves a line, for a Lock. */
  async leave(name: string, place: string, doubt: boolean, within: number): Promise<void> {
    const query: Record<string, string> = doubt ? { name, doubt: "true" } : { name };
    const r = { method: "DELETE", path: this.path(`/places/${place}`), query, timeout: this.timeout, signals: [this.signal] } as const;
    try {
      await this.servers.call(r, within);
    } catch (e) {
      if (e instanceof Lost) throw this.lose(e);
      if (e instanceof Unavailable) this.check(); // mostly that is why
      throw e;
    }
    this.evictions.delete(place);
  }

  /** @internal Who wants a place. */
  evictionOf(place: string): Eviction | undefined {
    return this.evictions.get(place);
  }
}

/** Lets one wait until it is woken. To be woken before is as good. */
class Wake {
  private awake = new AbortController();

  now(): void {
    this.awake.abort();
  }

  async within(ms: number): Promise<void> {
    await pause(ms, this.awake.signal);
    if (this.awake.signal.aborted) this.awake = new AbortController();
  }
}

/** A lock that was granted. */
export class Lock {
  /** Whether release was called. */
  released = false;

  /** @internal */
  constructor(readonly session: Session, private readonly place: Place, private readonly doubt: boolean) {}

  get name(): string {
    return this.place.line;
  }

  /** The fencing token: give it to what you write to. 0n where the store gives none, and of shared locks it does not fence. */
  get token(): bigint {
    this.check();
    return this.place.token;
  }

  /** That of the session: aborted before the store can free the lock. */
  get signal(): AbortSignal {
    return this.session.signal;
  }

  /** Throws Lost unless the lock is held, now, by the clock. */
  check(): void {
    this.unreleased();
    this.session.check();
  }

  /** Who wants this lock, and why: finish, and release it. Known after the next renewal. */
  get eviction(): Eviction | undefined {
    return this.session.evictionOf(this.place.id);
  }

  /**
   * Gives the lock back. Repeated until the server has heard it, while the session lives. Throws
   * Lost if it was lost before: then what was done under it may not have been alone.
   */
  async release(): Promise<void> {
    this.unreleased();
    this.released = true;
    this.session.check();
    await this.session.leave(this.name, this.place.id, this.doubt, this.session.trustedFor);
  }

  private unreleased(): void {
    if (this.released) throw new Problem({ code: "gone", status: 404, detail: `${this.name} was released` });
  }
}

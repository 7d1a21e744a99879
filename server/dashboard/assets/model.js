// What is known: all lines as the stream told them last, and what is worked out of them.

/** What package holdgate writes into the data of a place. */
function noteOf(data) {
  const n = data && typeof data === 'object' && !Array.isArray(data) ? data : {};
  const text = (v) => (typeof v === 'string' ? v : '');
  const since = Date.parse(text(n.since));
  return { reason: text(n.reason), value: text(n.value), since: Number.isNaN(since) ? undefined : since };
}

function placeOf(p) {
  return {
    line: p.line,
    id: p.id,
    session: p.session ?? '',
    owner: p.owner ?? '',
    ttl: p.ttl_ms ?? 0,
    kind: p.kind ?? '',
    capacity: p.capacity,
    units: p.units,
    granted: p.granted,
    foreign: !!p.foreign,
    token: p.token ?? '',
    order: p.order,
    eviction: p.eviction,
    ...noteOf(p.data),
  };
}

function lineOf(l, earlier) {
  const places = l.places.map(placeOf);
  // When this page saw a place first, or first granted. The server's own sight of it, which
  // goes back further, is asked for where it is shown.
  const now = Date.now();
  for (const p of places) {
    const was = earlier?.byID.get(p.id);
    p.came = was ? was.came : earlier === undefined ? undefined : now;
    p.got = !p.granted ? undefined : was?.granted ? was.got : earlier === undefined ? undefined : now;
  }
  const holders = places.filter((p) => p.granted);
  const waiters = places.filter((p) => !p.granted);
  const first = places.find((p) => !p.foreign);
  return {
    name: l.name,
    places,
    holders,
    waiters,
    byID: new Map(places.map((p) => [p.id, p])),
    kind: first?.kind ?? '',
    capacity: first?.capacity ?? 1,
    mixed: places.some((p) => !p.foreign && (p.kind !== first.kind || p.capacity !== first.capacity)),
    since: earliest(holders.map((p) => p.since)),
    marked: places.filter((p) => p.eviction),
  };
}

export function earliest(moments) {
  return moments.reduce((a, b) => (b === undefined || a < b ? a : b), undefined);
}

const nothing = {
  places: [],
  holders: [],
  waiters: [],
  byID: new Map(),
  kind: '',
  capacity: 1,
  mixed: false,
  marked: [],
};

export class Model {
  lines = new Map();
  known = false; // anything at all
  version = 0;

  /** Takes in a snapshot of /v1/events. */
  take({ lines, full }) {
    const before = this.lines;
    if (full) this.lines = new Map();
    for (const l of lines) {
      if (l.places.length === 0) this.lines.delete(l.name);
      else this.lines.set(l.name, lineOf(l, this.known ? (before.get(l.name) ?? nothing) : undefined));
    }
    this.known = true;
    this.version++;
    this.worked = undefined;
  }

  line(name) {
    return this.lines.get(name) ?? { name, ...nothing };
  }

  /** Sessions by ID: whose they are, and their places. */
  sessions() {
    this.#work();
    return this.worked.sessions;
  }

  /** How many there are of everything. */
  totals() {
    this.#work();
    return this.worked.totals;
  }

  #work() {
    if (this.worked) return;
    const sessions = new Map();
    const totals = { lines: 0, holding: 0, waiting: 0, elections: 0, groups: 0, contended: [] };
    for (const line of this.lines.values()) {
      if (line.kind === 'presence') totals.groups++;
      else {
        totals.lines++;
        if (line.kind === 'election') totals.elections++;
        totals.holding += line.holders.length;
        totals.waiting += line.waiters.length;
        if (line.waiters.length) totals.contended.push(line);
      }
      for (const p of line.places) {
        if (!p.session) continue;
        let of = sessions.get(p.session);
        if (!of) sessions.set(p.session, (of = { id: p.session, owner: p.owner, ttl: p.ttl, holds: [], waits: [] }));
        (p.granted ? of.holds : of.waits).push(p);
      }
    }
    totals.sessions = sessions.size;
    this.worked = { sessions, totals };
  }
}

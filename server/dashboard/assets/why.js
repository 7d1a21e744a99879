// Why nothing moves: who waits for whom, from one line on.

/**
 * Follows from the holder of a line to the line that this one waits for, and so on. Each step
 * is {line, holder}; the last one's holder waits for nothing (end is "free"), or has come
 * before (end is "circle"), or is not known to anybody (end is "foreign").
 */
export function chain(model, line) {
  const steps = [];
  const seen = new Set();
  const sessions = model.sessions();
  for (let at = line; at?.holders.length;) {
    // Of several holders the one that waits itself is the one to look at.
    const holder = at.holders.find((p) => sessions.get(p.session)?.waits.length) ?? at.holders[0];
    steps.push({ line: at, holder });
    if (holder.foreign) return { steps, end: 'foreign' };
    if (seen.has(holder.session)) return { steps, end: 'circle' };
    seen.add(holder.session);
    const wait = sessions.get(holder.session)?.waits.find((w) => w.line !== at.name);
    if (!wait) return { steps, end: 'free' };
    at = model.line(wait.line);
  }
  return { steps, end: steps.length ? 'free' : 'nobody' };
}

/**
 * The graph of who is in whose way: sessions and lines, of those lines that somebody waits for.
 * Who only waits, and has nothing that others wait for, is a number at the line, and no node.
 */
export function graph(model) {
  const contended = model.totals().contended;
  const lines = new Map(contended.map((l) => [l.name, { id: `l:${l.name}`, line: l, waiting: 0 }]));
  const sessions = new Map();
  const edges = [];
  const node = (p) => {
    const key = p.session || `place ${p.id}`;
    let n = sessions.get(key);
    if (!n) sessions.set(key, (n = { id: `s:${key}`, place: p }));
    return n;
  };
  for (const { line, id } of lines.values()) {
    for (const p of line.holders) edges.push({ from: id, to: node(p).id, kind: 'held' });
  }
  for (const n of lines.values()) {
    const waits = new Set();
    for (const p of n.line.waiters) {
      if (!p.session || !sessions.has(p.session)) n.waiting++;
      else if (!waits.has(p.session)) {
        waits.add(p.session);
        edges.push({ from: `s:${p.session}`, to: n.id, kind: 'waits' });
      }
    }
  }
  return { nodes: [...lines.values(), ...sessions.values()], edges };
}

/** The parts of a graph that hang together, each with its nodes and edges. */
export function parts({ nodes, edges }) {
  const parent = new Map(nodes.map((n) => [n.id, n.id]));
  const root = (id) => {
    while (parent.get(id) !== id) {
      parent.set(id, parent.get(parent.get(id)));
      id = parent.get(id);
    }
    return id;
  };
  for (const e of edges) parent.set(root(e.from), root(e.to));
  const found = new Map();
  const of = (id) => {
    const r = root(id);
    if (!found.has(r)) found.set(r, { nodes: [], edges: [] });
    return found.get(r);
  };
  for (const n of nodes) of(n.id).nodes.push(n);
  for (const e of edges) of(e.from).edges.push(e);
  return [...found.values()];
}

/**
 * The edges that are on a circle: those within a strongly connected component (Tarjan 1972, with a
 * stack of its own).
 */
export function circles({ nodes, edges }) {
  const out = new Map(nodes.map((n) => [n.id, []]));
  for (const e of edges) out.get(e.from).push(e.to);
  const number = new Map();
  const low = new Map();
  const group = new Map();
  const stack = [];
  for (const { id: root } of nodes) {
    if (number.has(root)) continue;
    const path = [];
    const enter = (id) => {
      number.set(id, number.size);
      low.set(id, number.get(id));
      stack.push(id);
      path.push({ id, next: 0 });
    };
    enter(root);
    while (path.length) {
      const at = path.at(-1);
      const to = out.get(at.id)[at.next++];
      if (to !== undefined) {
        if (!number.has(to)) enter(to);
        else if (!group.has(to)) low.set(at.id, Math.min(low.get(at.id), number.get(to)));
        continue;
      }
      path.pop();
      if (path.length) low.set(path.at(-1).id, Math.min(low.get(path.at(-1).id), low.get(at.id)));
      if (low.get(at.id) === number.get(at.id)) {
        let id;
        do group.set((id = stack.pop()), at.id);
        while (id !== at.id);
      }
    }
  }
  return new Set(edges.filter((e) => group.get(e.from) === group.get(e.to)));
}

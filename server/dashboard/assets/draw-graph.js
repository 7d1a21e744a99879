// A chain of waiting, from left to right: who waits, for what, who holds it, what that one
// waits for. Whoever is furthest right is in everybody's way.

import { h, s } from './dom.js';
import { count } from './format.js';
import { boxAt, size, tips } from './draw-box.js';
import { who } from './words.js';

/** How many boxes are drawn. More than that nobody reads. */
export const largest = 60;

const gap = { x: 64, y: 16 };

export function drawGraph(part, circle) {
  const place = arrange(part, circle);
  const columns = 1 + Math.max(...[...place.values()].map((p) => p.column));
  const rows = 1 + Math.max(...[...place.values()].map((p) => p.row));
  const w = columns * (size.w + gap.x);
  const height = rows * (size.h + gap.y) + (circle.size ? 30 : 0);
  const middle = (id) => {
    const p = place.get(id);
    return { x: p.column * (size.w + gap.x) + size.w / 2 + 6, y: p.row * (size.h + gap.y) + size.h / 2 + 6 };
  };
  const stuck = new Set([...circle].flatMap((e) => [e.from, e.to]));
  const svg = s(
    'svg',
    { class: 'drawing', viewBox: `0 0 ${w} ${height}`, width: w, height, role: 'group', 'aria-label': told(part) },
    tips(),
    part.edges.map((e) => arrow(middle(e.from), middle(e.to), e, circle.has(e))),
    part.nodes.map((n) =>
      boxAt(
        middle(n.id),
        n.line
          ? {
              name: n.line.name,
              text: n.line.name,
              under: n.waiting ? `${count(n.waiting)} more wait` : undefined,
              stuck: stuck.has(n.id),
            }
          : { session: n.place.session, text: who(n.place), stuck: stuck.has(n.id) },
      ),
    ),
  );
  return h('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Chain of waiting' }, svg);
}

/** Columns by the longest way to each, the rows in a column near what leads to them. */
function arrange({ nodes, edges }, circle) {
  const column = new Map(nodes.map((n) => [n.id, 0]));
  const forward = edges.filter((e) => !circle.has(e));
  spread(forward, column, nodes.length);
  // Those in a circle have no order: they go from where they are entered, each edge once.
  const inner = [...circle];
  for (const start of inner.map((e) => e.from).slice(0, 1)) {
    const seen = new Set([start]);
    for (let line = [start]; line.length;) {
      const id = line.shift();
      for (const e of inner) {
        if (e.from !== id || seen.has(e.to)) continue;
        seen.add(e.to);
        column.set(e.to, Math.max(column.get(e.to), column.get(id) + 1));
        line.push(e.to);
      }
    }
    spread(forward, column, nodes.length);
  }
  const filled = [];
  const place = new Map();
  for (const n of nodes.toSorted((a, b) => column.get(a.id) - column.get(b.id))) {
    const c = column.get(n.id);
    const before = edges.filter((e) => e.to === n.id && place.has(e.from)).map((e) => place.get(e.from).row);
    const wish = before.length ? Math.floor(before.reduce((a, b) => a + b) / before.length) : 0;
    filled[c] ??= new Set();
    let row = wish;
    while (filled[c].has(row)) row++;
    filled[c].add(row);
    place.set(n.id, { column: c, row });
  }
  return place;
}

function spread(edges, column, times) {
  for (let again = true, n = 0; again && n <= times; n++) {
    again = false;
    for (const e of edges) {
      if (column.get(e.to) > column.get(e.from)) continue;
      column.set(e.to, column.get(e.from) + 1);
      again = true;
    }
  }
}

function arrow(from, to, e, stuck) {
  const back = to.x <= from.x;
  const a = { x: from.x + (back ? 0 : size.w / 2), y: from.y + (back ? size.h / 2 : 0) };
  const b = { x: to.x + (back ? 0 : -size.w / 2), y: to.y + (back ? size.h / 2 : 0) };
  const d = back
    ? `M${a.x} ${a.y}C${a.x} ${a.y + 44} ${b.x} ${b.y + 44} ${b.x} ${b.y}`
    : `M${a.x} ${a.y}C${a.x + gap.x / 2} ${a.y} ${b.x - gap.x / 2} ${b.y} ${b.x} ${b.y}`;
  return s(
    'path',
    { class: `arrow ${stuck ? 'stuck' : e.kind}`, d },
    s('title', {}, e.kind === 'held' ? 'held by' : 'waits for'),
  );
}

function told({ nodes, edges }) {
  const names = new Map(nodes.map((n) => [n.id, n.line ? n.line.name : who(n.place)]));
  return `${edges
    .slice(0, 20)
    .map((e) => `${names.get(e.from)} ${e.kind === 'held' ? 'is held by' : 'waits for'} ${names.get(e.to)}`)
    .join('; ')}.`;
}

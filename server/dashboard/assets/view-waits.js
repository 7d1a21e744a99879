// Who waits for whom: deadlocks, chains of waiting, and who is in the way of most.

import { h, draw } from './dom.js';
import { count, plural } from './format.js';
import { showCycles } from './deadlocks.js';
import { drawGraph, largest } from './draw-graph.js';
import { Table, compare } from './table.js';
import { circles, graph, parts } from './why.js';
import { ageOf, heading, lineLink, ownerLink, setAge } from './words.js';

const most = 6; // chains that are drawn

export function waitsView({ model, timings, cycles, link }, params) {
  const deadlocks = h('section', { class: 'panel', 'aria-labelledby': 'deadlocks' });
  const chains = h('div');
  const table = new Table({
    view: 'waits',
    params,
    label: 'Who is in the way',
    noun: ['holder', 'holders'],
    key: (b) => b.key,
    items: () => inTheWay(model),
    place: 'owner or name',
    matches: (b, text) =>
      b.place.owner.toLowerCase().includes(text) || b.lines.some((l) => l.name.toLowerCase().includes(text)),
    order: (a, b) => b.waiting - a.waiting || compare(a.key, b.key),
    nothing: 'Nobody waits.',
    columns: [
      {
        head: 'Owner',
        main: true,
        cell: (td) => td.append(h('span')),
        show: (td, b) => draw(td.firstChild, [b.key, b.place.owner], () => ownerLink(b.place)),
      },
      {
        head: 'Wait for it',
        number: true,
        down: true,
        sort: (b) => b.waiting,
        show: (td, b) => {
          td.textContent = count(b.waiting);
        },
      },
      {
        head: 'In',
        show: (td, b) =>
          draw(
            td,
            b.lines
              .slice(0, 3)
              .map((l) => l.name)
              .concat(b.lines.length),
            () =>
              [
                b.lines.slice(0, 3).map((l, i) => [i ? ', ' : '', lineLink(l.name)]),
                b.lines.length > 3 && ` +${b.lines.length - 3}`,
              ]
                .flat(2)
                .filter(Boolean),
          ),
      },
      {
        head: 'Held for',
        cell: (td) => td.append(ageOf()),
        show: (td, b) => setAge(td.firstChild, timings.heldSince(b.lines[0])),
      },
      {
        head: 'Waits itself for',
        show: (td, b) =>
          draw(
            td,
            b.waits.map((p) => p.line),
            () =>
              b.waits.length
                ? b.waits
                    .slice(0, 3)
                    .map((p, i) => [i ? ', ' : '', lineLink(p.line)])
                    .flat()
                : h('span', { class: 'quiet' }, 'nothing'),
          ),
      },
    ],
  });
  return {
    el: h(
      'div',
      {},
      heading('Who waits for whom'),
      deadlocks,
      h('h2', {}, 'Chains'),
      chains,
      h('h2', {}, 'Who is in the way'),
      table.el,
    ),
    update() {
      draw(deadlocks, [cycles.found, cycles.known, cycles.why, link.state === 'live'], () =>
        showCycles(deadlocks, cycles, model, link),
      );
      showChains(chains, model);
      table.update();
    },
  };
}

function showChains(el, model) {
  const all = parts(graph(model)).filter((p) => p.nodes.filter((n) => n.line).length > 1);
  const weight = (p) => p.nodes.reduce((sum, n) => sum + (n.line?.waiters.length ?? 0), 0);
  all.sort((a, b) => weight(b) - weight(a));
  const drawn = all.slice(0, most);
  draw(el, [drawn.map((p) => [p.nodes.map((n) => [n.id, n.waiting]), p.edges.length]), all.length], () =>
    all.length
      ? [
          ...drawn.map((p) =>
            h('div', { class: 'panel' }, p.nodes.length > largest ? tooLarge(p) : drawGraph(p, circles(p))),
          ),
          all.length > most && h('p', { class: 'quiet' }, `and ${all.length - most} more, smaller ones`),
        ].filter(Boolean)
      : h('p', { class: 'note' }, 'Nobody who is waited for waits for another lock.'),
  );
}

const tooLarge = (p) =>
  h(
    'p',
    {},
    `${plural(p.nodes.filter((n) => n.line).length, 'line', 'lines')} hang together, which is too much to draw. The table below has them.`,
  );

/** Who holds what others wait for. */
function inTheWay(model) {
  const found = new Map();
  const sessions = model.sessions();
  for (const line of model.totals().contended) {
    for (const p of line.holders) {
      const key = p.session || p.id;
      let b = found.get(key);
      if (!b)
        found.set(key, (b = { key, place: p, lines: [], waiting: 0, waits: sessions.get(p.session)?.waits ?? [] }));
      b.lines.push(line);
      b.waiting += line.waiters.length;
    }
  }
  return found.values();
}

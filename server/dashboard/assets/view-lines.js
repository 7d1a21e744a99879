// All lines.

import { attend } from './attention.js';
import { h, draw } from './dom.js';
import { clock, count, kindName, plain, span } from './format.js';
import { Table, compare } from './table.js';
import { ageOf, fact, heading, lineLink, ownerLink, setAge, who } from './words.js';

const kinds = ['', 'mutex', 'rw', 'semaphore', 'election', 'presence'];

export function linesView({ model, timings, cycles }, params) {
  const attention = h('section', { class: 'panel attention', 'aria-label': 'What to look at first' });
  const totals = h('dl', { class: 'facts' });
  const about = h('p', { class: 'quiet' });
  let shown = [];
  const table = new Table({
    view: 'lines',
    params,
    label: 'Lines',
    noun: ['line', 'lines'],
    key: (l) => l.name,
    items: () => model.lines.values(),
    matches: (l, text) =>
      l.name.toLowerCase().includes(text) ||
      l.places.some((p) => p.owner.toLowerCase().includes(text) || p.reason.toLowerCase().includes(text)),
    place: 'name, owner or reason',
    filters: {
      show: {
        label: 'Show',
        options: [
          ['', 'all'],
          ['contended', 'somebody waits', (l) => l.waiters.length > 0],
          ['marked', 'asked to go', (l) => l.marked.length > 0],
        ],
      },
      kind: {
        label: 'Kind',
        options: kinds.map((k) => [k, k ? kindName(k) : 'all', k ? (l) => l.kind === k : undefined]),
      },
    },
    // Where many wait is first; among those where nobody waits, the names are in order.
    order: (a, b) => b.waiters.length - a.waiters.length || compare(a.name, b.name),
    columns: columns(timings),
    nothing: 'Nobody holds anything, and nobody waits.',
    shown: (rows) => {
      shown = rows.map((l) => l.name);
    },
  });
  return {
    el: h('div', {}, heading('Lines'), attention, totals, table.el, about),
    names: () => shown,
    update() {
      const t = model.totals();
      attend(attention, model, timings, cycles.found);
      draw(totals, [t.lines, t.holding, t.waiting, t.sessions], () => [
        fact('lines', count(t.lines)),
        fact('holding', count(t.holding)),
        fact('waiting', count(t.waiting)),
        fact('sessions', count(t.sessions)),
      ]);
      draw(about, [timings.kept, timings.since && clock(timings.since)], () => h('span', {}, timesNote(timings)));
      table.update();
    },
  };
}

/** What the times mean, and what they do not. */
export function timesNote(timings) {
  if (timings.kept === false) return 'This server does not keep how long waits and holds take.';
  if (timings.since === undefined) return '';
  return `Waits and holds are what this server has seen since it began to look, at ${new Date(timings.since).toLocaleString(undefined, { hour12: false })}: p50 / p99, to within a fifth. What came and went between two looks is not in them.`;
}

/** Two quantiles; one, where they are the same. */
export const pair = (a, b) => (a === undefined ? '' : a === b ? span(a) : `${span(a)} / ${span(b)}`);

function columns(timings) {
  return [
    {
      head: 'Name',
      main: true,
      sort: (l) => l.name,
      cell: (td) => td.append(h('span')),
      show: (td, l) =>
        draw(td.firstChild, [l.name, l.kind], () => [
          lineLink(l.name),
          ' ',
          l.kind !== 'mutex' && h('span', { class: 'tag' }, kindName(l.kind)),
        ]),
    },
    {
      head: 'Held by',
      show: (td, l) => draw(td, [l.holders[0]?.id, l.holders.length, l.marked.length], () => holder(l)),
    },
    {
      head: 'Held for',
      down: true,
      sort: (l) => -(timings.heldSince(l) ?? Date.now()),
      title: 'since when: as the holder says, or else as this server has seen',
      cell: (td) => td.append(ageOf()),
      show: (td, l) => setAge(td.firstChild, l.kind === 'presence' ? undefined : timings.heldSince(l)),
    },
    {
      head: 'Waiting',
      number: true,
      down: true,
      sort: (l) => l.waiters.length,
      show: (td, l) =>
        draw(td, l.waiters.length, () =>
          l.waiters.length ? h('span', { class: 'tag wait' }, count(l.waiters.length)) : '',
        ),
    },
    {
      head: 'Longest wait',
      down: true,
      sort: (l) => -(timings.waitingSince(l) ?? Date.now()),
      cell: (td) => td.append(ageOf()),
      show: (td, l) => setAge(td.firstChild, timings.waitingSince(l)),
    },
    {
      head: 'Wait p50 / p99',
      number: true,
      minor: true,
      title: 'how long it took to get it, as this server has seen',
      show: (td, l) => {
        const t = timings.of(l.name);
        const text = pair(t.wait50, t.wait99);
        if (td.textContent !== text) td.textContent = text;
      },
    },
    {
      head: 'Hold p50 / p99',
      number: true,
      minor: true,
      title: 'how long it was held, as this server has seen',
      show: (td, l) => {
        const t = timings.of(l.name);
        const text = pair(t.hold50, t.hold99);
        if (td.textContent !== text) td.textContent = text;
      },
    },
    {
      head: 'For',
      minor: true,
      show: (td, l) => {
        const text = plain(l.holders[0]?.reason);
        if (td.textContent !== text) td.textContent = text;
      },
    },
  ];
}

function holder(l) {
  if (!l.holders.length) return h('span', { class: 'quiet' }, 'nobody');
  const rest = l.holders.length - 1;
  return h(
    'span',
    {},
    ownerLink(l.holders[0]),
    rest > 0 && h('span', { class: 'quiet', title: l.holders.slice(0, 20).map(who).join('\n') }, ` +${count(rest)}`),
    l.marked.length > 0 && [' ', h('span', { class: 'tag wait' }, 'asked to go')],
  );
}

// Elections: who leads, and who is ready to.

import { h, draw } from './dom.js';
import { count, plain } from './format.js';
import { Table, compare } from './table.js';
import { ageOf, heading, lineLink, ownerLink, setAge } from './words.js';

export function electionsView({ model, timings }, params) {
  let shown = [];
  const table = new Table({
    view: 'elections',
    params,
    label: 'Elections',
    noun: ['election', 'elections'],
    key: (l) => l.name,
    *items() {
      for (const l of model.lines.values()) if (l.kind === 'election') yield l;
    },
    matches: (l, text) =>
      l.name.toLowerCase().includes(text) ||
      l.places.some((p) => p.owner.toLowerCase().includes(text) || p.value.toLowerCase().includes(text)),
    place: 'name, owner or value',
    filters: {
      show: {
        label: 'Show',
        options: [
          ['', 'all'],
          ['none', 'without a second', (l) => l.waiters.length === 0],
        ],
      },
    },
    order: (a, b) => compare(a.name, b.name),
    nothing: 'There is no election.',
    shown: (rows) => {
      shown = rows.map((l) => l.name);
    },
    columns: [
      {
        head: 'Election',
        main: true,
        sort: (l) => l.name,
        cell: (td) => td.append(h('span')),
        show: (td, l) => draw(td.firstChild, l.name, () => lineLink(l.name)),
      },
      {
        head: 'Leader',
        show: (td, l) =>
          draw(td, l.holders[0]?.id, () =>
            l.holders[0] ? ownerLink(l.holders[0]) : h('span', { class: 'tag wait' }, 'nobody leads'),
          ),
      },
      {
        head: 'Tells',
        show: (td, l) => {
          td.textContent = plain(l.holders[0]?.value);
        },
      },
      {
        head: 'Leads for',
        down: true,
        sort: (l) => -(timings.heldSince(l) ?? Date.now()),
        cell: (td) => td.append(ageOf()),
        show: (td, l) => setAge(td.firstChild, timings.heldSince(l)),
      },
      {
        head: 'Candidates behind',
        number: true,
        down: true,
        sort: (l) => l.waiters.length,
        show: (td, l) => {
          td.textContent = count(l.waiters.length);
        },
      },
      {
        head: 'Token',
        minor: true,
        number: true,
        show: (td, l) => {
          td.textContent = l.holders[0]?.token ?? '';
        },
      },
    ],
  });
  return { el: h('div', {}, heading('Elections'), table.el), names: () => shown, update: () => table.update() };
}

// Sessions: one is a client, mostly a process. All it has lives by it.

import { h, draw, keyed } from './dom.js';
import { count, plain, span } from './format.js';
import { earliest } from './model.js';
import { Table, compare } from './table.js';
import { toSession } from './route.js';
import { ageOf, fact, heading, lineLink, setAge, who } from './words.js';

export function sessionsView({ model }, params) {
  const oldest = (s) => earliest(s.holds.map((p) => p.since ?? p.got));
  const table = new Table({
    view: 'sessions',
    params,
    label: 'Sessions',
    noun: ['session', 'sessions'],
    key: (s) => s.id,
    items: () => model.sessions().values(),
    place: 'owner, ID or name',
    matches: (s, text) =>
      s.owner.toLowerCase().includes(text) ||
      s.id.toLowerCase().includes(text) ||
      [...s.holds, ...s.waits].some((p) => p.line.toLowerCase().includes(text)),
    filters: {
      show: {
        label: 'Show',
        options: [
          ['', 'all'],
          ['waits', 'waits', (s) => s.waits.length > 0],
          ['both', 'holds and waits', (s) => s.waits.length > 0 && s.holds.length > 0],
        ],
      },
    },
    order: (a, b) =>
      b.waits.length - a.waits.length ||
      b.holds.length - a.holds.length ||
      compare(a.owner, b.owner) ||
      compare(a.id, b.id),
    nothing: 'No session stands in a line.',
    columns: [
      {
        head: 'Owner',
        main: true,
        sort: (s) => s.owner,
        cell: (td) => td.append(h('span')),
        show: (td, s) =>
          draw(td.firstChild, [s.id, s.owner], () =>
            h('a', { href: toSession(s.id) }, h('bdi', {}, who({ ...s, session: s.id }))),
          ),
      },
      {
        head: 'Holds',
        number: true,
        down: true,
        sort: (s) => s.holds.length,
        show: (td, s) => {
          td.textContent = s.holds.length ? count(s.holds.length) : '';
        },
      },
      {
        head: 'Waits for',
        show: (td, s) =>
          draw(
            td,
            s.waits
              .slice(0, 3)
              .map((p) => p.line)
              .concat(s.waits.length),
            () =>
              [
                s.waits.slice(0, 3).map((p, i) => [i ? ', ' : '', lineLink(p.line)]),
                s.waits.length > 3 && ` +${s.waits.length - 3}`,
              ]
                .flat(2)
                .filter(Boolean),
          ),
      },
      {
        head: 'Holds longest',
        down: true,
        sort: (s) => -(oldest(s) ?? Date.now()),
        cell: (td) => td.append(ageOf()),
        show: (td, s) => setAge(td.firstChild, oldest(s)),
      },
      {
        head: 'TTL',
        number: true,
        sort: (s) => s.ttl,
        show: (td, s) => {
          td.textContent = s.ttl ? span(s.ttl) : '';
        },
      },
      {
        head: 'ID',
        minor: true,
        cell: (td) => td.append(h('code')),
        show: (td, s) => {
          td.firstChild.textContent = plain(s.id).length > 20 ? `${plain(s.id).slice(0, 18)}…` : plain(s.id);
        },
      },
    ],
  });
  return {
    el: h(
      'div',
      {},
      heading('Sessions'),
      table.el,
      h('p', { class: 'quiet' }, 'A session that stands in no line is not shown: the store tells of lines only.'),
    ),
    update: () => table.update(),
  };
}

export function sessionView({ model }, params) {
  const id = params.get('id') ?? '';
  const title = heading('');
  const facts = h('dl', { class: 'facts' });
  const gone = h(
    'p',
    { class: 'note', hidden: true },
    'This session stands in no line any more: it was closed, has expired, or gave everything back.',
  );
  const rows = h('tbody', { role: 'rowgroup' });
  const table = h(
    'div',
    { class: 'wrap' },
    h(
      'table',
      { class: 'cards', role: 'table', 'aria-label': 'Its places' },
      h(
        'thead',
        { role: 'rowgroup' },
        h(
          'tr',
          { role: 'row' },
          ['Name', 'State', 'Since', 'Place in line', 'Why it is there'].map((t) =>
            h('th', { role: 'columnheader', scope: 'col' }, t),
          ),
        ),
      ),
      rows,
    ),
  );
  return {
    el: h('div', {}, title, facts, gone, table),
    title: 'Session',
    update() {
      const s = model.sessions().get(id) ?? { id, owner: '', ttl: 0, holds: [], waits: [] };
      const places = [...s.waits, ...s.holds.toSorted((a, b) => compare(a.line, b.line))];
      draw(title, [s.owner, id], () => h('bdi', {}, who({ ...s, session: id })));
      draw(facts, [s.holds.length, s.waits.length, s.ttl], () =>
        [
          fact('holds', count(s.holds.length)),
          fact('waits', count(s.waits.length)),
          s.ttl ? fact('lives unrenewed', span(s.ttl)) : '',
          fact('ID', h('code', {}, plain(id))),
        ].filter(Boolean),
      );
      gone.hidden = places.length > 0;
      table.hidden = places.length === 0;
      keyed(
        rows,
        places.slice(0, 500),
        (p) => p.line + p.id,
        (p) =>
          h(
            'tr',
            { role: 'row' },
            h('td', { role: 'cell', class: 'main' }, lineLink(p.line)),
            h('td', { role: 'cell' }),
            h('td', { role: 'cell', 'data-head': 'for' }, ageOf()),
            h('td', { role: 'cell', 'data-head': 'place' }),
            h('td', { role: 'cell' }),
          ),
        (tr, p) => {
          const line = model.line(p.line);
          draw(tr.children[1], p.granted, () =>
            h('span', { class: `tag ${p.granted ? 'hold' : 'wait'}` }, p.granted ? 'holds' : 'waits'),
          );
          setAge(tr.children[2].firstChild, p.granted ? (p.since ?? p.got) : p.came);
          tr.children[3].textContent = `${count(line.places.findIndex((q) => q.id === p.id) + 1)} of ${count(line.places.length)}`;
          tr.children[4].textContent = plain(p.reason);
        },
      );
    },
  };
}

// The last grants: how long each waited, and how long it held. The newest is first.

import { h, s, roomy } from './dom.js';
import { age, plural, span } from './format.js';
import { ownerLink, who } from './words.js';

const box = { row: 22, left: 170, right: 8, top: 22 };
const most = 14;

/** history is what /v1/history answers; line is how it stands now. */
export function grants({ grants: past, standing, at }, line) {
  const all = [
    ...standing
      .filter((p) => p.held_ms !== undefined)
      .map((p) => ({ ...p, ...whose(line, p), ended_ms: 0, open: true })),
    ...past,
  ]
    .sort((a, b) => begun(a) - begun(b))
    .slice(0, most);
  if (!all.length) return h('p', { class: 'quiet' }, 'No grant was seen in this line yet.');
  const w = roomy();
  const left = w < 500 ? 110 : box.left;
  const oldest = Math.max(1000, ...all.map((g) => begun(g) + (g.waited_ms ?? 0)));
  const x = (ago) => left + (1 - ago / oldest) * (w - left - box.right);
  const height = box.top + all.length * box.row + 6;
  const label = `The last ${plural(all.length, 'grant', 'grants')}, over ${span(oldest)}; the table below tells the same.`;
  return [
    s(
      'svg',
      { class: 'drawing', viewBox: `0 0 ${w} ${height}`, role: 'img', 'aria-label': label },
      [
        [oldest, 'start', `${span(oldest)} ago`],
        [0, 'end', 'now'],
      ].map(([ago, anchor, text]) => s('text', { class: 'quiet', x: x(ago), y: 13, 'text-anchor': anchor }, text)),
      all.map((g, i) => bar(g, box.top + i * box.row, x, left)),
    ),
    h(
      'p',
      { class: 'legend' },
      h('span', {}, h('i', { class: 'w' }), 'waited'),
      h('span', {}, h('i', { class: 'h' }), 'held'),
    ),
    h(
      'details',
      {},
      h('summary', {}, 'As a table'),
      h(
        'div',
        { class: 'wrap' },
        h(
          'table',
          { 'aria-label': 'Grants' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              ['Granted', 'To', 'Waited', 'Held'].map((t) => h('th', { scope: 'col' }, t)),
            ),
          ),
          h(
            'tbody',
            {},
            all.map((g) =>
              h(
                'tr',
                {},
                h('td', { class: 'age' }, `${age(at - begun(g), at)} ago`),
                h('td', {}, ownerLink(g)),
                h('td', {}, g.waited_ms === undefined ? 'not seen' : span(g.waited_ms)),
                h(
                  'td',
                  {},
                  g.open ? `${span(g.held_ms)} so far` : g.unsure ? `about ${span(g.held_ms)}` : span(g.held_ms),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** How long ago it was granted. */
const begun = (g) => g.ended_ms + g.held_ms;

const whose = (line, p) => line.byID.get(p.place) ?? {};

function bar(g, y, x, left) {
  const room = Math.floor(left / 6.8);
  const [from, to] = [x(begun(g)), x(g.ended_ms)];
  const wait = g.waited_ms > 0 && x(begun(g) + g.waited_ms);
  const title = s(
    'title',
    {},
    `${who(g)}: waited ${g.waited_ms === undefined ? 'for an unknown time' : span(g.waited_ms)}, held ${span(g.held_ms)}${g.open ? ' so far' : ''}`,
  );
  const name = who(g);
  return s(
    'g',
    {},
    title,
    s(
      'text',
      { x: left - 8, y: y + 14, 'text-anchor': 'end' },
      name.length > room ? `${name.slice(0, room - 1)}…` : name,
    ),
    wait !== false && s('rect', { class: 'bar-wait', x: wait, y: y + 6, width: Math.max(0, from - wait), height: 8 }),
    s('rect', {
      class: `bar-hold ${g.open ? 'bar-open' : ''}`,
      x: from,
      y: y + 3,
      width: Math.max(2, to - from),
      height: 14,
      rx: 2,
    }),
  );
}

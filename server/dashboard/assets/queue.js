// The places of a line, as rows of a table: who holds, then who waits, in order.

import { h, draw } from './dom.js';
import { count, plain, span } from './format.js';
import { askToGo } from './evict.js';
import { ageOf, ownerLink, setAge, who } from './words.js';

const heads = [
  { text: 'Place', class: 'number' },
  { text: 'Who' },
  { text: 'State' },
  { text: 'For' },
  { text: 'Takes', class: 'takes' },
  { text: 'Why it is there' },
  { text: 'Token', class: 'number' },
  { text: 'TTL', title: 'how long the session lives without a renewal' },
  { text: 'Action' },
];

export const headRow = () =>
  h(
    'tr',
    { role: 'row' },
    heads.map(({ text: words, ...props }) => h('th', { role: 'columnheader', scope: 'col', ...props }, words)),
  );

export function row(p, name, model, link) {
  const still = () => model.line(name).byID.get(p.id);
  const action = () => askToGo(still() ?? p, still);
  return h(
    'tr',
    { role: 'row' },
    h('td', { role: 'cell', class: 'minor number' }),
    h('td', { role: 'cell', class: 'main' }, ownerLink(p)),
    h('td', { role: 'cell', 'data-head': '' }),
    h('td', { role: 'cell', 'data-head': 'for' }, ageOf()),
    h('td', { role: 'cell', 'data-head': 'takes', class: 'takes' }),
    h('td', { role: 'cell', class: 'why' }),
    h('td', { role: 'cell', class: 'number minor' }),
    h('td', { role: 'cell', class: 'minor' }),
    h(
      'td',
      { role: 'cell', class: 'act' },
      h('button', { type: 'button', class: 'small', onclick: () => link.state === 'live' && action() }),
    ),
  );
}

/** seen is what the server has seen of the place, at a moment. */
export function fillRow(tr, p, line, seen, at, link) {
  const cells = tr.children;
  const place = line.places.indexOf(p) + 1;
  text(cells[0], count(place));
  draw(cells[2], [p.granted, p.eviction], () =>
    [
      p.granted ? h('span', { class: 'tag hold' }, 'holds') : h('span', { class: 'tag wait' }, 'waits'),
      p.eviction &&
        h('span', { class: 'tag wait', title: `${plain(p.eviction.by)}: ${plain(p.eviction.reason)}` }, 'asked to go'),
    ].filter(Boolean),
  );
  const ago = seen && (p.granted ? seen.held_ms : seen.waiting_ms);
  const sight = ago !== undefined ? at - ago : p.granted ? p.got : p.came;
  const said = p.granted ? p.since : undefined;
  setAge(cells[3].firstChild, said ?? sight, said && `since ${new Date(said).toLocaleString()}, as the holder says`);
  text(cells[4], takes(p, line));
  const why = [
    plain(p.reason),
    p.value && `tells ${plain(p.value)}`,
    p.eviction &&
      `asked to go${p.eviction.by ? ` by ${plain(p.eviction.by)}` : ''}${p.eviction.reason ? `: ${plain(p.eviction.reason)}` : ''}`,
  ]
    .filter(Boolean)
    .join(' · ');
  text(cells[5], why);
  text(cells[6], p.token);
  text(cells[7], p.ttl ? span(p.ttl) : '');
  const button = cells[8].firstChild;
  text(button, p.granted ? 'Ask to go…' : 'Remove…');
  button.setAttribute('aria-label', `${button.textContent} ${who(p)}, place ${place}`);
  button.disabled = link.state !== 'live';
  button.title = button.disabled ? 'not while this page is not live' : '';
}

function takes(p, line) {
  if (p.foreign || line.capacity === 1) return '';
  if (p.kind === 'rw') return p.units === 1 ? 'reads' : 'writes';
  return `${count(p.units)} of ${count(p.capacity)}`;
}

function text(el, words) {
  if (el.textContent !== words) el.textContent = words;
}

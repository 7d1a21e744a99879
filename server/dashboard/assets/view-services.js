// Groups: members of a fleet, and instances of a service, which are members with an address.

import { h, draw } from './dom.js';
import { plain } from './format.js';
import { Table, compare } from './table.js';
import { ageOf, heading, lineLink, ownerLink, setAge } from './words.js';

/** What package membership, and package discovery on top of it, write as the value of a place. */
export function memberOf(p) {
  const [head, ...rest] = p.value.split('\n');
  const card = parse(head);
  if (typeof card?.id !== 'string') return { id: '', data: p.value };
  const data = rest.join('\n');
  const instance = parse(data);
  return typeof instance?.addr === 'string'
    ? { id: card.id, addr: instance.addr, weight: instance.weight ?? 1, meta: instance.meta ?? {} }
    : { id: card.id, data };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function servicesView({ model }, params) {
  const table = new Table({
    view: 'services',
    params,
    label: 'Members and instances',
    noun: ['member', 'members'],
    key: (m) => m.key,
    place: 'group, member or address',
    items: function* items() {
      for (const l of model.lines.values()) {
        if (l.kind !== 'presence') continue;
        for (const p of l.places)
          yield { key: `${l.name}\n${p.id}`, group: l.name, of: l.places.length, place: p, ...memberOf(p) };
      }
    },
    matches: (m, text) => [m.group, m.id, m.addr, m.place.owner, m.data].some((t) => t?.toLowerCase().includes(text)),
    order: (a, b) => compare(a.group, b.group) || compare(a.id, b.id) || compare(a.key, b.key),
    nothing: 'No group has a member, and no service an instance.',
    columns: [
      {
        head: 'Group or service',
        main: true,
        sort: (m) => m.group,
        cell: (td) => td.append(h('span')),
        show: (td, m) =>
          draw(td.firstChild, [m.group, m.of], () => [
            lineLink(m.group),
            ' ',
            h('span', { class: 'quiet' }, `${m.of}`, h('span', { class: 'hidden' }, ' members')),
          ]),
      },
      {
        head: 'Member',
        sort: (m) => m.id,
        show: (td, m) => {
          td.textContent = plain(m.id);
        },
      },
      {
        head: 'Address',
        sort: (m) => m.addr,
        cell: (td) => td.append(h('code')),
        show: (td, m) => {
          td.firstChild.textContent = plain(m.addr);
        },
      },
      {
        head: 'Tells',
        show: (td, m) => {
          td.textContent = m.addr
            ? [
                m.weight !== 1 && `weight ${m.weight}`,
                ...Object.entries(m.meta).map(([k, v]) => `${plain(k)}=${plain(v)}`),
              ]
                .filter(Boolean)
                .join(' ')
            : plain(m.data);
        },
      },
      {
        head: 'There for',
        down: true,
        sort: (m) => -(m.place.since ?? Date.now()),
        cell: (td) => td.append(ageOf()),
        show: (td, m) => setAge(td.firstChild, m.place.since ?? m.place.got),
      },
      { head: 'Owner', show: (td, m) => draw(td, [m.place.id, m.place.owner], () => ownerLink(m.place)) },
    ],
  });
  return { el: h('div', {}, heading('Services'), table.el), update: () => table.update() };
}

// Deadlocks: drawn, in words, and with the way out.

import { h } from './dom.js';
import { plural } from './format.js';
import { askToGo } from './evict.js';
import { ring } from './draw-ring.js';
import { lineLink, ownerLink, who } from './words.js';

const most = 6; // are drawn

export function showCycles(el, cycles, model, link) {
  el.classList.toggle('attention', true);
  el.classList.toggle('stuck', cycles.found.length > 0);
  el.classList.toggle('calm', cycles.known && cycles.found.length === 0);
  const head = (text) => h('h2', { id: 'deadlocks' }, text);
  if (!cycles.known)
    return [
      head('Deadlocks'),
      h('p', { class: 'quiet' }, cycles.why ? `Not known: ${cycles.why}.` : 'Asking the server…'),
    ];
  if (!cycles.found.length)
    return [
      head('No deadlock'),
      h('p', { class: 'quiet' }, 'Nobody waits in a circle. Waits for anything but a lock are not seen here.'),
    ];
  return [
    head(howMany(cycles.found)),
    h(
      'div',
      { class: 'split' },
      cycles.found.slice(0, most).map((c) => showCycle(c, model, link)),
    ),
    cycles.found.length > most && h('p', {}, `and ${cycles.found.length - most} more`),
  ].filter(Boolean);
}

function howMany(found) {
  const certain = found.filter((c) => c.certain).length;
  const parts = [
    certain && plural(certain, 'deadlock', 'deadlocks'),
    found.length > certain && plural(found.length - certain, 'possible deadlock', 'possible deadlocks'),
  ];
  return parts.filter(Boolean).join(', ');
}

function showCycle(c, model, link) {
  const victim = c.steps.find((s) => !s.waits.granted)?.waits;
  const still = victim && (() => model.line(victim.line).byID.get(victim.id));
  return h(
    'figure',
    { class: 'ring' },
    h(
      'figcaption',
      {},
      h('span', { class: 'tag stuck' }, c.certain ? 'deadlock' : 'possible deadlock'),
      ' ',
      c.certain
        ? 'Each waits inside of what it holds: none goes on before one gives up.'
        : 'The same processes hold and wait. If who holds is not who waits, it passes by itself.',
    ),
    ring(c),
    h(
      'div',
      { class: 'told' },
      h(
        'ol',
        { class: 'chain' },
        c.steps.map((s) =>
          h(
            'li',
            {},
            ownerLink(s.holds),
            s.holds.granted ? ' holds ' : ' stands ahead in ',
            lineLink(s.holds.line),
            ' and waits for ',
            lineLink(s.waits.line),
          ),
        ),
      ),
      victim &&
        h(
          'p',
          {},
          h(
            'button',
            { type: 'button', disabled: link.state !== 'live', onclick: () => still() && askToGo(still(), still) },
            `End the wait of ${who(victim)}…`,
          ),
        ),
    ),
  );
}

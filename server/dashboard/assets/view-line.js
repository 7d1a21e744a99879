// One line: who holds, who waits in which order, why nothing moves, and what happened before.

import { get, Problem } from './api.js';
import { h, draw, keyed } from './dom.js';
import { count, kindName, plain, plural } from './format.js';
import { explain } from './explain.js';
import { contention } from './draw-contention.js';
import { grants } from './draw-grants.js';
import { fillRow, headRow, row } from './queue.js';
import { pair, timesNote } from './view-lines.js';
import { fact, heading, ownerLink } from './words.js';

const most = 500; // places that are shown

export function lineView({ model, timings, cycles, link }, params) {
  const name = params.get('name') ?? '';
  const facts = h('dl', { class: 'facts' });
  const now = h('p');
  const why = h('section', { class: 'panel', 'aria-label': 'Why it does not move', hidden: true });
  const rows = h('tbody', { role: 'rowgroup' });
  const queue = h(
    'table',
    { class: 'cards', role: 'table', 'aria-label': 'The line, in order' },
    h('thead', { role: 'rowgroup' }, headRow()),
    rows,
  );
  const more = h('p', { class: 'quiet' });
  const plot = h('section', { class: 'panel', 'aria-label': 'Who waited, over time' });
  const past = h('section', { class: 'panel', 'aria-label': 'Grants' });
  const about = h('p', { class: 'quiet' });
  let history; // what the server has seen
  let missing = '';

  const el = h(
    'div',
    {},
    heading(h('bdi', { class: 'name' }, plain(name))),
    facts,
    now,
    why,
    h('div', { class: 'wrap' }, queue),
    more,
    h('h2', {}, 'What this server has seen'),
    h('div', { class: 'split' }, plot, past),
    about,
  );

  return {
    el,
    title: plain(name),
    names: () => [name],
    async refresh(signal) {
      try {
        const answer = await get('/v1/history', { name }, signal);
        history = { ...answer, at: Date.now() };
        missing = '';
      } catch (err) {
        if (!signal.aborted)
          missing =
            err instanceof Problem && (err.code === 'unsupported' || err.code === 'not-found')
              ? 'This server keeps no history.'
              : `The history is not known: ${err.message}.`;
      }
    },
    update() {
      const line = model.line(name);
      const t = timings.of(name);
      draw(
        facts,
        [
          line.kind,
          line.capacity,
          line.holders.length,
          line.waiters.length,
          t.grants,
          t.wait50,
          t.wait99,
          t.hold50,
          t.hold99,
        ],
        () => factsOf(line, t),
      );
      queue.classList.toggle('single', line.capacity === 1);
      draw(now, [line.holders.map((p) => p.id), line.waiters.length], () => h('span', {}, sentence(line)));
      explain(why, model, line, cycles.found);
      const seen = new Map((history?.standing ?? []).map((p) => [p.place, p]));
      keyed(
        rows,
        line.places.slice(0, most),
        (p) => p.id,
        (p) => row(p, name, model, link),
        (tr, p) => fillRow(tr, p, line, seen.get(p.id), history?.at, link),
      );
      more.textContent =
        line.places.length > most ? `and ${count(line.places.length - most)} more, further behind` : '';
      drawPast(line);
    },
  };

  function drawPast(line) {
    draw(plot, [history?.at, missing], () => [
      h('h3', { class: 'hidden' }, 'Who waited, over time'),
      history ? contention(history) : h('p', { class: 'quiet' }, missing || 'Asking the server…'),
    ]);
    draw(past, [history?.at, missing], () => [
      h('h3', { class: 'hidden' }, 'Grants'),
      history ? grants(history, line) : h('p', { class: 'quiet' }, missing || 'Asking the server…'),
    ]);
    about.textContent = timesNote(timings);
  }
}

function factsOf(line, t) {
  const used = line.holders.reduce((sum, p) => sum + (p.foreign ? line.capacity : p.units), 0);
  return [
    fact('kind', kindName(line.kind)),
    line.kind === 'semaphore' && fact('permits', `${count(used)} of ${count(line.capacity)} taken`),
    fact('holding', count(line.holders.length)),
    fact('waiting', count(line.waiters.length)),
    t.grants > 0 && fact('grants seen', count(t.grants)),
    t.wait50 !== undefined && fact('wait p50 / p99', pair(t.wait50, t.wait99)),
    t.hold50 !== undefined && fact('hold p50 / p99', pair(t.hold50, t.hold99)),
  ].filter(Boolean);
}

function sentence(line) {
  if (!line.places.length) return 'Nobody stands in this line. When somebody does, it is shown here.';
  if (!line.holders.length) return `Nobody holds it, and ${plural(line.waiters.length, 'waits', 'wait')}.`;
  const [first, ...rest] = line.holders;
  return [
    'Held by ',
    h('strong', {}, ownerLink(first)),
    rest.length ? ` and ${count(rest.length)} more` : '',
    line.waiters.length ? `. ${plural(line.waiters.length, 'waits', 'wait')}.` : '. Nobody waits.',
  ];
}

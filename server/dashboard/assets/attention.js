// What one should look at first.

import { h, draw } from './dom.js';
import { age, plain, plural } from './format.js';
import { to } from './route.js';
import { lineLink, ownerLink, who } from './words.js';

/** From when on a lock counts as held for long while others wait: what `holdgate doctor` says. */
const long = 10 * 60_000;
const most = 6; // are shown

/** What looks wrong, the worst first: {level, text for comparison, parts to show}. */
export function findings(model, timings, cycles) {
  const found = cycles.map((c) => ({
    level: c.certain ? 3 : 2,
    lines: c.steps.map((s) => s.waits.line),
    parts: () => [
      h('span', { class: 'tag stuck' }, c.certain ? 'deadlock' : 'possible deadlock'),
      ' ',
      c.steps.map((s, i) => [i ? ', ' : '', who(s.waits), ' waits for ', lineLink(s.waits.line)]),
      '. ',
      h('a', { href: to('waits') }, 'See who waits for whom'),
    ],
    text: `cycle ${c.steps.map((s) => s.waits.id)}`,
  }));
  // Of what is in a deadlock more is known than that it is held for long.
  const told = new Set(found.flatMap((f) => (f.level === 3 ? f.lines : [])));
  for (const line of model.totals().contended) {
    const since = timings.heldSince(line);
    const head = line.holders[0];
    if (line.mixed)
      found.push({
        level: 1,
        text: `mixed ${line.name}`,
        parts: () => [
          tag('mixed use'),
          lineLink(line.name),
          ' is used as different kinds of lock, which never share it',
        ],
      });
    if (head?.foreign) {
      found.push({
        level: 1,
        text: `foreign ${line.name}`,
        parts: () => [
          tag('other software'),
          lineLink(line.name),
          ` is held by other software, and ${plural(line.waiters.length, 'waits', 'wait')} behind it`,
        ],
      });
    } else if (
      head &&
      !told.has(line.name) &&
      line.kind !== 'election' &&
      since !== undefined &&
      Date.now() - since > long
    ) {
      found.push({
        level: 2,
        text: `long ${line.name} ${head.id} ${age(since).split(' ')[0]} ${line.waiters.length}`,
        parts: () => [
          tag('held long'),
          lineLink(line.name),
          ' is held by ',
          ownerLink(head),
          ` for ${age(since)}, and ${plural(line.waiters.length, 'waits', 'wait')}`,
        ],
      });
    }
  }
  for (const line of model.lines.values()) {
    for (const p of line.marked) {
      found.push({
        level: 1,
        text: `marked ${line.name} ${p.id}`,
        parts: () => [
          tag('asked to go'),
          ownerLink(p),
          ' was asked to give up ',
          lineLink(line.name),
          p.eviction.by ? ` by ${plain(p.eviction.by)}` : '',
          p.eviction.reason ? `: ${plain(p.eviction.reason)}` : '',
          '. It still holds.',
        ],
      });
    }
  }
  return found.sort((a, b) => b.level - a.level);
}

const tag = (text) => [h('span', { class: 'tag wait' }, text), ' '];

/** Shows it in an element. */
export function attend(el, model, timings, cycles) {
  const found = findings(model, timings, cycles);
  const totals = model.totals();
  const busiest = found.length
    ? undefined
    : totals.contended.reduce((a, b) => (a && a.waiters.length >= b.waiters.length ? a : b), undefined);
  draw(
    el,
    found.length
      ? found
          .slice(0, most)
          .map((f) => f.text)
          .concat(found.length)
      : ['calm', totals.waiting, busiest?.name, busiest?.waiters.length],
    () => {
      el.className = `panel attention ${found.some((f) => f.level === 3) ? 'stuck' : found.length ? '' : 'calm'}`;
      if (!found.length) {
        return h(
          'p',
          {},
          h('strong', {}, 'Nothing looks stuck.'),
          ' ',
          totals.waiting
            ? [
                `${plural(totals.waiting, 'waits', 'wait')}; the longest line is `,
                lineLink(busiest.name),
                ` with ${busiest.waiters.length}.`,
              ]
            : 'Nobody waits.',
        );
      }
      return [
        h('h2', {}, 'Look at this first'),
        h(
          'ul',
          {},
          found.slice(0, most).map((f) => h('li', {}, f.parts())),
        ),
        found.length > most && h('p', { class: 'quiet' }, `and ${found.length - most} more`),
      ];
    },
  );
}

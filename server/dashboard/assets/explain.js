// Why a line does not move, in words.

import { h, draw } from './dom.js';
import { to } from './route.js';
import { chain } from './why.js';
import { lineLink, ownerLink, who } from './words.js';

/** Shows where the waiting leads: the one at the end is the one to look at. */
export function explain(el, model, line, cycles) {
  const { steps, end } = line.waiters.length ? chain(model, line) : { steps: [], end: 'nobody' };
  const stuck = cycles.find((c) => c.steps.some((s) => s.waits.line === line.name || s.holds.line === line.name));
  el.hidden = steps.length < 2 && !stuck;
  if (el.hidden) return;
  draw(el, [steps.map((s) => s.holder.id), end, stuck?.certain], () => {
    el.className = `panel attention ${stuck?.certain || end === 'circle' ? 'stuck' : ''}`;
    return [
      h('h2', {}, 'Why it does not move'),
      h(
        'ol',
        { class: 'chain' },
        steps.map((s, i) =>
          h(
            'li',
            {},
            i === 0
              ? [lineLink(s.line.name), ' is held by ']
              : ['which waits for ', lineLink(s.line.name), ', held by '],
            ownerLink(s.holder),
          ),
        ),
      ),
      h(
        'p',
        {},
        ends[end](steps.at(-1)?.holder),
        stuck && [' ', h('a', { href: to('waits') }, stuck.certain ? 'It is a deadlock.' : 'It may be a deadlock.')],
      ),
    ];
  });
}

const ends = {
  free: (p) => `${who(p)} waits for nothing that Holdgate knows of: look at what it does.`,
  circle: () => 'That is who came before: they wait for each other.',
  foreign: () => 'It is other software: what that waits for is not known.',
  nobody: () => '',
};

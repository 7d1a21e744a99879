// How long the store took to answer, look by look.

import { s, roomy } from './dom.js';
import { span } from './format.js';

export function latency(looks) {
  const w = roomy();
  const height = 60;
  const top = Math.max(5, ...looks.map((l) => l.took ?? 0));
  const step = w / Math.max(looks.length, 20);
  const failed = looks.filter((l) => l.why).length;
  const label = `The last ${looks.length} looks: the longest took ${span(top)}, ${failed} got no answer.`;
  return s(
    'svg',
    { class: 'drawing', viewBox: `0 0 ${w} ${height + 18}`, role: 'img', 'aria-label': label },
    looks.map((l, i) =>
      s(
        'rect',
        {
          class: l.why ? 'box stuck' : 'bar-hold',
          x: i * step + 1,
          width: Math.max(1, step - 2),
          y: l.why ? 0 : height - Math.max(2, (l.took / top) * height),
          height: l.why ? height : Math.max(2, (l.took / top) * height),
        },
        s('title', {}, l.why ?? span(l.took)),
      ),
    ),
    s('text', { class: 'quiet', x: 0, y: height + 14 }, label),
  );
}

// How many waited and held, over time, as steps: a line is as it is until it changes.

import { h, s, roomy } from './dom.js';
import { count, span } from './format.js';

const box = { h: 170, left: 34, right: 8, top: 10, bottom: 24 };

/** history is what /v1/history answers. */
export function contention({ points, watched_ms: watched }) {
  if (!points.length) return h('p', { class: 'quiet' }, 'Nothing was seen in this line yet.');
  const w = roomy();
  const oldest = Math.max(points[0].ago_ms, 10_000);
  const top = Math.max(2, ...points.map((p) => Math.max(p.peak, p.holding > 1 ? p.holding : 0)));
  const x = (ago) => box.left + (1 - Math.max(0, ago) / oldest) * (w - box.left - box.right);
  const y = (n) => box.h - box.bottom - (n / top) * (box.h - box.top - box.bottom);
  const steps = (of) =>
    points
      .map((p, i) => `${i ? `H${x(p.ago_ms).toFixed(1)}V` : `M${x(p.ago_ms).toFixed(1)} `}${y(of(p)).toFixed(1)}`)
      .join('') + `H${x(0)}`;
  const area = `${crests(points, x, y)}V${y(0)}H${x(points[0].ago_ms).toFixed(1)}Z`;
  const peak = Math.max(...points.map((p) => p.peak));
  const shared = points.some((p) => p.holding > 1);
  const label = `In the last ${span(oldest)} up to ${count(peak)} waited at once; now ${count(points.at(-1).waiting)} do.`;
  return [
    h('p', {}, label),
    s(
      'svg',
      { class: 'drawing', viewBox: `0 0 ${w} ${box.h}`, role: 'img', 'aria-label': label },
      levels(top).map((n) => [
        s('path', { class: 'axis', d: `M${box.left} ${y(n)}H${w - box.right}` }),
        s('text', { class: 'quiet', x: box.left - 6, y: y(n) + 4, 'text-anchor': 'end' }, count(n)),
      ]),
      points
        .filter((p) => p.gap)
        .map((p) =>
          s(
            'rect',
            { class: 'gap', x: x(p.ago_ms) - 2, y: box.top, width: 4, height: box.h - box.top - box.bottom },
            s('title', {}, 'the watch broke here'),
          ),
        ),
      s('path', { class: 'waiting-area', d: area }),
      shared && s('path', { class: 'holding-line', d: steps((p) => p.holding) }),
      [
        [oldest, 'start', `${span(oldest)} ago`],
        [oldest / 2, 'middle', span(oldest / 2)],
        [0, 'end', 'now'],
      ].map(([ago, anchor, text]) =>
        s('text', { class: 'quiet', x: x(ago), y: box.h - 7, 'text-anchor': anchor }, text),
      ),
    ),
    h(
      'p',
      { class: 'legend' },
      h('span', {}, h('i', { class: 'w' }), 'wait'),
      shared && h('span', {}, h('i', { class: 'h' }), 'hold'),
      h('span', {}, `this server looks on for ${span(watched)}`),
    ),
  ];
}

/** As steps, with the peak of each point as a short crest where it begins. */
function crests(points, x, y) {
  return (
    points
      .map((p, i) => {
        const from = x(p.ago_ms);
        const crest =
          p.peak > p.waiting
            ? `V${y(p.peak).toFixed(1)}H${Math.min(from + 2, x(points[i + 1]?.ago_ms ?? 0)).toFixed(1)}`
            : '';
        return `${i ? `H${from.toFixed(1)}` : `M${from.toFixed(1)} ${y(0)}`}${crest}V${y(p.waiting).toFixed(1)}`;
      })
      .join('') + `H${x(0)}`
  );
}

function levels(top) {
  return top <= 4 ? Array.from({ length: top + 1 }, (_, i) => i) : [0, Math.round(top / 2), top];
}

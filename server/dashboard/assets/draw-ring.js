// A circle of those who wait for each other: holder, lock, next holder, and so on around.

import { s, roomy } from './dom.js';
import { border, boxAt, size, tips } from './draw-box.js';
import { who } from './words.js';

export function ring({ steps }) {
  const boxes = steps.flatMap((step) => [
    { session: step.waits.session, text: who(step.waits) },
    { name: step.waits.line, text: step.waits.line },
  ]);
  const narrow = roomy() < 400;
  const rx = narrow ? 88 : Math.max(150, boxes.length * 34);
  const ry = Math.max(78, boxes.length * (narrow ? 34 : 21));
  const w = 2 * rx + size.w + 16;
  const height = 2 * ry + size.h + 16;
  const at = boxes.map((_, i) => {
    const angle = (i / boxes.length) * 2 * Math.PI - Math.PI / 2;
    return { x: w / 2 + rx * Math.cos(angle), y: height / 2 + ry * Math.sin(angle) };
  });
  const label = `${steps.map((step) => `${who(step.waits)} waits for ${step.waits.line}`).join(', ')}, and so around.`;
  return s(
    'svg',
    { class: 'drawing', viewBox: `0 0 ${w} ${height}`, role: 'group', 'aria-label': label },
    tips(),
    at
      .map((from, i) => {
        const to = at[(i + 1) % at.length];
        const [a, b] = [border(from, to), border(to, from)];
        return [
          s('path', { class: 'arrow stuck', d: `M${a.x} ${a.y}L${b.x} ${b.y}` }),
          s(
            'text',
            { class: 'quiet', x: (a.x + b.x) / 2 + 6, y: (a.y + b.y) / 2 + (i % 2 ? 12 : -4) },
            i % 2 ? 'held by' : 'waits for',
          ),
        ];
      })
      .flat(),
    boxes.map((b, i) => boxAt(at[i], { ...b, stuck: true })),
  );
}

// Boxes with words in them, and arrows between them.

import { s } from './dom.js';
import { plain } from './format.js';
import { toLine, toSession } from './route.js';

export const size = { w: 168, h: 38 };

const short = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

/** A box at its middle, that leads to its page. */
export function boxAt({ x, y }, { name, session, text, under, stuck }) {
  const href = name !== undefined ? toLine(name) : session ? toSession(session) : undefined;
  const what = [
    s('title', {}, plain(text)),
    s('rect', {
      class: `box ${name !== undefined ? 'line' : ''} ${stuck ? 'stuck' : ''}`,
      x: x - size.w / 2,
      y: y - size.h / 2,
      width: size.w,
      height: size.h,
      rx: name !== undefined ? 3 : 19,
    }),
    s(
      'text',
      { x, y: under ? y - 2 : y + 4, 'text-anchor': 'middle', class: name !== undefined ? 'mono' : undefined },
      short(plain(text), 21),
    ),
    under && s('text', { x, y: y + 13, 'text-anchor': 'middle', class: 'quiet' }, under),
  ];
  return href ? s('a', { href }, what) : s('g', {}, what);
}

/** Where the way from the middle of one box to another crosses its border. */
export function border(from, to) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const k = Math.min(size.w / 2 / Math.abs(dx || 1e-9), size.h / 2 / Math.abs(dy || 1e-9));
  return { x: from.x + dx * k, y: from.y + dy * k };
}

/** The tips of arrows, for the definitions of a drawing. */
export const tips = () =>
  s(
    'defs',
    {},
    ['tip', 'tip-stuck'].map((id) =>
      s(
        'marker',
        {
          id,
          viewBox: '0 0 8 8',
          refX: 7,
          refY: 4,
          markerWidth: id === 'tip' ? 7 : 5,
          markerHeight: id === 'tip' ? 7 : 5,
          orient: 'auto',
        },
        s('path', { class: id === 'tip' ? 'tip' : 'tip stuck', d: 'M0 0L8 4L0 8z' }),
      ),
    ),
  );

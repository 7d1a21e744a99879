// Small pieces that many views show.

import { h } from './dom.js';
import { age, plain } from './format.js';
import { toLine, toSession } from './route.js';

export const lineLink = (name) => h('a', { href: toLine(name), class: 'name' }, h('bdi', {}, plain(name)));

/** Who it is, as it says itself; without a name, the beginning of its session's. */
export function who(p) {
  if (p.foreign) return 'other software';
  return plain(p.owner) || (p.session ? `session ${plain(p.session).slice(0, 8)}…` : 'somebody without a name');
}

export function ownerLink(p) {
  if (!p.session) return h('span', {}, who(p));
  return h('a', { href: toSession(p.session) }, h('bdi', {}, who(p)));
}

/** An age that goes on by itself: see tick. */
export function ageOf(since, title) {
  return h('time', { 'data-since': since, title, datetime: since && new Date(since).toISOString() }, age(since));
}

export function setAge(el, since, title) {
  if (since === undefined) {
    delete el.dataset.since;
    el.textContent = '';
    el.removeAttribute('title');
    return;
  }
  el.dataset.since = since;
  el.title = title ?? `since ${new Date(since).toLocaleString()}`;
  const text = age(since);
  if (el.textContent !== text) el.textContent = text;
}

/** Moves all ages on. */
export function tick() {
  const now = Date.now();
  for (const el of document.querySelectorAll('time[data-since]')) {
    const text = age(Number(el.dataset.since), now);
    if (el.textContent !== text) el.textContent = text;
  }
}

export const fact = (name, value) => h('div', {}, h('dt', {}, name), h('dd', {}, value));

export const heading = (...text) => h('h1', { tabindex: '-1' }, ...text);

/** Says something once, for eyes and for screen readers. */
export function announce(text) {
  const el = document.getElementById('said');
  el.textContent = text;
  clearTimeout(el.timer);
  el.timer = setTimeout(() => {
    el.textContent = '';
  }, 8000);
}

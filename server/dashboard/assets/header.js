// The top of the page: where one can go, and whether what one sees is live.

import { token } from './api.js';
import { h, say, draw } from './dom.js';
import { age, clock, plain } from './format.js';
import { to } from './route.js';

/** Makes the menu, of views and their names. */
export function menu(views) {
  const leave = () => {
    token.set('');
    location.reload();
  };
  document
    .getElementById('views')
    .append(
      ...Object.entries(views).map(([view, name]) => h('a', { href: to(view), 'data-view': view }, name)),
      h('a', { href: '#/', id: 'leave', hidden: true, onclick: leave }, 'Sign out'),
    );
}

/** Shows how sure one may be of the page. */
export function header(link, model, prefix) {
  const el = document.getElementById('link');
  el.className = `link ${link.state}`;
  const texts = {
    connecting: 'connecting',
    live: 'live',
    stale: `not live since ${link.since && clock(link.since)}`,
    denied: 'not allowed',
    unknown: 'not signed in',
  };
  say(el, texts[link.state] + (prefix ? ` · only ${plain(prefix)}…` : ''));
  document.getElementById('leave').hidden = !token.get();
  const stale = link.state === 'stale';
  document.body.classList.toggle('stale-page', stale);
  draw(
    document.getElementById('banner'),
    stale && [link.why, link.since],
    () =>
      stale &&
      h(
        'span',
        {},
        h('strong', {}, `Not live: ${link.why}. `),
        model.known ? `What you see is how it was at ${clock(link.since)}, ` : 'Last tried ',
        h('time', { 'data-since': link.since }, age(link.since)),
        ' ago. ',
        h('button', { type: 'button', class: 'small', onclick: () => link.retry() }, 'Try now'),
      ),
  );
}

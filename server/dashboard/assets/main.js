// The page: one stream, one model, one view at a time.

import { door } from './access.js';
import { Cycles } from './cycles.js';
import { h } from './dom.js';
import { header, menu } from './header.js';
import { Link } from './link.js';
import { Model } from './model.js';
import { here } from './route.js';
import { Timings } from './timings.js';
import { tick } from './words.js';
import { linesView } from './view-lines.js';
import { lineView } from './view-line.js';
import { waitsView } from './view-waits.js';
import { sessionsView, sessionView } from './view-sessions.js';
import { electionsView } from './view-elections.js';
import { servicesView } from './view-services.js';
import { storeView } from './view-store.js';

const views = {
  lines: { make: linesView, title: 'Lines' },
  waits: { make: waitsView, title: 'Who waits for whom' },
  sessions: { make: sessionsView, title: 'Sessions' },
  elections: { make: electionsView, title: 'Elections' },
  services: { make: servicesView, title: 'Services' },
  store: { make: storeView, title: 'Store' },
  line: { make: lineView, title: 'Line', under: 'lines' },
  session: { make: sessionView, title: 'Session', under: 'sessions' },
};
const inMenu = {
  lines: 'Lines',
  waits: 'Waits',
  sessions: 'Sessions',
  elections: 'Elections',
  services: 'Services',
  store: 'Store',
};

const prefix = new URLSearchParams(location.search).get('prefix') ?? '';
const main = document.getElementById('main');
const model = new Model();
const timings = new Timings();
const cycles = new Cycles();
const link = new Link(model, prefix, changed);
const world = { model, timings, cycles, link, prefix };

let view; // {el, update(), names() that are shown, refresh() asks the server, close()}
let shut; // which door is shown instead of a view

function show(focus) {
  const { view: name, params } = here();
  const v = views[name] ?? views.lines;
  for (const a of document.querySelectorAll('#views a')) {
    const current = a.dataset.view === (v.under ?? name);
    if (current) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  view?.close?.();
  view = undefined;
  shut = undefined;
  if (!ready()) return;
  view = v.make(world, params);
  main.replaceChildren(view.el);
  main.removeAttribute('aria-busy');
  document.title = `${view.title ?? v.title} · Holdgate`;
  view.update();
  refresh();
  if (focus) main.querySelector('h1')?.focus();
}

/** Shows why there is nothing to be seen, if there is not. */
function ready() {
  const closed = link.state === 'denied' || link.state === 'unknown' ? link.state + link.refusals : '';
  if (closed) {
    if (shut !== closed) main.replaceChildren(door(link, prefix));
    shut = closed;
    document.title = 'Who are you? · Holdgate';
    main.removeAttribute('aria-busy');
    return false;
  }
  if (!model.known) {
    main.setAttribute('aria-busy', 'true');
    main.replaceChildren(
      h('h1', { tabindex: '-1' }, link.state === 'stale' ? 'The server does not answer' : 'Reading the lines…'),
    );
    return false;
  }
  return true;
}

// However fast things change, the page is drawn at most four times a second.
let due;
let waited;
function changed() {
  header(link, model, prefix);
  due ??= setTimeout(() => {
    due = undefined;
    if (!ready()) {
      view?.close?.();
      view = undefined;
    } else if (view) view.update();
    else show();
    const { waiting } = model.totals();
    if (waiting !== waited) refresh(); // somebody came or went: what was asked for is old
    waited = waiting;
  }, 250);
}
/** Asks the server for what is not in the stream, while somebody looks: once a second at most. */
let asking;
async function refresh() {
  if (document.hidden || link.state !== 'live' || !view) return;
  if (asking?.view === view) {
    asking.again = true;
    return;
  }
  asking?.stop.abort();
  const mine = (asking = { view, stop: new AbortController(), again: false });
  const { signal } = mine.stop;
  const pause = new Promise((resolve) => {
    setTimeout(resolve, 1000);
  });
  const answers = [timings.ask([...named()], signal), cycles.ask(model, prefix, signal), mine.view.refresh?.(signal)];
  await Promise.allSettled(answers.map((answer) => answer?.then(() => view === mine.view && ready() && view.update())));
  await pause;
  if (asking !== mine) return;
  asking = undefined;
  if (mine.again) refresh();
}

/** What to ask the times of: what is shown, and those that most wait for, wherever one is. */
function named() {
  const busiest = model.totals().contended.toSorted((a, b) => b.waiters.length - a.waiters.length);
  return new Set([...(view.names?.() ?? []), ...busiest.slice(0, 50).map((l) => l.name)]);
}

menu(inMenu);
document.getElementById('skip').addEventListener('click', (e) => {
  e.preventDefault();
  main.focus();
});
document.addEventListener('keydown', (e) => {
  if (
    e.key !== '/' ||
    e.ctrlKey ||
    e.metaKey ||
    e.altKey ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) ||
    document.querySelector('dialog[open]')
  )
    return;
  const search = main.querySelector('input[type=search]');
  if (!search) return;
  e.preventDefault();
  search.focus();
  search.select();
});
window.addEventListener('hashchange', () => show(true));
document.addEventListener('visibilitychange', refresh);
setInterval(tick, 1000);
setInterval(refresh, 3000);
header(link, model, prefix);
show();
link.run();

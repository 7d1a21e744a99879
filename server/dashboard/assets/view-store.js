// The store: whether it answers, what it promises, and what this server is busy with.

import { ask, get } from './api.js';
import { h, draw } from './dom.js';
import { clock, count, span } from './format.js';
import { latency } from './draw-latency.js';
import { fact, heading } from './words.js';

const kept = 60; // looks

const promises = {
  'best effort':
    'A failover or a restart of the store may forget a lock that was granted. Fence what must not go wrong.',
  'single machine': 'Processes of one machine exclude each other.',
  linearizable:
    'Two never hold at once, through crashes, partitions and changes of leader, as long as the store keeps its own promise.',
};

const numbers = {
  holdgate_http_sessions: 'sessions carried on',
  holdgate_http_places: 'places entered',
  holdgate_http_listeners: 'open streams',
  holdgate_http_requests_under_way: 'requests under way',
  holdgate_http_listeners_dropped_total: 'slow listeners dropped',
  holdgate_http_faults_total: 'faults',
};

export function storeView({ link }) {
  const health = h('section', { class: 'panel attention', 'aria-label': 'Health' });
  const features = h('section', { class: 'panel', 'aria-label': 'What it promises' });
  const server = h('section', { class: 'panel', 'aria-label': 'This server' });
  const looks = [];
  let promised;
  let counted;
  return {
    el: h(
      'div',
      {},
      heading('Store'),
      health,
      h('h2', {}, 'What it promises'),
      features,
      h('h2', {}, 'This server'),
      server,
    ),
    async refresh(signal) {
      const begun = performance.now();
      const look = { at: Date.now() };
      try {
        await ask('/readyz', { signal });
        look.took = performance.now() - begun;
      } catch (err) {
        if (signal.aborted) return;
        look.why = err.message;
      }
      looks.push(look);
      if (looks.length > kept) looks.shift();
      promised ??= await get('/v1/features', {}, signal).catch(() => undefined);
      counted = await ask('/metrics', { signal })
        .then((a) => a.text())
        .then(metrics)
        .catch(() => undefined);
    },
    update() {
      draw(health, [looks.at(-1), link.state], () => healthOf(health, looks, link));
      draw(features, promised, () =>
        promised ? featuresOf(promised) : h('p', { class: 'quiet' }, 'Asking the server…'),
      );
      draw(server, counted, () =>
        counted
          ? h(
              'dl',
              { class: 'facts' },
              Object.entries(numbers).map(([name, text]) => fact(text, count(counted[name] ?? 0))),
            )
          : h('p', { class: 'quiet' }, 'Its numbers are not known: /metrics may be for others.'),
      );
    },
  };
}

function healthOf(el, looks, link) {
  const last = looks.at(-1);
  const bad = link.state === 'stale' ? link.why : last?.why;
  el.className = `panel attention ${!last ? '' : bad ? 'stuck' : 'calm'}`;
  if (!last) return h('p', { class: 'quiet' }, 'Asking the server…');
  return [
    h(
      'p',
      {},
      h('strong', {}, bad ? 'The store does not answer.' : 'The store answers.'),
      ' ',
      bad ? `${bad}. ` : `A read took ${span(last.took)}, with the way to the server. `,
      h('span', { class: 'quiet' }, `Looked at ${clock(last.at)}.`),
    ),
    looks.length > 1 && latency(looks),
  ];
}

function featuresOf(f) {
  const yes = (b) => (b ? 'yes' : 'no');
  return [
    h('p', {}, promises[f.safety] ?? ''),
    h(
      'dl',
      { class: 'facts' },
      fact('store', f.store),
      fact('safety', f.safety),
      fact('first come, first served', yes(f.fair)),
      fact('fencing tokens', yes(f.tokens)),
      fact('shared locks', yes(f.shared)),
      fact('map', yes(f.map)),
      fact('any server may carry a session on', yes(f.attach)),
      f.min_ttl_ms > 0 && fact('shortest TTL', span(f.min_ttl_ms)),
      f.expiry_slack_ms > 0 && fact('frees a session late by up to', span(f.expiry_slack_ms)),
    ),
  ];
}

/** The sums of the metrics by name, of Prometheus's text. */
function metrics(text) {
  const sums = {};
  for (const line of text.split('\n')) {
    const m = /^([a-z_]+)(?:\{[^}]*\})? ([0-9.e+-]+)$/i.exec(line);
    if (m) sums[m[1]] = (sums[m[1]] ?? 0) + Number(m[2]);
  }
  return sums;
}

// The connection: one stream of events, which is begun again whenever it breaks, and what
// the page says of it. Only what came lately is called live.

import { ask, Problem } from './api.js';
import { events } from './stream.js';

// The server sends a beat every 5 s. Two that are missing are a connection that is gone,
// whatever the operating system thinks of it.
const silence = 12_000;
const pauses = [500, 1000, 2000, 4000, 8000];

/** Reads the lines that begin with prefix, for as long as the page is open. */
export class Link {
  /** state is connecting, live, stale, denied or unknown (who are you?). */
  state = 'connecting';
  since = undefined; // of stale: when the last sign of life came
  why = '';
  refusals = 0;
  tries = 0; // that failed, one after the other

  constructor(model, prefix, changed) {
    Object.assign(this, { model, prefix, changed });
    this.last = undefined;
  }

  #now(state, why = '') {
    const refused = state === 'denied' || state === 'unknown'; // each time is one that somebody tried
    if (this.state === state && this.why === why && !refused) return;
    if (refused) this.refusals++;
    if (state === 'stale' && this.state !== 'stale') this.since = this.heard ?? Date.now();
    Object.assign(this, { state, why });
    this.changed();
  }

  async run() {
    for (;;) {
      const pause = pauses[Math.min(this.tries++, pauses.length - 1)];
      try {
        await this.#listen();
      } catch (err) {
        this.#failed(err);
      }
      await this.#sleep(pause);
    }
  }

  /** Tries again at once. */
  retry() {
    this.tries = 0;
    this.wake?.();
  }

  async #listen() {
    const stop = new AbortController();
    let timer;
    const alive = () => {
      this.heard = Date.now();
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), silence);
    };
    try {
      timer = setTimeout(() => stop.abort(), silence);
      const headers = this.last ? { 'Last-Event-ID': this.last } : {};
      const query = this.prefix ? { prefix: this.prefix } : {};
      const answer = await ask('/v1/events', { query, headers, signal: stop.signal });
      alive();
      if (this.last) this.#live(); // nothing may have changed meanwhile
      for await (const e of events(answer.body)) {
        alive();
        if (e) this.#take(e);
        else if (this.last) this.#live();
      }
      throw new Problem('unreached', 0, 'the connection broke');
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  #live() {
    this.tries = 0;
    this.#now('live');
  }

  #take(e) {
    const data = JSON.parse(e.data);
    if (e.event === 'problem') throw new Problem(data.code, data.status, data.detail || data.title);
    if (e.event !== 'snapshot') return;
    this.model.take(data);
    this.last = e.id;
    this.#live();
    this.changed();
  }

  #failed(err) {
    if (!(err instanceof Problem)) {
      this.#now('stale', err.name === 'AbortError' ? 'nothing came for a while' : 'the connection broke');
    } else if (err.code === 'denied') {
      this.#now('denied', err.message);
    } else if (err.code === 'unauthenticated') {
      this.#now('unknown', err.message);
    } else {
      this.#now(
        'stale',
        err.code === 'unavailable' ? `the server does not reach its store: ${err.message}` : err.message,
      );
    }
  }

  #sleep(ms) {
    // Who is not let in asks again only when something is entered.
    const forever = this.state === 'denied' || this.state === 'unknown';
    return new Promise((resolve) => {
      const timer = forever ? undefined : setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

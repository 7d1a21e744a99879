// What the server has seen of lines: since when they are as they are, and how long it took.
// It is asked for the lines that are shown, and not for all there are.

import { get, Problem } from './api.js';

const atOnce = 100; // as many as one request may name
const room = 6000; // and as long as its address may be

export class Timings {
  seen = new Map(); // by name: {waiting, held: moments, wait50 ..: milliseconds, grants}
  since = undefined; // when the server began to look
  kept = undefined; // false: this server keeps no history

  async ask(names, signal) {
    for (const some of parcels(names)) {
      let answer;
      try {
        answer = await get('/v1/timings', { name: some }, signal);
      } catch (err) {
        if (err instanceof Problem && (err.code === 'unsupported' || err.code === 'not-found')) this.kept = false;
        return;
      }
      const now = Date.now();
      this.kept = true;
      this.since = now - answer.watched_ms;
      for (const l of answer.lines) {
        this.seen.set(l.name, {
          grants: l.grants,
          wait50: l.wait_p50_ms,
          wait99: l.wait_p99_ms,
          hold50: l.hold_p50_ms,
          hold99: l.hold_p99_ms,
          waiting: l.waiting_ms === undefined ? undefined : now - l.waiting_ms,
          held: l.held_ms === undefined ? undefined : now - l.held_ms,
        });
      }
    }
  }

  of(name) {
    return this.seen.get(name) ?? {};
  }

  /**
   * Since when a line is held: as the holder says, for a process may pass a lock on among its own
   * without a new place, or else as it was seen.
   */
  heldSince(line) {
    return line.holders.length ? (line.since ?? this.of(line.name).held) : undefined;
  }

  /** Since when the one who waits for longest does. */
  waitingSince(line) {
    return line.waiters.length ? (this.of(line.name).waiting ?? line.waiters[0].came) : undefined;
  }
}

function* parcels(names) {
  let some = [];
  let size = 0;
  for (const name of names) {
    const length = encodeURIComponent(name).length + 6;
    if (some.length === atOnce || (some.length && size + length > room)) {
      yield some;
      some = [];
      size = 0;
    }
    some.push(name);
    size += length;
  }
  if (some.length) yield some;
}

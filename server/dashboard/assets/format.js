// How things are written.

/** A duration for people: two units at most. */
export function span(ms) {
  if (!Number.isFinite(ms)) return '';
  ms = Math.max(0, ms);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const secs = Math.floor(ms / 1000);
  if (secs < 10 && ms % 1000 >= 100) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (secs < 60) return `${secs} s`;
  const mins = Math.floor(secs / 60);
  if (mins < 60) return `${mins} m ${String(secs % 60).padStart(2, '0')} s`;
  const hours = Math.floor(mins / 60);
  if (hours < 24) return `${hours} h ${String(mins % 60).padStart(2, '0')} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The age of a moment in whole seconds, so that it does not flicker. */
export function age(since, now = Date.now()) {
  if (since === undefined) return '';
  const ms = Math.max(0, now - since);
  return ms < 1000 ? 'now' : span(Math.floor(ms / 1000) * 1000);
}

export const clock = (ms) => new Date(ms).toLocaleTimeString(undefined, { hour12: false });

export const count = (n) => n.toLocaleString('en-US');

/** "1 waits", "3 wait": a number with the word that fits. */
export const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

/**
 * Text that others chose, so that one sees what is in it: what cannot be seen, or turns the
 * direction of writing, is shown by its number.
 */
export function plain(text) {
  return String(text ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

const kinds = { mutex: 'lock', rw: 'read/write lock', semaphore: 'semaphore', election: 'election', presence: 'group' };

export const kindName = (kind) => kinds[kind] ?? (kind ? plain(kind) : 'of other software');

// Where the page is. It is in the fragment, so that no name of a lock is sent to a server,
// or kept in a proxy's log, by following a link.

export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { view: path || 'lines', params: new URLSearchParams(query ?? '') };
}

export function to(view, params = {}) {
  const query = new URLSearchParams();
  for (const [k, v] of Object.entries(params)) if (v !== undefined && v !== '') query.set(k, v);
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ''}`;
}

export const toLine = (name) => to('line', { name });
export const toSession = (id) => to('session', { id });

/** Notes in the address what is shown, without a step in the history. */
export function keep(view, params) {
  history.replaceState(null, '', to(view, params));
}

// Requests to /v1 of the server that this page came from, and no other.

const key = 'holdgate-token';

export const token = {
  get: () => sessionStorage.getItem(key) ?? '',
  set: (text) => (text ? sessionStorage.setItem(key, text) : sessionStorage.removeItem(key)),
};

/** What is not a success: the server's problem, or that there was no answer at all. */
export class Problem extends Error {
  constructor(code, status, detail) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

async function problemOf(answer) {
  try {
    const p = await answer.json();
    return new Problem(p.code ?? 'unknown', answer.status, p.detail || p.title || answer.statusText);
  } catch {
    return new Problem('unknown', answer.status, `the server answered ${answer.status}`);
  }
}

export async function ask(path, { method = 'GET', query = {}, body, headers = {}, signal } = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const v of [value].flat()) if (v !== undefined) params.append(name, v);
  }
  const text = params.toString();
  const sent = { ...headers };
  if (token.get()) sent.Authorization = `Bearer ${token.get()}`;
  if (body) sent['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(text ? `${path}?${text}` : path, {
      method,
      headers: sent,
      body: body && JSON.stringify(body),
      signal,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
    });
  } catch (err) {
    if (signal?.aborted) throw err;
    throw new Problem('unreached', 0, 'the server does not answer');
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

export const get = async (path, query, signal) => (await ask(path, { query, signal })).json();

export const evict = (eviction) => ask('/v1/evictions', { method: 'POST', body: eviction });

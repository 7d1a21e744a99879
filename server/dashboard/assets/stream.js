// Server-sent events over fetch: EventSource cannot send a token, and does not show the
// beats by which one knows that a quiet stream is alive.

/** Yields {id, event, data} of a body, and undefined for each beat. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  let event = {};
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      let from = 0;
      for (let end; (end = value.indexOf('\n', from)) >= 0; from = end + 1) {
        parts.push(value.slice(from, end));
        const line = parts.join('');
        parts = [];
        if (line === '') {
          if (event.data !== undefined) yield event;
          event = {};
        } else if (line.startsWith(':')) {
          yield undefined;
        } else {
          const colon = line.indexOf(': ');
          event[line.slice(0, colon)] = line.slice(colon + 2);
        }
      }
      parts.push(value.slice(from));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

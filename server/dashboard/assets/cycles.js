// Deadlocks, as the server finds them. It is asked only while somebody waits: else there are
// none.

import { get } from './api.js';

export class Cycles {
  found = [];
  known = false;
  why = ''; // why it is not known

  async ask(model, prefix, signal) {
    if (!model.totals().waiting) {
      Object.assign(this, { found: [], known: true, why: '' });
      return;
    }
    try {
      const answer = await get('/v1/waits', prefix ? { prefix } : {}, signal);
      this.found = answer.cycles.map((c) => ({
        certain: c.certain,
        steps: c.steps.map((s) => ({ holds: spot(s.holds), waits: spot(s.waits) })),
      }));
      Object.assign(this, { known: true, why: '' });
    } catch (err) {
      if (!signal?.aborted) Object.assign(this, { known: false, why: err.message });
    }
  }
}

const spot = (p) => ({ line: p.line, id: p.id, session: p.session ?? '', owner: p.owner ?? '', granted: p.granted });

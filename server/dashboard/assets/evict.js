// Asking somebody to go. It is never one click: the dialog says what will happen, and wants
// to know why, which the holder is told and the server's audit log keeps.

import { evict } from './api.js';
import { h } from './dom.js';
import { plain, span } from './format.js';
import { announce, who } from './words.js';

const nameKey = 'holdgate-by';

/** Opens the dialog for a place. still() says whether the place stands, and how. */
export function askToGo(place, still) {
  const waits = !place.granted;
  const what = { force: h('input', { type: 'checkbox', checked: place.foreign && place.granted }) };
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const reason = h('textarea', { required: true, maxlength: '1000', 'aria-describedby': 'means' });
  const by = h('input', {
    type: 'text',
    maxlength: '200',
    value: sessionStorage.getItem(nameKey) ?? '',
    autocomplete: 'name',
  });
  const go = h('button', { type: 'submit' });
  const means = h('p', { id: 'means' });
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
  const tell = () => {
    go.textContent = waits ? 'Remove from the line' : what.force.checked ? 'Remove now' : 'Ask to go';
    go.className = waits || what.force.checked ? 'strong' : 'usual';
    means.textContent = meaning(place, what.force.checked);
  };
  what.force.addEventListener('change', tell);
  tell();
  const title = h(
    'h2',
    { id: 'evict-title' },
    waits ? `Remove ${who(place)} from the line of ` : `Ask ${who(place)} to give up `,
    h('span', { class: 'name' }, plain(place.line)),
    '?',
  );
  const form = h(
    'form',
    { onsubmit: submit },
    title,
    means,
    h('label', {}, 'Why? It is shown to the holder, and kept in the audit log.', reason),
    h('label', {}, 'Who asks?', by),
    !waits &&
      h('label', { class: 'check' }, what.force, h('span', {}, 'Remove at once, without waiting for the holder')),
    wrong,
    h('div', { class: 'buttons' }, cancel, go),
  );
  const dialog = h('dialog', { 'aria-labelledby': 'evict-title', onclose: () => dialog.remove() }, form);
  document.body.append(dialog);
  dialog.showModal();
  reason.focus();
  return dialog;

  async function submit(e) {
    e.preventDefault();
    wrong.textContent = '';
    if (!reason.value.trim()) {
      wrong.textContent = 'Say why.';
      reason.focus();
      return;
    }
    const now = still();
    if (!now || now.granted !== place.granted) {
      wrong.textContent = now
        ? 'It holds by now. Close this, and look again.'
        : 'It has gone meanwhile: there is nothing to do.';
      return;
    }
    go.disabled = true;
    sessionStorage.setItem(nameKey, by.value);
    try {
      await evict({
        line: place.line,
        place: place.id,
        reason: reason.value.trim(),
        by: by.value.trim() || undefined,
        force: (!waits && what.force.checked) || undefined,
      });
      dialog.close();
      announce(
        waits || what.force.checked
          ? `${who(place)} was removed from ${plain(place.line)}.`
          : `${who(place)} was asked to give up ${plain(place.line)}.`,
      );
    } catch (err) {
      go.disabled = false;
      wrong.textContent =
        err.code === 'gone'
          ? 'It has gone meanwhile: there is nothing to do.'
          : err.code === 'denied'
            ? `You may not: ${err.message}`
            : `It was not done: ${err.message}`;
    }
  }
}

function meaning(p, force) {
  if (!p.granted) return 'It waits. It is removed at once, and the program that waits gets an error.';
  if (p.foreign)
    return 'Other software made this place, and cannot be asked. If that software still runs, it does not learn that it lost the lock, and two may act at once.';
  if (force)
    return 'Two may then hold at once: until its next renewal the holder believes that it still has the lock, and goes on with its work. Do this only if you know that it is dead, or that what it does is fenced.';
  return `The holder is told with its next renewal${p.ttl ? `, within about ${span(p.ttl / 3)}` : ''}. It keeps the lock until it gives it back: nothing breaks, and it may finish what it does.`;
}

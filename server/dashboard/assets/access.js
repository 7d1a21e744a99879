// Who are you? The token is kept for this tab only, and sent to this server only.

import { token } from './api.js';
import { h } from './dom.js';
import { heading } from './words.js';

/** A page that asks for a token, or for a part of the names that one may see. */
export function door(link, prefix) {
  const unknown = link.state === 'unknown';
  const secret = h('input', { type: 'password', autocomplete: 'current-password', required: unknown, value: '' });
  const scope = h('input', {
    type: 'text',
    value: prefix,
    placeholder: 'all',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  return h(
    'div',
    {},
    heading(unknown ? 'This server wants to know who you are' : 'You may not see this'),
    h(
      'form',
      { class: 'panel', onsubmit: enter },
      h(
        'p',
        {},
        unknown
          ? token.get()
            ? 'The token was not accepted.'
            : 'Enter a token that its access file knows, and that has the right to read.'
          : `The server says: ${link.why}. If your rights are for a part of the names, say which.`,
      ),
      h('p', {}, h('label', {}, 'Token ', secret)),
      h('p', {}, h('label', {}, 'Only names that begin with ', scope)),
      h('p', {}, h('button', { type: 'submit' }, 'Look')),
      h('p', { class: 'quiet' }, 'The token is forgotten when this tab is closed.'),
    ),
  );

  function enter(e) {
    e.preventDefault();
    if (secret.value) token.set(secret.value.trim());
    if (scope.value !== prefix) location.search = scope.value ? `?prefix=${encodeURIComponent(scope.value)}` : '';
    else link.retry();
  }
}

// Elements without a framework. Text is only ever set as text, so what a name or an owner
// says is never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(el, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, value === true ? '' : value);
  }
  el.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false));
  return el;
}

/** An element of HTML with attributes, handlers ("onclick") and children. */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** The same for SVG. */
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** Sets the text of an element, if it is another one: an unchanged node keeps a selection. */
export function say(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

/** How wide a drawing may be for its words to be read: on a phone it is drawn narrower, not smaller. */
export const roomy = () => Math.max(280, Math.min(640, document.documentElement.clientWidth - 56));

/**
 * Makes the children of parent those of items, in their order. An item keeps its element, by
 * key: so what is focused stays focused, and what has not changed is not touched.
 */
export function keyed(parent, items, key, create, update) {
  const known = (parent.known ??= new Map());
  const wanted = new Set(items.map(key));
  for (const [k, el] of known) {
    if (wanted.has(k)) continue;
    el.remove();
    known.delete(k);
  }
  let at = parent.firstElementChild;
  for (const item of items) {
    const k = key(item);
    let el = known.get(k);
    if (!el) known.set(k, (el = create(item)));
    update(el, item);
    // An element that is moved loses the focus, so those that stay in order are not.
    if (el === at) at = at.nextElementSibling;
    else parent.insertBefore(el, at);
  }
}

/** Replaces the children of an element, unless what they are made of is the same as before. */
export function draw(el, what, make) {
  const text = JSON.stringify(what);
  if (el.drawnOf === text) return;
  el.drawnOf = text;
  el.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
}

// A table that is searched, sorted and read in pages. Pages, and not a list that draws only
// what is in sight: so the browser's own search, a screen reader and the keyboard find all
// that is shown.

import { h, say, keyed } from './dom.js';
import { count, plural } from './format.js';
import { keep } from './route.js';

export const perPage = 100;

/**
 * columns: {head, title, cell(td) makes what is in it, show(td, item) fills it, sort(item),
 * number, main, minor, down}. items() are all there are, matches(item, text) whether one is meant,
 * filters {name: {label, options: [[value, text, test]]}}.
 */
export class Table {
  constructor({ view, columns, items, key, matches, filters = {}, order, label, noun, nothing, params, shown, place }) {
    Object.assign(this, { view, columns, items, key, matches, filters, order, noun, nothing, shown });
    this.text = params.get('q') ?? '';
    this.chosen = Object.fromEntries(Object.keys(filters).map((f) => [f, params.get(f) ?? '']));
    const sort = /^(-?)(\d+)$/.exec(params.get('sort') ?? '');
    if (sort && columns[sort[2]]?.sort) this.sorted = { column: Number(sort[2]), down: sort[1] === '-' };
    this.page = Math.max(1, Number(params.get('page')) || 1);
    this.#make(label, place);
  }

  #make(label, place) {
    this.search = h('input', {
      type: 'search',
      value: this.text,
      placeholder: place ?? 'name or owner',
      'aria-label': 'Search',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => this.#set({ text: this.search.value }),
    });
    this.found = h('span', { class: 'quiet', role: 'status' });
    const selects = Object.entries(this.filters).map(([name, f]) => {
      const select = h(
        'select',
        {
          onchange: () => {
            this.chosen[name] = select.value;
            this.#set({});
          },
        },
        f.options.map(([value, text]) => h('option', { value, selected: this.chosen[name] === value }, text)),
      );
      return h('label', {}, f.label, select);
    });
    const tools = h(
      'div',
      { class: 'tools' },
      h('label', {}, h('span', { class: 'hidden' }, 'Search'), this.search),
      selects,
      this.found,
    );
    this.heads = this.columns.map((c, i) =>
      h(
        'th',
        { role: 'columnheader', scope: 'col', class: c.number && 'number', title: c.title },
        c.sort ? h('button', { type: 'button', class: 'plain', onclick: () => this.#sort(i) }, c.head) : c.head,
      ),
    );
    this.body = h('tbody', { role: 'rowgroup' });
    this.table = h(
      'table',
      { role: 'table', class: 'cards', 'aria-label': label },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, this.heads)),
      this.body,
    );
    this.pages = h('nav', { class: 'pages', 'aria-label': 'Pages', hidden: true });
    this.el = h('div', {}, tools, h('div', { class: 'wrap' }, this.table), this.pages);
    // Rows stay where they are while somebody points at them, or is among them with the
    // keyboard: nobody clicks on what has just moved away.
    this.body.addEventListener('pointerenter', (e) => {
      if (e.pointerType === 'mouse') this.held = true;
    });
    this.body.addEventListener('pointerleave', () => {
      this.held = false;
      this.update();
    });
    this.body.addEventListener('keydown', (e) => this.#move(e));
  }

  #set({ text = this.text, page = 1 }) {
    Object.assign(this, { text, page });
    this.held = false;
    keep(this.view, {
      q: this.text,
      ...this.chosen,
      sort: this.sorted && (this.sorted.down ? '-' : '') + this.sorted.column,
      page: page > 1 ? page : undefined,
    });
    this.update();
  }

  #sort(column) {
    const first = this.columns[column].down ?? false;
    const again = this.sorted?.column === column;
    this.sorted = again && this.sorted.down !== first ? undefined : { column, down: again ? !this.sorted.down : first };
    this.#set({});
  }

  /** The arrow keys go from row to row. */
  #move(e) {
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
    const row = e.target.closest('tr');
    const next = e.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
    const link = next?.querySelector('a, button');
    if (!link) return;
    e.preventDefault();
    link.focus();
  }

  #wanted() {
    const text = this.text.trim().toLowerCase();
    const tests = Object.entries(this.filters)
      .map(([name, f]) => f.options.find(([value]) => value === this.chosen[name])?.[2])
      .filter(Boolean);
    const found = [];
    for (const item of this.items()) {
      if (tests.every((t) => t(item)) && (!text || this.matches(item, text))) found.push(item);
    }
    const by = this.sorted && this.columns[this.sorted.column].sort;
    const way = this.sorted?.down ? -1 : 1;
    return found.sort(by ? (a, b) => way * compare(by(a), by(b)) || this.order(a, b) : this.order);
  }

  /** What is on the page, in an order that holds still while it is pointed at. */
  #rows(found) {
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    this.page = Math.min(this.page, pages);
    const rows = found.slice((this.page - 1) * perPage, this.page * perPage);
    if (!(this.held || this.body.matches(':focus-within')) || !this.last?.length) return { rows, pages };
    const now = new Map(found.map((item) => [this.key(item), item]));
    const before = new Set(this.last.map(this.key));
    const still = this.last.map((item) => now.get(this.key(item)) ?? { ...item, gone: true });
    return { rows: [...still, ...rows.filter((item) => !before.has(this.key(item)))], pages };
  }

  update() {
    const found = this.#wanted();
    const { rows, pages } = this.#rows(found);
    this.last = rows;
    keyed(
      this.body,
      rows.length ? rows : [undefined],
      (item) => (item ? this.key(item) : ''),
      (item) =>
        item
          ? this.#row()
          : h('tr', { role: 'row' }, h('td', { role: 'cell', class: 'empty main', colspan: this.columns.length })),
      (row, item) => {
        if (!item)
          return say(
            row.firstChild,
            this.text || Object.values(this.chosen).some(Boolean) ? 'Nothing matches.' : this.nothing,
          );
        row.classList.toggle('gone', !!item.gone);
        this.columns.forEach((c, i) => c.show(row.children[i], item));
      },
    );
    this.#tell(found.length, pages);
    this.shown?.(rows);
  }

  #row() {
    return h(
      'tr',
      { role: 'row' },
      this.columns.map((c) => {
        const td = h('td', {
          role: 'cell',
          'data-head': c.head,
          class: [c.number && 'number', c.main && 'main', c.minor && 'minor'].filter(Boolean).join(' ') || undefined,
        });
        c.cell?.(td);
        return td;
      }),
    );
  }

  #tell(n, pages) {
    const from = (this.page - 1) * perPage;
    say(
      this.found,
      pages > 1 ? `${count(from + 1)}–${count(Math.min(n, from + perPage))} of ${count(n)}` : plural(n, ...this.noun),
    );
    this.heads.forEach((th, i) => {
      const way = this.sorted?.column === i && (this.sorted.down ? 'descending' : 'ascending');
      if (way) th.setAttribute('aria-sort', way);
      else th.removeAttribute('aria-sort');
    });
    this.pages.hidden = pages < 2;
    if (pages < 2) return;
    if (!this.pages.firstChild) {
      const step = (text, by) =>
        h(
          'button',
          {
            type: 'button',
            onclick: () => {
              this.#set({ page: this.page + by(this) });
              this.el.scrollIntoView();
            },
          },
          text,
        );
      this.back = step('Back', () => -1);
      this.next = step('Next', () => 1);
      this.where = h('span', { class: 'quiet' });
      this.pages.append(this.back, this.where, this.next);
    }
    this.back.disabled = this.page === 1;
    this.next.disabled = this.page === pages;
    say(this.where, `page ${count(this.page)} of ${count(pages)}`);
  }
}

/** Unknown values come last when sorting down, as the least. */
export function compare(a, b) {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : 1;
}

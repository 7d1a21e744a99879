// Does what it is told on standard input, one line of JSON each, and answers each with a
// line: {"value": ...} or {"error": "..."}. It ends, with the browser, when its input does.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.PACKAGES}/package.json`);
const { chromium } = require('playwright-core');
const axe = require.resolve('axe-core/axe.min.js');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // As root Chromium has no sandbox of its own. It shows only what this test serves.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
});
const pages = new Map();

/** Evaluates as the browser's own tools do: the page's policy forbids it to everybody else. */
async function evaluate(tools, what) {
  const { result, exceptionDetails: wrong } = await tools.send('Runtime.evaluate', {
    awaitPromise: true,
    returnByValue: true,
    ...what,
  });
  if (wrong) throw new Error(wrong.exception?.description ?? wrong.text);
  return result.value;
}

const commands = {
  /** Opens a page in a context of its own. What the page may not do is gathered. */
  async open({ page: id, width, height, dark, phone, home }) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      hasTouch: !!phone,
      isMobile: !!phone,
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const wrongs = [];
    page.on('pageerror', (err) => wrongs.push(`error: ${err.message}`));
    page.on('console', (m) => {
      // Chromium itself logs each request that fails: some tests make them fail.
      if (m.type() === 'error' && !m.text().startsWith('Failed to load resource')) wrongs.push(`console: ${m.text()}`);
    });
    page.on('request', (r) => {
      if (!r.url().startsWith(home)) wrongs.push(`request elsewhere: ${r.url()}`);
    });
    pages.set(id, { context, page, wrongs, tools: await context.newCDPSession(page) });
  },
  goto: ({ page, url }) => page.goto(url, { waitUntil: 'commit' }).then(() => null),
  eval: ({ tools, script }) => evaluate(tools, { expression: script }),
  /** Waits until an expression is true in the page, through changes of the page. */
  async until({ tools, script, patience }) {
    for (const end = Date.now() + patience; !(await evaluate(tools, { expression: script }).catch(() => false));) {
      if (Date.now() > end) throw new Error(`this did not become true: ${script}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    }
    return null;
  },
  click: ({ page, at }) => page.locator(at).first().click(),
  hover: ({ page, at }) => page.locator(at).first().hover(),
  fill: ({ page, at, text }) => page.locator(at).first().fill(text),
  select: ({ page, at, text }) =>
    page
      .locator(at)
      .first()
      .selectOption(text)
      .then(() => null),
  press: ({ page, key }) => page.keyboard.press(key),
  type: ({ page, text }) => page.keyboard.type(text),
  /** What axe finds that is serious or worse, by all of its rules or some. */
  async axe({ tools, rules }) {
    const { frameTree } = await tools.send('Page.getFrameTree');
    // In a world of its own, which the page does not see.
    const { executionContextId: contextId } = await tools.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    });
    await evaluate(tools, { contextId, expression: await readFile(axe, 'utf8').then((text) => `${text}; null`) });
    return evaluate(tools, {
      contextId,
      expression: `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })}).then((r) => r.violations
        .filter((v) => v.impact === 'serious' || v.impact === 'critical')
        .map((v) => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' (' + (n.any[0]?.message ?? '') + ')').join('; ')))`,
    });
  },
  screenshot: ({ page, path, full }) => page.screenshot({ path, fullPage: !!full }).then(() => null),
  async close({ id }) {
    const { context, wrongs } = pages.get(id);
    pages.delete(id);
    await context.close();
    return wrongs;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: what, seq, ...args } = JSON.parse(line);
  // Pages are used at once by several tests, so nothing is waited for here.
  Promise.resolve()
    .then(() =>
      commands[what](
        what === 'open' || what === 'close' ? { ...args, id: args.page } : { ...args, ...pages.get(args.page) },
      ),
    )
    .then(
      (value) => ({ value: value ?? null }),
      (err) => ({ error: err.message }),
    )
    .then((answer) => process.stdout.write(`${JSON.stringify({ seq, ...answer })}\n`));
}
await browser.close();

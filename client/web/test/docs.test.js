// The documentation's site in a browser, as caromd serves it: its policy stops nothing of the pages, search finds sections by
// mouse and by keys, pictures are there, and no page is wider than a phone. Skipped without Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';

import {errorsOf, newPage, skipWithoutBrowser, SIZES, startBrowser, until} from './browser.js';
import {AWAIT_MS} from './patience.js';
import {startCaromd} from './support.js';

const site = process.env.CAROM_SITE; // the folder that docs/build.py wrote
const skip = skipWithoutBrowser() || (site ? false : 'CAROM_SITE does not name the built site');
const PAGES = ['', 'docs/concepts/time.html', 'docs/concepts/encodings.html', 'docs/concepts/distance.html', 'docs/concepts/roles.html',
  'client/guides/play-over-distance.html', 'docs/reference/methods.html', 'proto/PROTOCOL.html'];

test('site_in_a_browser', {skip, timeout: AWAIT_MS}, async (t) => {
  const server = await startCaromd(['--docs', site]);
  t.after(() => server.stop());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const docs = `http://127.0.0.1:${server.port}/docs/`; // the tests of a browser run with CAROM_TRANSPORT=websocket

  await t.test('pages_load_without_an_error_and_show_their_pictures', async () => {
    const page = await newPage(browser);
    for (const name of PAGES) {
      await page.goto(docs + name);
      const broken = await page.evaluate(() => [...document.images].filter((i) => !i.complete || i.naturalWidth === 0).map((i) => i.src));
      assert.deepEqual(broken, [], name);
    }
    assert.deepEqual(errorsOf(page), []);
  });

  await t.test('search_leads_to_a_section', async () => {
    const page = await newPage(browser);
    await page.goto(`${docs}client/index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('body.spawn');
    await until(page, () => document.querySelector('#site-results a'));
    assert.match(await page.textContent('#site-results a'), /body\.spawn/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${docs}docs/reference/methods.html#bodyspawn`);
    assert.ok(await page.evaluate(() => document.getElementById('bodyspawn').getBoundingClientRect().top < innerHeight));
    await page.fill('#site-search', 'slow readers');
    await page.click('#site-results a >> nth=0');
    await page.waitForURL(`${docs}proto/PROTOCOL.html#slow-readers`);
    await page.fill('#site-search', 'prediction');
    const cut = await until(page, () => { // excerpts of whole words
      const words = new Set(window.CAROM_SEARCH.flatMap(([, , , , text]) => text.split(/\s+/)));
      const links = [...document.querySelectorAll('#site-results a')];
      if (links.length < 5 || !links[0].textContent.toLowerCase().includes('prediction')) return null;
      return {found: links.map((link) => [...link.childNodes].slice(2).map((node) => node.textContent).join('')).filter((text) => {
        const shown = text.split(/\s+/);
        return !words.has(shown[shown[0] === '…' ? 1 : 0]) || !words.has(shown.at(shown.at(-1) === '…' ? -2 : -1));
      })};
    });
    assert.deepEqual(cut.found, []);
    await page.fill('#site-search', 'no such words anywhere');
    await until(page, () => document.getElementById('site-results').textContent.startsWith('Nothing'));
    await page.keyboard.press('Escape');
    assert.equal(await page.isVisible('#site-results'), false);
    assert.deepEqual(errorsOf(page), []);
  });

  await t.test('pages_fit_a_phone_and_follow_the_theme', async () => {
    const grounds = [];
    for (const colorScheme of ['light', 'dark']) {
      const page = await newPage(browser, {...SIZES.phone, colorScheme});
      for (const name of PAGES) {
        await page.goto(docs + name);
        const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= screen, `${name || 'the first page'} is ${wide} wide on a screen of ${screen}`);
      }
      grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
    assert.notEqual(grounds[0], grounds[1]);
  });
});

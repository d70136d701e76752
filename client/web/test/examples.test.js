// The examples as their READMEs start them: pages of another address than the server's (environment
// CAROMD, CAROM_PAGES: the folder with the pages), in Chromium. Skipped where there is none.
import test from 'node:test';
import assert from 'node:assert/strict';

import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startFiles} from './files.js';
import {startCaromd} from './support.js';

const skip = skipWithoutBrowser();

test('two_players_of_knockout_see_push_and_leave_each_other', {skip}, async (t) => {
  const files = await startFiles(process.env.CAROM_PAGES);
  t.after(() => files.close());
  const {origin} = files;
  const server = await startCaromd(['--origin', origin]);
  t.after(() => server.stop());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const join = async (name) => {
    const page = await newPage(browser, {viewport: {width: 700, height: 600}});
    await page.goto(`${origin}/examples/knockout/?server=${encodeURIComponent(`ws://127.0.0.1:${server.port}/rpc`)}#name=${name}`);
    await until(page, () => game.disc !== 0 && game.view.bodies.has(game.disc));
    return page;
  };
  const ada = await join('Ada');
  const ben = await join('Ben');
  const players = (page) => page.getByRole('listitem');
  await players(ada).nth(1).waitFor();
  await players(ben).filter({hasText: 'Ada'}).waitFor();
  assert.equal(await ada.evaluate(() => game.view.predicting), process.env.CAROM_WASM === 'ON');
  // Her panel puts the server further away, and shows the world without prediction beside hers.
  await ada.keyboard.press('d');
  await ada.getByLabel('One way').fill('40');
  await ada.getByLabel('without prediction').check();
  await until(ada, () => game.panel.beside?.bodies.has(game.disc) && game.distance.delayMs === 40);
  await ada.getByText('round trip').waitFor();
  await ada.getByLabel('One way').fill('0');
  await ada.keyboard.press('d');
  // Ada's key moves her disc in Ben's picture, until she is over the rim and comes back with one out.
  const disc = await ada.evaluate(() => game.disc);
  const x = await until(ben, (id) => game.view.bodies.get(id)?.pose.x, disc);
  await ada.keyboard.down('ArrowRight');
  await until(ben, ([id, before]) => !game.view.bodies.has(id) || game.view.bodies.get(id).pose.x > before + 0.2, [disc, x]);
  await players(ben).filter({hasText: /1Ada/}).waitFor();
  await ada.keyboard.up('ArrowRight');
  assert.deepEqual([...errorsOf(ada), ...errorsOf(ben)], []);
  // A rock that is pushed over the rim comes back, and the rocks outlive the page that made them.
  const rocks = (page) => until(page, () => {
    const found = [...game.view.bodies].filter(([, body]) => body.tag === 'rock');
    return found.length === 3 && found.every(([, {x, y}]) => Math.hypot(x, y) < 10) && found[0][0];
  });
  const rock = await rocks(ben);
  await ada.evaluate((body) => game.world.body.set({body, position: [14, 0]}), rock);
  await until(ben, (id) => Math.hypot(game.view.bodies.get(id).x, game.view.bodies.get(id).y) > 10, rock);
  await rocks(ben);
  await ada.goto('about:blank');
  await rocks(ben);
  await players(ben).nth(1).waitFor({state: 'detached'});
  assert.equal(await players(ben).count(), 1);
});

// The examples as their READMEs start them: pages of another address than the server's (environment
// CAROMD), in Chromium. Skipped where there is none.
import test from 'node:test';
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import http from 'node:http';

import {Browser, findChromium} from './browser.js';
import {startCaromd} from './support.js';

const skip = findChromium() === null && 'there is no Chromium (Debian: chromium); CAROM_CHROMIUM may name it';
const ROOT = new URL('../', import.meta.url);
const TYPES = {html: 'text/html', js: 'text/javascript', css: 'text/css'};

// Serves client/web as it is, as any web server would.
async function startFiles() {
  const files = http.createServer(async (request, response) => {
    const place = new URL(`.${new URL(request.url, 'http://x').pathname.replace(/\/$/, '/index.html')}`, ROOT);
    try {
      const bytes = await readFile(place);
      response.writeHead(200, {'Content-Type': TYPES[place.pathname.split('.').at(-1)] ?? 'application/octet-stream'});
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  return files;
}

test('two_players_of_knockout_see_push_and_leave_each_other', {skip}, async (t) => {
  const files = await startFiles();
  t.after(() => files.close());
  const origin = `http://127.0.0.1:${files.address().port}`;
  const server = await startCaromd(['--origin', origin]);
  t.after(() => server.stop());
  const browser = await Browser.start();
  t.after(() => browser.stop());
  const join = async (name) => {
    const page = await browser.newPage({width: 700, height: 600});
    await page.open(`${origin}/examples/knockout/?server=${encodeURIComponent(`ws://127.0.0.1:${server.port}/rpc`)}#name=${name}`);
    await page.until(() => game.disc !== 0 && game.view.bodies.has(game.disc));
    return page;
  };
  const ada = await join('Ada');
  const ben = await join('Ben');
  await ada.until(() => document.querySelectorAll('#table li').length === 2);
  await ben.until(() => /Ada/.test(document.getElementById('table').textContent));
  // Ada's key moves her disc in Ben's picture, until she is over the rim and comes back with one out.
  const disc = await ada.evaluate(() => game.disc);
  const x = await ben.until((id) => game.view.bodies.get(id)?.pose.x, disc);
  await ada.send('Input.dispatchKeyEvent', {type: 'keyDown', key: 'ArrowRight', windowsVirtualKeyCode: 39});
  await ben.until((id, before) => !game.view.bodies.has(id) || game.view.bodies.get(id).pose.x > before + 0.2, disc, x);
  await ben.until(() => /1Ada/.test(document.getElementById('table').textContent));
  await ada.send('Input.dispatchKeyEvent', {type: 'keyUp', key: 'ArrowRight', windowsVirtualKeyCode: 39});
  assert.deepEqual([...ada.errors, ...ben.errors], []);
  await ada.send('Page.navigate', {url: 'about:blank'});
  await ben.until(() => document.querySelectorAll('#table li').length === 1);
});

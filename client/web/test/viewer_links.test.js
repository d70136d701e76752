// The viewer as links of others open it, in a real Chromium (environment CAROMD): tokens, servers that a link names, frames.
// Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';

import {SIZES, errorsOf, newPage, until} from './browser.js';
import {startCaromd} from './support.js';
import {makeKeys} from './tokens.js';
import {assertNoErrors, button, keepNotes, noted, openPage, picture, skip, soon, stage, untilDrawn} from './viewer_page.js';

// A server with keys, and a page of it that is not open yet. All end with the test.
async function keyedServer(t) {
  const keys = makeKeys();
  t.after(keys.remove);
  const keyed = await startCaromd(['--keys', keys.file, '--world', 'demo:demo']);
  t.after(() => keyed.stop());
  const page = await newPage(stage.browser);
  t.after(() => page.context().close());
  return {keys, page, home: `http://127.0.0.1:${keyed.port}/`};
}

test('a_server_with_keys_asks_for_a_token_until_one_is_right', {skip}, async (t) => {
  const {keys, page, home} = await keyedServer(t);
  await page.goto(home);
  const dialog = page.getByRole('dialog', {name: 'Token'});
  await dialog.getByRole('heading', {name: 'This server asks who you are'}).waitFor();
  await picture(page, 'token');
  // A visitor who declines learns how to continue, and sees no error every other second.
  await page.keyboard.press('Escape');
  await dialog.waitFor({state: 'hidden'});
  await page.waitForTimeout(3000);
  assert.equal(await page.getByRole('alert').textContent(), '');
  await button(page, 'Enter a token').click();
  const enter = async (token) => {
    await dialog.getByLabel('Token').fill(token);
    await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', {name: 'Connect'}).click()]);
  };
  await enter('nonsense');
  await dialog.getByText(/^token/).waitFor();
  await enter(keys.token('viewer', -60));
  await dialog.getByText(/expired/).waitFor();
  await picture(page, 'token_expired');
  await enter(keys.token('viewer'));
  await untilDrawn(page, 100);
  await page.keyboard.press('s');
  await page.getByRole('alert').getByText('This takes the role player; this session’s is viewer.').waitFor();
  assertNoErrors(page);
});

test('a_token_of_a_link_is_for_one_visit_and_the_visitors_own_stays', {skip}, async (t) => {
  const {keys, page, home} = await keyedServer(t);
  await keepNotes(page);
  const dialog = page.getByRole('dialog', {name: 'Token'});
  const enter = async (token) => {
    await dialog.getByLabel('Token').fill(token);
    await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', {name: 'Connect'}).click()]);
  };
  const roleIs = async (role, hash) => {
    await until(page, ([role, hash]) => globalThis.carom?.session.role === role && location.hash === hash, [role, hash]);
    await untilDrawn(page, 100);
  };
  const kept = () => page.evaluate(() => Object.values(sessionStorage));
  // Without a token of one's own the link's serves this visit, reloads included, and is stored for no other.
  await page.goto(`${home}#world=demo&token=${keys.token('player')}`);
  await roleIs('player', '#world=demo');
  await page.reload();
  await roleIs('player', '#world=demo');
  assert.deepEqual(await kept(), []);
  await page.goto('about:blank');
  await page.goto(home);
  const own = keys.token('viewer');
  await enter(own);
  await roleIs('viewer', '');
  assert.deepEqual(await page.evaluate(() => notes), []);
  // A link makes the visitor another person for a visit, and says so.
  await page.goto('about:blank');
  await page.goto(`${home}#world=demo&token=${keys.token('player')}`);
  await roleIs('player', '#world=demo');
  await noted(page, /^This visit uses the token of the link\. Yours is kept/);
  await picture(page, 'token_of_link');
  assert.deepEqual(await kept(), [own]);
  await page.reload();
  await roleIs('player', '#world=demo');
  // Another view in the same visit.
  await page.evaluate(() => {
    location.hash = 'world=demo&theme=light';
  });
  await until(page, () => document.documentElement.dataset.theme === 'light');
  await page.reload();
  await roleIs('player', '#world=demo&theme=light');
  // The page without the link.
  await page.goto('about:blank');
  await page.goto(home);
  await roleIs('viewer', '');
  // A link that is followed within the page; going back ends the visit.
  await Promise.all([page.waitForEvent('load'), page.evaluate((token) => {
    location.hash = `token=${token}`;
  }, keys.token('admin'))]);
  await roleIs('admin', '');
  await Promise.all([page.waitForEvent('load'), page.evaluate(() => history.back())]);
  await roleIs('viewer', '');
  assertNoErrors(page);
  // A token that is refused: the page offers the visitor's own.
  await page.goto('about:blank');
  await page.goto(`${home}#token=nonsense`);
  await dialog.getByText('The link that you followed bears a token, which is refused.').waitFor();
  await picture(page, 'token_of_link_refused');
  assert.equal(await dialog.getByLabel('Token').inputValue(), own);
  await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', {name: 'Connect'}).click()]);
  await roleIs('viewer', '');
  await page.reload();
  await roleIs('viewer', '');
});

test('a_token_goes_to_the_server_that_it_was_given_for_and_to_no_other', {skip}, async (t) => {
  const keys = makeKeys();
  t.after(keys.remove);
  const asked = []; // requests by the page to a server that a link names
  const evil = createServer().listen(0, '127.0.0.1');
  evil.on('upgrade', (request, socket) => {
    asked.push(request.headers.origin);
    socket.destroy();
  });
  t.after(() => evil.close());
  await once(evil, 'listening');
  const there = `ws://127.0.0.1:${evil.address().port}/rpc`;
  const start = async (...options) => {
    const server = await startCaromd(['--keys', keys.file, '--world', 'demo:demo', ...options]);
    t.after(() => server.stop());
    const page = await newPage(stage.browser);
    t.after(() => page.context().close());
    const home = `http://127.0.0.1:${server.port}/`;
    await page.goto(`${home}#token=${keys.token('viewer')}`);
    await untilDrawn(page, 100);
    return {page, home, server};
  };
  const {page, home} = await start();
  await page.goto(`${home}?server=${encodeURIComponent(there)}`);
  await page.getByRole('heading', {name: /^This page may not connect to 127\.0\.0\.1/}).waitFor();
  // This text alone: the header says less
  await page.getByText(`caromd --viewer-server ${new URL(there).origin}`).waitFor();
  await picture(page, 'forbidden');
  assert.deepEqual(asked, []);
  // The operator allows another server: the page connects there, without the token for this server.
  const other = await startCaromd(['--keys', keys.file, '--origin', '*', '--world', 'demo:demo']);
  t.after(() => other.stop());
  const far = `ws://127.0.0.1:${other.port}/rpc`;
  const near = await start('--viewer-server', `ws://127.0.0.1:${other.port}`);
  await near.page.goto(`${near.home}?server=${encodeURIComponent(far)}#token=${keys.token('admin')}`);
  const dialog = near.page.getByRole('dialog', {name: 'Token'});
  await dialog.getByRole('heading', {name: `127.0.0.1:${other.port} asks who you are`}).waitFor();
  await dialog.getByText(/The link that you followed names this server/).waitFor();
  await picture(near.page, 'token_foreign');
  await until(near.page, () => carom.session.role === 'none' && location.hash === '');
  await dialog.getByLabel('Token').fill(keys.token('viewer'));
  await Promise.all([near.page.waitForEvent('load'), dialog.getByRole('button', {name: 'Connect'}).click()]);
  await untilDrawn(near.page, 100);
  assert.ok(!(await near.page.evaluate(() => carom.link())).includes('token'));
  // Back at the page's own server, the token of the first visit's link is gone, and that of the other server stays there.
  await near.page.goto(near.home);
  await dialog.getByRole('heading', {name: 'This server asks who you are'}).waitFor();
  assert.equal(await dialog.getByLabel('Token').inputValue(), '');
});

// A box is on the screen of a phone with all of its text.
async function assertFits(page, selector) {
  const {left, right, top, bottom, beyond} = await page.evaluate((name) => {
    const box = document.querySelector(name);
    return {...box.getBoundingClientRect().toJSON(), beyond: box.scrollWidth - box.clientWidth};
  }, selector);
  const {width, height} = SIZES.phone.viewport;
  assert.ok(left >= 0 && top >= 0 && right <= width && bottom <= height && beyond <= 0,
            `${left} to ${right}, ${top} to ${bottom}, ${beyond} px beyond`);
}

test('a_long_name_of_a_world_stays_on_a_phones_screen', {skip}, async (t) => {
  const name = 'w'.repeat(64);
  const page = await openPage(t, `#world=${name}`, SIZES.phone);
  await page.getByRole('heading', {name: `There is no world “${name}”`}).waitFor();
  await assertFits(page, '#empty');
  await page.evaluate((world) => carom.session.emit('gone', new Error('world: ended'), world, false), name);
  await noted(page, name);
  await assertFits(page, '#toasts');
  await picture(page, 'long_name');
});

test('a_link_that_names_no_server_says_what_is_wrong', {skip}, async (t) => {
  for (const [server, why] of [['ws://127.0.0.1:70000', 'a port is a number from 1 to 65535'], ['javascript:alert(1)', 'it must begin with ws://'],
                               ['ws://me:secret@b', 'must not name a user'], [`ws://${'b'.repeat(10000)}`, 'and 1000 are allowed'],
                               ['ws://256.1.1.1', 'neither a host’s name nor its address']]) {
    const page = await openPage(t, `?server=${encodeURIComponent(server)}`, SIZES.phone);
    await page.getByRole('heading', {name: 'This link cannot be opened'}).waitFor();
    const text = await page.locator('#empty p').textContent();
    for (const part of [why, '?server= in the address of this page', 'Allowed are ws://HOST:PORT']) assert.ok(text.includes(part), text);
    assert.equal(await page.getByRole('button').count(), 0, 'no button that does nothing');
    await assertFits(page, '#empty');
    await picture(page, `no_server_${why.replace(/\W+/g, '_')}`);
    assertNoErrors(page);
    await page.getByRole('link', {name: 'Show this page’s own server'}).click();
    await untilDrawn(page, 100);
    assertNoErrors(page);
  }
});

test('a_page_of_another_site_cannot_frame_the_viewer', {skip}, async (t) => {
  const home = `http://127.0.0.1:${stage.server.port}/`;
  const foreign = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<iframe src="${home}"></iframe>`);
  }).listen(0, '127.0.0.1');
  t.after(() => foreign.close());
  await once(foreign, 'listening');
  const page = await newPage(stage.browser);
  t.after(() => page.context().close());
  await page.goto(`http://127.0.0.1:${foreign.address().port}/`);
  await soon(async () => assert.ok(errorsOf(page).some((text) => text.includes("frame-ancestors 'none'")), errorsOf(page).join()));
  assert.deepEqual(page.frames().slice(1).map((frame) => frame.url().startsWith(home)), [false]);
});

test('a_link_that_names_no_world_says_so_and_what_is_shown_instead', {skip}, async (t) => {
  const long = `a b${'x'.repeat(10000)}`;
  const page = await openPage(t, `#world=${encodeURIComponent(long)}&at=1,2&follow=-3&tick=soon`);
  const bad = await noted(page, /^“a bx+…” behind #…world= in the address is ignored: a world’s name has 1 to 64 letters, digits and _ \. -$/);
  assert.ok(bad.length < 250, `${bad.length} characters`);
  await noted(page, '“1,2” behind #…at= in the address is ignored: it is x,y,scale: three numbers, the last above 0');
  await noted(page, '“-3” behind #…follow= in the address is ignored: it is the id of a body, a whole number');
  await noted(page, '“soon” behind #…tick= in the address is ignored: it is a whole number');
  await noted(page, /^“demo” is shown instead of “a bx+…”$/);
  await untilDrawn(page, 100);
  await picture(page, 'no_such_name');
  const go = async (hash) => page.evaluate((to) => {
    notes.length = 0;
    document.getElementById('toasts').replaceChildren();
    location.hash = to;
  }, hash);
  await go('world=%E2%80%AEomed');
  await noted(page, /^“ omed” behind #…world= .* \. -\. “demo” is shown$/); // the sign that turns the text round is not shown
  await go('world=nowhere');
  await noted(page, /^“nowhere”: .*nowhere/);
  await noted(page, '“demo” is shown instead of “nowhere”');
  await untilDrawn(page, 100);
  await go('world=demo&follow=999999');
  await noted(page, '“demo” shows no body 999999 to follow');
  // A world that ends while it is watched.
  await stage.client.world.create({world: 'ending', lifetime: 'session'});
  await go('world=ending');
  await until(page, () => carom.session.world === 'ending' && carom.fitted);
  await stage.client.world.destroy({world: 'ending'});
  await noted(page, /^“ending”: /);
  await noted(page, '“demo” is shown instead of “ending”');
  assertNoErrors(page);
  // With the name of a world that is not there the page waits for it, and says so.
  const waiting = await openPage(t, '#world=nowhere');
  await waiting.getByRole('heading', {name: 'There is no world “nowhere”'}).waitFor();
  await picture(waiting, 'no_such_world');
  assert.deepEqual(await waiting.evaluate(() => [carom.session.world, notes]), ['', []]);
  await stage.client.world.create({world: 'nowhere', lifetime: 'session'});
  await until(waiting, () => carom.session.world === 'nowhere');
  await stage.client.world.destroy({world: 'nowhere'});
  assertNoErrors(waiting);
});

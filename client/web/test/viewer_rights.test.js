// The viewer before visitors of each role, in a real Chromium (environment CAROMD): it offers a viewer and a player no control
// that the server would refuse. Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';

import {connect} from '../src/index.js';
import {newPage, until} from './browser.js';
import {startCaromd} from './support.js';
import {makeKeys} from './tokens.js';
import {assertNoErrors, keepNotes, noted, picture, skip, soon, stage, untilDrawn} from './viewer_page.js';

// Opens all panels, presses every control that a visitor could press, and returns what the server or the page refused.
async function pressAll(page) {
  await page.evaluate(() => {
    globalThis.faults = [];
    carom.session.on('fault', ({message}) => faults.push(message));
    notes.length = 0;
    for (const name of ['log', 'plots', 'layers', 'settings', 'worlds']) {
      if (document.getElementById(name).hidden) carom.panels[name].toggle();
    }
  });
  await page.evaluate(() => new Promise((resolve) => carom.on('frame', resolve)));
  const pressed = await page.evaluate(() => {
    const list = [...document.querySelectorAll('button')].filter((element) => element.checkVisibility() && !element.disabled &&
      !element.closest('[role=dialog] form, #world-list') && !['help-button', 'worlds-button'].includes(element.id));
    const select = document.getElementById('speed');
    for (const button of list) if (button.isConnected) button.click();
    if (!select.disabled) {
      select.value = '0.5';
      select.dispatchEvent(new Event('change'));
    }
    return list.map(({id, title, textContent}) => id || title || textContent);
  });
  await page.evaluate(() => carom.session.client.call('ping'));
  await page.evaluate(() => new Promise((resolve) => carom.on('frame', resolve)));
  return {pressed, refused: await page.evaluate(() => [...faults, ...notes.filter((note) => /role|Players|permission/.test(note))])};
}

test('a_control_that_may_not_act_is_disabled_and_says_why', {skip}, async (t) => {
  const keys = makeKeys();
  t.after(keys.remove);
  const server = await startCaromd(['--keys', keys.file, '--world', 'demo:demo']);
  t.after(() => server.stop());
  const admin = await connect(server.url, {token: keys.token('admin')});
  t.after(() => admin.close());
  const open = async (role) => {
    const page = await newPage(stage.browser);
    t.after(() => page.context().close());
    await keepNotes(page);
    await page.goto(`http://127.0.0.1:${server.port}/#world=demo&token=${keys.token(role)}`);
    await untilDrawn(page, 100);
    return page;
  };
  const disabled = (page) => until(page, () => carom.session.info && Object.fromEntries(
    [...document.querySelectorAll('#tools button, #transport :is(button, select)')].filter((element) => element.checkVisibility() && element.disabled)
      .map((element) => [element.dataset.tool ?? element.id, element.title])));
  const all = (ids, why) => Object.fromEntries(ids.map((id) => [id, why]));
  const transport = ['play', 'step', 'speed'];
  const tools = ['push', 'spawn', 'polygon', 'chain', 'joint', 'erase'];
  const visitor = await open('viewer');
  await soon(async () => assert.deepEqual(await disabled(visitor), {...all(tools, 'This takes the role player; this session’s is viewer.'),
                                                                    ...all(transport, 'This takes the role referee; this session’s is viewer.')}));
  const player = await open('player');
  await soon(async () => assert.deepEqual(await disabled(player), all(transport, 'This takes the role referee; this session’s is player.')));
  for (const page of [visitor, player]) {
    for (const key of [' ', '.', '<', '>']) {
      await page.keyboard.press(key);
      await noted(page, /^This takes the role referee/);
      await page.evaluate(() => {
        notes.length = 0;
        document.getElementById('toasts').replaceChildren();
      });
    }
    assert.equal(await page.evaluate(() => document.getElementById('speed').value), '1');
    assert.equal((await admin.world.info({world: 'demo'})).paused, false);
  }
  // A player's own body, and one that it may not change.
  await player.evaluate(async () => {
    const {body} = await carom.session.client.call('body.spawn', {world: 'demo', position: [0, 60], shapes: [{kind: 'circle', radius: 1}]});
    globalThis.own = body;
  });
  const panel = player.locator('#inspector');
  for (const [mine, count] of [[true, 1], [false, 0]]) {
    await until(player, (own) => {
      const other = carom.picture.bodies.find(({type, description}) => type === 'dynamic' && description.owner === undefined);
      const id = own ? globalThis.own : other.id;
      carom.choose(id);
      return !document.getElementById('inspector').hidden && carom.chosen === id;
    }, mine);
    await soon(async () => assert.equal(await panel.getByRole('button', {name: 'Remove'}).count(), count));
    await soon(async () => assert.equal(await panel.getByLabel('Tag', {exact: true}).isDisabled(), !mine));
  }
  await panel.getByText('Players change only their own bodies; this one is nobody’s.').waitFor();
  await player.keyboard.press('Delete');
  await noted(player, 'Players change only their own bodies');
  await picture(player, 'rights_player');
  // Nothing that can be pressed is refused.
  for (const page of [visitor, player]) {
    const {pressed, refused} = await pressAll(page);
    assert.deepEqual(refused, []);
    assert.ok(pressed.length >= 20, `pressed ${pressed}`);
    await picture(page, page === player ? 'rights_pressed_player' : 'rights_pressed_viewer');
    assertNoErrors(page);
  }
  // Without a world there is nothing to act on, and the offer to make one is for those who may.
  await admin.world.destroy({world: 'demo'});
  await visitor.getByRole('heading', {name: 'There is no world yet'}).waitFor();
  await visitor.getByText('This takes the role admin; this session’s is viewer.').waitFor();
  assert.equal(await visitor.getByRole('button', {name: 'Make the demo world'}).count(), 0);
  await until(player, () => ['play', 'step', 'speed'].every((id) => {
    const {disabled, title} = document.getElementById(id);
    return disabled && title === 'No world is shown.';
  }));
});

test('what_players_may_call_is_shown_in_the_settings_and_the_list_of_worlds', {skip}, async (t) => {
  const duel = stage.client.use('duel');
  await duel.world.create({lifetime: 'session', players: {methods: ['body.impulse', 'message.send']}});
  await duel.body.spawn({shapes: [{kind: 'circle', radius: 1}]});
  const page = await newPage(stage.browser);
  t.after(() => page.context().close());
  await page.goto(`http://127.0.0.1:${stage.server.port}/#world=duel`);
  await untilDrawn(page, 1);
  const text = 'Players may call body.impulse, message.send.';
  await page.evaluate(() => carom.panels.settings.open());
  await page.locator('#settings').getByText(text).waitFor();
  await picture(page, 'players');
  const titles = () => page.evaluate(() => [...document.querySelectorAll('#world-list button')].map(({dataset, title}) => [dataset.world, title]));
  await page.evaluate(() => carom.panels.worlds.toggle());
  await soon(async () => assert.deepEqual(await titles(), [['demo', ''], ['duel', text]]));
  await page.evaluate(() => carom.visit('demo'));
  await untilDrawn(page, 100);
  await soon(async () => assert.equal(await page.locator('#settings').getByText('Players may call').isVisible(), false));
  assertNoErrors(page);
});

// The viewer's look and accessibility in a real Chromium: sizes, themes, reduced motion, mouse, touch, keyboard, and
// the roles and names for screen readers. Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';

import {SIZES, newPage, until} from './browser.js';
import {AWAIT_MS} from './patience.js';
import {assertNoErrors, at, button, openPage, picture, show, showLab, skip, soon, stage, tagged, tickOf,
        touch, untilDrawn} from './viewer_page.js';

const {phone, tablet, desktop} = SIZES;

// Finds controls that are outside the page, too small, or covered.
const misplaced = () => [...document.querySelectorAll('header button, nav button, footer button, footer input')]
  .filter((element) => element.checkVisibility()).map((element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const fits = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    const large = right - left >= 28 && bottom - top >= 24;
    return fits && large && element.contains(over) ? '' : `${element.id || element.dataset.tool}: ` +
      `${[left, top, right, bottom].map(Math.round)} ${over?.id}`;
  }).filter(Boolean);

for (const [name, size] of Object.entries(SIZES)) {
  test(`${name}_shows_motion_and_keeps_its_layout_in_both_themes`, {skip}, async (t) => {
    const page = await show(t, 'demo', 100, {...size, colorScheme: 'dark'});
    for (const theme of ['dark', 'light']) {
      await page.emulateMedia({colorScheme: theme});
      await soon(async () => assert.equal(await page.locator('html').getAttribute('data-theme'), theme));
      await soon(async () => assert.deepEqual(await page.evaluate(misplaced), []));
      await until(page, () => document.documentElement.scrollWidth <= innerWidth);
      await picture(page, `${name}_${theme}`);
    }
    const first = await page.screenshot();
    const tick = await tickOf(page);
    await until(page, (before) => carom.source.tick > before + 10, tick);
    assert.notDeepEqual(await page.screenshot(), first, 'nothing moved');
    assertNoErrors(page);
  });
}

// Finds panels and bars that overlap, or are partly outside the page.
const overlapping = () => {
  const all = [...document.querySelectorAll('.bar, .panel')].filter((element) => element.checkVisibility());
  const boxes = all.map((element) => [element.id || element.parentElement.tagName, element.getBoundingClientRect()]);
  const out = boxes.filter(([, box]) => box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight);
  const pairs = boxes.flatMap(([name, one], i) => boxes.slice(i + 1).filter(([, other]) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
    .map(([other]) => `${name} and ${other}`));
  return [...pairs, ...out.map(([name]) => `${name} lies outside`)];
};
const MORE_SIZES = {
  small: {viewport: {width: 320, height: 568}},
  small_tall: {viewport: {width: 360, height: 740}},
  small_flat: {viewport: {width: 667, height: 375}},
  narrow: {viewport: {width: 740, height: 700}},
  laptop: {viewport: {width: 1024, height: 700}},
};

test('page_says_what_it_waits_for_until_it_draws', {skip}, async (t) => {
  const page = await newPage(stage.browser);
  t.after(() => page.context().close());
  let loads; // lets the page load its scripts
  const loaded = new Promise((resolve) => { loads = resolve; });
  await page.route('**/viewer/main.js', async (route) => { await loaded; await route.continue(); });
  const holds = {word: 'limits'}; // messages with this word are held back: first the answer to hello
  let held; // held messages of this connection: a page that waits too long for an answer connects again
  let forward;
  await page.routeWebSocket('**/rpc', (socket) => {
    held = [];
    forward = (message) => socket.send(message);
    socket.connectToServer().onMessage((message) => {
      if (message.includes(holds.word)) held.push(message);
      else socket.send(message);
    });
  });
  const letCome = (next) => {
    holds.word = next;
    for (const message of held.splice(0)) forward(message);
  };
  const says = (heading) => page.locator('#empty').getByRole('heading', {name: heading, exact: true}).waitFor();
  await page.goto(`http://127.0.0.1:${stage.server.port}/`, {waitUntil: 'commit'});
  await says('Loading …');
  await page.getByText('waits for its scripts').waitFor();
  const delay = await page.locator('#empty').evaluate((box) => getComputedStyle(box).animationDelay);
  assert.equal(delay, '1.5s', 'a page that is quick announces nothing');
  loads();
  await says('Connecting …');
  letCome('step_ms'); // holds the list and the figures of worlds
  await page.getByText('waits for the server’s list of worlds').waitFor();
  await picture(page, 'waiting_list');
  letCome('snapshot');
  await says('Loading “demo” …');
  await picture(page, 'waiting_snapshot');
  assert.equal(await page.evaluate(() => carom.picture.bodies.length), 0);
  letCome('nothing of the protocol');
  await untilDrawn(page, 100);
  await page.locator('#empty').waitFor({state: 'hidden'});
  assertNoErrors(page);
});

test('buttons_of_the_event_log_keep_the_focus', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  await page.keyboard.press('e');
  const end = page.locator('#log-kinds').getByRole('button', {name: 'end', exact: true});
  await end.waitFor(); // hidden elements must take no focus
  await end.focus();
  for (const pressed of ['true', 'false']) {
    await page.keyboard.press('Enter');
    await soon(async () => assert.deepEqual([await end.getAttribute('aria-pressed'),
                                             await end.evaluate((button) => button === document.activeElement)], [pressed, true]));
  }
});

test('world_that_is_not_served_is_listed_as_such', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  await page.evaluate(() => { // simulates a world that the server has set aside (test_wire_aside.py)
    const {client} = carom.session;
    const call = client.call.bind(client);
    client.call = async (method, ...more) => {
      const answer = await call(method, ...more);
      if (method !== 'world.list') return answer;
      return [...answer, {...answer[0], world: 'hurt', bodies: 0, awake: 0, step_ms: 0, unavailable: 'it ended the server twice'}];
    };
  });
  await page.keyboard.press('w');
  const entry = page.locator('#world-list button[data-world=hurt]');
  await entry.getByText('not served').waitFor();
  assert.equal(await entry.getAttribute('title'), 'it ended the server twice');
  assert.equal(await entry.locator('i').getAttribute('class'), 'paused');
  const served = page.locator('#world-list button[data-world=demo]');
  await served.waitFor();
  assert.equal(await served.getByText('not served').count(), 0);
});

test('panels_stand_beside_each_other_at_every_size', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  const shown = async () => {
    const ids = ['inspector', 'layers', 'log', 'options', 'plots'];
    return page.evaluate((all) => all.filter((id) => document.getElementById(id).checkVisibility()), ids);
  };
  // The panels whose buttons are lit, and those that have no button, as they are shown.
  const lit = async () => page.evaluate((all) => all.filter((id) => {
    const own = document.getElementById(`${id}-button`);
    if (!own) return document.getElementById(id).checkVisibility();
    return [own.getAttribute('aria-pressed'), own.getAttribute('aria-expanded')].includes('true');
  }), ['inspector', 'layers', 'log', 'options', 'plots']);
  const shows = (...ids) => soon(async () => assert.deepEqual(await shown(), ids.sort()));
  for (const [name, {viewport}] of Object.entries({...SIZES, ...MORE_SIZES})) {
    await page.setViewportSize(viewport);
    const single = /phone|flat|small/.test(name);
    const opened = [];
    for (const [key, id] of [['s', 'options'], ['e', 'log'], ['m', 'plots'], [']', 'inspector'], ['o', 'layers']]) {
      await page.keyboard.press(key);
      opened.push(id);
      await shows(...(single ? [id] : opened));
      await soon(async () => assert.deepEqual(await lit(), await shown(), `${name} with ${id}: buttons`));
      await soon(async () => assert.deepEqual(await page.evaluate(overlapping), [], `${name} with ${id}`));
    }
    await soon(async () => assert.deepEqual(await page.evaluate(misplaced), [], name));
    const {width} = await page.locator('#timeline').boundingBox();
    assert.ok(width >= 200, `${name}: a finger has ${width} px for the past minutes`);
    await picture(page, `${name}_panels`);
    if (single) {
      // A key brings a covered panel to the front, and so does closing the others.
      await page.keyboard.press('e');
      await shows('log');
      await page.keyboard.press('e');
      await shows('layers');
      await page.keyboard.press('o');
      await shows('inspector');
    }
    await page.evaluate(() => {
      carom.setTool('hand');
      carom.choose(0);
      for (const id of ['log', 'plots', 'layers']) while (!document.getElementById(id).hidden) carom.panels[id].toggle();
    });
    await shows();
  }
  assertNoErrors(page);
});

test('a_screen_reader_is_told_what_was_done_and_not_every_number', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const {body} = await lab.body.spawn({tag: 'ball', position: [0, 0.5], shapes: [{kind: 'circle', radius: 0.5}]});
  const {body: moving} = await lab.body.spawn({position: [3, 5], gravity_scale: 0, angular_velocity: 3, shapes: [{kind: 'box', size: [1, 1]}]});
  await until(page, (id) => carom.picture.bodies.some((one) => one.id === id), moving);
  const told = page.locator('#news');
  const tells = (what) => soon(async () => assert.match(await told.textContent(), what));
  await page.keyboard.press(']');
  await tells(new RegExp(`^ball ${body}: It (is awake and at rest|sleeps).* It rests on a shape.$`));
  await page.keyboard.press(' ');
  await tells(/^Paused$/);
  await page.keyboard.press(' ');
  await tells(/^Running$/);
  await page.keyboard.press(']');
  await tells(/: It turns at 3 rad/);
  // From here on nothing is done, while figures change all over the page.
  const changes = await page.evaluate((awaitMs) => new Promise((resolve) => {
    const live = [...document.querySelectorAll('[aria-live], [role=status], [role=alert], [role=log], output')]
      .filter((one) => one.getAttribute('aria-live') !== 'off');
    const seen = {live: [], all: 0};
    const watch = (nodes, action) => {
      const observer = new MutationObserver(action);
      for (const node of nodes) observer.observe(node, {childList: true, subtree: true, characterData: true});
    };
    watch(live, ([{target}]) => seen.live.push(target.id || target.textContent));
    watch([document.getElementById('inspector'), document.getElementById('status')], () => seen.all++);
    const began = performance.now();
    const poll = setInterval(() => { // a busy machine draws late
      if (performance.now() - began < 2500 || (seen.all < 5 && performance.now() - began < awaitMs)) return;
      clearInterval(poll);
      resolve(seen);
    }, 100);
  }), AWAIT_MS);
  assert.deepEqual(changes.live, []);
  assert.ok(changes.all >= 5, 'nothing changed at all');
});

test('a_theme_follows_the_system_until_one_is_chosen', {skip}, async (t) => {
  const page = await show(t, 'demo', 100, {colorScheme: 'light'});
  const shows = (theme) => soon(async () => assert.equal(await page.locator('html').getAttribute('data-theme'), theme));
  await shows('light');
  await page.emulateMedia({colorScheme: 'dark'});
  await shows('dark');
  await button(page, 'Light or dark').click();
  await shows('light');
  await page.emulateMedia({colorScheme: 'light'});
  await page.emulateMedia({colorScheme: 'dark'});
  await page.reload();
  await untilDrawn(page, 100);
  await shows('light'); // the choice is kept
});

test('motion_that_is_turned_down_lets_the_view_jump', {skip}, async (t) => {
  const {page} = await showLab(t, {paused: true});
  // Records the places of the camera in the frames after a key.
  const glide = () => page.evaluate(() => new Promise((resolve) => {
    const seen = new Set();
    carom.camera.zoom(2);
    carom.touch();
    requestAnimationFrame(function look() {
      seen.add(carom.camera.scale);
      if (Math.abs(carom.camera.goal.scale / carom.camera.scale - 1) < 1e-3) resolve(seen.size);
      else requestAnimationFrame(look);
    });
  }));
  assert.ok(await glide() > 1);
  await page.emulateMedia({reducedMotion: 'reduce'});
  await soon(async () => assert.equal(await page.evaluate(() => carom.camera.still), true));
  assert.ok(await glide() <= 2, 'the frame before and the one after');
  const status = page.getByRole('status').locator('i');
  await soon(async () => assert.equal(await status.evaluate((dot) => getComputedStyle(dot).animationName), 'none'));
});

test('wheel_and_drag_move_the_view', {skip}, async (t) => {
  const {page} = await showLab(t);
  const {scale, x} = await page.evaluate(() => ({scale: carom.camera.goal.scale, x: carom.camera.x}));
  await page.mouse.move(720, 300);
  await page.mouse.wheel(0, -300);
  await until(page, (before) => carom.camera.scale > before * 1.3, scale);
  await page.mouse.move(640, 200);
  await page.mouse.down();
  await page.mouse.move(500, 200, {steps: 4});
  await page.mouse.up();
  await until(page, (before) => carom.camera.x > before, x);
});

test('two_fingers_zoom_on_a_phone', {skip}, async (t) => {
  const {page} = await showLab(t, {}, phone);
  const scale = await page.evaluate(() => carom.camera.goal.scale);
  await touch(page, [[150, 300], [240, 300]], [[100, 300], [290, 300]], [[60, 300], [330, 300]]);
  await until(page, (before) => carom.camera.goal.scale > before * 2, scale);
});

test('one_finger_pans_taps_and_pulls_on_a_phone', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {gravity: [0, 0]}, phone);
  const {body} = await lab.body.spawn({tag: 'box', position: [0, 4], shapes: [{kind: 'box', size: [3, 3]}]});
  await until(page, (id) => carom.picture.bodies.some((one) => one.id === id), body);
  const x = await page.evaluate(() => carom.camera.x);
  await touch(page, [[200, 250]], [[170, 250]], [[120, 250]]);
  await until(page, (before) => carom.camera.x > before, x);
  await page.evaluate(() => carom.camera.jump());
  await page.touchscreen.tap(...await at(page, 0, 4));
  await page.getByRole('complementary', {name: 'The chosen body'}).getByText(/at rest/).waitFor();
  // The panel covers the body's old place: the view has moved the body out.
  const {y} = await page.getByRole('complementary').boundingBox();
  await until(page, (top) => carom.camera.toScreen(0, 4)[1] < top - 20, y);
  await picture(page, 'phone_inspect');
  await page.getByRole('complementary').getByRole('button', {name: 'Close'}).tap();
  await page.getByRole('complementary').waitFor({state: 'hidden'});
  await page.evaluate(() => carom.camera.jump());
  // The finger stays until the pull shows: one that begins and ends within a tick moves nothing.
  await touch(page, [await at(page, 0, 4)], [await at(page, 0.5, 5)], [await at(page, 1, 7)], () => soon(
    async () => assert.ok((await lab.body.get({body})).velocity[1] > 0, 'it was pulled up')));
  assertNoErrors(page);
});

test('every_control_has_a_role_and_a_name_of_its_own', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  // Finds controls by role and name alone, as a screen reader does.
  for (const name of ['Overlays and colours', 'Plots', 'Event log', 'Light or dark', 'Help', 'Pause', 'One tick',
                      'Copy a link to this view', 'live', 'demo']) {
    await button(page, name).waitFor();
  }
  const tools = page.getByRole('navigation', {name: 'Tools'});
  for (const name of ['Push', 'Spawn', 'Draw a polygon', 'Draw ground', 'Join two bodies', 'Remove', 'Show everything']) {
    await tools.getByRole('button', {name, exact: true}).waitFor();
  }
  assert.equal(await tools.getByRole('button', {pressed: true}).getAttribute('aria-label'), 'Select, pull and pan');
  await page.getByRole('application', {name: /^The world\. Arrow keys/}).waitFor();
  await page.getByRole('status').filter({hasText: /Hz/}).waitFor();
  await page.getByRole('combobox', {name: 'Speed'}).waitFor();
  const timeline = page.getByRole('slider', {name: /^Time/});
  await soon(async () => assert.equal(await timeline.getAttribute('aria-valuetext'), 'now'));
  await soon(async () => assert.match(await page.locator('#summary').textContent(), /^World demo: \d+ bodies, \d+ awake/));
  // With all panels open, every control has a name, and no two controls of a panel share one.
  for (const key of ['m', 'e', 'o', 's']) await page.keyboard.press(key);
  await page.getByRole('dialog', {name: 'Overlays and colours'}).getByRole('checkbox', {name: 'Joints'}).waitFor();
  await page.getByRole('region', {name: 'Options of the tool'}).getByRole('slider', {name: 'Size'}).waitFor();
  const roles = ['button', 'checkbox', 'radio', 'slider', 'combobox', 'textbox'];
  for (const role of roles) {
    await soon(async () => { // the two counts are taken at different moments, and lists change
      const all = await page.getByRole(role).count();
      const named = await page.getByRole(role, {name: /\S/}).count();
      assert.equal(named, all, `${role}s without a name: ${await page.locator('body').ariaSnapshot()}`);
    });
  }
});

test('tab_goes_through_the_controls_and_shows_where_it_is', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  await page.getByRole('slider', {name: /^Time/, disabled: false}).waitFor(); // there is a past to go back to
  const seen = [];
  for (let i = 0; i < 30 && !seen.includes('live'); i++) {
    await page.keyboard.press('Tab');
    seen.push(await page.evaluate(() => {
      const {activeElement: one} = document;
      const {outlineStyle, boxShadow} = getComputedStyle(one);
      const marked = outlineStyle !== 'none' || boxShadow !== 'none';
      return `${one.id || one.dataset.tool}${marked ? '' : ' (not seen)'}`;
    }));
  }
  assert.deepEqual(seen, ['scene', 'worlds-button', 'layers-button', 'plots-button', 'log-button', 'theme-button',
                          'help-button', 'hand', 'push', 'spawn', 'polygon', 'chain', 'joint', 'erase', 'fit-button',
                          'play', 'step', 'speed', 'timeline', 'share', 'live']);
});

test('a_body_is_chosen_explained_followed_and_removed_by_keys_alone', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const {body} = await lab.body.spawn({tag: 'ball', position: [0, 0.5], shapes: [{kind: 'circle', radius: 0.5}]});
  await until(page, (id) => carom.picture.bodies.some((one) => one.id === id), body);
  await page.keyboard.press(']');
  const panel = page.getByRole('complementary', {name: 'The chosen body'});
  await panel.getByRole('heading', {name: `ball ${body}`}).waitFor();
  await panel.getByText('It rests on a shape.').waitFor();
  await page.keyboard.press('f');
  await panel.getByRole('button', {name: 'Follow', pressed: true}).waitFor();
  const x = await page.evaluate(() => carom.camera.goal.x);
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowRight');
  await until(page, (before) => carom.camera.goal.x > before, x);
  await page.keyboard.press('Delete');
  await panel.waitFor({state: 'hidden'});
  await soon(async () => assert.equal((await lab.world.info()).bodies, 1));
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Spawned in the middle of the view').waitFor();
  await soon(async () => assert.equal((await lab.world.info()).bodies, 2));
  assertNoErrors(page);
});

test('dialogs_hold_the_focus_and_give_it_back', {skip}, async (t) => {
  const page = await show(t, 'demo', 100, tablet);
  await button(page, 'Help').focus();
  await page.keyboard.press('Enter');
  const help = page.getByRole('dialog', {name: 'Help'});
  await help.getByText('Pause or go on').waitFor();
  await picture(page, 'help');
  await page.keyboard.press('Escape');
  await help.waitFor({state: 'hidden'});
  await until(page, () => document.activeElement.id === 'help-button');
  await page.keyboard.press('w');
  const worlds = page.getByRole('dialog', {name: 'Worlds'});
  await worlds.getByRole('button', {name: /^demo/, pressed: true}).waitFor();
  await picture(page, 'worlds');
  await page.keyboard.press('Escape');
  await worlds.waitFor({state: 'hidden'});
  await until(page, () => document.activeElement.id === 'help-button'); // the focus is back
  await button(page, /^Worlds|^demo/).focus();
  await page.keyboard.press('Enter');
  await worlds.waitFor();
  await page.keyboard.press('Escape');
  await until(page, () => document.activeElement.id === 'worlds-button');
  // A panel that a key has opened leaves the next Space to the page.
  await page.evaluate(() => document.activeElement.blur());
  for (const [key, id] of [['w', 'worlds'], ['o', 'layers']]) {
    for (const closing of ['Escape', key]) {
      await page.keyboard.press(key);
      await until(page, (panel) => document.getElementById(panel).contains(document.activeElement), id);
      await page.keyboard.press(closing);
      await until(page, (panel) => document.getElementById(panel).hidden && document.activeElement === document.body, id);
    }
  }
});

test('escape_closes_every_panel_and_gives_the_focus_back', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const {body} = await lab.body.spawn({position: [0, 2], shapes: [{kind: 'circle', radius: 1}]});
  await untilDrawn(page, 2);
  const keys = {settings: 'k', layers: 'o', worlds: 'w', plots: 'm', log: 'e', prediction: 'd', options: 's', inspector: ']'};
  const panels = await page.evaluate(() => [...document.querySelectorAll('section[id], aside[id], #plots')].map(({id}) => id));
  assert.deepEqual(panels.toSorted(), Object.keys(keys).toSorted());
  const closed = (id, focused) => until(page, ([panel, element]) => document.getElementById(panel).hidden &&
    document.activeElement === (element ? document.getElementById(element) : document.body), [id, focused]);
  for (const [id, key] of Object.entries(keys)) {
    for (const focused of ['', 'help-button']) {
      await page.evaluate((element) => {
        document.activeElement.blur();
        document.getElementById(element)?.focus();
      }, focused);
      await page.keyboard.press(key);
      await until(page, (panel) => document.getElementById(panel).checkVisibility(), id);
      await page.evaluate((panel) => document.querySelector(`#${panel} :is(button, input, select, summary)`)?.focus(), id); // plots have none
      await page.keyboard.press('Escape');
      await closed(id, focused);
    }
  }
  // The key that opens a panel closes it, without a letter that is typed into a field.
  for (const id of ['settings', 'layers', 'worlds', 'plots', 'log', 'prediction']) {
    await page.evaluate(() => document.activeElement.blur());
    for (const hidden of [false, true]) {
      await page.keyboard.press(keys[id]);
      await until(page, ([panel, wanted]) => document.getElementById(panel).hidden === wanted, [id, hidden]);
    }
  }
  // The panel opened last closes first; and the keys after it are the page's.
  await page.evaluate(() => document.activeElement.blur());
  for (const key of 'em') await page.keyboard.press(key);
  await page.keyboard.press('k');
  await until(page, () => document.getElementById('settings').contains(document.activeElement));
  for (const id of ['settings', 'plots', 'log']) {
    await until(page, (panel) => document.getElementById(panel).checkVisibility(), id);
    await page.keyboard.press('Escape');
    await closed(id, '');
  }
  const joints = await page.evaluate(() => carom.overlays.shown.joints);
  await page.keyboard.press('1');
  await until(page, (before) => carom.overlays.shown.joints !== before, joints);
  // Escape drops what was typed in a field.
  await page.evaluate((id) => carom.choose(id), body);
  for (const [id, label, text] of [['inspector', 'Tag', 'typed'], ['settings', 'Gravity x', '7']]) {
    if (id === 'settings') await page.keyboard.press('k');
    await page.locator(`#${id}`).getByLabel(label, {exact: true}).fill(text);
    await page.keyboard.press('Escape');
    await closed(id, '');
  }
  await page.evaluate(() => carom.session.client.call('ping'));
  assert.equal((await lab.world.info()).gravity[0], 0);
  assert.deepEqual((await lab.world.state()).bodies.map(({tag}) => tag).toSorted(), ['', 'ground']);
  assertNoErrors(page);
});

test('shapes_of_one_body_show_no_seams', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {gravity: [0, 0]});
  const box = (x, w) => ({kind: 'box', center: [x, 0], size: [w, 2]});
  const left = [[-3, -1], [0, -1], [1, 1], [-3, 1]];
  const right = [[0, -1], [3, -1], [3, 1], [1, 1]];
  const polygon = (vertices) => ({kind: 'polygon', vertices});
  const rows = {lone: [box(0, 6)], overlapping: [box(-1, 4), box(1, 4)], abutting: [polygon(left), polygon(right)]};
  for (const [i, shapes] of Object.values(rows).entries()) await lab.body.spawn({tag: 'wall', position: [0, 3 + 3 * i], shapes});
  await until(page, () => carom.picture.bodies.length === 4);
  // Reads the colours along the middle of each body, and down through it.
  const looks = () => page.evaluate((ys) => {
    const {canvas, camera, theme, scene} = carom;
    canvas.draw(camera, theme);
    const copy = new OffscreenCanvas(scene.width, scene.height).getContext('2d');
    copy.drawImage(scene, 0, 0);
    const colour = (x, y) => [...copy.getImageData(...camera.toScreen(x, y).map(Math.round), 1, 1).data].join();
    const distinct = (list) => new Set(list).size;
    const row = (y) => Array.from({length: 241}, (_, i) => colour(-2.4 + i * 0.02, y));
    return ys.map((y) => ({along: distinct(row(y)), above: distinct(row(y + 1.05)),
                           down: distinct(Array.from({length: 200}, (_, i) => colour(0.3, y + 1.2 - i * 0.012)))}));
  }, [3, 6, 9]);
  const [lone, ...unions] = await looks();
  t.diagnostic(`colours ${JSON.stringify([lone, ...unions])}`);
  assert.ok(lone.down > 3, 'it has an outline');
  for (const {along, above, down} of unions) {
    assert.equal(along, 1);
    assert.ok(above <= lone.above + 3, `${above} colours in the halo, ${lone.above} in that of a single shape`);
    assert.ok(down >= 3, 'it has an outline, too');
  }
  await picture(page, 'seams');
  // The chosen body has an outline around all of it.
  const {bodies} = await lab.world.state();
  const abutting = bodies.find((body) => body.position[1] === 9);
  await page.evaluate((id) => carom.choose(id), abutting.body);
  await until(page, (id) => carom.chosen === id && !carom.dirty, abutting.body);
  const chosen = (await looks())[2];
  assert.equal(chosen.along, 1, 'a seam under the outline');
  assert.ok(chosen.down >= 3);
  await picture(page, 'seams_chosen');
});

test('help_begins_at_its_top_and_hides_nothing', {skip}, async (t) => {
  const small = {...phone, viewport: {width: 320, height: 568}};
  for (const [name, size] of Object.entries({phone, small, flat: SIZES.flat, desktop})) {
    const page = await show(t, 'demo', 100, size);
    for (let time = 0; time < 2; time++) { // it does not open where it was left
      await button(page, 'Help').click();
      const {tops, wide, close, heading, height} = await page.evaluate(() => {
        const dialog = document.querySelector('#help');
        const box = (what) => dialog.querySelector(what).getBoundingClientRect();
        return {tops: [...dialog.querySelectorAll('dl')].flatMap((list) => [...list.querySelectorAll('dd')]
                  .map((one) => ({list: getComputedStyle(list).display === 'contents' ? 0 : [...list.parentNode.children].indexOf(list),
                                  left: one.getBoundingClientRect().left, top: one.getBoundingClientRect().top, bottom: one.getBoundingClientRect().bottom}))),
                wide: dialog.scrollWidth > dialog.clientWidth, close: box('form button'), heading: box('h2'), height: innerHeight};
      });
      assert.ok(heading.top > 0 && heading.bottom < height, `${name}: the heading is at ${heading.top}`);
      assert.ok(close.top > 0 && close.bottom <= height, `${name}: Close is at ${close.top}`);
      assert.ok(!wide, name);
      for (const [i, row] of tops.entries()) {
        if (i === 0 || row.list !== tops[i - 1].list) continue;
        assert.ok(row.top >= tops[i - 1].bottom, `${name}: row ${i} is on the one before it`);
        assert.ok(Math.abs(row.left - tops[i - 1].left) < 1, `${name}: row ${i} is not below the one before it`);
      }
      await page.evaluate(() => document.querySelector('#help').scrollTo(0, 1e6));
      await picture(page, `help_${name}`);
      await page.getByRole('dialog', {name: 'Help'}).getByRole('button', {name: 'Close'}).click();
    }
  }
});

test('a_note_on_a_phone_lies_on_no_row_of_a_panel', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {}, phone);
  const {body} = await lab.body.spawn({position: [0, 5], tag: 'ball', shapes: [{kind: 'circle', radius: 1}]});
  await until(page, (id) => carom.source?.body(id), body);
  for (const name of ['layers', 'settings', 'log', 'plots', 'inspector', 'worlds']) {
    const {panel, note, below} = await page.evaluate(async ([id, chosen]) => {
      const {toast} = await import(new URL('ui/dom.js', document.querySelector('script[type=module][src]').src));
      document.getElementById('toasts').replaceChildren();
      if (id === 'inspector') carom.choose(chosen);
      else carom.panels[id].toggle();
      await new Promise((resolve) => carom.on('frame', resolve));
      toast(`A note that fills more than one line of a phone, as most of them do: ${id}`);
      const box = (of) => document.getElementById(of).getBoundingClientRect().toJSON();
      return {panel: box(id), note: box('toasts'), below: document.querySelector('header').getBoundingClientRect().bottom};
    }, [name, body]);
    assert.ok(panel.height > 20 && note.height > 20, name);
    assert.ok(note.bottom <= panel.top || note.top >= panel.bottom, `${name}: note ${note.top} to ${note.bottom}, panel ${panel.top} to ${panel.bottom}`);
    assert.ok(note.top >= below, `${name}: a note at ${note.top} lies on the header`);
    await picture(page, `phone_note_${name}`);
    await page.keyboard.press('Escape');
  }
});

test('a_world_that_names_no_view_is_shown_whole', {skip}, async (t) => {
  const lab = stage.client.use('far');
  await lab.world.create({lifetime: 'session', paused: true});
  for (const x of [300, 360]) await lab.body.spawn({type: 'static', position: [x, 80], shapes: [{kind: 'box', size: [2, 2]}]});
  for (const size of [desktop, phone]) {
    const page = await show(t, 'far', 2, size);
    const places = [await at(page, 299, 79), await at(page, 361, 81)];
    const {width, height} = size.viewport;
    for (const [x, y] of places) assert.ok(x > 0 && x < width && y > 0 && y < height, `${x}, ${y} of ${width}, ${height}`);
    assert.ok(places[1][0] - places[0][0] > width / 2, 'and not from afar');
  }
});

test('the_list_of_worlds_keeps_its_buttons_while_its_numbers_change', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  await page.keyboard.press('w');
  await page.getByRole('dialog', {name: 'Worlds'}).getByRole('button', {name: /^demo \d+ Hz/}).waitFor();
  const same = await page.evaluate(async () => {
    const buttons = () => [...document.querySelectorAll('#world-list button, #world-actions button')];
    const numbers = () => document.querySelector('#world-list small').textContent;
    const [before, text] = [buttons(), numbers()];
    while (numbers() === text) await carom.session.look();
    return before.length > 2 && before.every((button, i) => button === buttons()[i]);
  });
  assert.ok(same);
});

test('buttons_of_a_chosen_body_stay_while_it_touches_others', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const inspector = page.getByRole('complementary', {name: 'The chosen body'});
  const [ground] = await tagged(lab, 'ground');
  await page.evaluate((id) => carom.choose(id), ground.body);
  const drop = async (x) => (await lab.body.spawn({position: [x, 0.5], shapes: [{kind: 'box', size: [1, 1]}]})).body;
  const bodies = [await drop(0)];
  const link = (body) => inspector.getByRole('button', {name: `body ${body}`, exact: true});
  const marked = [link(bodies[0]), inspector.getByRole('button', {name: 'Make dynamic'})];
  for (const one of marked) {
    await one.waitFor();
    await one.evaluate((button) => {
      button.dataset.marked = 'yes';
    });
  }
  const {x, y} = await marked[1].boundingBox();
  for (let i = 1; i < 4; i++) bodies.push(await drop(2 * i));
  await link(bodies[3]).waitFor();
  await lab.body.remove({body: bodies[1]});
  await link(bodies[1]).waitFor({state: 'detached'});
  for (const one of marked) assert.equal(await one.getAttribute('data-marked'), 'yes');
  const after = await marked[1].boundingBox();
  assert.deepEqual([after.x, after.y], [x, y], 'nothing moves from under the pointer');
  await link(bodies[2]).click();
  assert.equal(await page.evaluate(() => carom.chosen), bodies[2]);
  assertNoErrors(page);
});

test('a_world_ends_by_two_presses_while_it_is_watched', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const other = stage.client.use(`${lab.name}-other`);
  await other.world.create({lifetime: 'session'});
  await page.keyboard.press('w');
  await button(page, 'End').click();
  await button(page, 'Really end it?').waitFor();
  await page.locator(`[data-world="${other.name}"]`).click();
  await until(page, (name) => carom.session.world === name && carom.session.info, other.name);
  await page.keyboard.press('w');
  await button(page, 'End').waitFor(); // the press was for the world before
  assert.equal(await button(page, 'Really end it?').count(), 0);
  await button(page, 'End').click();
  await button(page, 'Really end it?').click();
  await soon(async () => assert.deepEqual((await stage.client.world.list()).map(({world}) => world).filter((name) => name.startsWith(lab.name)),
                                          [lab.name]));
  assertNoErrors(page);
});

test('who_may_only_look_is_shown_nothing_to_change_things_with', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  const worlds = page.getByRole('dialog', {name: 'Worlds'});
  const panel = page.getByRole('complementary', {name: 'The chosen body'});
  const shows = async (count) => {
    await page.keyboard.press(']');
    await panel.waitFor();
    await page.keyboard.press('w');
    await worlds.getByRole('button', {name: /^demo/}).waitFor();
    await soon(async () => assert.deepEqual([await panel.getByRole('button', {name: 'Remove'}).count(),
                                             await worlds.getByRole('button', {name: 'Create'}).count()], [count, count]));
    await page.keyboard.press('Escape');
  };
  await shows(1);
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    carom.session.client.hello.role = 'viewer';
  });
  await shows(0);
});

test('a_page_of_another_address_names_worlds_that_are_not_there', {skip}, async (t) => {
  const page = await openPage(t, 'viewer/index.html#world=nowhere', desktop);
  await page.getByRole('heading', {name: 'There is no world “nowhere”'}).waitFor();
  await button(page, 'Worlds').click();
  await page.getByRole('dialog', {name: 'Worlds'}).getByRole('button', {name: /^demo/}).click();
  await untilDrawn(page, 100);
  assertNoErrors(page);
});

test('actions_of_worlds_stay_in_sight_below_a_long_list', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  for (let i = 0; i < 16; i++) await stage.client.world.create({world: `${lab.name}-${i}`, lifetime: 'session'});
  t.after(() => Promise.all(Array.from({length: 16}, (_, i) => stage.client.world.destroy({world: `${lab.name}-${i}`}))));
  await page.keyboard.press('w');
  await page.locator(`#world-list [data-world="${lab.name}-15"]`).waitFor();
  for (const {viewport} of Object.values(SIZES)) {
    await page.setViewportSize(viewport);
    for (const name of ['Create', 'Fork', 'Save', 'End']) {
      await soon(async () => assert.ok(await button(page, name).evaluate((element) => {
        const {left, top, width, height} = element.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) === element;
      }), `${name} at ${viewport.width} by ${viewport.height}`));
    }
  }
  await picture(page, 'many_worlds');
  assertNoErrors(page);
});

// The viewer as a workbench, as caromd serves it (environment CAROMD), in a real Chromium: values changed in place and by
// slider, undo and redo. Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';

import {readFile} from 'node:fs/promises';

import {SIZES, until} from './browser.js';
import {assertNoErrors, button, noted, openPage, picture, showLab, skip, soon, stage, tagged} from './viewer_page.js';

const BALL = {tag: 'ball', position: [0, 4], shapes: [{kind: 'circle', radius: 0.5, friction: 0.4, density: 2}]};

// A paused world with a body, chosen, and its fields.
async function showBody(t, args = BALL, options = {}) {
  const {lab, page} = await showLab(t, {paused: true}, options);
  const {body} = await lab.body.spawn(args);
  await choose(page, body);
  return {lab, page, body};
}

async function choose(page, body) {
  await until(page, (id) => carom.source?.body(id)?.description && (carom.choose(id), true), body);
  await page.getByRole('complementary', {name: 'The chosen body'}).waitFor();
}

const field = (page, name) => page.getByRole('textbox', {name, exact: true});
const slider = (page, name) => page.getByRole('slider', {name: `${name}, slider`, exact: true});

async function type(page, name, value) {
  await field(page, name).fill(String(value));
  await field(page, name).press('Enter');
}

const near = (value, wanted, slack = 1e-3) => assert.ok(Math.abs(value - wanted) <= slack, `${value}, expected ${wanted}`);
test('a_body_is_changed_in_place', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const now = () => lab.body.get({body});
  for (const [name, value, read] of [
    ['Tag', 'weight', (map) => map.tag], ['Velocity x', 3, (map) => map.velocity[0]], ['Velocity y', -2, (map) => map.velocity[1]],
    ['Turning', 1.5, (map) => map.angular_velocity], ['Damping', 0.25, (map) => map.linear_damping], ['Gravity', 0.5, (map) => map.gravity_scale],
    ['Friction', 0.9, (map) => map.shapes[0].friction], ['Bounce', 0.3, (map) => map.shapes[0].restitution],
    ['Density', 7, (map) => map.shapes[0].density], ['Radius', 0.75, (map) => map.shapes[0].radius]]) {
    await type(page, name, value);
    await soon(async () => {
      const is = read(await now());
      if (typeof value === 'string') assert.equal(is, value);
      else near(is, value, 1e-6);
    });
  }
  const map = await now();
  assert.equal(map.shapes.length, 1, 'the form was replaced, and its surface stays');
  near(map.shapes[0].friction, 0.9, 1e-6);
  near(map.mass, 7 * Math.PI * 0.75 ** 2, 1e-3);
  near(map.velocity[0], 3, 1e-6);
  await picture(page, 'workbench_body');
  assertNoErrors(page);
});

// Each value is typed while the page does not show those before yet, or they are still on their way.
test('values_that_are_typed_one_after_the_other_all_arrive', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  await field(page, 'Radius').waitFor();
  await page.evaluate(() => {
    const {client} = carom.session;
    const call = client.call.bind(client);
    client.call = async (method, ...rest) => {
      if (method === 'world.apply') await new Promise((resolve) => setTimeout(resolve, 1000));
      return call(method, ...rest);
    };
  });
  for (const [name, value] of [['Velocity x', 3], ['Velocity y', -2], ['Friction', 0.9], ['Radius', 0.75], ['Density', 7]]) await type(page, name, value);
  await soon(async () => {
    const {velocity, shapes} = await lab.body.get({body});
    assert.deepEqual([velocity, shapes.length], [[3, -2], 1]);
    near(shapes[0].friction, 0.9);
    near(shapes[0].radius, 0.75);
    near(shapes[0].density, 7);
  });
  assertNoErrors(page);
});

test('a_field_that_is_entered_stays_while_the_body_gets_a_joint', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  await field(page, 'Bounce').focus();
  const {body: post} = await lab.body.spawn({type: 'static', shapes: []});
  const {joint} = await lab.joint.create({kind: 'wheel', a: post, b: body, anchor: [0, 4], axis: [0, 1]});
  await until(page, () => carom.source.joints.size === 1);
  await page.locator('#inspector').getByText(`wheel ${joint}`).first().waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('0.5');
  await page.keyboard.press('Enter');
  await soon(async () => near((await lab.body.get({body})).shapes[0].restitution, 0.5));
  await field(page, `Motor speed of joint ${joint}`).waitFor();
  assertNoErrors(page);
});

test('a_slider_changes_the_world_while_it_moves_and_is_undone_at_once', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  // The world's value once the last one of the slider has arrived.
  const settled = (name, read) => soon(async () => {
    const {shapes} = await lab.body.get({body});
    assert.equal(shapes.length, 1);
    near(read(shapes[0]), Number(await field(page, name).inputValue()), 0.002);
    return read(shapes[0]);
  });
  await slider(page, 'Friction').scrollIntoViewIfNeeded();
  const box = await slider(page, 'Friction').boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
  await page.mouse.down();
  const seen = new Set();
  for (const share of [0.4, 0.6, 0.9]) {
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2, {steps: 4});
    seen.add(await soon(async () => {
      const {friction} = (await lab.body.get({body})).shapes[0];
      near(friction, 2 * share, 0.15);
      return friction;
    }));
  }
  assert.equal(seen.size, 3, 'values while the slider is held');
  await page.mouse.up();
  const last = await settled('Friction', (shape) => shape.friction);
  await page.keyboard.press('Control+z');
  await noted(page, /^Undone: friction/);
  near((await lab.body.get({body})).shapes[0].friction, 0.4, 1e-6);
  await page.keyboard.press('Control+y');
  await noted(page, /^Done again/);
  near((await lab.body.get({body})).shapes[0].friction, last, 1e-6);
  // A form: the shape is another one with each step of the slider.
  await slider(page, 'Radius').scrollIntoViewIfNeeded();
  const radius = await slider(page, 'Radius').boundingBox();
  await page.mouse.move(radius.x + radius.width * 0.3, radius.y + radius.height / 2);
  await page.mouse.down();
  for (const share of [0.5, 0.6, 0.7]) {
    await page.mouse.move(radius.x + radius.width * share, radius.y + radius.height / 2, {steps: 5});
    await soon(async () => near(Math.log((await lab.body.get({body})).shapes[0].radius / 0.05) / Math.log(400), share, 0.08));
  }
  await page.mouse.up();
  const lastRadius = await settled('Radius', (shape) => shape.radius);
  await page.keyboard.press('u');
  await soon(async () => near((await lab.body.get({body})).shapes[0].radius, 0.5, 1e-6));
  await page.keyboard.press('Shift+U');
  await soon(async () => near((await lab.body.get({body})).shapes[0].radius, lastRadius, 1e-6));
  assertNoErrors(page);
});

// The page gets no snapshots until `release()`: until then the page learns a body's changes from answers alone.
async function withoutSnapshots(page) {
  await page.evaluate(() => {
    const {view} = carom.live;
    const apply = view.apply.bind(view);
    const kept = [];
    globalThis.release = () => {
      delete view.apply;
      for (const one of kept) apply(...one);
    };
    view.apply = (...one) => kept.push(one);
  });
  return {release: () => page.evaluate(() => release())};
}

// Has the page look at the body again, as it does every half second: the panel then shows the values of the snapshots.
const lookAgain = (page) => page.evaluate(() => {
  for (let i = 0; i < 3; i++) carom.emit('frame', {});
});

// The page's changes do not reach the server until `release()`.
async function withoutChanges(page) {
  await page.evaluate(() => {
    const {client} = carom.session;
    const call = client.call.bind(client);
    const released = new Promise((resolve) => {
      globalThis.release = resolve;
    });
    client.call = async (method, ...rest) => {
      if (method === 'world.apply') await released;
      return call(method, ...rest);
    };
  });
  return {release: () => page.evaluate(() => release())};
}

test('fields_keep_what_was_set_until_the_server_has_answered', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  await slider(page, 'Friction').scrollIntoViewIfNeeded();
  const {release} = await withoutChanges(page);
  const {x, y, width, height} = await slider(page, 'Friction').boundingBox();
  await page.mouse.move(x + width * 0.2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height / 2, {steps: 3});
  await page.mouse.up();
  await type(page, 'Damping', 0.25);
  await type(page, 'Tag', 'weight');
  const shown = () => Promise.all(['Friction', 'Damping', 'Tag'].map((name) => field(page, name).inputValue()));
  const set = await shown();
  near(Number(set[0]), 1.2, 0.15);
  assert.deepEqual(set.slice(1), ['0.25', 'weight']);
  await lookAgain(page); // snapshots still have the values from before
  assert.deepEqual(await shown(), set);
  await release();
  await soon(async () => {
    const {tag, linear_damping: damping, shapes} = await lab.body.get({body});
    assert.deepEqual([tag, damping], ['weight', 0.25]);
    near(shapes[0].friction, Number(set[0]), 0.002);
  });
  await lab.body.set({body, linear_damping: 0.5, tag: 'feather'}); // answered: from here on the fields follow the world
  await soon(async () => assert.deepEqual((await shown()).slice(1), ['0.5', 'feather']));
  assertNoErrors(page);
});

// A wheel and an axle, so that the chosen shape is not the body's first; values of the second.
async function showAxle(t) {
  const {lab, page, body} = await showBody(t, {tag: 'axle', position: [0, 4], shapes: [
    {kind: 'capsule', a: [-1, 0], b: [1, 0], radius: 0.2}, {kind: 'circle', radius: 0.5, friction: 0.4}]});
  const [axle, wheel] = (await lab.body.get({body})).shapes;
  await page.getByRole('combobox', {name: 'Shape'}).selectOption(String(wheel.shape));
  const has = (values) => soon(async () => {
    const {shapes} = await lab.body.get({body});
    assert.equal(shapes.length, 2);
    assert.deepEqual(shapes.find(({shape}) => shape === axle.shape), axle, 'the other shape stays');
    const {kind, ...now} = shapes.find(({shape}) => shape !== axle.shape);
    assert.equal(kind, 'circle');
    for (const [name, value] of Object.entries(values)) near(now[name], value, 1e-6);
  });
  return {lab, page, body, has};
}

const alerts = (page) => page.locator('#inspector').getByRole('alert').allTextContents();

test('a_form_is_changed_again_before_a_snapshot_has_shown_the_change_before', {skip}, async (t) => {
  const {page, body, has} = await showAxle(t);
  const {release} = await withoutSnapshots(page);
  for (const radius of [0.75, 1, 1.25]) {
    await type(page, 'Radius', radius);
    await has({radius});
    await lookAgain(page);
    assert.equal(Number(await field(page, 'Radius').inputValue()), radius, 'the panel shows the answer, not an older snapshot');
  }
  await type(page, 'Friction', 0.75);
  await has({radius: 1.25, friction: 0.75});
  for (const radius of [1.25, 1, 0.75]) { // back from a change that no snapshot has shown, and forth with another one
    await page.locator('#scene').focus();
    await page.keyboard.press('u');
    await has({radius, friction: 0.4});
    await lookAgain(page);
  }
  await type(page, 'Radius', 2);
  await has({radius: 2, friction: 0.4});
  await type(page, 'Friction', 0.9);
  await has({radius: 2, friction: 0.9});
  assert.deepEqual((await alerts(page)).filter(Boolean), []);
  await release();
  await until(page, (id) => Math.abs(carom.source.body(id).description.shapes.find(({kind}) => kind === 'circle').radius - 2) < 1e-6, body);
  await type(page, 'Radius', 0.5);
  await has({radius: 0.5});
  assert.deepEqual((await alerts(page)).filter(Boolean), []);
  assertNoErrors(page);
});

test('a_slider_sends_its_last_value_while_the_page_gets_no_snapshots', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  await slider(page, 'Radius').scrollIntoViewIfNeeded();
  await withoutSnapshots(page);
  const {x, y, width, height} = await slider(page, 'Radius').boundingBox();
  const arrives = () => soon(async () => {
    const {shapes} = await lab.body.get({body});
    assert.equal(shapes.length, 1);
    near(shapes[0].radius, Number(await field(page, 'Radius').inputValue()), 0.002);
  });
  await page.mouse.move(x + width * 0.3, y + height / 2);
  await page.mouse.down();
  for (const share of [0.4, 0.5, 0.6, 0.7]) {
    await page.mouse.move(x + width * share, y + height / 2);
    await until(page, ([least]) => Number(document.querySelector('input[aria-label="Radius"]').value) > least, [0.05 * 400 ** (share - 0.08)]);
    await arrives();
    await lookAgain(page);
  }
  await page.mouse.up();
  await arrives();
  await page.keyboard.press('u');
  await soon(async () => near((await lab.body.get({body})).shapes[0].radius, 0.5, 1e-6));
  assertNoErrors(page);
});

test('a_change_whose_answer_is_lost_is_told_and_the_next_one_finds_the_shape', {skip}, async (t) => {
  const {page, has} = await showAxle(t);
  await withoutSnapshots(page);
  await page.evaluate(() => {
    const {client} = carom.session;
    const call = client.call.bind(client);
    client.call = async (method, ...rest) => {
      const answer = await call(method, ...rest);
      if (method !== 'world.apply' || !globalThis.losing) return answer;
      losing = false;
      throw Object.assign(new Error('world.apply: the answer was lost'), {code: 'timeout'});
    };
  });
  for (const [radius, friction] of [[0.75, 0.6], [1.25, 0.8]]) {
    await page.evaluate(() => {
      globalThis.losing = true;
    });
    await type(page, 'Radius', radius);
    const told = page.locator('#inspector').getByRole('alert').filter({hasText: 'the answer was lost'});
    await told.waitFor();
    await has({radius});
    await type(page, 'Friction', friction);
    await has({radius, friction});
    await type(page, 'Radius', radius + 0.25);
    await has({radius: radius + 0.25, friction});
    await told.waitFor({state: 'hidden'});
  }
  assertNoErrors(page);
});

test('a_slider_that_is_closed_under_the_pointer_shows_the_worlds_value_again', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const shape = (await lab.body.get({body})).shapes[0].shape;
  await slider(page, 'Friction').scrollIntoViewIfNeeded();
  const {x, y, width, height} = await slider(page, 'Friction').boundingBox();
  await page.mouse.move(x + width * 0.2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height / 2, {steps: 3});
  await soon(async () => near((await lab.body.get({body})).shapes[0].friction, 1.2, 0.15));
  const role = (name) => page.evaluate((given) => {
    carom.session.client.hello.role = given;
  }, name);
  await role('viewer');
  await soon(async () => assert.ok(await slider(page, 'Friction').isDisabled()));
  await role('referee');
  await soon(async () => assert.ok(await slider(page, 'Friction').isEnabled()));
  await lab.shape.set({shape, friction: 0.25});
  await soon(async () => near(Number(await field(page, 'Friction').inputValue()), 0.25));
  await page.mouse.up();
  assertNoErrors(page);
});

test('values_out_of_range_are_told_beside_the_field', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const told = (text) => page.locator('#inspector').getByRole('alert').filter({hasText: text});
  for (const [value, text] of [['1001', 'Friction: a number from 0 to 1000'], ['-1', 'Friction: a number from 0 to 1000'],
                               ['much', 'Friction: a number from 0 to 1000'], ['', 'Friction: a number from 0 to 1000']]) {
    await type(page, 'Friction', value);
    await told(text).waitFor();
  }
  await type(page, 'Velocity x', '1e9');
  await told('Velocity x: a number from -4000 to 4000 m/s').waitFor();
  await type(page, 'Tag', 'ö'.repeat(33));
  await told('Tag: at most 64 bytes of UTF-8; this has 66').waitFor();
  assert.deepEqual([(await lab.body.get({body})).tag, await button(page, 'Undo').count()], ['ball', 0], 'nothing was sent');
  await type(page, 'Friction', '1');
  await told('Friction').waitFor({state: 'hidden'});
  await soon(async () => near((await lab.body.get({body})).shapes[0].friction, 1, 1e-6));
  await picture(page, 'workbench_wrong');
  assertNoErrors(page);
});

test('joints_have_their_motor_and_limits_changed', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {paused: true});
  const {body: a} = await lab.body.spawn({type: 'static', position: [0, 6], shapes: [{kind: 'box', size: [1, 0.3]}]});
  const {body: b} = await lab.body.spawn({tag: 'arm', position: [0, 5], shapes: [{kind: 'box', size: [0.3, 2]}]});
  const {joint} = await lab.joint.create({kind: 'revolute', a, b, anchor: [0, 6]});
  await choose(page, b);
  const only = async () => {
    const {joints} = await lab.joint.list();
    assert.equal(joints.length, 1);
    return joints[0];
  };
  await type(page, `Motor speed of joint ${joint}`, 4);
  await soon(async () => near((await only()).motor_speed, 4));
  await type(page, `Motor torque, most of joint ${joint}`, 250);
  await soon(async () => near((await only()).max_torque, 250));
  await type(page, `Lower limit of joint ${joint}`, -0.5);
  await soon(async () => near((await only()).lower, -0.5));
  await type(page, `Upper limit of joint ${joint}`, -1);
  await page.locator('#inspector').getByRole('alert').filter({hasText: /lower/}).waitFor(); // as the server says
  await type(page, `Upper limit of joint ${joint}`, 0.5);
  await soon(async () => near((await only()).upper, 0.5));
  await picture(page, 'workbench_joint');
  // Back to a joint without motor and limits, and forth again.
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+z');
  await soon(async () => assert.deepEqual([(await only()).motor_speed, (await only()).lower, (await only()).upper], [undefined, undefined, undefined]));
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+Shift+z');
  await soon(async () => {
    const {motor_speed, max_torque, lower, upper} = await only();
    assert.deepEqual([motor_speed, max_torque, lower, upper], [4, 250, -0.5, 0.5]);
  });
  assertNoErrors(page);
});

test('a_world_has_its_gravity_damping_and_sleep_changed', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  await page.keyboard.press('k');
  const settings = page.getByRole('region', {name: 'Settings of the world'});
  await settings.getByText('60 ticks a second in 4 steps each: set when a world is made.').waitFor();
  await type(page, 'Gravity y', -3);
  await type(page, 'Gravity x', 1);
  await soon(async () => assert.deepEqual((await lab.world.info()).gravity, [1, -3]));
  await type(page, 'Damping of all bodies', 2);
  await soon(async () => near((await lab.body.get({body})).linear_damping, 2));
  await page.evaluate(() => { // the answer takes its time: until then the box shows what was chosen
    const {client} = carom.session;
    const call = client.call.bind(client);
    client.call = async (method, ...rest) => {
      if (method === 'world.apply') await new Promise((resolve) => setTimeout(resolve, 500));
      return call(method, ...rest);
    };
  });
  await settings.getByRole('checkbox', {name: 'Bodies at rest may sleep'}).uncheck();
  await soon(async () => assert.equal((await lab.world.info()).sleep, false));
  await type(page, 'Gravity y', 20000);
  await settings.getByRole('alert').filter({hasText: 'Gravity y: a number from -10000 to 10000 m/s²'}).waitFor();
  await picture(page, 'workbench_world');
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+z');
  await soon(async () => {
    const {gravity, sleep} = await lab.world.info();
    assert.deepEqual([gravity, sleep, (await lab.body.get({body})).linear_damping], [[0, -9.81], true, 0]);
  });
  assertNoErrors(page);
});

test('who_may_not_change_things_is_told_why', {skip}, async (t) => {
  const {page} = await showBody(t);
  await page.keyboard.press('k');
  const be = (role, players) => page.evaluate(([name, bounds]) => {
    carom.session.client.hello.role = name;
    carom.session.info.players = bounds;
  }, [role, players]);
  await be('viewer');
  await page.locator('#inspector').getByText('This takes the role player; this session’s is viewer.').waitFor();
  await page.locator('#settings').getByText('This takes the role referee; this session’s is viewer.').waitFor();
  for (const name of ['Tag', 'Friction', 'Radius', 'Gravity y']) assert.ok(await field(page, name).isDisabled(), name);
  await be('player', undefined);
  await soon(async () => assert.ok(await field(page, 'Friction').isEnabled()));
  assert.ok(await field(page, 'Gravity y').isDisabled());
  await page.evaluate(() => { // bounds of players, which the next figures would take away again
    Object.defineProperty(carom.session, 'info', {value: {...carom.session.info, players: {methods: ['body.set']}}, writable: false});
  });
  await soon(async () => assert.equal(await field(page, 'Friction').getAttribute('title'), 'Players may not call shape.set in this world.'));
  assert.ok(await field(page, 'Damping').isEnabled());
});

test('a_copy_stands_beside_its_body_and_is_undone', {skip}, async (t) => {
  const {lab, page} = await showBody(t, {tag: 'pair', position: [0, 4], angle: 0.5, velocity: [1, 0], mass: 9, shapes: [
    {kind: 'box', size: [2, 1], friction: 0.1, filter: {group: -3}}, {kind: 'capsule', a: [0, 0], b: [0, 1], radius: 0.2, restitution: 0.5}]});
  await page.keyboard.press('Control+d');
  const [one, other] = await soon(async () => {
    const found = await tagged(lab, 'pair');
    assert.equal(found.length, 2);
    return found.sort((a, b) => a.position[0] - b.position[0]);
  });
  const bare = ({shapes}) => shapes.map(({shape, vertices, ...rest}) => ({...rest, corners: vertices?.length}));
  assert.deepEqual(bare(other), bare(one));
  assert.deepEqual([other.mass, other.angle, other.velocity], [one.mass, one.angle, one.velocity]);
  assert.ok(other.position[0] - one.position[0] > 2 && other.position[1] === one.position[1]);
  await until(page, (id) => carom.chosen === id, other.body);
  await button(page, 'Undo').click();
  await soon(async () => assert.deepEqual((await tagged(lab, 'pair')).map(({body}) => body), [one.body]));
  await button(page, 'Redo').click();
  await soon(async () => assert.equal((await tagged(lab, 'pair')).length, 2));
  assertNoErrors(page);
});

test('a_removed_body_comes_back_with_its_joints_and_its_earlier_changes', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const {body: arm} = await lab.body.spawn({tag: 'arm', position: [2, 4], shapes: [{kind: 'box', size: [1, 1]}]});
  await lab.joint.create({kind: 'distance', a: body, b: arm, anchor_a: [0, 0], anchor_b: [0, 0], hertz: 3});
  await lab.joint.create({kind: 'wheel', a: arm, b: body, anchor: [0, 4], axis: [1, 2], motor_speed: 2, max_torque: 40});
  await until(page, () => carom.source.joints.size === 2);
  await type(page, 'Bounce', 0.75);
  await soon(async () => near((await lab.body.get({body})).shapes[0].restitution, 0.75));
  const {joints: before} = await lab.joint.list();
  await page.locator('#inspector').getByRole('button', {name: 'Remove'}).click();
  await soon(async () => assert.equal((await lab.joint.list()).joints.length, 0));
  await choose(page, arm);
  await page.locator('#inspector').getByRole('button', {name: 'Remove'}).click();
  await soon(async () => assert.equal((await tagged(lab, 'arm')).length, 0));
  await page.keyboard.press('u');
  await page.keyboard.press('u');
  const {joints} = await soon(async () => {
    const found = await lab.joint.list();
    assert.equal(found.joints.length, 2);
    return found;
  });
  const [ball] = await tagged(lab, 'ball');
  const names = ({kind, anchor_a, anchor_b, axis, hertz, length, motor_speed, max_torque}) =>
    JSON.stringify({kind, anchor_a, anchor_b, axis, hertz, length, motor_speed, max_torque});
  assert.deepEqual(joints.map(names).sort(), before.map(names).sort());
  near(ball.shapes[0].restitution, 0.75);
  assert.notEqual(ball.body, body, 'it has a new id');
  await page.keyboard.press('u'); // the change from before, of the body under its new id
  await soon(async () => near((await lab.body.get({body: ball.body})).shapes[0].restitution, 0));
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+U');
  await soon(async () => assert.deepEqual([(await tagged(lab, 'ball')).length, (await tagged(lab, 'arm')).length], [0, 0]));
  assertNoErrors(page);
});

test('undo_leaves_alone_what_others_have_changed_and_says_so', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const shape = (await lab.body.get({body})).shapes[0].shape;
  await type(page, 'Friction', 1.5);
  await soon(async () => near((await lab.body.get({body})).shapes[0].friction, 1.5));
  await lab.shape.set({shape, friction: 0.2});
  await page.keyboard.press('Control+z');
  await noted(page, 'Not undone: friction of body');
  await noted(page, 'somebody else has changed friction since, which stays');
  near((await lab.body.get({body})).shapes[0].friction, 0.2);
  await page.locator('#scene').focus();
  await page.keyboard.press('s');
  await page.keyboard.press('Enter'); // spawns a circle in the middle
  const [spawned] = await soon(async () => {
    const found = await tagged(lab, 'circle');
    assert.equal(found.length, 1);
    return found;
  });
  await lab.body.remove({body: spawned.body});
  await page.keyboard.press('u');
  await noted(page, `body ${spawned.body} is gone`);
  await page.keyboard.press('u');
  await noted(page, 'There is nothing to undo');
  assertNoErrors(page);
});

test('shapes_of_every_kind_have_their_measures', {skip}, async (t) => {
  const kinds = [[{kind: 'circle', radius: 1}, ['Radius']], [{kind: 'capsule', a: [0, 0], b: [1, 0], radius: 0.2}, ['Radius', 'Length']],
                 [{kind: 'box', size: [1, 2]}, ['Width', 'Height']], [{kind: 'polygon', vertices: [[0, 0], [2, 0], [0, 2]]}, ['Size']],
                 [{kind: 'segment', a: [0, 0], b: [3, 4]}, ['Length']], [{kind: 'chain', vertices: [[2, 0], [1, 0.5], [0, 0], [-1, 0]]}, ['Size']]];
  const {lab, page} = await showLab(t, {paused: true});
  for (const [shape, labels] of kinds) {
    const {body} = await lab.body.spawn({type: 'static', position: [0, 3], shapes: [shape]});
    await choose(page, body);
    for (const label of labels) {
      const read = async () => Number(await field(page, label).inputValue());
      await soon(async () => assert.ok(await read() > 0));
      const before = await read();
      await type(page, label, before * 2);
      await soon(async () => {
        const {shapes} = await lab.body.get({body});
        assert.ok(shapes.length === 1 && shapes[0].kind === (shape.kind === 'box' ? 'polygon' : shape.kind));
        near(await page.evaluate(([id]) => carom.source.body(id).shapes[0].shape, [body]), shapes[0].shape, 0);
      });
      await soon(async () => near(await read(), before * 2, 0.01));
    }
  }
  assertNoErrors(page);
});

for (const size of ['phone', 'desktop']) {
  test(`fields_have_room_on_a_${size}`, {skip}, async (t) => {
    const {page} = await showBody(t, BALL, size === 'phone' ? SIZES.phone : {viewport: {width: 1280, height: 800}});
    await type(page, 'Damping', 0.5);
    await button(page, 'Undo').waitFor();
    const squeezed = () => [...document.querySelectorAll('#tools button, .field input:not([type=checkbox])')].filter((one) => one.checkVisibility())
      .map((one) => [one.id || one.ariaLabel, one.getBoundingClientRect()])
      .filter(([, {left, right, width, height}]) => left < 0 || right > innerWidth || width < 28 || height < 18).map(([name]) => name);
    await soon(async () => assert.deepEqual(await page.evaluate(squeezed), []));
    await picture(page, `workbench_${size}_body`);
    await page.evaluate(() => carom.panels.settings.open());
    await soon(async () => assert.deepEqual(await page.evaluate(squeezed), []));
    await picture(page, `workbench_${size}_world`);
    assertNoErrors(page);
  });
}

// ---- scene files

async function drop(page, name, text) {
  await page.evaluate(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], file));
    for (const type of ['dragover', 'drop']) document.querySelector('#scene').dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
  }, [name, text]);
}

test('a_built_world_is_exported_and_made_again_by_dropping_its_file', {skip}, async (t) => {
  const {lab, page, body} = await showBody(t);
  const {body: box} = await lab.body.spawn({tag: 'box', position: [3, 4], shapes: [{kind: 'box', size: [1, 1]}]});
  await lab.joint.create({kind: 'distance', a: body, b: box, anchor_a: [0, 0], anchor_b: [0, 0]});
  await lab.world.set({gravity: [0, -3]});
  await page.keyboard.press('w');
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()]);
  assert.equal(file.suggestedFilename(), `${lab.name}.json`);
  const text = await readFile(await file.path(), 'utf8');
  const scene = JSON.parse(text);
  assert.deepEqual([scene.name, scene.world.gravity, scene.commands.length], [lab.name, [0, -3], 4]);
  await drop(page, 'again.json', JSON.stringify({...scene, name: 'again'}));
  await until(page, () => carom.session.world === 'again' && carom.picture.bodies.length === 3);
  const again = stage.client.use('again');
  const {gravity, paused, joints} = await again.world.info();
  assert.deepEqual([gravity, paused, joints], [[0, -3], false, 1]);
  await drop(page, 'wrong.json', JSON.stringify({name: 'wrong', commands: [['body.spawn', {shapes: []}], ['body.spawn', {shapes: [{kind: 'circle', radius: -1}]}]]}));
  await noted(page, /^wrong\.json: commands\[1\]: .*radius/);
  await drop(page, 'no.json', '{"commands": [');
  await noted(page, /^no\.json: no JSON/);
  assert.deepEqual((await stage.client.world.list()).map(({world}) => world).filter((name) => ['wrong', 'no'].includes(name)), [], 'nothing is left');
  await again.world.destroy();
  assertNoErrors(page);
});

// ---- the gallery, as caromd serves it (playground.test.js has the rest)

test('the_gallery_of_a_server_opens_worlds_in_the_page', {skip: skip || (process.env.CAROM_WASM !== 'ON' && 'the engine for WebAssembly was not built')}, async (t) => {
  const page = await openPage(t, 'viewer/gallery.html');
  await until(page, () => globalThis.gallery?.[0].thumbnail?.world.tick > 5);
  await page.getByRole('link', {name: /^Cradle/}).or(page.getByRole('link').filter({hasText: 'Cradle'})).first().click();
  await until(page, () => globalThis.carom?.session.serverless && carom.session.world === 'cradle' && carom.picture.bodies.length === 6);
  assert.ok(!(await stage.client.world.list()).some(({world}) => world === 'cradle'), 'the server has no part in it');
  await page.locator('#help-button').click();
  await page.getByRole('link', {name: 'Gallery of scenes'}).click();
  await page.getByRole('heading', {name: 'Cookbook'}).waitFor();
  assertNoErrors(page);
});

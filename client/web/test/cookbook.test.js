// The recipes of the cookbook (environment CAROM_PACKAGE: the published package, CAROMD): each is played tick by tick on
// the engine in this process, and compared with a formula or a clear outcome. At the end each runs on a server, too.
import test from 'node:test';
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {promisify} from 'node:util';

import {AWAIT_MS} from './patience.js';
import {sleep, startCaromd} from './support.js';

const source = pathToFileURL(`${process.env.CAROM_PACKAGE}/src/`);
const {connect} = await import(new URL('index.js', source));
const {createReferee} = await import(new URL('referee.js', source));
const {createTestGame} = await import(new URL('testing.js', source));
const FOLDER = new URL('../examples/cookbook/', import.meta.url);
const GUIDE = new URL('../../guides/cookbook.md', import.meta.url);
const PICTURES = new URL('../../guides/cookbook/', import.meta.url);
const DRAW = fileURLToPath(new URL('../../../docs/pictures/recipes.mjs', import.meta.url));
const LINES_MAX = 80;

const recipe = (name) => import(new URL(`${name}.js`, FOLDER));

async function play(t, {world, rules}, options) {
  const game = await createTestGame({...world, ...rules, ...options});
  t.after(() => game.free());
  return game;
}

const tagged = (game, wanted) => [...game.bodies.values()].filter(({tag}) => tag === wanted);
const near = (value, wanted, tolerance, what) =>
  assert.ok(Math.abs(value - wanted) <= tolerance, `${what}: ${value}, expected ${wanted} ± ${tolerance}`);

/** Steps until the condition holds. */
async function until(game, condition, ticksMax = 600) {
  for (let i = 0; i < ticksMax; i++) {
    if (condition()) return;
    await game.step();
  }
  assert.fail(`not within ${ticksMax} ticks: ${condition}`);
}

test('one_way_hero_jumps_through_and_lands', async (t) => {
  const game = await play(t, await recipe('one_way'));
  const ada = game.join('ada');
  await game.step(30);
  const [hero] = tagged(game, 'hero 1');
  near(hero.y, 0.6, 0.01, 'on the ground');
  for (const level of [2, 4]) {
    game.message(ada, 'jump');
    let highest = 0;
    for (let i = 0; i < 120; i++) {
      await game.step();
      highest = Math.max(highest, hero.y);
    }
    near(highest, level - 2 + 0.6 + 3.2, 0.07, 'jump as high as 8²/20');
    near(hero.y, level + 0.6, 0.01, `on the platform at ${level}`);
  }
});

test('one_way_drop_is_for_one_hero_and_one_platform', async (t) => {
  const game = await play(t, await recipe('one_way'));
  const players = [game.join('ada'), game.join('bob')];
  await game.step(30);
  const [[ada], [bob]] = [tagged(game, 'hero 1'), tagged(game, 'hero 2')];
  for (let level = 0; level < 2; level++) {
    for (const player of players) game.message(player, 'jump');
    await game.step(120);
  }
  game.message(players[0], 'drop');
  await game.step(120);
  near(ada.y, 2.6, 0.01, 'one platform down');
  near(bob.y, 4.6, 0.01, 'still there');
  game.message(players[0], 'drop');
  await game.step(120);
  near(ada.y, 0.6, 0.01, 'down');
  game.message(players[0], 'drop'); // the ground lets nobody through
  await game.step(60);
  near(ada.y, 0.6, 0.01, 'on the ground');
  for (const message of ['drop', 'jump']) game.message(players[0], message); // then platforms carry again
  await game.step(180);
  near(ada.y, 2.6, 0.01, 'up again');
  assert.deepEqual(Object.keys(game.data), ['made']);
});

test('conveyor_brings_a_box_to_its_speed_on_the_way_that_friction_needs', async (t) => {
  const {BELT, ...conveyor} = await recipe('conveyor');
  const game = await play(t, conveyor);
  await until(game, () => tagged(game, 'box').length === 1);
  const [box] = tagged(game, 'box');
  const from = box.x;
  await until(game, () => box.vx > 0.999 * BELT.speed);
  const acceleration = BELT.friction * 10;
  near(box.x - from, BELT.speed ** 2 / (2 * acceleration), 0.05, 'way of sliding');
  await game.step(30);
  near(box.vx, BELT.speed, 0.001, 'speed');
});

test('conveyor_counts_what_it_delivers_and_changes_its_speed', async (t) => {
  const game = await play(t, await recipe('conveyor'));
  const ada = game.join('ada');
  await until(game, () => game.get('made') === 2);
  await game.step(30);
  game.message(ada, 'belt', 0);
  await game.step(60);
  for (const box of tagged(game, 'box')) near(box.vx, 0, 0.001, 'standing belt');
  const second = tagged(game, 'box')[1];
  game.message(ada, 'belt', 1000); // refused
  game.message(ada, 'belt', 4);
  await game.step(60);
  near(second.vx, 4, 0.001, 'faster belt');
  await until(game, () => game.get('delivered') === 5, 1200);
  await game.step(2);
  assert.equal(tagged(game, 'box').length, 0);
});

test('door_opens_for_who_comes_and_closes_on_nobody', async (t) => {
  const {DOOR, ...door} = await recipe('door');
  const game = await play(t, door);
  await game.step(10);
  const [leaf] = tagged(game, 'door');
  const closed = DOOR.height / 2;
  const visitor = game.world.createBody({position: [-5, 0.5], shapes: [{kind: 'circle', radius: 0.5}, {kind: 'box', size: [0.4, 0.4]}]});
  await game.step(30);
  assert.equal(leaf.y, closed, 'the sensor sees the door itself, which does not open it');
  visitor.velocity = [3, 0];
  let open = 0;
  for (let i = 0; i < 400 && visitor.position[0] < 5; i++) {
    visitor.velocity = [3, visitor.velocity[1]];
    await game.step();
    near(visitor.velocity[0], 3, 0.2, 'unhindered');
    open = Math.max(open, leaf.y);
  }
  near(visitor.position[0], 5, 0.2, 'through');
  assert.equal(open, closed + DOOR.height);
  await until(game, () => leaf.y === closed && leaf.vy === 0);
  assert.deepEqual(Object.keys(game.data).filter((key) => key.startsWith('inside/')), []);
});

test('door_stays_open_for_a_part_of_a_visitor_and_closes_when_it_is_removed', async (t) => {
  const {DOOR, ...door} = await recipe('door');
  const game = await play(t, door);
  await game.step(2);
  const [leaf] = tagged(game, 'door');
  const visitor = game.world.createBody({position: [-2.4, 0.5], shapes: [{kind: 'circle', radius: 0.5}, {kind: 'circle', radius: 0.5, center: [1.5, 0]}]});
  await until(game, () => leaf.y === 1.5 * DOOR.height);
  visitor.set({position: [1.6, 0.5], velocity: [0, 0]}); // one of the shapes has left
  await game.step(120);
  assert.equal(leaf.y, 1.5 * DOOR.height, 'open while somebody is there');
  visitor.remove();
  await until(game, () => leaf.y === DOOR.height / 2);
});

test('kill_zone_returns_heroes_and_removes_the_rest', async (t) => {
  const {START, CHECKPOINT, ...zone} = await recipe('kill_zone');
  const game = await play(t, zone);
  const ada = game.join('ada');
  await game.step(20);
  const [hero] = tagged(game, 'hero 1');
  const fall = async () => {
    game.world.body(hero.id).set({position: [3, 1], velocity: [1, 0], angular_velocity: 9});
    const deaths = game.get('deaths/1');
    await until(game, () => game.get('deaths/1') > deaths);
    assert.deepEqual(game.world.body(hero.id).velocity, [0, 0]);
    await game.step(20);
    assert.equal(game.get('deaths/1'), deaths + 1, 'one death for one fall');
  };
  await fall();
  near(hero.x, START[0], 0.01, 'at the start');
  game.world.body(hero.id).set({position: CHECKPOINT, velocity: [0, 0]});
  await game.step(5);
  await fall();
  near(hero.x, CHECKPOINT[0], 0.01, 'at the checkpoint');
  const crate = game.world.createBody({tag: 'crate', position: [3, 0], velocity: [0, -100], shapes: [{kind: 'box', size: [1, 1]}]});
  await until(game, () => !crate.exists);
  assert.equal(game.get('deaths/1'), 2);
  game.leave(ada);
  await game.step(2);
  assert.deepEqual([tagged(game, 'hero 1'), game.data], [[], {made: true}]);
});

test('magnet_pulls_iron_by_the_square_of_the_distance_and_lets_go', async (t) => {
  const {MAGNET, ...magnet} = await recipe('magnet');
  const game = await play(t, magnet, {gravity: [0, 0]});
  const ada = game.join('ada');
  await game.step(2);
  const acceleration = async (y) => {
    const ball = game.world.createBody({tag: 'iron', position: [0, y], shapes: [{kind: 'circle', radius: 0.1}]});
    await game.step(2);
    const before = ball.velocity[1];
    ball.position = [0, y];
    await game.step();
    const gained = (ball.velocity[1] - before) * 60;
    ball.remove();
    return gained;
  };
  near(await acceleration(1), MAGNET.strength / 25, 0.3, '5 m away');
  near(await acceleration(3.5), MAGNET.strength / 6.25, 2, '2.5 m away');
  assert.equal(await acceleration(-1.1), 0, 'out of reach');
  game.message(ada, 'magnet', false);
  await game.step(2);
  assert.equal(await acceleration(3), 0, 'switched off');
  assert.deepEqual(game.data, {magnet: false});
});

test('magnet_lifts_iron_leaves_wood_and_drops_it', async (t) => {
  const {MAGNET, ...magnet} = await recipe('magnet');
  const game = await play(t, magnet);
  const ada = game.join('ada');
  await game.step(400);
  const high = (tag) => tagged(game, tag).filter(({y}) => y > MAGNET.place[1] - 2).length;
  assert.deepEqual([high('iron'), high('wood')], [3, 0], 'the fourth is too far');
  game.message(ada, 'magnet', false);
  await until(game, () => high('iron') === 0);
  await game.step(120);
  for (const ball of tagged(game, 'iron')) near(ball.y, 0.3, 0.3, 'down'); // on the ground or on wood
});

test('water_lets_bodies_float_by_their_density', async (t) => {
  const {WATER, ...water} = await recipe('water');
  const game = await play(t, water);
  await game.step(900);
  const floats = [...game.bodies.values()].filter(({type}) => type === 'dynamic').sort((a, b) => a.id - b.id);
  for (const [i, density] of [0.25, 0.5, 0.75].entries()) {
    const draught = WATER.surface - (floats[i].y - 0.4);
    near(draught, density / WATER.density * 0.8, 0.005, `draught at density ${density}`);
    near(Math.sin(floats[i].angle), 0, 0.01, 'level');
    near(floats[i].vy, 0, 0.01, 'at rest');
  }
  near(floats[3].y, -3.5, 0.02, 'on the bottom');
  const stone = floats[3];
  game.world.body(stone.id).set({position: [20, 10], velocity: [0, 0]});
  await game.step(3);
  assert.ok(game.world.body(stone.id).info().force.every((part) => part === 0), 'no lift outside');
});

test('car_turns_on_the_circle_of_its_steering', async (t) => {
  const {CAR, ...car} = await recipe('car');
  for (const steer of [1, -0.5]) {
    const game = await play(t, car);
    const ada = game.join('ada');
    await game.step(2);
    const [body] = tagged(game, 'car 1');
    game.world.body(body.id).set({velocity: [3, 0]});
    game.message(ada, 'drive', {throttle: 0, steer});
    await game.step(30);
    const speed = Math.hypot(body.vx, body.vy);
    const rear = CAR.wheelbase / Math.tan(CAR.steer * Math.abs(steer)); // radius of the rear axle's circle
    const radius = Math.hypot(rear, CAR.wheelbase / 2); // radius of the circle of the car's middle
    near(body.w, Math.sign(steer) * speed / radius, 0.01 * speed / radius, 'angular velocity');
    const [x0, y0, angle] = [body.x, body.y, body.angle];
    const slip = Math.atan2(body.vy, body.vx);
    const centre = [x0 - radius * Math.sign(steer) * Math.sin(slip), y0 + radius * Math.sign(steer) * Math.cos(slip)];
    while (Math.abs(body.angle - angle) < 3) {
      await game.step();
      near(Math.hypot(body.x - centre[0], body.y - centre[1]), radius, 0.02 * radius, 'distance from the middle of the circle');
    }
  }
});

test('car_speeds_up_runs_straight_and_slides_at_its_grip', async (t) => {
  const {CAR, ...car} = await recipe('car');
  const game = await play(t, car);
  const ada = game.join('ada');
  await game.step(2);
  const [body] = tagged(game, 'car 1');
  game.message(ada, 'drive', {throttle: 1, steer: 0});
  await game.step();
  const [x, v] = [body.x, body.vx];
  await game.step(60);
  near(body.vx - v, CAR.engine, 0.01, 'a second of the engine');
  near(body.x - x, v + CAR.engine / 2, 0.1, 'way');
  near(body.y, 0, 1e-6, 'straight');
  game.message(ada, 'drive', {throttle: 0, steer: 0});
  await game.step();
  game.world.body(body.id).set({velocity: [0, 5], angular_velocity: 0}); // sideways
  await game.step(2);
  const before = body.vy;
  await game.step(12);
  near((before - body.vy) * 5, CAR.grip, 0.05, 'slowed by the grip');
  game.message(ada, 'drive', {throttle: 7, steer: 0});
  await game.step(60);
  near(Math.hypot(body.vx, body.vy), 0, 0.01, 'stands: a throttle of 7 is refused');
});

test('pick_up_gives_each_coin_once_and_again_later', async (t) => {
  const {COIN, ...pick} = await recipe('pick_up');
  const game = await play(t, pick);
  const players = [game.join('ada'), game.join('bob')];
  await game.step(5);
  const heroes = [1, 2].map((seat) => game.world.body(tagged(game, `hero ${seat}`)[0].id));
  const both = (position) => heroes.forEach((hero) => hero.set({position, velocity: [0, 0]}));
  heroes[0].addShape({kind: 'box', size: [0.2, 0.2]}); // enters each sensor twice
  both([-3, 0.5]);
  await game.step(3);
  const score = () => game.get('score/1') + game.get('score/2');
  assert.equal(score(), COIN.value, 'two heroes, three shapes, one coin');
  assert.equal(tagged(game, 'coin 0').length, 0);
  both([-5, 0.5]);
  await game.step(COIN.back_s * 60 - 10);
  assert.equal(tagged(game, 'coin 0').length, 0);
  await game.step(12);
  assert.equal(tagged(game, 'coin 0').length, 1);
  both([-3, 0.5]);
  await game.step(3);
  assert.equal(score(), 2 * COIN.value);
  game.leave(players[0]);
  await game.step(2);
  assert.equal(game.get('score/1'), undefined);
});

test('explosion_throws_by_distance_and_walls_cover', async (t) => {
  const {BLAST, ...explosion} = await recipe('explosion');
  const game = await play(t, explosion, {gravity: [0, 0]});
  const ada = game.join('ada');
  await game.step(2);
  const crates = tagged(game, 'crate').map(({id}) => game.world.body(id));
  const far = game.world.createBody({position: [0, 6.5], shapes: [{kind: 'circle', radius: 0.5}]});
  const light = game.world.createBody({position: [-1.5, 2.4], shapes: [{kind: 'circle', radius: 0.2}]});
  const heavy = game.world.createBody({position: [1.5, 2.4], shapes: [{kind: 'circle', radius: 0.2, density: 8}]});
  for (const data of [undefined, {place: [0, NaN]}, {place: [1]}]) game.message(ada, 'explode', data);
  game.message(ada, 'explode', {place: [0, 0.4]});
  game.world.step();
  await game.step();
  const impulse = ({mass, velocity}) => mass * Math.hypot(...velocity);
  const [first, ...rest] = [light, heavy].map((body) => body.info());
  for (const body of [first, ...rest]) near(impulse(body), BLAST.impulse * 0.5, 0.01, '2.5 m away: half');
  near(rest[0].velocity[1] * 8, first.velocity[1], 0.001, 'an eighth of the speed');
  assert.deepEqual(far.velocity, [0, 0], 'out of reach');
  const pushed = crates.map((crate) => crate.velocity[0]);
  // [-4 … -1 | 1 | wall | 3, 4]: crates cover each other, and the wall covers those behind it
  near(pushed[3], -pushed[4], 1e-5, 'left as right');
  near(pushed[4] * crates[4].info().mass, BLAST.impulse * 0.8, 0.01, '1 m away');
  assert.deepEqual(pushed.filter((_, i) => i !== 3 && i !== 4), [0, 0, 0, 0, 0], 'covered');
  game.world.body(tagged(game, 'wall')[0].id).remove();
  crates[4].remove();
  game.message(ada, 'explode', {place: [0, 0.4]});
  await game.step(2);
  near(crates[5].velocity[0] * crates[5].info().mass, BLAST.impulse * 0.4, 0.01, '3 m away, with no wall');
});

test('breakable_wall_stands_and_breaks_by_speed', async (t) => {
  const {WALL, ...wall} = await recipe('breakable_wall');
  for (const [speed, breaks] of [[0, false], [3, false], [40, true]]) {
    const game = await play(t, wall);
    const ada = game.join('ada');
    await game.step(60);
    if (speed > 0) game.message(ada, 'throw', {speed});
    game.message(ada, 'throw', {speed: 1000}); // refused
    await game.step(300);
    const bricks = tagged(game, 'brick');
    const moved = bricks.filter(({x, y}, i) => Math.hypot(x - i % 2 * 0.5, y - (Math.floor(i / 2) + 0.5) * 0.5) > 0.25).length;
    assert.equal(bricks.length, WALL.columns * WALL.rows);
    assert.equal(game.get('broken') > 0, breaks, `${game.get('broken')} broken at ${speed} m/s`);
    assert.equal(moved > 0, breaks, `${moved} bricks moved at ${speed} m/s`);
    const joints = game.world.info().joints;
    assert.equal(joints, 12 + 6 - game.get('broken'));
    assert.equal([...game.bodies.values()].some(({tag}) => tag.startsWith('ball')), false, 'the ball is gone');
  }
});

test('rope_bridge_hangs_as_a_chain_does', async (t) => {
  const {BRIDGE, ...bridge} = await recipe('rope_bridge');
  const game = await play(t, bridge);
  const ada = game.join('ada');
  await game.step(1800);
  const planks = tagged(game, 'plank');
  assert.equal(planks.length, BRIDGE.planks);
  const hinges = game.world.call('joint.list').joints;
  const open = hinges.map(({points: [[ax, ay], [bx, by]]}) => Math.hypot(ax - bx, ay - by));
  assert.ok(Math.max(...open) < 0.005, `hinges open by ${Math.max(...open)} m`);
  const length = BRIDGE.length + open.reduce((sum, gap) => sum + gap, 0);
  // A catenary y = a cosh(x / a) of this gap and length: 2 a sinh(gap / 2a) = length.
  let [low, high] = [1, 1000];
  for (let i = 0; i < 100; i++) {
    const a = (low + high) / 2;
    if (2 * a * Math.sinh(BRIDGE.gap / 2 / a) > length) low = a;
    else high = a;
  }
  const sag = low * (Math.cosh(BRIDGE.gap / 2 / low) - 1);
  const lowest = Math.min(...planks.map(({y}) => y));
  near(-lowest, sag, 0.02 * sag, 'sag');
  const weight = BRIDGE.length * BRIDGE.height * BRIDGE.density * 10;
  const tension = Math.hypot(weight / 2, weight / length * low);
  near(Math.hypot(...hinges[0].state.force), tension, 0.03 * tension, 'force of the first hinge');
  game.message(ada, 'load', {weight: 40});
  await game.step(900);
  assert.equal(game.get('torn'), 0);
  const [load] = tagged(game, 'load');
  assert.ok(load.y > -3 && load.y < 0.5 && Math.abs(load.x) < 3, 'it carries 40 kg');
  game.message(ada, 'load', {weight: 2000});
  await game.step(300);
  assert.ok(game.get('torn') >= 1, 'and not 2 t');
  assert.ok(tagged(game, 'load')[1].y < -4, 'which falls');
});

test('platformer_walks_at_one_speed_on_ground_and_slope', async (t) => {
  const {HERO, ...platformer} = await recipe('platformer');
  const game = await play(t, platformer);
  const ada = game.join('ada');
  await game.step(30);
  const [hero] = tagged(game, 'hero 1');
  const x = hero.x;
  await game.step(60);
  near(hero.x, x, 1e-3, 'stands');
  game.message(ada, 'walk', -1);
  await game.step(60);
  near(hero.vx, -HERO.speed, 0.01, 'to the left');
  game.world.body(hero.id).set({position: [3, 0.4], velocity: [0, 0]});
  game.message(ada, 'walk', 1);
  await until(game, () => hero.x > 6);
  await game.step(10);
  near(hero.vx, HERO.speed * Math.cos(Math.PI / 6), 0.02, 'up the slope');
  near(hero.vy, HERO.speed * Math.sin(Math.PI / 6), 0.02, 'up the slope');
  game.message(ada, 'walk', 0);
  await game.step(60);
  const [sx, sy] = [hero.x, hero.y];
  await game.step(120);
  near(Math.hypot(hero.x - sx, hero.y - sy), 0, 0.01, 'stands on the slope');
  game.world.body(hero.id).set({position: [-6.6, 2.5], velocity: [0, 0]});
  await game.step(60);
  near(hero.y, 0.4, 0.01, 'slides off the steep one');
  game.message(ada, 'walk', 7); // refused
  await game.step(60);
  near(hero.vx, 0, 0.01, 'stands');
  game.message(ada, 'walk', -1);
  await game.step(5);
  game.world.body(hero.id).set({position: [12.31, 1.9], velocity: [0, 0]});
  await game.step(20);
  near(hero.x, 12.3, 0.02, 'pressed against a wall');
  near(hero.vy, -20 / 6, 0.05, 'which does not hold it');
});

test('platformer_is_carried_by_a_platform_and_jumps', async (t) => {
  const {HERO, PLATFORM, ...platformer} = await recipe('platformer');
  const game = await play(t, platformer);
  const ada = game.join('ada');
  await game.step(5);
  const [[hero], [platform]] = [tagged(game, 'hero 1'), tagged(game, 'platform')];
  game.world.body(hero.id).set({position: [platform.x, PLATFORM.y + 0.7], velocity: [0, 0]});
  await game.step(60);
  const beside = hero.x - platform.x;
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < 600; i++) {
    await game.step();
    least = Math.min(least, platform.x);
    most = Math.max(most, platform.x);
  }
  near(least, PLATFORM.from, 0.1, 'way of the platform');
  near(most, PLATFORM.to, 0.1, 'way of the platform');
  near(hero.x - platform.x, beside, 1.1, 'carried'); // slides by 4²/(2·8.5) m at each turn
  await until(game, () => platform.x > 15 && platform.x < 15.2 && platform.vx > 0);
  near(hero.vx, PLATFORM.speed, 0.01, 'at the speed of the platform');
  const from = hero.y;
  game.message(ada, 'jump');
  game.message(ada, 'jump');
  let top = 0;
  for (let i = 0; i < 60; i++) {
    await game.step();
    if (i === 20) game.message(ada, 'jump'); // in the air: no
    top = Math.max(top, hero.y);
  }
  near(top - from, HERO.jump ** 2 / 20, 0.07, 'height of a jump');
  game.world.body(hero.id).set({position: [0, 5], velocity: [0, 0]});
  game.message(ada, 'walk', 1);
  await game.step(30);
  near(hero.vx, HERO.speed * (1 - (1 - HERO.air / 60) ** 29), 0.15, 'steering in the air');
  await until(game, () => hero.y < 0.5);
  await game.step(60);
  near(hero.vx === 0 ? 0 : hero.vx, HERO.speed * (hero.x > 4 ? Math.cos(Math.PI / 6) : 1), 0.05, 'walks on');
  assert.equal(game.get(`air/${hero.id}`), undefined);
  near(game.world.body(hero.id).info().force[0], 0, 0, 'no force on the ground');
});

test('ragdoll_keeps_its_joints_and_limits_and_comes_to_rest', async (t) => {
  const {JOINTS, ...ragdoll} = await recipe('ragdoll');
  const game = await play(t, ragdoll);
  const players = [game.join('ada'), game.join('bob')];
  await game.step(2);
  const parts = [...game.bodies.values()].filter(({type}) => type === 'dynamic');
  assert.equal(parts.length, 20);
  const joints = game.world.call('joint.list').joints;
  const limits = new Map(joints.map((joint, i) => [joint, JOINTS[i % JOINTS.length]]));
  const place = ({x, y, angle}, [px, py]) => [x + Math.cos(angle) * px - Math.sin(angle) * py, y + Math.sin(angle) * px + Math.cos(angle) * py];
  let [gap, beyond] = [0, 0];
  for (let tick = 0; tick < 900; tick++) {
    if (tick === 30) game.message(players[0], 'blow', {impulse: [30, 0]});
    if (tick === 31) game.message(players[0], 'blow', {impulse: [1e9, 0]}); // refused
    await game.step();
    for (const [{a, b, anchor_a: pa, anchor_b: pb}, [, , , lower, upper]] of limits) {
      const [one, two] = [game.bodies.get(a), game.bodies.get(b)];
      const [[ax, ay], [bx, by]] = [place(one, pa), place(two, pb)];
      const angle = Math.atan2(Math.sin(two.angle - one.angle), Math.cos(two.angle - one.angle));
      gap = Math.max(gap, Math.hypot(ax - bx, ay - by));
      beyond = Math.max(beyond, lower - angle, angle - upper);
    }
  }
  assert.ok(gap < 0.03, `joints open by ${gap} m`);
  assert.ok(beyond < 0.2, `angles beyond their limits by ${beyond}`);
  for (const {vx, vy, tag} of parts) near(Math.hypot(vx, vy), 0, 0.05, `${tag} at rest`);
  assert.ok(parts.every(({y}) => y > -0.1), 'none has sunk into the ground');
  game.leave(players[0]);
  await game.step(2);
  assert.equal([...game.bodies.values()].filter(({type}) => type === 'dynamic').length, 10);
});

test('bullets_hit_where_the_target_was_seen', {timeout: 2 * AWAIT_MS}, async (t) => {
  const {SHOT, world, rules} = await recipe('bullets');
  const folder = await mkdtemp(path.join(tmpdir(), 'carom-cookbook-'));
  t.after(() => rm(folder, {recursive: true}));
  await writeFile(path.join(folder, 'bullets.json'), JSON.stringify({seats: 4, ...world}));
  const server = await startCaromd(['--template', `bullets=${folder}/bullets.json`]);
  t.after(() => server.stop());
  const client = await connect(server.url);
  t.after(() => client.close());
  const {world: name} = await client.world.join({template: 'bullets'});
  const here = client.use(name);
  await here.world.pause();
  const errors = [];
  const referee = await createReferee({url: server.url, worlds: name, rate: 60, ...rules, error: (error) => errors.push(error)});
  t.after(() => referee.close());
  const eventually = async (condition) => {
    const end = performance.now() + AWAIT_MS;
    for (;;) {
      const result = await condition();
      if (result) return result;
      assert.ok(performance.now() < end, `not within ${AWAIT_MS} ms: ${condition}; ${errors}`);
      await sleep(10);
    }
  };
  const bodies = async () => (await here.world.state()).bodies;
  await eventually(async () => {
    await here.world.step({ticks: 1});
    return (await bodies()).length === 2;
  });
  const target = async () => (await bodies()).find(({tag}) => tag === 'target');
  const hero = (await bodies()).find(({tag}) => tag.startsWith('hero'));
  const score = async () => {
    const {data} = await here.data.get();
    return [data['shots/1'].value, data['hits/1'].value];
  };
  const shoot = async (seen, aim) => {
    const direction = [aim[0] - hero.position[0], aim[1] - hero.position[1]];
    await here.message.send({name: 'shoot', data: {direction, seen}, to: 'referee'});
    await here.world.step({ticks: 1});
  };
  const scored = (...wanted) => eventually(async () => {
    const [shots, hits] = await score();
    assert.ok(shots <= wanted[0] && hits <= wanted[1], `${shots} shots, ${hits} hits`);
    return shots === wanted[0] && hits === wanted[1];
  });
  const was = await target();
  const {tick} = await here.world.info();
  await here.world.step({ticks: 12}); // 1.2 m on its way, more than its size
  await shoot(tick, was.position);
  await scored(1, 1);
  await shoot('now', was.position); // no tick: refused
  await shoot((await here.world.info()).tick, was.position); // nothing is there now
  await scored(2, 1);
  await here.world.step({ticks: 30});
  await shoot(tick, was.position); // too long ago
  await scored(3, 1);
  const {velocity, mass} = await target();
  near(Math.hypot(velocity[0] - 6, velocity[1]), SHOT.impulse / mass, 0.001, 'one blow');
  assert.deepEqual(errors, []);
});

const NAMES = (await readdir(FOLDER)).filter((name) => name.endsWith('.js')).map((name) => name.slice(0, -3)).sort();

test('recipes_ignore_messages_of_another_form', async (t) => {
  const odd = [undefined, null, true, '1', NaN, 1e9, [], {}, [1, 2]];
  const [place, impulse] = [(value) => ({place: value}), (value) => ({impulse: value})];
  const [direction, seen] = [(value) => ({direction: value, seen: 1}), (value) => ({direction: [0, 1], seen: value})];
  const forms = [(value) => value, (speed) => ({speed}), (weight) => ({weight}), place, impulse, direction, seen,
                 (throttle) => ({throttle, steer: 0}), (steer) => ({throttle: 0, steer})];
  for (const name of NAMES) {
    const game = await play(t, await recipe(name));
    const ada = game.join('ada');
    await game.step(3);
    const bodies = game.bodies.size;
    for (const message of ['jump', 'drop', 'belt', 'magnet', 'walk', 'drive', 'shoot', 'throw', 'load', 'explode', 'blow', 'other']) {
      for (const value of odd) {
        for (const form of forms) {
          const data = form(value);
          // Forms that some recipe takes.
          if (Array.isArray(value) && value.length === 2 && (form === place || form === impulse || form === direction)) continue;
          if (form === seen && Number.isFinite(value)) continue;
          game.message(ada, message, data);
        }
      }
    }
    await game.step(2); // throws what a handler throws, or what the engine refuses
    assert.ok(game.bodies.size <= bodies + 1, name); // some rules make boxes and coins by themselves
  }
});

test('recipes_are_short_and_in_the_guide', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  for (const name of NAMES) {
    const lines = (await readFile(new URL(`${name}.js`, FOLDER), 'utf8')).trimEnd().split('\n').length;
    assert.ok(lines <= LINES_MAX, `${name}.js: ${lines} lines, at most ${LINES_MAX} are wanted`);
    assert.ok(guide.includes(`](../web/examples/cookbook/${name}.js)`), `${name}.js: the guide has no link to it`);
    assert.ok(guide.includes(`](cookbook/${name}.svg)`), `${name}.svg: the guide does not show it`);
  }
});

test('pictures_are_those_that_the_recipes_draw', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'carom-cookbook-'));
  t.after(() => rm(folder, {recursive: true}));
  await promisify(execFile)(process.execPath, [DRAW, process.env.CAROM_PACKAGE, folder]);
  assert.deepEqual(await readdir(folder), NAMES.map((name) => `${name}.svg`));
  for (const name of NAMES) {
    const [drawn, kept] = await Promise.all([folder, fileURLToPath(PICTURES)].map((where) => readFile(path.join(where, `${name}.svg`), 'utf8')));
    assert.ok(drawn === kept, `node docs/pictures/recipes.mjs PACKAGE client/guides/cookbook ${name} renews the picture`);
  }
});

test('recipes_run_on_a_server', {timeout: 2 * AWAIT_MS}, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'carom-cookbook-'));
  t.after(() => rm(folder, {recursive: true}));
  const recipes = await Promise.all(NAMES.map(async (name) => {
    const {world, rules} = await recipe(name);
    const file = path.join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify({seats: 4, ...world}));
    return {name, rules, option: ['--template', `${name}=${file}`]};
  }));
  const server = await startCaromd(recipes.flatMap(({option}) => option));
  t.after(() => server.stop());
  const client = await connect(server.url);
  t.after(() => client.close());
  for (const {name, rules} of recipes) {
    const errors = [];
    const {world, seat} = await client.world.join({template: name});
    const referee = await createReferee({url: server.url, template: name, rate: 60, ...rules, error: (error) => errors.push(error)});
    t.after(() => referee.close());
    const end = performance.now() + AWAIT_MS;
    for (let since; ;) { // thirty ticks from when it has handled the join
      const {data} = await client.data.get({world});
      const {bodies, tick} = await client.world.info({world});
      if (data[`referee/seat/${seat}`] && bodies > 0) since ??= tick;
      if (referee.games.get(world)?.tick > since + 30) break;
      assert.ok(performance.now() < end, `${name}: nothing happens; ${errors}`);
      await sleep(20);
    }
    assert.deepEqual(errors, [], name);
  }
});

// Scene files in the page (viewer/scene) beside those of the server and the command line (environment CAROMD, CAROM_CLI,
// CAROM_PACKAGE): the same worlds to the bit, and what is exported loads again.
import test from 'node:test';
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';

import {connect} from '../src/index.js';
import {loadEngine} from '../src/engine.js';
import {Scope, arcTangent, sinCos} from '../viewer/scene/expression.js';
import {sceneText} from '../viewer/scene/export.js';
import {applyScene, loadScene} from '../viewer/scene/load.js';
import {startCaromd} from './support.js';

const SCENES = new URL('../../../proto/scenes/', import.meta.url);
const engine = await loadEngine(await readFile(`${process.env.CAROM_PACKAGE}/src/engine.wasm`));
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const stage = {};

test.before(async () => {
  stage.server = await startCaromd([]);
  stage.client = await connect(stage.server.url);
  stage.folder = await mkdtemp(path.join(tmpdir(), 'scenes-'));
});
test.after(async () => {
  stage.client.close();
  await rm(stage.folder, {recursive: true});
  assert.equal(await stage.server.stop(), 0);
});

async function worldOf(text) {
  const scene = loadScene(text);
  const world = engine.createWorld(scene.world);
  await applyScene(scene, async (commands) => world.apply(commands));
  return world;
}

// The hash of a paused world into which the command line has put a scene.
async function applied(text) {
  const file = path.join(stage.folder, 'scene.json');
  await writeFile(file, text);
  const name = `w${stage.count = (stage.count ?? 0) + 1}`;
  await stage.client.world.create({world: name, ...loadScene(text).world, paused: true});
  await promisify(execFile)(process.env.CAROM_CLI, ['--server', stage.server.url.replace(/^\w+:\/\//, 'tcp://'), 'apply', file, name]);
  const {hash, tick} = await stage.client.world.info({world: name});
  assert.equal(tick, 0, 'the command line leaves a paused world paused');
  await stage.client.world.destroy({world: name});
  return hex(hash);
}

test('every_scene_of_the_server_is_the_same_to_the_bit_in_a_page', async () => {
  for (const file of (await readdir(SCENES)).filter((name) => name.endsWith('.json'))) {
    const scene = path.basename(file, '.json');
    await stage.client.world.create({world: scene, scene, paused: true});
    const {hash} = await stage.client.world.info({world: scene});
    await stage.client.world.destroy({world: scene});
    const world = await worldOf(await readFile(new URL(file, SCENES), 'utf8'));
    assert.equal(hex(world.hash()), hex(hash), scene);
    world.free();
  }
});

test('expressions_have_the_same_bits_as_the_command_line_gives_them', async () => {
  const names = ['sin(x)', 'cos(x)', 'sqrt(abs(x))', 'floor(x)', 'ceil(x)', 'round(x)', 'min(x, 2)', 'max(x, 2)', 'atan2(x, 3)', 'atan2(-3, x)',
                 'random(-9, 9)', 'x % 7', '-x % 7 * 2', 'x > 0 ? 1 / 3 : 2 / 3', '!x + (x == 3 || x != 4 && x <= 5)', '1e2 - 2.5e-1 * x', 'sin(cos(x * 1e3))'];
  const text = JSON.stringify({seed: 77, world: {gravity: [0, 0]}, constants: {k: '= pi / 7'}, commands: [
    {for: {i: [-40, 40]}, let: {x: 'i * k'}, do: names.map((value) => ['body.spawn', {position: [`=${value}`, '=random(0, 1)'], tag: 'a{{{i}', shapes: []}])}]});
  const world = await worldOf(text);
  assert.equal(world.info().bodies, names.length * 81);
  assert.equal(hex(world.hash()), await applied(text));
  world.free();
  assert.deepEqual([sinCos(NaN), sinCos(1e300), arcTangent(0, 0)], [[0, 1], [0, 1], 0]);
});

test('faults_of_a_scene_are_named_with_their_place', () => {
  const spawn = ['body.spawn', {shapes: []}];
  const deep = (n, inner) => (n === 0 ? inner : [{do: deep(n - 1, inner)}]);
  for (const [scene, wanted] of [
    ['{', /^no JSON: /], [[], /^a scene is an object/], [{commands: [], more: 1}, /^a scene has no part 'more'$/], [{}, /needs "commands"/],
    [{comands: []}, /part 'comands'; did you mean 'commands'\?$/],
    [{commands: {}}, /^commands: expected a list/], [{commands: [spawn, ['body.spwn', {}]]}, /^commands\[1\]: there is no method 'body.spwn'$/],
    [{commands: [['world.destroy', {}]]}, /^commands\[0\]: world.destroy cannot be part of a scene$/],
    [{commands: [{for: {i: [0, 3]}, do: [['body.spawn', {position: ['=1 / (i - 2)', 0]}]]}]}, /^commands\[0\].do\[0\] \(i = 2\): position: \[0\]: column \d+: division by zero$/],
    [{commands: [['body.remove', {body: '$ball'}]]}, /^commands\[0\]: body: nothing was given the name 'ball' before$/],
    [{commands: [[...spawn, {as: 'a'}], [...spawn, {as: 'a'}]]}, /^commands\[1\]: as: the name 'a' is taken$/],
    [{commands: [['joint.remove', {joint: {$: 0}}]]}, /"\$"/], [{commands: [['body.set', {tag: '{i}'}]]}, /'i' is not defined/],
    [{world: {gravty: 1}, commands: []}, /^world: gravty: not a setting/], [{view: [0, 0, 0, 1], commands: []}, /^view: /],
    [{commands: [{for: {i: [0, 1e9]}, do: []}]}, /^commands\[0\]: for: a loop of 1000000001 turns; the limit is 33554432$/],
    [{commands: [{for: {i: [0, 1e300]}, do: []}]}, /a loop of more than 1000000000000000 turns; the limit is 33554432$/],
    [{commands: [{for: {i: [0, 5e6]}, do: []}]}, /too much work to unroll: its loops are too long; the limit is 33554432 turns, /],
    [{commands: [{for: {i: [0, 1, 0]}, do: []}]}, /step must not be 0/], [{commands: deep(9, [])}, /nested too deep; the limit is 8/],
    [{constants: {pi: 3}, commands: []}, /^constants: pi: 'pi' cannot be/], [{commands: [['body.spawn', {x: `=${'('.repeat(40)}`}]]}, /nested too deep; the limit is 32/],
    [{commands: [['body.spawn', {x: `=${'1+'.repeat(600)}1`}]]}, /the limit is 1024/], [{seed: -1, commands: []}, /^seed/]]) {
    const text = typeof scene === 'string' ? scene : JSON.stringify(scene);
    assert.throws(() => loadScene(text), (error) => wanted.test(error.message) || assert.fail(`${text.slice(0, 80)}: ${error.message}`));
  }
  const many = JSON.stringify({commands: [{for: {i: [1, 200000]}, do: [['body.remove', {body: 1}]]}]});
  assert.throws(() => loadScene(many), /too many commands; the limit is 131072/);
  const scope = new Scope();
  for (let i = 0; i < 64; i++) scope.define(`v${i}`, i);
  assert.throws(() => scope.define('v64', 0), /too many variables; the limit is 64/);
});

test('an_exported_world_loads_again_in_page_and_command_line', async () => {
  for (const file of ['gallery', 'demo', 'cradle', 'drum']) {
    const world = await worldOf(await readFile(new URL(`${file}.json`, SCENES), 'utf8'));
    world.step(30);
    const tags = ['$dollar', '{brace', 'a {b} c'];
    tags.forEach((tag) => world.createBody({tag, position: [50, 50], velocity: [1, 2], mass: 3, shapes: [{kind: 'circle', radius: 0.1, filter: {category: 4}, events: ['hit']}]}));
    const before = world.call('world.state');
    const {text, changed} = sceneText({name: file, info: world.info(), state: before, view: [-1, -2, 3, 4]});
    assert.equal(changed, 0);
    const again = await worldOf(text);
    const kept = (state) => {
      const numbers = new Map(state.bodies.map(({body}, i) => [body, i]));
      const round = (value) => JSON.parse(JSON.stringify(value, (key, one) => (typeof one === 'number' ? Number(one.toPrecision(5)) : one)));
      const shape = ({shape: id, vertices, ...rest}) => ({...rest, corners: vertices?.map(String).sort().length});
      return round({bodies: state.bodies.map(({body, shapes, force, torque, center, tick, awake, ...rest}) => ({...rest, shapes: shapes.map(shape)})),
                    joints: state.joints.map(({joint, a, b, joint_a, joint_b, state: now, points, reference_angle, ...rest}) => ({...rest, a: numbers.get(a), b: numbers.get(b)}))
                      .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))}); // gears come last in a file
    };
    assert.deepEqual(kept(again.call('world.state')), kept(before), file);
    assert.deepEqual(loadScene(text).view, [-1, -2, 3, 4]);
    assert.equal(await applied(text), hex(again.hash()), `${file} by the command line`);
    world.free();
    again.free();
  }
});

test('a_tag_that_a_scene_cannot_have_is_changed_and_counted', () => {
  const info = {gravity: [0, -9.81], hz: 60};
  const state = {bodies: [{body: 1, type: 'static', position: [0, 0], angle: 0, tag: '=1', shapes: []}], joints: []};
  const {text, changed} = sceneText({name: 'x', info, state});
  assert.equal(changed, 1);
  assert.equal(loadScene(text).commands[0].command[1].tag, ' =1');
});

// The rules, played tick by tick over the engine in this process: `npm test`.
import test from 'node:test';
import assert from 'node:assert/strict';
import {createTestGame, type TestGame} from 'carom/testing';

import {combine, discOf, HZ, ROUND_S} from '../src/game.js';
import {rules} from '../src/rules.js';

const find = (game: TestGame, tag: string) => [...game.bodies.values()].find((body) => body.tag === tag)!;

async function begin(of = rules): Promise<TestGame> {
  const game = await createTestGame({gravity: [0, 0], ...of});
  await game.step(2);
  return game;
}

// Puts the disc of a seat onto a body of that tag.
async function touch(game: TestGame, seat: number, tag: string): Promise<void> {
  const {x, y} = find(game, tag);
  game.world.call('body.set', {body: find(game, discOf(seat)).id, position: [x, y], velocity: [0, 0]});
  await game.step(3);
}

test('a coin is a point, and is somewhere else then', async () => {
  const game = await begin();
  game.join('ada');
  game.world.call('data.set', {key: 'player/ada/name', value: 'Ada'});
  await game.step(3);
  const {id, x} = find(game, 'coin');
  await touch(game, 1, 'coin');
  assert.deepEqual(game.get('score/1'), {name: 'Ada', points: 1});
  assert.notEqual(game.bodies.get(id)!.x, x);
  game.free();
});

test('a rule is told of the kinds of events that it names, and of no others', async () => {
  const kinds: string[] = [];
  const game = await begin(combine(rules, {events: ['sensor_end'], event(_, {kind}) { kinds.push(kind); }}));
  game.join('ada');
  await game.step(3);
  await touch(game, 1, 'coin'); // the coin is away then, which ends the touch
  assert.deepEqual(new Set(kinds), new Set(['sensor_end']));
  assert.equal(game.get('score/1').points, 1);
  game.free();
});

test('the player with the most points wins the round', async () => {
  const game = await begin();
  game.join('ada');
  game.join('ben');
  await game.step(2);
  await touch(game, 2, 'coin');
  await game.step(ROUND_S * HZ);
  const {number, winners} = game.get('round');
  assert.deepEqual([number, winners], [2, ['Player 2']]);
  game.free();
});

test('the disc and the score of a player who leaves are taken away', async () => {
  const game = await begin();
  const ada = game.join('ada');
  await game.step(2);
  game.leave(ada);
  await game.step(3);
  assert.equal(find(game, discOf(1)), undefined);
  assert.equal(game.get('score/1'), undefined);
  game.free();
});

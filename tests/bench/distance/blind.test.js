// The observer of the blind trial distinguishes motions that differ, and is right half of the time where they do not.
import assert from 'node:assert/strict';
import test from 'node:test';

import {random} from '../../../client/web/test/random.js';
import {chance, orders, resampled, shareRight} from './blind.js';

const PAIRS = 8;
const PRESSES = 10;

// Keys whose disc starts `late` frames later where the server is far away; each with an uncertainty of a frame.
function keysOf(late, next) {
  const keys = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    for (const condition of [0, 1]) {
      for (let press = 0; press < PRESSES; press++) {
        const start = late * condition + next();
        keys.push({pair, condition, curve: Array.from({length: 24}, (_, i) => Math.max(0, i - start) * 0.01)});
      }
    }
  }
  return keys;
}

test('an observer names motions that start two frames later', () => {
  assert.ok(shareRight(keysOf(2, random(1))) > 0.95);
});

test('an observer guesses where both start alike', () => {
  const [least, most] = chance(PAIRS * 2 * PRESSES);
  let within = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const share = shareRight(keysOf(0, random(seed)));
    if (share >= least - 0.03 && share <= most + 0.03) within++; // neighbours are shared, so a little wider than a coin
  }
  assert.ok(within >= 18, `${within} of 20`);
});

test('a pair of rounds has both distances, in either order', () => {
  const order = orders(50, random(3));
  for (let i = 0; i < order.length; i += 2) assert.deepEqual([order[i], order[i + 1]].sort(), [0, 1]);
  assert.ok(order.filter((condition, i) => i % 2 === 0 && condition === 1).length > 10);
});

test('motion is resampled at the frames of a screen', () => {
  const frame = 1000 / 60;
  const curve = resampled([[0, 0], [frame * 2, 1], [frame * 4, 1], [500, 1]]);
  assert.equal(curve.length, 24);
  assert.ok(Math.abs(curve[0] - 0.5) < 1e-9 && curve[1] === 1 && curve[23] === 1);
});

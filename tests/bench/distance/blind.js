// A blind trial of knockout: the game is played at 0 ms and at 100 ms with stalls, in an order that chance gives, and an
// observer who sees only how the player's own disc moved after each key says which of the two it was. Where the two feel alike he
// is right as often as a coin. He learns by the answers of all other pairs of rounds (nearest neighbours), so he knows more than
// a player would; the same keys drawn from snapshots, in the same page at the same moment, show that he can distinguish them.
import {openKnockout} from './knockout.js';

const SETTLED_MS = 12_000; // pings and margins of a new distance have arrived
const FRAME_MS = 1000 / 60;
const SEEN_FRAMES = 24; // frames with motion after a key
const NEIGHBOURS = 5;
const CONDITIONS = [{delayMs: 0, stall: 0}, {delayMs: 50, stall: 0.01}];

// In the page: presses a key, and returns how far the disc had moved in each picture in each frame: [[ms, m] …].
async function recordKey([count, seenMs]) {
  const {from, pressed, direction} = await bench.press(count);
  const seen = {predicted: [[0, 0]], plain: [[0, 0]]};
  for (let now = 0; now < seenMs;) {
    await bench.frame();
    now = performance.now() - pressed;
    for (const [picture, {x}] of Object.entries(bench.seen())) seen[picture].push([now, direction * (x - from[picture].x || 0)]);
  }
  return seen;
}

// The motion at the frames of a screen, between the moments at which it was seen.
export function resampled(points) {
  const result = [];
  let i = 0;
  for (let frame = 1; frame <= SEEN_FRAMES; frame++) {
    const t = frame * FRAME_MS;
    while (i < points.length - 2 && points[i + 1][0] < t) i++;
    const [[t0, x0], [t1, x1]] = [points[i], points[i + 1]];
    result.push(x0 + (x1 - x0) * Math.min(1, (t - t0) / Math.max(t1 - t0, 1e-9)));
  }
  return result;
}

const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/**
 * The share of `keys` ({pair, condition, curve}) whose condition an observer guesses rightly, by that of the most similar key among
 * the other pairs of rounds. Each condition has the same number of keys there.
 */
export function shareRight(keys) {
  const right = keys.filter(({pair, condition, curve}) => {
    const nearest = keys.filter((other) => other.pair !== pair)
      .map((other) => ({condition: other.condition, distance: apart(curve, other.curve)}))
      .sort((a, b) => a.distance - b.distance).slice(0, NEIGHBOURS);
    const far = nearest.filter((one) => one.condition === 1).length;
    return (2 * far > nearest.length ? 1 : 0) === condition;
  });
  return right.length / keys.length;
}

/** What a coin reaches in 19 of 20 trials of `count` keys: [least, most]. */
export function chance(count) {
  const half = 0.98 / Math.sqrt(count);
  return [0.5 - half, 0.5 + half];
}

// Each pair of rounds has both conditions, in the order of a coin.
export function orders(pairs, random) {
  return Array.from({length: pairs}, () => random() < 0.5 ? [0, 1] : [1, 0]).flat();
}

/** {keys, predicted, plain}: keys pressed, and the shares that were named rightly in each picture. */
export async function measureBlind({pairs, presses, random = Math.random, ...rig}) {
  return openKnockout(rig, async (page) => {
    const keys = {predicted: [], plain: []};
    for (const [round, condition] of orders(pairs, random).entries()) {
      await page.evaluate((distance) => Object.assign(game.distance, distance), CONDITIONS[condition]);
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      for (let press = 0; press < presses; press++) {
        const seen = await page.evaluate(recordKey, [round * presses + press, SEEN_FRAMES * FRAME_MS]);
        for (const [picture, points] of Object.entries(seen)) keys[picture].push({pair: Math.floor(round / 2), condition, curve: resampled(points)});
      }
    }
    return {keys: keys.plain.length, predicted: shareRight(keys.predicted), plain: shareRight(keys.plain)};
  });
}

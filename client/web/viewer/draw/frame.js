// The part of a world to show: the bodies that have not fallen off, and the ground near them. In most worlds some fall
// off an edge forever: a view of everything would look empty.
//
// A body has left if it moves fast and is far from the others, if it is so far from most that they would be dots beside it,
// or if it is farther out than anyone builds. The frame has the nine tenths of the rest that lie closest together; the
// caller keeps the first frame (`home`), and bodies that leave it are not followed. Few bodies get space around them to
// move in. Bodies come from a source (source.js). Lengths are metres.

import {pointsOf} from './shapes.js';
import {placeOf} from '../pose.js';

const FAR = 1e5; // distance from the origin; worlds end at 1e6, where bodies freeze
const REST = 2; // m/s: slower bodies have not fallen off
const ROOM_MAX = 100; // distance around a frame within which even fast bodies belong to it
const TRIMMED_FROM = 20; // with fewer bodies none is trimmed
const TRIM = 0.1; // share trimmed, at either end or both
const AWAY_SIZES = 50; // sizes of the space that most bodies take: a frame so many times as large would look empty
const NEAR = 0.35; // share of the frame's size within which ground and walls are shown
const ROOM_SIZES = 10; // least size of a frame, in median sizes of the bodies

const EMPTY = [Infinity, Infinity, -Infinity, -Infinity];
const join = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
const cut = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
const isEmpty = ([x0, y0, x1, y1]) => !(x0 <= x1 && y0 <= y1);
const grown = ([x0, y0, x1, y1], by) => [x0 - by, y0 - by, x1 + by, y1 + by];
const sizeOf = ([x0, y0, x1, y1]) => Math.max(x1 - x0, y1 - y0);
const holds = ([x0, y0, x1, y1], {x, y}) => x >= x0 && x <= x1 && y >= y0 && y <= y1;
const isSlow = ({vx, vy}) => Math.hypot(vx, vy) < REST;
const sorted = (values) => Float64Array.from(values).sort();

// The bounding box of a body's shapes at its pose.
function boxOf(body) {
  let box = [body.pose.x, body.pose.y, body.pose.x, body.pose.y];
  for (const shape of body.description?.shapes ?? []) {
    const radius = shape.radius ?? 0;
    for (const point of pointsOf(shape)) {
      const [x, y] = placeOf(body, point);
      box = join(box, [x - radius, y - radius, x + radius, y + radius]);
    }
  }
  return box;
}

// The median of the bodies' sizes.
const usualSize = (bodies) => sorted(bodies.map((body) => sizeOf(boxOf(body))))[bodies.length >> 1];

const boxOfAll = (bodies) => bodies.map(boxOf).reduce(join, EMPTY);

// The shortest range with `count` of the numbers, at least one and at most all of them: outliers do not change it.
function shortest(numbers, count) {
  const all = sorted(numbers);
  let best = 0;
  for (let i = 1; i + count <= all.length; i++) if (all[i + count - 1] - all[i] < all[best + count - 1] - all[best]) best = i;
  return [all[best], all[best + count - 1]];
}

// The box of the places of more than half of the bodies at rest, or of all bodies if none rests; and these.
function coreOf(bodies) {
  const still = bodies.filter(isSlow);
  const all = still.length > 0 ? still : bodies;
  const half = Math.floor(all.length / 2) + 1;
  const [x0, x1] = shortest(all.map(({pose}) => pose.x), half);
  const [y0, y1] = shortest(all.map(({pose}) => pose.y), half);
  return {core: [x0, y0, x1, y1], all};
}

// The box of most bodies at rest, or of most bodies if none rests.
function homeOf(bodies) {
  const {core, all} = coreOf(bodies);
  const usual = grown(core, 6 * sizeOf(core) + 5);
  return boxOfAll(all.filter(({pose}) => holds(usual, pose)));
}

// The bodies without a minority that is far from the others and outside of `room`.
function together(bodies, room) {
  const {core, all} = coreOf(bodies);
  const here = grown(core, AWAY_SIZES * Math.max(sizeOf(core), ROOM_SIZES * usualSize(bodies)));
  const isNear = ({pose}) => holds(here, pose) || holds(room, pose);
  return 2 * all.filter(isNear).length > all.length ? bodies.filter(isNear) : bodies;
}

// The box of the bodies within the shortest ranges in x and y that have nine tenths of their places. A range is first
// widened, at both ends, by a little more than the trimmed tenth would take if it lay evenly.
function middleOf(bodies) {
  if (bodies.length < TRIMMED_FROM) return boxOfAll(bodies);
  const count = Math.ceil((1 - TRIM) * bodies.length);
  const range = (numbers) => {
    const [low, high] = shortest(numbers, count);
    const more = (high - low) * TRIM / (1 - 2 * TRIM);
    return [low - more, high + more];
  };
  const [x0, x1] = range(bodies.map(({pose}) => pose.x));
  const [y0, y1] = range(bodies.map(({pose}) => pose.y));
  return boxOfAll(bodies.filter(({pose}) => holds([x0, y0, x1, y1], pose)));
}

// Enlarges the frame to at least the size of so many bodies side by side.
function roomy(frame, bodies) {
  return grown(frame, Math.max(0, ROOM_SIZES * usualSize(bodies) - sizeOf(frame)) / 2);
}

/** The frame of these bodies as [x0, y0, x1, y1]; null without bodies. `home` is their first frame, or undefined. */
export function frameOf(bodies, home) {
  let all = [...bodies].filter((body) => body.description);
  const here = all.filter(({pose}) => Math.abs(pose.x) < FAR && Math.abs(pose.y) < FAR);
  if (here.length > 0) all = here;
  if (all.length === 0) return home ?? null;
  const own = home ?? homeOf(all);
  const room = grown(own, Math.min(ROOM_MAX, sizeOf(own)) + 10);
  all = together(all, room);
  const fixed = all.filter((body) => body.type === 'static');
  const moving = all.filter((body) => body.type !== 'static' && (holds(room, body.pose) || isSlow(body)));
  if (moving.length === 0) return home ?? middleOf(fixed.length > 0 ? fixed : all);
  const frame = roomy(middleOf(moving), moving);
  const near = grown(frame, NEAR * sizeOf(frame) + 0.5);
  return fixed.map((body) => cut(boxOf(body), near)).filter((box) => !isEmpty(box)).reduce(join, frame);
}

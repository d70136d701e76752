// Full maps of bodies, shapes and joints, as the server answers them, turned into the arguments that make the same again.
// Pure functions.

import {FILTER, SHAPES, TABLE} from '../../src/table.js';
import {area} from '../tools/outline.js';

const MASS_SLACK = 1e-4; // a body's mass differs by more, relatively, from the sum of its shapes': it was set
const SPAWN_LEFT_OUT = ['world', 'epoch', 'lifetime', 'owner', 'mass', 'shapes'];
const JOINT_LEFT_OUT = ['world', 'epoch', 'kind', 'anchor', 'a', 'b'];

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The shortest number that is the same 32-bit float, for values that the engine keeps as one; others stay. */
export function short(value) {
  if (typeof value !== 'number' || !Number.isFinite(value) || Math.fround(value) !== value) return value;
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

const shortened = (value) => (Array.isArray(value) ? value.map(shortened) : short(value));

// The arguments of `table` that `map` has with another value than the fallback.
function given(map, table, leftOut = []) {
  const args = {};
  for (const [name, {fallback}] of Object.entries(table)) {
    if (leftOut.includes(name) || map[name] === undefined || map[name] === null) continue;
    const value = shortened(map[name]);
    if (!same(value, fallback)) args[name] = value;
  }
  return args;
}

/** The arguments that make a shape like this one; `factor` scales its form. */
export function shapeArgs(shape, factor = 1) {
  const args = {kind: shape.kind, ...given(shape, SHAPES[shape.kind], ['filter', 'events', 'kind'])};
  const filter = given(shape.filter ?? {}, FILTER);
  if (Object.keys(filter).length > 0) args.filter = filter;
  if (shape.events && !same([...shape.events].sort(), ['contact', 'sensor'])) args.events = [...shape.events];
  return factor === 1 ? args : scaled(args, factor);
}

function scaled(args, factor) {
  const larger = {...args};
  for (const name of ['radius', 'center', 'a', 'b', 'vertices']) {
    const times = (value) => (Array.isArray(value) ? value.map(times) : value * factor);
    if (larger[name] !== undefined) larger[name] = times(larger[name]);
  }
  return larger;
}

const perimeter = (points) => points.reduce((sum, [x, y], i) => {
  const [nx, ny] = points[(i + 1) % points.length];
  return sum + Math.hypot(nx - x, ny - y);
}, 0);

/** The area of a shape [m²]; a chain has none. */
export function areaOf(shape) {
  const round = Math.PI * (shape.radius ?? 0) ** 2;
  switch (shape.kind) {
    case 'circle':
      return round;
    case 'capsule':
      return round + 2 * shape.radius * Math.hypot(shape.b[0] - shape.a[0], shape.b[1] - shape.a[1]);
    case 'polygon':
      return Math.abs(area(shape.vertices)) + (shape.radius ?? 0) * perimeter(shape.vertices) + round;
    default:
      return 0;
  }
}

// The mass that a body was given, or undefined if it follows from its shapes, or has no shapes.
function massOf({type, mass, shapes}) {
  if (type !== 'dynamic') return undefined;
  const sum = shapes.reduce((all, shape) => all + (shape.sensor ? 0 : shape.density * areaOf(shape)), 0);
  const natural = sum > 0 ? sum : 1;
  return Math.abs(mass - natural) > MASS_SLACK * natural ? short(mass) : undefined;
}

/** The arguments of body.spawn that make a body like this one, where it is now. */
export function spawnArgs(body) {
  const args = given(body, TABLE['body.spawn'].args, SPAWN_LEFT_OUT);
  if (args.type === 'static') delete args.awake; // a static body is never awake
  if (args.velocity) args.velocity = shortened(args.velocity);
  const mass = massOf(body);
  if (mass !== undefined) args.mass = mass;
  return {...args, shapes: body.shapes.map((shape) => shapeArgs(shape))};
}

/** The arguments of joint.create that make a joint like this one. */
export function jointArgs(joint) {
  const args = {kind: joint.kind, b: joint.b, ...given(joint, TABLE['joint.create'].args, JOINT_LEFT_OUT)};
  if (joint.a) args.a = joint.a;
  return args;
}

/** Whether a value of a map is the one that a command gave: the engine keeps some as 32-bit floats. */
export function sameValue(present, given) {
  if (Array.isArray(given)) return Array.isArray(present) && given.length === present.length && given.every((value, i) => sameValue(present[i], value));
  if (typeof given !== 'number') return present === given;
  return present === given || Math.fround(present) === Math.fround(given);
}

// Draws a picture of each recipe of the cookbook: the bodies at several moments, earlier ones paler, with their paths.
//
//   node docs/pictures/recipes.mjs PACKAGE FOLDER [RECIPE …]
//
// PACKAGE is the published npm package (the target web_package), FOLDER is client/guides/cookbook. Each recipe plays on
// the engine in this process, which gives the same bits everywhere: a second run writes the same files.

import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const WIDTH = 640;
const GROUND = '#0d1322';
const FIXED = '#5f6b8a';
const SENSOR = '#4cc9f0';
const COLOURS = ['#ff9f5a', '#7bd88f', '#b794f6', '#ffd166', '#4cc9f0', '#ff6b8b'];
const STEP = 0.05; // between two points of a path, at least [m]
const JUMP = 3; // between two points of one that was put elsewhere [m]
const BYTES_MAX = 100_000;

// The area [x0, y0, x1, y1], the ticks that are drawn, and what players do before a tick.
const PLAYS = {
  one_way: {area: [-5, -1, 5, 6.6], shots: [30, 45, 60, 75, 150, 165, 180, 195, 265, 275, 300],
            seats: 1, acts: {30: ['jump'], 150: ['jump'], 250: ['drop']},
            before: (world, tick) => (tick === 29 || tick === 149) && hero(world).set({velocity: [tick === 29 ? -1 : 1, 0]})},
  conveyor: {area: [-6, -4, 9.5, 2], shots: [400]},
  door: {area: [-9, -1, 9, 6.5], shots: [4, 60, 110, 128, 150],
         before: (world, tick) => tick === 3 && world.createBody({position: [-8, 0.5], velocity: [5, 0], shapes: [{kind: 'circle', radius: 0.5}]})},
  kill_zone: {area: [-10, -10.5, 9, 3], shots: [2, 60, 100, 140, 170, 185, 200, 215, 228, 240, 330], seats: 1,
              before: (world, tick) => tick === 3 && hero(world).set({velocity: [6.5, 0]})},
  magnet: {area: [-6, -1, 10, 7.5], shots: [1, 30, 45, 55, 60, 120]},
  water: {area: [-7.5, -5.3, 7.5, 4], shots: [1, 900], surface: 0},
  car: {area: [-4, -16, 24, 3], shots: Array.from({length: 9}, (_, i) => 2 + 40 * i), seats: 1,
        acts: {2: ['drive', {throttle: 0.8, steer: 0}], 60: ['drive', {throttle: 0.25, steer: -0.6}], 160: ['drive', {throttle: 0.3, steer: 0.8}]}},
  pick_up: {area: [-7, -1, 7, 4], shots: [2, 40, 70, 115, 150, 190, 225], seats: 1,
            before: (world, tick) => push(world, tick, {3: [5, 0], 75: [3.3, 6]})},
  explosion: {area: [-11, -1, 11, 7], shots: [1, 8, 16, 24, 34, 46], seats: 1, acts: {2: ['explode', {place: [0, 0.1]}]}},
  breakable_wall: {area: [-5, -1, 9, 5], shots: [56, 60, 65, 70, 78, 90], seats: 1, acts: {50: ['throw', {speed: 40}]}},
  rope_bridge: {area: [-9, -4, 9, 1.5], shots: [2, 1200], seats: 1, acts: {600: ['load', {weight: 40}]}},
  platformer: {area: [-10, -1, 21, 8.5], shots: [5, 35, 65, 95, 125, 155, 185, 230, 265, 328, 350, 375], seats: 1,
               acts: {5: ['walk', 1], 183: ['walk', 0], 240: ['walk', 1], 272: ['walk', 0], 330: ['jump']}},
  ragdoll: {area: [-7, -1, 7, 6], shots: [2, 55, 80, 300], seats: 1},
  bullets: {area: [-7, -1.5, 7, 6.5], shots: [31, 46], seats: 1,
            rays: [[[0, 0], [-3, 5]]]},
};

const push = (world, tick, velocities) => tick in velocities && hero(world).set({velocity: velocities[tick]});
const hero = (world) => [...world.bodies()].find((body) => body.info().tag.startsWith('hero'));

function number(value) {
  const text = value.toFixed(2).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

const line = (points, closed = true) => `M${points.map(([x, y]) => `${number(x)} ${number(y)}`).join('L')}${closed ? 'z' : ''}`;

/** A path through places; one that was put elsewhere begins another. */
function track(points) {
  const jumps = ([x, y], i) => i === 0 || Math.hypot(x - points[i - 1][0], y - points[i - 1][1]) > JUMP;
  return points.map((point, i) => `${jumps(point, i) ? 'M' : 'L'}${number(point[0])} ${number(point[1])}`).join('');
}

// A body that has hardly moved adds nothing to its path.
function pass(paths, {id, x, y}) {
  if (!paths.has(id)) paths.set(id, []);
  const [px, py] = paths.get(id).at(-1) ?? [Infinity, Infinity];
  if (Math.hypot(x - px, y - py) > STEP) paths.get(id).push([x, y]);
}

/** SVG of a shape in the frame of its body, y upwards. */
function form({kind, radius = 0, sensor, one_way: oneWay, ...shape}, colour) {
  const look = sensor ? `fill="${SENSOR}" fill-opacity=".12" stroke="${SENSOR}" stroke-dasharray=".1"`
    : `fill="${oneWay ? SENSOR : colour}"`;
  if (kind === 'circle') {
    const [x, y] = shape.center;
    return `<circle cx="${number(x)}" cy="${number(y)}" r="${number(radius)}" ${look}/>` +
           (sensor ? '' : `<path d="${line([[x, y], [x + radius, y]], false)}"/>`);
  }
  if (kind === 'capsule') {
    return `<path d="${line([shape.a, shape.b], false)}" stroke="${colour}" stroke-width="${number(2 * radius)}" stroke-linecap="round"/>`;
  }
  if (kind === 'segment') return `<path d="${line([shape.a, shape.b], false)}" stroke="${colour}" stroke-width=".1"/>`;
  if (kind !== 'polygon') throw new Error(`no way to draw the shape '${kind}'`);
  return `<path d="${line(shape.vertices)}" ${look}/>`;
}

function drawn({id, x, y, angle, type, shapes}, opacity) {
  const colour = type === 'dynamic' ? COLOURS[id % 0x1000000 % COLOURS.length] : FIXED;
  return `<g transform="translate(${number(x)} ${number(y)}) rotate(${number(angle * 180 / Math.PI)})" opacity="${number(opacity)}">` +
         `${shapes.map((shape) => form(shape, colour)).join('')}</g>`;
}

async function picture(name, createTestGame) {
  const {area: [x0, y0, x1, y1], shots, seats = 0, acts = {}, before = () => {}, surface, rays = []} = PLAYS[name];
  const {world, rules} = await import(new URL(`../../client/web/examples/cookbook/${name}.js`, import.meta.url));
  const game = await createTestGame({...world, ...rules});
  const players = Array.from({length: seats}, (_, i) => game.join(`player ${i + 1}`));
  const still = new Map();
  const moving = [];
  const paths = new Map();
  for (let tick = 1; tick <= shots.at(-1); tick++) {
    if (acts[tick]) for (const player of players) game.message(player, ...acts[tick]);
    before(game.world, tick);
    await game.step();
    const opacity = 0.25 + 0.75 * (shots.indexOf(tick) + 1) / shots.length;
    for (const body of game.bodies.values()) {
      if (body.type === 'static') still.set(body.id, drawn(body, 1));
      else if (shots.includes(tick)) moving.push(drawn(body, shots.length > 2 ? opacity : tick === shots.at(-1) ? 1 : 0.3));
      if (body.type === 'dynamic' && tick % 4 === 1) pass(paths, body);
    }
  }
  game.free();
  const scale = WIDTH / (x1 - x0);
  const height = Math.round((y1 - y0) * scale);
  const dots = `stroke="#fff" stroke-opacity=".5" stroke-dasharray="${number(1.5 / scale)} ${number(5 / scale)}"`;
  const trails = [...paths.values()].map((points) => `<path d="${track(points)}" ${dots}/>`);
  const aims = rays.map((ray) => `<path d="${line(ray, false)}" stroke="${COLOURS[3]}" stroke-width="${number(2 / scale)}"/>`);
  const water = surface === undefined ? [] : [`<rect x="-6" y="-4" width="12" height="${4 + surface}" fill="${SENSOR}" opacity=".25"/>`];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">` +
         `<rect width="100%" height="100%" rx="10" fill="${GROUND}"/>\n` +
         `<g transform="scale(${scale.toFixed(4)} ${(-scale).toFixed(4)}) translate(${number(-x0)} ${number(-y1)})" fill="none" stroke="${GROUND}" stroke-width="${number(1 / scale)}">\n` +
         `${[...still.values(), ...trails, ...moving, ...water, ...aims].join('\n')}\n</g></svg>\n`;
}

const [location, folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node docs/pictures/recipes.mjs PACKAGE FOLDER [RECIPE …]');
  process.exit(2);
}
const {createTestGame} = await import(new URL('src/testing.js', pathToFileURL(`${path.resolve(location)}/`)));
for (const name of wanted.length > 0 ? wanted : Object.keys(PLAYS)) {
  if (!(name in PLAYS)) throw new Error(`there is no recipe '${name}'; there are ${Object.keys(PLAYS).join(', ')}`);
  const text = await picture(name, createTestGame);
  if (text.length > BYTES_MAX) throw new Error(`${name}: the picture has ${text.length} bytes, at most ${BYTES_MAX} are wanted: fewer shots`);
  await writeFile(path.join(folder, `${name}.svg`), text);
}

// The parts that the adapters for Phaser and PixiJS share: objects of a picture that follow bodies, outlines of shapes, keys and
// pointer. Nothing here needs either of them.
//
// A world's y points upward and its angles turn counter-clockwise; on a screen both are the other way round. So a body at
// (x, y) with angle a is drawn at (x * scale, -y * scale) with rotation -a, in pixels; `scale` is pixels a metre.

import {meant, whyNotOptions} from './options.js';

export const SCALE = 50; // pixels a metre, if a program does not say
const SCALE_MAX = 1e6;
const CORNER_PX = 0.2; // how far a polygon may be from the circle that it stands for [px]
const ARC_MAX = 128; // points of a whole circle
const KEYS = {left: ['ArrowLeft', 'KeyA'], right: ['ArrowRight', 'KeyD'], up: ['ArrowUp', 'KeyW'], down: ['ArrowDown', 'KeyS']};
const TYPED = new Set(['INPUT', 'TEXTAREA', 'SELECT']); // elements that need their keys themselves

/** Checks `pixelsPerMetre`. */
export function checkedScale(scale = SCALE) {
  if (typeof scale === 'number' && scale > 0 && scale <= SCALE_MAX) return scale;
  throw new RangeError(`pixelsPerMetre: above 0 and at most ${SCALE_MAX}, got ${scale}`);
}

/** Throws for an option that nothing reads. */
export function checkedOptions(where, options, known) {
  const why = whyNotOptions(where, options, known);
  if (why !== '') throw new TypeError(why);
  return options;
}

/** Checks that `view` is a picture of a world: the view of a subscription, or a prediction. */
export function checkedView(view) {
  if (typeof view?.drawn === 'function' && typeof view.on === 'function') return view;
  throw new TypeError('view: expected the view of a subscription (with describe: true) or a prediction');
}

/** A place in the world, in pixels. */
export const toPixels = ([x, y], scale = SCALE) => ({x: x * scale, y: -y * scale});

/** A place in pixels, in the world. */
export const toMetres = ({x, y}, scale = SCALE) => [x / scale, -y / scale];

// ---- outlines

/**
 * A shape as points in pixels, relative to its body: {points: [{x, y}], closed}. Round parts become so many corners that
 * none is seen at that scale.
 */
export function outlineOf(shape, scale = SCALE) {
  const {kind, radius = 0} = shape;
  if (kind === 'chain') return {points: shape.vertices.map((point) => toPixels(point, scale)), closed: shape.loop === true};
  if (kind === 'segment') return {points: [toPixels(shape.a, scale), toPixels(shape.b, scale)], closed: false};
  const corners = kind === 'circle' ? [shape.center ?? [0, 0]] : kind === 'capsule' ? [shape.a, shape.b] : shape.vertices;
  return {points: rounded(corners, radius, scale), closed: true};
}

// The points of a convex polygon (counter-clockwise) with its rim `radius` outside; of two corners: a capsule, of one: a circle.
function rounded(corners, radius, scale) {
  if (!(radius > 0)) return corners.map((corner) => toPixels(corner, scale));
  const step = Math.max(2 * Math.PI / ARC_MAX, Math.min(Math.PI / 6, 2 * Math.acos(Math.max(0, 1 - CORNER_PX / (radius * scale)))));
  const points = [];
  const count = corners.length;
  for (let i = 0; i < count; i++) {
    const corner = corners[i];
    const before = corners[(i + count - 1) % count];
    const after = corners[(i + 1) % count];
    const from = count === 1 ? 0 : Math.atan2(before[0] - corner[0], corner[1] - before[1]); // the normal of the edge before
    let turn = count === 1 ? 2 * Math.PI : Math.atan2(corner[0] - after[0], after[1] - corner[1]) - from;
    if (turn < 0) turn += 2 * Math.PI;
    const parts = Math.max(1, Math.ceil(turn / step));
    for (let k = 0; k < parts + (count === 1 ? 0 : 1); k++) {
      const angle = from + turn * k / parts;
      points.push(toPixels([corner[0] + radius * Math.cos(angle), corner[1] + radius * Math.sin(angle)], scale));
    }
  }
  return points;
}

/** The outline at a body's pose. */
export function placed({points, closed}, {x, y, angle}, scale = SCALE) {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return {closed, points: points.map((point) => ({
    x: x * scale + cos * point.x + sin * point.y,
    y: -y * scale - sin * point.x + cos * point.y,
  }))};
}

/** The radius of a circle that shows how it turns: from its centre to its rim; null for other shapes. */
export function spokeOf(shape, scale = SCALE) {
  if (shape.kind !== 'circle') return null;
  const [x, y] = shape.center ?? [0, 0];
  return {points: [toPixels([x, y], scale), toPixels([x + shape.radius, y], scale)], closed: false};
}

/** Where shapes touch in what is drawn: [{point: [x, y], normal, impulse}]. Of a subscription it needs `contacts: true`. */
export function contactsOf(view) {
  const contacts = view.contacts ?? (view.predicting ? view.call('world.contacts').contacts : []);
  return contacts.flatMap(({normal, points}) => points.map((point) => ({
    point: point.point, normal: point.normal ?? normal, impulse: point.impulse,
  })));
}

/** Colours of debug drawings. */
export const COLOURS = {static: 0x8b95b5, kinematic: 0xc792ff, dynamic: 0x5fe3a1, sensor: 0xffd166, contact: 0xff6b8b};

export const colourOf = (body, shape) => shape.sensor ? COLOURS.sensor : COLOURS[body.type] ?? COLOURS.dynamic;

// ---- followers

/**
 * Objects that follow the bodies of a view: one for each body, made when the body is drawn first and destroyed when it is drawn no
 * more. An object has x, y, rotation and destroy(), as those of Phaser and PixiJS.
 *
 * Invariant: `#made` has exactly the bodies that the view has announced and not taken back; the value is null for a body
 * that has no object.
 */
export class Followers {
  #view;
  #scale;
  #options;
  #made = new Map(); // body: object
  #offs;

  /**
   * `options`: sprite(body) makes an object (null: none; undefined: the shapes are drawn), change(body, object) when the body is
   * described again, remove(body, object) before its object is destroyed. The adapter's own: plain(body) draws the shapes, put(object) adds
   * an object to the picture.
   */
  constructor(view, options, {plain, put}) {
    const {pixelsPerMetre, sprite, change, remove} = options;
    this.#view = checkedView(view);
    this.#scale = checkedScale(pixelsPerMetre);
    for (const [name, action] of Object.entries({sprite, change, remove})) {
      if (action !== undefined && typeof action !== 'function') throw new TypeError(`${name}: expected a function`);
    }
    this.#options = {sprite, change, remove, plain, put};
    this.#offs = [view.on('add', (body) => this.#add(body)), view.on('change', (body) => this.#change(body)),
                  view.on('remove', (body) => this.#remove(body))];
    for (const body of view.drawn()) this.#add(body); // a view reports bodies only to listeners that were there before
    this.update();
  }

  /** Pixels a metre. */
  get pixelsPerMetre() {
    return this.#scale;
  }

  /** How many bodies have an object. */
  get size() {
    let size = 0;
    for (const object of this.#made.values()) if (object !== null) size++;
    return size;
  }

  /** The object of a body, by its id; undefined if it has none. */
  get(id) {
    return this.#made.get(this.#view.bodies.get(id)) ?? undefined;
  }

  /** Pairs of bodies and their objects. */
  * [Symbol.iterator]() {
    for (const pair of this.#made) if (pair[1] !== null) yield pair;
  }

  /** Puts each object where its body is drawn. Called in each frame, after advance() of the view. */
  update() {
    const scale = this.#scale;
    for (const [{pose}, object] of this.#made) {
      if (object === null) continue;
      object.x = pose.x * scale;
      object.y = -pose.y * scale;
      object.rotation = -pose.angle;
    }
  }

  /** Destroys all objects, and listens no more. */
  destroy() {
    for (const off of this.#offs.splice(0)) off();
    for (const body of [...this.#made.keys()]) this.#remove(body);
  }

  #add(body) {
    if (this.#made.has(body)) return;
    const {sprite, plain, put} = this.#options;
    let object = sprite?.(body);
    if (object === undefined) object = plain(body);
    if (object !== null) put(object);
    this.#made.set(body, object);
  }

  #change(body) {
    const object = this.#made.get(body);
    if (object === undefined) return;
    if (object !== null && this.#options.change) {
      this.#options.change(body, object);
      return;
    }
    this.#made.delete(body); // made again from the body's present description
    object?.destroy();
    this.#add(body);
  }

  #remove(body) {
    const object = this.#made.get(body);
    this.#made.delete(body);
    if (!object) return;
    this.#options.remove?.(body, object);
    object.destroy();
  }
}

// ---- keys and pointer

/** Keys that are held and a direction of them, in a page; with a pointer, if the adapter says where it is. */
export class Controls {
  #held = new Set();
  #struck = new Set();
  #keys;
  #pointer;
  #ends = [];

  /** `keys`: codes of keys (KeyboardEvent.code) for left, right, up, down; `pointer()` gives {x, y, down} in metres, or null. */
  constructor({keys = {}, pointer = () => null} = {}, page = globalThis) {
    const unknown = Object.keys(keys).find((name) => !(name in KEYS));
    if (unknown !== undefined) throw new RangeError(`keys: there is no '${unknown}'; there are ${Object.keys(KEYS).join(', ')}${meant(unknown, Object.keys(KEYS))}`);
    this.#keys = {...KEYS, ...keys};
    this.#pointer = pointer;
    const steers = new Set(Object.values(this.#keys).flat());
    this.#listen(page, 'keydown', (event) => {
      if (TYPED.has(event.target?.tagName) || event.target?.isContentEditable) return;
      if (!event.repeat) this.#struck.add(event.code);
      this.#held.add(event.code);
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (plain && steers.has(event.code)) event.preventDefault(); // arrow keys would scroll the page
    });
    this.#listen(page, 'keyup', (event) => this.#held.delete(event.code));
    this.#listen(page, 'blur', () => this.#held.clear()); // the keyup goes to another window
    if (page.document) this.#listen(page.document, 'visibilitychange', () => this.#held.clear()); // the keyup goes to another tab
  }

  #listen(target, name, action) {
    target.addEventListener(name, action);
    this.#ends.push(() => target.removeEventListener(name, action));
  }

  /** Whether a key is held, by its code ('Space', 'KeyE', 'ArrowUp'). */
  held(code) {
    return this.#held.has(code);
  }

  /** Whether a key has gone down since the last call for it. */
  struck(code) {
    return this.#struck.delete(code);
  }

  /** Where the keys point: [x, y] of length 1, y upward; [0, 0] without a key. */
  get direction() {
    const sign = (one, other) => Number(this.#keys[one].some((code) => this.#held.has(code)))
      - Number(this.#keys[other].some((code) => this.#held.has(code)));
    const x = sign('right', 'left');
    const y = sign('up', 'down');
    const length = Math.hypot(x, y) || 1;
    return [x / length, y / length];
  }

  /** The pointer in the world: {x, y, down}; null before it was there. */
  get pointer() {
    return this.#pointer();
  }

  destroy() {
    for (const end of this.#ends.splice(0)) end();
    this.#held.clear();
    this.#struck.clear();
  }
}

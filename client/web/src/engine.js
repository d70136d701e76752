// The server's own engine in this process: worlds that compute the same bits as the server's.
//
// A world lives in the memory of a WebAssembly instance and is freed explicitly (world.free(), or `using`). Its
// arguments and answers are the maps of PROTOCOL.md; a method of the table may be called by its name too (world.call).
// States of bodies are read without any encoding.
//
// After a failed assertion of the engine (CaromError `internal`, a fault of carom) the instance is unusable, and every
// further call fails.

import {CaromError} from './errors.js';
import {EVENT_KINDS} from './methods.js';
import {decode, encode} from './msgpack.js';

const INTERFACE = 3; // must equal ENGINE_INTERFACE of engine.h
const ROW = 8; // doubles: id, x, y, angle, vx, vy, w, awake
const STEP_TICKS_MAX = 100000; // as for world.step
const NAME = 'local'; // commands name a world; here the name does not matter

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder('utf-8', {ignoreBOM: true}); // keeps U+FEFF

// This file's address. Copied, because a bundler treats `new URL(…, import.meta.url)` as a file to include.
const HERE = import.meta.url ?? globalThis.location?.href;

/** engine.wasm beside this file; bundlers recognise this exact expression and include the file. */
export const engineFile = () => new URL('./engine.wasm', import.meta.url);

/** The error if engine.wasm is not at the expected place, for example beside a bundle that does not include it. */
export function missingEngine(where, why) {
  return new CaromError('not_found', `${where}: ${why}; the engine is src/engine.wasm of the package carom: copy it ` +
                        "beside the program's bundle, or give loadEngine() its URL or bytes");
}

const isWasm = ([a, b, c, d]) => a === 0 && b === 0x61 && c === 0x73 && d === 0x6d;

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (typeof Response === 'function' && source instanceof Response) {
    return WebAssembly.compile(await source.arrayBuffer());
  }
  const url = new URL(source, HERE);
  const response = await fetch(url);
  if (!response.ok) throw missingEngine(url, `status ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  // many development servers send a page instead of a missing file
  if (!isWasm(bytes)) throw missingEngine(url, 'no WebAssembly is there');
  return WebAssembly.compile(bytes);
}

/**
 * Loads the engine. `source` is a URL, bytes, a Response or a WebAssembly.Module; default: engine.wasm beside this
 * file.
 */
export async function loadEngine(source = engineFile()) {
  const instance = await WebAssembly.instantiate(await compile(source), {});
  return new Engine(instance.exports);
}

/** One instance of the module: its worlds share its memory. */
export class Engine {
  #broken = null;

  constructor(exports) {
    this.exports = exports;
    if (exports.carom_interface() !== INTERFACE) {
      throw new CaromError('unavailable', 'engine.wasm is of another version of this package');
    }
    /** Engines of the same number compute the same bits: `engine` in a server's hello. */
    this.behaviour = exports.carom_behaviour();
    /** The number of the compact form of logs that this engine reads: `compact` in a server's hello. */
    this.compact = exports.carom_compact();
  }

  /** Whether the engine has failed: then it cannot be used, and nothing needs to be freed. */
  get broken() {
    return this.#broken !== null;
  }

  /** Bytes of the instance's memory, which never shrinks. */
  get memoryBytes() {
    return this.exports.memory.buffer.byteLength;
  }

  /** Makes an empty world. `settings` are those of world.create: gravity, hz, substeps, sleep … */
  createWorld(settings = {}) {
    const {events, ...rest} = settings;
    const world = this.withBytes(encode({world: NAME, ...rest}), (at, size) => {
      return this.#made('carom_world_create', at, size);
    });
    return new World(this, world, events);
  }

  /** Makes a world from an image of world.image or of World.save(). */
  restoreWorld(image, {events} = {}) {
    const world = this.withBytes(image, (at, size) => this.#made('carom_world_restore', at, size));
    return new World(this, world, events);
  }

  #made(name, at, size) {
    const world = this.run(name, at, size);
    if (world === 0) throw this.error();
    return world;
  }

  /** Calls an export; a trap makes the engine unusable. */
  run(name, ...args) {
    if (this.#broken) throw this.#broken;
    try {
      return this.exports[name](...args);
    } catch (error) {
      const text = this.text(this.exports.carom_fault());
      this.#broken = new CaromError('internal', `the engine has failed: ${text || error.message}`);
      throw this.#broken;
    }
  }

  /** Calls `use(address, size)` with a copy of the bytes in the engine's memory. */
  withBytes(bytes, use) {
    const at = this.run('carom_alloc', Math.max(1, bytes.length));
    if (at === 0) throw new CaromError('limit_exceeded', 'memory has run out');
    try {
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return use(at, bytes.length);
    } finally {
      if (!this.#broken) this.run('carom_free', at);
    }
  }

  resultBytes() {
    const size = this.run('carom_result_size');
    return new Uint8Array(this.exports.memory.buffer, this.run('carom_result'), size);
  }

  /** The value of the last call, if it succeeded. */
  result(succeeded) {
    if (!succeeded) throw this.error();
    return decode(this.resultBytes());
  }

  error(method) {
    return CaromError.fromWire(textDecoder.decode(this.resultBytes()), method);
  }

  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    return textDecoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }
}

/** Bits of kinds of events; throws for a word that is no kind. */
export function eventBits(kinds) {
  let bits = 0;
  for (const kind of kinds) {
    const bit = EVENT_KINDS.indexOf(kind);
    if (bit < 0) {
      throw new CaromError('invalid_argument', `there is no event '${kind}'; there are ${EVENT_KINDS.join(', ')}`);
    }
    bits |= 1 << bit;
  }
  return bits;
}

const freed = new FinalizationRegistry(({engine, world}) => {
  // Frees a world that the program forgot to free.
  try {
    engine.run('carom_world_free', world);
  } catch { /* the engine is broken anyway */ }
});

/** A world of rigid bodies. After free() every call is an error. */
export class World {
  #engine;
  #world;
  #names = new Map(); // methods' names as bytes in the engine's memory

  constructor(engine, world, events = []) {
    this.#engine = engine;
    this.#world = world;
    freed.register(this, {engine, world}, this);
    this.wantEvents(events);
  }

  get engine() {
    return this.#engine;
  }

  /** The world's address in the engine's memory, for prediction_core.js. */
  get address() {
    return this.#world;
  }

  #run(name, ...args) {
    if (this.#world === 0) throw new CaromError('not_found', 'the world was freed');
    return this.#engine.run(name, this.#world, ...args);
  }

  /** Frees the world's memory. May be called again. */
  free() {
    if (this.#world === 0) return;
    freed.unregister(this);
    if (!this.#engine.broken) {
      this.#engine.run('carom_world_free', this.#world);
      for (const {at} of this.#names.values()) this.#engine.run('carom_free', at);
    }
    this.#names.clear();
    this.#world = 0;
  }

  // ---- methods of the table

  /** A method of the table, such as `world.call('shape.set', {shape, friction: 0})`. */
  call(method, args = {}) {
    const engine = this.#engine;
    const {at: name, size: nameSize} = this.#name(method);
    return engine.withBytes(encode({world: NAME, ...args}), (at, size) => {
      if (!this.#run('carom_world_call', name, nameSize, at, size)) throw engine.error(method);
      return engine.result(true);
    });
  }

  #name(method) {
    let name = this.#names.get(method);
    if (name === undefined) {
      const bytes = textEncoder.encode(method);
      const at = this.#engine.run('carom_alloc', bytes.length + 1);
      new Uint8Array(this.#engine.exports.memory.buffer, at, bytes.length).set(bytes);
      name = {at, size: bytes.length};
      if (bytes.length <= 64 && this.#names.size < 256) this.#names.set(method, name);
    }
    return name;
  }

  /** Applies commands `[method, args]`, all or none; `{$: i}` is the object that command i made. */
  apply(commands) {
    return this.call('world.apply', {commands}).results;
  }

  // ---- time

  /** Advances by `ticks` steps of 1/hz seconds. */
  step(ticks = 1) {
    if (!(ticks >= 0 && ticks <= STEP_TICKS_MAX)) {
      throw new CaromError('invalid_argument', `ticks: 0 to ${STEP_TICKS_MAX}, got ${ticks}`);
    }
    this.#run('carom_world_step', ticks);
  }

  /** The number of steps done. */
  get tick() {
    return this.#run('carom_world_tick');
  }

  /** tick / hz [s] */
  get time() {
    return this.#run('carom_world_time');
  }

  /** Settings and counts, as world.info answers. */
  info() {
    return this.#engine.result(this.#run('carom_world_info'));
  }

  get gravity() {
    return this.info().gravity;
  }

  set gravity(gravity) {
    this.call('world.set', {gravity});
  }

  // ---- bodies and joints

  /** Makes a body and its shapes from the arguments of body.spawn; `shapes` may be left out. */
  createBody(definition = {}) {
    const {body} = this.call('body.spawn', {shapes: [], ...definition});
    return new Body(this, body);
  }

  /** The body of that id; null if there is none. */
  body(id) {
    return this.#run('carom_world_body', id) ? new Body(this, id) : null;
  }

  /** Every body, in a fixed order. */
  * bodies() {
    const rows = this.rows().slice();
    for (let i = 0; i < rows.length; i += ROW) yield new Body(this, rows[i]);
  }

  /** Joins two bodies by the arguments of joint.create; `a` and `b` are bodies or ids. */
  createJoint(definition) {
    const plain = {...definition};
    for (const name of ['a', 'b', 'joint_a', 'joint_b']) plain[name] = idOf(plain[name]);
    return new Joint(this, this.call('joint.create', plain).joint);
  }

  /**
   * The states of all bodies, or of those that are awake: [id, x, y, angle, vx, vy, w, awake] each, one
   * after the other. The array is the engine's memory: read it before the next call.
   */
  rows({awakeOnly = false} = {}) {
    const count = this.#run('carom_world_rows', awakeOnly ? 1 : 0);
    return new Float64Array(this.#engine.exports.memory.buffer, this.#run('carom_rows'), count * ROW);
  }

  /** The state of one body, as in rows(). */
  row(id) {
    if (!this.#run('carom_world_body', id)) throw this.#engine.error();
    return new Float64Array(this.#engine.exports.memory.buffer, this.#run('carom_rows'), ROW);
  }

  // ---- queries

  /** The first shape that a ray meets: {body, shape, point, normal, fraction}; null if there is none. */
  raycast(from, to, options) {
    return this.call('query.ray', {from, to, ...options})[0] ?? null;
  }

  /** All shapes that a ray meets, nearest first. */
  raycastAll(from, to, options) {
    return this.call('query.ray', {from, to, all: true, ...options});
  }

  /** The first shape that a moving shape meets; null if there is none. */
  castShape(shape, from, to, options) {
    return this.call('query.cast', {shape, from, to, ...options})[0] ?? null;
  }

  /** Ids of the bodies in {area}, {shape} or {point}. */
  overlap(place) {
    return this.call('query.overlap', place);
  }

  /** The surface nearest to a place: {body, shape, point, distance}; null if there is none. */
  nearest(point, options) {
    return this.call('query.nearest', {point, ...options});
  }

  /** Pairs that touch now, in the world or of one body. */
  contacts(body) {
    return this.call('world.contacts', {body: idOf(body)}).contacts;
  }

  /** Keeps events of these kinds from now on ('begin', 'hit' …); initially none. */
  wantEvents(kinds) {
    this.#run('carom_world_want_events', eventBits(kinds));
  }

  /** The events kept since the last call, in order. */
  events() {
    return this.#engine.result(this.#run('carom_world_events'));
  }

  /** Events dropped because too many were waiting. */
  get eventsLost() {
    return this.#run('carom_world_events_lost');
  }

  // ---- the whole state

  /** The hash of all state that influences the future, 8 bytes, the same on every machine. */
  hash() {
    return this.#engine.result(this.#run('carom_world_hash'));
  }

  /** The world's image, for Engine.restoreWorld() or world.create. */
  save() {
    return this.#engine.result(this.#run('carom_world_save'));
  }

  /** Makes a second world with the same state. */
  clone() {
    return this.#engine.restoreWorld(this.save());
  }

  // ---- replicas (replica.js)

  /**
   * Plays a record of a world's log: its map as bytes. Returns the tick that it leads to. With `ticks` it plays at most
   * so many (1 or more), and continues when it is called again with the same record, while `within` is true.
   */
  play(record, ticks = Infinity) {
    return this.#engine.withBytes(record, (at, size) =>
      this.#engine.result(this.#run('carom_world_play', at, size, ticks)));
  }

  /** Likewise a record in the compact form, which begins at the world's tick. */
  playCompact(data, ticks = Infinity) {
    return this.#engine.withBytes(data, (at, size) =>
      this.#engine.result(this.#run('carom_world_play_compact', at, size, ticks)));
  }

  /** Whether a part of the last record is left to play. */
  get within() {
    return this.#run('carom_world_within') !== 0;
  }

  /** A number that changes whenever commands of the log may have changed descriptions of bodies. */
  get described() {
    return this.#run('carom_world_described');
  }

  setPaused(paused) {
    this.#run('carom_world_set_paused', paused ? 1 : 0);
  }
}

if (Symbol.dispose) {
  World.prototype[Symbol.dispose] = function dispose() {
    this.free();
  };
}

function idOf(value) {
  return value instanceof Body || value instanceof Joint ? value.id : value;
}

/** A body: its id, and shorthands for methods of its world, which throw once it is removed. */
export class Body {
  constructor(world, id) {
    this.world = world;
    this.id = id;
  }

  /** [x, y] of its origin */
  get position() {
    const row = this.world.row(this.id);
    return [row[1], row[2]];
  }

  set position(position) {
    this.set({position});
  }

  get angle() {
    return this.world.row(this.id)[3];
  }

  set angle(angle) {
    this.set({angle});
  }

  /** [vx, vy] of its centre of mass */
  get velocity() {
    const row = this.world.row(this.id);
    return [row[4], row[5]];
  }

  set velocity(velocity) {
    this.set({velocity});
  }

  get angularVelocity() {
    return this.world.row(this.id)[6];
  }

  set angularVelocity(angular_velocity) {
    this.set({angular_velocity});
  }

  get awake() {
    return this.world.row(this.id)[7] === 1;
  }

  set awake(awake) {
    this.set({awake});
  }

  get exists() {
    return this.world.body(this.id) !== null;
  }

  /** The full body map. */
  info() {
    return this.world.call('body.get', {body: this.id});
  }

  /** Changes the given properties: the arguments of body.set. */
  set(values) {
    this.world.call('body.set', {body: this.id, ...values});
  }

  applyImpulse(impulse, point) {
    this.world.call('body.impulse', {body: this.id, impulse, point});
  }

  applyAngularImpulse(impulse) {
    this.world.call('body.angular_impulse', {body: this.id, impulse});
  }

  /** Sets the force that acts on every step until it is set again. */
  setForce(force, point) {
    this.world.call('body.force', {body: this.id, force, point});
  }

  setTorque(torque) {
    this.world.call('body.torque', {body: this.id, torque});
  }

  /** Adds a shape to the body; returns the shape's id. */
  addShape(shape) {
    return this.world.call('shape.add', {body: this.id, shape}).shape;
  }

  contacts() {
    return this.world.contacts(this.id);
  }

  remove() {
    this.world.call('body.remove', {body: this.id});
  }
}

/** A joint: its id, and shorthands for methods of its world. */
export class Joint {
  constructor(world, id) {
    this.world = world;
    this.id = id;
  }

  /** The full joint map, with its present force and torque. */
  info() {
    return this.world.call('joint.get', {joint: this.id});
  }

  /** Changes the given properties: the arguments of joint.set. */
  set(values) {
    this.world.call('joint.set', {joint: this.id, ...values});
  }

  remove() {
    this.world.call('joint.remove', {joint: this.id});
  }
}

// Scene files (`carom help scene-files`) in the page: unrolled to plain commands, as proto/scene does it in C, with the
// same limits. References to earlier commands' things stay open: they are Reference objects, until a batch is sent.

import {CaromError} from '../../src/errors.js';
import {METHODS} from '../../src/methods.js';
import {meant} from '../../src/options.js';
import {Scope} from './expression.js';

export const FILE_BYTES_MAX = 4 << 20;
const COMMANDS_MAX = 1 << 17; // after the loops are unrolled
const WORK_MAX = 1 << 25; // values visited and bytes of expressions read
const TURNS_TOLD_MAX = 1e15; // up to here the number of turns is written out; scene_expand.c has the same texts
const LOOP_WORK = 8; // one turn of a loop, besides the work of its entries
const NAME_MAX = 64;
const DESCRIPTION_MAX = 1024;
const BLOCK_DEPTH_MAX = 8;
const VALUE_DEPTH_MAX = 32;
const CHUNK = 1000; // commands of one world.apply
const MADE = {'body.spawn': 'body', 'shape.add': 'shape', 'joint.create': 'joint'};
const SETTINGS = ['gravity', 'hz', 'substeps', 'max_bodies', 'sleep', 'continuous', 'restitution_threshold', 'hit_threshold', 'sleep_speed'];
const PARTS = ['name', 'description', 'world', 'view', 'seed', 'constants', 'commands'];

/** The id of the thing that a command of the scene makes, by the command's index. */
export class Reference {
  constructor(command) {
    this.command = command;
  }
}

const fail = (why) => {
  throw new CaromError('invalid_argument', why);
};
const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// Puts the place before an error's text.
function within(place, action) {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof CaromError) || error.placed) throw error;
    throw new CaromError(error.code, `${place}: ${error.message}`);
  }
}

class Loader {
  scope = new Scope();
  commands = [];
  workMax;
  commandsMax;
  #names = new Map();
  #work = 0;
  #trail = []; // the places of the entries that are being read
  #constants = 0;

  constructor({workMax, commandsMax}) {
    this.workMax = workMax;
    this.commandsMax = commandsMax;
  }

  #spend(work) {
    this.#work += work;
    if (this.#work > this.workMax) {
      throw new CaromError('limit_exceeded', 'the scene takes too much work to unroll: its loops are too long; '
        + `the limit is ${this.workMax} turns, values and bytes of expressions`);
    }
  }

  // ---- values

  scalar(value) {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : fail('not a finite number');
    if (typeof value !== 'string') return fail('expected a number or an expression');
    return this.#evaluate(value.startsWith('=') ? value.slice(1) : value);
  }

  #evaluate(text) {
    this.#spend(text.length + 1);
    return this.scope.evaluate(text);
  }

  define(map) {
    if (!isMap(map)) fail('expected {"name": value …}');
    for (const [name, value] of Object.entries(map)) within(name, () => this.scope.define(name, this.scalar(value)));
  }

  // Text with {expression} replaced by its value, a whole number; {{ is a brace.
  #fillIn(text) {
    let out = '';
    for (let i = 0; i < text.length;) {
      const open = text.indexOf('{', i);
      if (open < 0) return out + text.slice(i);
      out += text.slice(i, open);
      if (text[open + 1] === '{') {
        out += '{';
        i = open + 2;
        continue;
      }
      const close = text.indexOf('}', open);
      if (close < 0) fail('a { without }');
      const value = this.#evaluate(text.slice(open + 1, close));
      if (!Number.isSafeInteger(value)) fail('{} holds a whole number');
      out += value;
      i = close + 1;
    }
    return out;
  }

  #string(text) {
    this.#spend(text.length);
    if (text.startsWith('=')) return this.#evaluate(text.slice(1));
    if (!text.startsWith('$')) return this.#fillIn(text);
    const name = this.#fillIn(text.slice(1));
    if (text[1] === '$') return name;
    const command = this.#names.get(name);
    return command === undefined ? fail(`nothing was given the name '${name.slice(0, NAME_MAX)}' before`) : new Reference(command);
  }

  #value(value, depth) {
    this.#spend(1);
    if (depth > VALUE_DEPTH_MAX) throw new CaromError('limit_exceeded', `nested too deep; the limit is ${VALUE_DEPTH_MAX}`);
    if (typeof value === 'string') return this.#string(value);
    if (Array.isArray(value)) return value.map((one, i) => within(`[${i}]`, () => this.#value(one, depth + 1)));
    return isMap(value) ? this.#map(value, depth) : value;
  }

  #map(map, depth) {
    const out = {};
    for (const [key, value] of Object.entries(map)) {
      if (key === '$') fail('{"$": …} is for world.apply; in a scene name things with "as"');
      out[key] = within(key, () => this.#value(value, depth + 1));
    }
    return out;
  }

  // ---- entries

  // The place of the entry that is read, with the values of its loops: "commands[2].do[0] (i = 3)".
  place() {
    const values = this.scope.list(this.#constants);
    return `${this.#trail.map(({list, index}) => `${list}[${index}]`).join('.')}${values && ` (${values})`}`;
  }

  list(entries, name) {
    if (!Array.isArray(entries)) fail(`${name}: expected a list of entries`);
    if (this.#trail.length > BLOCK_DEPTH_MAX) throw new CaromError('limit_exceeded', `blocks nested too deep; the limit is ${BLOCK_DEPTH_MAX}`);
    if (this.#trail.length === 0) this.#constants = this.scope.count;
    const step = {list: name, index: 0};
    this.#trail.push(step);
    entries.forEach((entry, i) => {
      step.index = i;
      this.#entry(entry);
    });
    this.#trail.pop();
  }

  #entry(entry) {
    try {
      this.#spend(1);
      if (Array.isArray(entry)) this.#command(entry);
      else if (isMap(entry)) this.#block(entry);
      else fail('expected ["method", {arguments}] or {"for": …, "do": …}');
    } catch (error) {
      if (!(error instanceof CaromError) || error.placed) throw error;
      const placed = new CaromError(error.code, `${this.place()}: ${error.message}`);
      placed.placed = true;
      throw placed;
    }
  }

  #command(entry) {
    const [method, args, extra] = entry;
    if (entry.length < 2 || entry.length > 3 || !isMap(args)) fail('expected ["method", {arguments}], perhaps with {"as": "name"}');
    if (this.commands.length === this.commandsMax) throw new CaromError('limit_exceeded', `too many commands; the limit is ${this.commandsMax}`);
    if (typeof method !== 'string' || !Object.hasOwn(METHODS, method)) fail(`there is no method '${String(method).slice(0, NAME_MAX)}'`);
    if (!METHODS[method].batch) fail(`${method} cannot be part of a scene`);
    const command = [method, this.#map(args, 0)];
    if (entry.length === 3) this.#name(method, extra);
    this.commands.push({command, place: this.place()});
  }

  #name(method, extra) {
    if (!isMap(extra) || typeof extra.as !== 'string' || Object.keys(extra).length !== 1) fail('the third element of an entry must be {"as": "name"}');
    if (!MADE[method]) fail(`as: ${method} makes nothing to be named`);
    const name = this.#fillIn(extra.as);
    if (name === '' || name.length > NAME_MAX) fail(`as: a name has 1 to ${NAME_MAX} bytes`);
    if (this.#names.has(name)) throw new CaromError('already_exists', `as: the name '${name}' is taken`);
    this.#names.set(name, this.commands.length);
  }

  #block(block) {
    const keys = ['for', 'let', 'if', 'do', 'else'];
    if (Object.keys(block).some((key) => !keys.includes(key))) fail('a block has for, let, if, do and else, and nothing more');
    if (block.do === undefined || (block.else !== undefined && block.if === undefined)) fail('a block needs a do, and an else an if');
    if (block.for !== undefined && !isMap(block.for)) fail('for: expected {"name": [first, last]}');
    this.#loops(block, Object.entries(block.for ?? {}), 0);
  }

  // Runs the loops from variable `level` on. Each value is computed from the first, so that rounding does not add up.
  #loops(block, ranges, level) {
    const outside = this.scope.count;
    if (level === ranges.length) {
      this.#body(block);
      this.scope.count = outside;
      return;
    }
    const [name, range] = ranges[level];
    const [first, last, step] = within('for', () => this.#range(range));
    for (let k = 0;; k++) {
      const value = first + k * step;
      if (step > 0 ? !(value <= last) : !(value >= last)) return;
      this.#spend(LOOP_WORK);
      this.scope.define(name, value);
      this.#loops(block, ranges, level + 1);
      this.scope.count = outside;
    }
  }

  #range(range) {
    if (!Array.isArray(range) || range.length < 2 || range.length > 3) fail('expected [first, last] or [first, last, step]');
    const [first, last, step = 1] = range.map((value) => this.scalar(value));
    if (step === 0) fail('the step must not be 0');
    const turns = Math.floor((last - first) / step) + 1;
    if (!(turns <= WORK_MAX)) fail(`a loop of ${turns <= TURNS_TOLD_MAX ? turns : `more than ${TURNS_TOLD_MAX}`} turns; the limit is ${WORK_MAX}`);
    return [first, last, step];
  }

  #body(block) {
    if (block.let !== undefined) within('let', () => this.define(block.let));
    if (block.if === undefined || within('if', () => this.scalar(block.if)) !== 0) this.list(block.do, 'do');
    else if (block.else !== undefined) this.list(block.else, 'else');
  }
}

function textOf(value, name, most) {
  const size = typeof value === 'string' ? new TextEncoder().encode(value).length : Infinity;
  if (value !== undefined && size > most) fail(`${name}: expected a string of at most ${most} bytes`);
  return value ?? '';
}

function settingsOf(world, loader) {
  if (!isMap(world)) fail('world: expected an object');
  const settings = {};
  for (const [name, value] of Object.entries(world)) {
    settings[name] = within(`world: ${name}`, () => {
      if (!SETTINGS.includes(name)) fail(`not a setting of a world${meant(name, SETTINGS)}`);
      if (name !== 'gravity') return ['sleep', 'continuous'].includes(name) ? loader.scalar(value) !== 0 : loader.scalar(value);
      if (!Array.isArray(value) || value.length !== 2) fail('expected 2 numbers');
      return value.map((one) => loader.scalar(one));
    });
  }
  return settings;
}

function viewOf(view, loader) {
  return within('view', () => {
    if (!Array.isArray(view) || view.length !== 4) fail('expected 4 numbers');
    const [x0, y0, x1, y1] = view.map((one) => loader.scalar(one));
    if (x0 >= x1 || y0 >= y1) fail('expected [x0, y0, x1, y1] with x0 < x1 and y0 < y1');
    return [x0, y0, x1, y1];
  });
}

/**
 * Reads a scene: {name, description, world, view, commands}, each command {command: [method, args], place}. Throws a
 * CaromError that names the place. `limits` are lower maxima than the server's, for scenes of strangers.
 */
export function loadScene(text, {workMax = WORK_MAX, commandsMax = COMMANDS_MAX, hzMax = Infinity} = {}) {
  if (text.length > FILE_BYTES_MAX) throw new CaromError('limit_exceeded', `a scene of ${text.length} bytes; the limit is ${FILE_BYTES_MAX}`);
  let scene;
  try {
    scene = JSON.parse(text);
  } catch (error) {
    fail(`no JSON: ${error.message}`);
  }
  if (!isMap(scene)) fail('a scene is an object {"commands": …}');
  const unknown = Object.keys(scene).find((part) => !PARTS.includes(part));
  if (unknown !== undefined) fail(`a scene has no part '${unknown.slice(0, NAME_MAX)}'${meant(unknown, PARTS)}`);
  if (scene.commands === undefined) fail('a scene needs "commands"');
  const loader = new Loader({workMax, commandsMax});
  const seed = within('seed', () => loader.scalar(scene.seed ?? 0));
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) fail('seed: expected a whole number');
  loader.scope.seed = seed;
  if (scene.constants !== undefined) within('constants', () => loader.define(scene.constants));
  const world = scene.world === undefined ? {} : settingsOf(scene.world, loader);
  if (world.hz > hzMax) throw new CaromError('limit_exceeded', `world: hz: at most ${hzMax} here`);
  const view = scene.view === undefined ? null : viewOf(scene.view, loader);
  loader.list(scene.commands, 'commands');
  return {name: textOf(scene.name, 'name', NAME_MAX), description: textOf(scene.description, 'description', DESCRIPTION_MAX),
          world, view, commands: loader.commands};
}

// The value with its references replaced: by ids, or for commands of the batch that begins with command `first`, by their place in it.
function resolved(value, ids, first) {
  if (value instanceof Reference) return value.command < first ? ids[value.command] : {$: value.command - first};
  if (Array.isArray(value)) return value.map((one) => resolved(one, ids, first));
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one, ids, first)])) : value;
}

/**
 * Carries the scene's commands out by `apply(commands)`, which resolves to their results, in batches. An error names the
 * place of the batch's first command, or of the command that the error names.
 */
export async function applyScene(scene, apply) {
  const ids = [];
  for (let first = 0; first < scene.commands.length; first += CHUNK) {
    const part = scene.commands.slice(first, first + CHUNK);
    let results;
    try {
      results = await apply(part.map(({command}) => resolved(command, ids, first)));
    } catch (error) {
      const named = /commands\[(\d+)\]/.exec(error.message);
      const {place} = part[named ? Number(named[1]) : 0] ?? part[0];
      throw new CaromError(error.code ?? 'internal', `${place}: ${error.message}`);
    }
    results.forEach((result, i) => {
      const made = MADE[part[i].command[0]];
      ids[first + i] = made ? result[made] : 0;
    });
  }
}

// The changes that this page has made, to undo and redo them.
//
// A change is a batch of commands. Before it is sent, the page reads what the commands will overwrite, and makes the steps
// that lead back: the command with the values from before, or the arguments that make a removed thing again. To undo is
// to carry out those steps as a change of their own, whose steps back redo it.
//
// Others change the world meanwhile. A step acts on what is still there: what is gone is left out, and a value that
// somebody else has set since stays as it is; both are reported. A thing that is made again has a new id, under which
// earlier steps find it.
//
// Events: `change` ().

import {Emitter} from '../../src/emitter.js';
import {CaromError} from '../../src/errors.js';
import {WHO, expected, inverseOf} from './inverse.js';
import {reader} from './reader.js';
import {sameValue} from './maps.js';

const CHANGES_MAX = 200; // changes that can be undone; the oldest is forgotten
const FEW = 32; // for more things the whole world is read at once
const SHAPES_MAX = 10000; // shapes whose bodies are remembered; the oldest is forgotten
const LATER = ['timeout', 'unavailable']; // errors after which the same may succeed
const KINDS = {body: 'body', a: 'body', b: 'body', joint: 'joint', joint_a: 'joint', joint_b: 'joint', shape: 'shape'};
const ORDER = ['body.spawn', 'shape.add', 'joint.create']; // the order in which things are made

// Sorts steps so that each follows those that it needs; a joint of two removed bodies is made once.
function inOrder(steps) {
  const joints = new Set();
  const rank = ({method, args}) => ORDER.indexOf(method) + (args.joint_a ? 1 : 0);
  return steps.filter(({makes}) => {
    if (!makes?.joint) return true;
    const first = !joints.has(makes.joint);
    joints.add(makes.joint);
    return first;
  }).map((step, i) => [step, i]).sort(([one, i], [other, j]) => {
    const [first, second] = [rank(one), rank(other)];
    return first < 0 || second < 0 ? i - j : first - second || i - j;
  }).map(([step]) => step);
}

export class Changes extends Emitter {
  #undo = []; // {label, merge, steps}, the newest last
  #redo = [];
  #renamed = new Map(); // `body 5` -> 9: the id of the thing that was made again in its place
  #bodies = new Map(); // shape -> its body, of shapes made here: a shape's id does not say it
  #queue = Promise.resolve(); // one change after the other
  #world = '';

  constructor(session) {
    super();
    this.session = session;
    session.on('world', (name) => {
      if (name !== this.#world) this.clear();
      this.#world = name;
    });
    session.on('renewed', () => this.clear());
  }

  clear() {
    this.#undo = [];
    this.#redo = [];
    this.#renamed.clear();
    this.#bodies.clear();
    this.emit('change');
  }

  /** The labels of the changes that would be undone and redone next; '' for none. */
  get undoable() {
    return this.#undo.at(-1)?.label ?? '';
  }

  get redoable() {
    return this.#redo.at(-1)?.label ?? '';
  }

  #inTurn(action) {
    const done = this.#queue.then(action);
    this.#queue = done.catch(() => {});
    return done;
  }

  /**
   * Carries out commands `[method, args]`, all or none, and remembers how to undo them. `commands` may be a function that
   * resolves to them: it is called when the changes before are done. Changes of the same `merge`, one after the other, are
   * undone together: the movement of a slider. Returns the results; throws what the server refused.
   */
  change(label, commands, {merge = 0} = {}) {
    const {session} = this;
    const {world} = session;
    return this.#inTurn(async () => {
      if (world !== session.world) throw new CaromError('not_found', `“${world}” is not shown any more`);
      const last = this.#undo.at(-1);
      const merges = merge !== 0 && last?.merge === merge && this.#redo.length === 0;
      const list = typeof commands === 'function' ? await commands() : commands;
      const results = merges ? await this.#sendMore(last, list) : await this.#sendFirst({label, merge}, list);
      this.#redo = [];
      this.emit('change');
      return results;
    });
  }

  async #sendFirst(entry, commands) {
    const {results, steps} = await this.#send(commands);
    this.#push(this.#undo, {...entry, steps});
    return results;
  }

  // More of a movement: the values from before its beginning stay, and those that are expected become the newest.
  async #sendMore({steps}, commands) {
    const {results} = await this.session.client.call('world.apply', {world: this.session.world, commands});
    commands.forEach(([method, args], i) => {
      this.#noteShapes(method, args, results[i], results);
      const step = steps.find((one) => one.method === method && WHO.every((name) => one.args[name] === args[name]));
      if (step?.left) Object.assign(step.left, expected(args));
      if (method !== 'shape.add') return;
      const {shape} = steps.find((one) => one.method === 'shape.remove').args;
      this.#renamed.set(`shape ${shape}`, results[i].shape);
    });
    return results;
  }

  /** As change(), for tools: an error is shown to the visitor, and the answer is undefined. */
  async act(label, commands) {
    if (!this.session.world || this.session.offline()) return undefined;
    try {
      return await this.change(label, commands);
    } catch (error) {
      this.session.emit('fault', error);
      return undefined;
    }
  }

  /** Remembers a change that was carried out in another way: `steps` lead back. */
  note(label, steps) {
    this.#push(this.#undo, {label, merge: 0, steps});
    this.#redo = [];
    this.emit('change');
  }

  #push(list, entry) {
    list.push(entry);
    if (list.length > CHANGES_MAX) list.shift();
  }

  async #send(commands) {
    const {session} = this;
    const read = reader(session, this.#bodies);
    if (commands.length > FEW) await read.all();
    const inverses = await Promise.all(commands.map(([method, args]) => inverseOf(method, args, read)));
    const {results} = await session.client.call('world.apply', {world: session.world, commands});
    commands.forEach(([method, args], i) => this.#noteShapes(method, args, results[i], results));
    const steps = inverses.map((inverse, i) => inverse(results[i])).reverse().flat();
    return {results, steps: inOrder(steps)};
  }

  #noteShapes(method, args, result, results) {
    if (method === 'body.spawn') for (const shape of result.shapes) this.#bodies.set(shape, result.body);
    if (method === 'shape.add') this.#bodies.set(result.shape, args.body?.$ === undefined ? args.body : results[args.body.$].body);
    if (method === 'shape.remove') this.#bodies.delete(args.shape);
    for (const shape of this.#bodies.keys()) {
      if (this.#bodies.size <= SHAPES_MAX) break;
      this.#bodies.delete(shape);
    }
  }

  // ---- undo and redo

  undo() {
    return this.#inTurn(() => this.#back(this.#undo, this.#redo));
  }

  redo() {
    return this.#inTurn(() => this.#back(this.#redo, this.#undo));
  }

  // Carries out the newest of `from`, and puts what undoes that into `to`. Returns {label, left}: sentences about what
  // was left as it is; null if there is nothing.
  async #back(from, to) {
    const entry = from.at(-1);
    if (!entry) return null;
    const {commands, makes, left} = await this.#resolve(entry.steps);
    try {
      if (commands.length > 0) {
        const {results, steps} = await this.#send(commands);
        makes.forEach((made, i) => this.#rename(made, results[i]));
        this.#push(to, {label: entry.label, merge: 0, steps});
      }
    } catch (error) {
      if (!LATER.includes(error.code)) from.pop(); // what the server refuses would block the changes before
      this.emit('change');
      throw error;
    }
    from.pop();
    this.emit('change');
    return {label: entry.label, left, done: commands.length > 0};
  }

  /** The id that a body, shape or joint has now: that of the thing which was made again in its place, or its own. */
  now(kind, id) {
    for (let i = 0; i <= CHANGES_MAX && this.#renamed.has(`${kind} ${id}`); i++) id = this.#renamed.get(`${kind} ${id}`);
    return id;
  }

  #rename(made, result) {
    if (!made) return;
    if (made.body) this.#renamed.set(`body ${made.body}`, result.body);
    if (made.joint) this.#renamed.set(`joint ${made.joint}`, result.joint);
    if (made.shape) this.#renamed.set(`shape ${made.shape}`, result.shape);
    made.shapes?.forEach((shape, i) => this.#renamed.set(`shape ${shape}`, result.shapes[i]));
  }

  // The commands of steps that can still be carried out.
  async #resolve(steps) {
    const read = reader(this.session, this.#bodies);
    if (steps.length > FEW) await read.all();
    const commands = [];
    const makes = [];
    const left = [];
    const coming = new Map(); // `body 5` -> index of the command that makes it again
    for (const {method, args, left: expected, makes: made} of steps) {
      const {now, missing} = await this.#find(args, coming, read);
      if (missing.length > 0) {
        left.push(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} gone`);
        continue;
      }
      if (expected) this.#keepOthers(now, expected, await read.of(method, now), left);
      if (expected && !Object.keys(now).some((name) => KINDS[name] === undefined)) continue; // no value is left
      if (made?.body) coming.set(`body ${made.body}`, commands.length);
      if (made?.joint) coming.set(`joint ${made.joint}`, commands.length);
      commands.push([method, now]);
      makes.push(made);
    }
    return {commands, makes, left};
  }

  // Arguments with the ids that their things have now, and the names of those that are gone.
  async #find(args, coming, read) {
    const now = {...args};
    const missing = [];
    for (const [name, kind] of Object.entries(KINDS)) {
      const id = now[name];
      if (typeof id !== 'number' || id === 0) continue;
      if (coming.has(`${kind} ${id}`)) {
        now[name] = {$: coming.get(`${kind} ${id}`)};
      } else {
        now[name] = this.now(kind, id);
        if (!await read[kind](now[name])) missing.push(`${kind} ${now[name]}`);
      }
    }
    return {now, missing};
  }

  // Takes out the values that somebody else has set since.
  #keepOthers(args, expected, present, left) {
    const names = Object.keys(expected).filter((name) => expected[name] !== undefined && !sameValue(present[name], expected[name]));
    for (const name of names) delete args[name];
    if (names.length > 0) left.push(`somebody else has changed ${names.join(', ').replaceAll('_', ' ')} since, which stays`);
  }
}

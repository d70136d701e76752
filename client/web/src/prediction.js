// A server's world without the network's delay: this program's commands act here at once, and on the server a moment
// later, at the same tick.
//
// A replica (replica.js) is an exact copy of the server's world, and the engine keeps a second one ahead of it, with
// this program's own commands (prediction_core.js). The program gives its commands in a function `input`, which is
// called for every tick, once for the first time and again whenever the tick has to be predicted again; the commands of
// the first time are sent to the server with their tick, and act again by themselves.
//
// Where nothing can be predicted (the server's engine is another one, the server is older, WebAssembly is missing) the
// same program works without prediction (unpredicted.js), and receives the reason.
//
// advance(), called before each frame, does the work. A hidden page draws no frames: a timer calls advance() there, so
// the game can end a push whose key its visitor no longer holds.
//
// Events: `predicted`, `confirmed`, `takenBack` (event, of the kinds that were asked for; `wasPredicted` in a confirmed
// one), `refused` ({tick, error}), `fallback` (CaromError: why nothing is predicted), `ended` (CaromError); and `add`, `change`,
// `remove` (body) of what is drawn.

import {addMethods} from './calls.js';
import {Emitter} from './emitter.js';
import {eventBits} from './engine.js';
import {CaromError, checkOptions} from './errors.js';
import {whileHidden} from './page.js';
import {PredictedPicture} from './predicted_picture.js';
import {PredictionCore, canPredict} from './prediction_core.js';
import {Replica} from './replica.js';
import {SHOWN_EVENTS, ShownBodies} from './shown_bodies.js';
import {Unpredicted} from './unpredicted.js';

const INPUT_DELAY_MAX = 3; // ticks
const SMOOTHING_S = 0.06; // half-life of a correction in what is drawn
const PINGS = 3; // number of pings whose round trips count
const PASSABLE = new Set(['unavailable', 'internal']); // errors after which the world can still be watched
const FATES = ['predicted', 'confirmed', 'takenBack'];

const seconds = () => globalThis.performance.now() / 1000;

/** The batch that `input` adds its commands to: `batch.body.force({…})`. Each call returns a reference to the object
   that it makes. */
class InputBatch {
  constructor() {
    this.begin(0);
    addMethods(this, (name, args = {}) => {
      this.commands.push([name, args]);
      return Object.defineProperty({$: this.commands.length - 1}, 'tick', {value: this.tick});
    }, (name, info) => info.batch);
  }

  begin(tick) {
    this.tick = tick;
    this.commands = [];
  }
}

function checkedOptions(options, before) {
  checkOptions('predict', options, Object.keys(DEFAULTS));
  const all = {...before, ...options};
  const wrong = (name, text) => new CaromError('invalid_argument', `${name}: ${text}, got ${all[name]}`);
  if (typeof all.input !== 'function') throw wrong('input', 'expected a function');
  if (!(Number.isInteger(all.inputDelay) && all.inputDelay >= 0 && all.inputDelay <= INPUT_DELAY_MAX)) {
    throw wrong('inputDelay', `0 to ${INPUT_DELAY_MAX} ticks`);
  }
  if (!(all.budgetMs >= 0)) throw wrong('budgetMs', 'milliseconds, 0 for no limit');
  if (!(all.smoothingS >= 0)) throw wrong('smoothingS', 'seconds, 0 for none');
  eventBits(all.events);
  return all;
}

const DEFAULTS = {input: () => {}, inputDelay: 0, budgetMs: 0, check: false, events: [], smoothingS: SMOOTHING_S,
                  predicting: true, rate: undefined, engine: undefined};

const EVENTS = [...FATES, 'refused', 'fallback', 'ended', ...SHOWN_EVENTS];

export class Prediction extends Emitter {
  #client;
  #options;
  #replica = null;
  #core = null;
  #picture = new PredictedPicture();
  #plain = null; // an Unpredicted, instead of the two above
  #batch = new InputBatch();
  #shown = new ShownBodies(this);
  #past = new Set(); // ids of bodies that are not predicted
  #offs = [];
  #offHidden = () => {};
  #rtts = []; // round trips of the last pings [ms]
  #source; // gives the picture its descriptions

  /** Made by Client.predict(), which also starts it. */
  constructor(client, world, options = {}) {
    super(EVENTS);
    this.#client = client;
    this.#options = checkedOptions(options, DEFAULTS);
    this.#source = {
      described: 0,
      describe: (body) => this.#describe(body),
      has: (body) => this.#replica.world.body(body) !== null,
    };
    this.world = world;
    /** Why nothing is predicted; null while it is. */
    this.reason = null;
    /** The error that ended it; null while it runs. */
    this.error = null;
  }

  /** Begins. Resolves when there is a picture. */
  async start() {
    try {
      await this.#begin();
    } catch (error) {
      if (!PASSABLE.has(error.code)) {
        this.#end(error);
        throw error;
      }
      await this.#fallBack(error);
    }
    if (!this.error) this.#offHidden = whileHidden(() => this.advance());
    return this;
  }

  async #begin() {
    const {predicting, rate} = this.#options;
    if (!predicting) throw new CaromError('unavailable', 'prediction was not asked for');
    const engine = await this.#loadEngine();
    if (!canPredict(engine)) throw new CaromError('unavailable', 'engine.wasm is of a version that does not predict');
    await this.#probe();
    const core = new PredictionCore(engine);
    const replica = new Replica(engine);
    this.#core = core;
    this.#replica = replica;
    replica.on('image', (world) => this.#try(() => this.#follow(world)));
    replica.on('record', ({margin}) => this.#try(() => {
      core.arrival(seconds());
      if (margin !== undefined) core.margin(seconds(), margin);
    }));
    replica.on('diverged', (error) => this.#giveUp(error));
    replica.on('ended', (error) => this.#end(error));
    this.#offs.push(this.#client.on('ping', ({lastRtt}) => this.#try(() => this.#noteRtt(lastRtt))));
    await replica.follow(this.#client, this.world, {rate});
  }

  async #loadEngine() {
    try {
      return await (this.#options.engine ?? this.#client.engine());
    } catch (error) { // no engine.wasm, no WebAssembly, or a page's policy that forbids it
      throw new CaromError('unavailable', `the engine cannot be loaded: ${error.message}`);
    }
  }

  // An older server does not know `late`: it refuses a tick that is over.
  async #probe() {
    try {
      await this.#client.call('world.apply', {world: this.world, commands: [], at: 0, late: 'drop'});
    } catch (error) {
      if (error.code === 'invalid_argument') {
        throw new CaromError('unavailable', `the server takes no commands for a tick that may be over: ${error.message}`);
      }
      if (error.code !== 'permission_denied') throw error; // without the right to act, the present is still shown
    }
  }

  // The shortest of only the last few round trips, because the path may have become longer.
  #noteRtt(rtt) {
    this.#rtts = [...this.#rtts, rtt].slice(-PINGS);
    if (this.predicting) this.#core.rtt(Math.min(...this.#rtts) / 1000);
  }

  // Called when the replica has a new world: the first, or the one after a lost connection.
  #follow(world) {
    const {lastRtt} = this.#client.serverOf(this.world).clock;
    this.#core.follow(world, this.#client.serverOf(this.world).hello.session);
    this.#core.set(this.#options);
    if (lastRtt >= 0) this.#noteRtt(lastRtt); // NaN before the first ping
    for (const body of this.#past) this.#core.predict(body, false);
  }

  // Calls `act`, which uses the engine, and handles the engine's failure.
  #try(act) {
    try {
      act();
    } catch (error) {
      this.#giveUp(error); // the engine has failed
    }
  }

  #giveUp(reason) {
    this.#fallBack(reason).catch((error) => this.#end(error));
  }

  async #fallBack(reason) {
    this.#release();
    this.reason = reason;
    this.#plain = new Unpredicted(this.#client, this.world, this.#options);
    await this.#plain.start((error) => this.#end(error));
    this.emit('fallback', reason);
  }

  #end(error) {
    if (this.error) return;
    this.error = error;
    this.#offHidden();
    this.#release();
    this.emit('ended', error);
  }

  #release() {
    for (const off of this.#offs.splice(0)) off();
    this.#core?.free(); // the core is freed before its world
    this.#replica?.free();
    this.#plain?.stop();
    this.#core = this.#replica = this.#plain = null;
  }

  /** Ends the prediction, and frees the memory of its worlds. */
  stop() {
    this.#end(new CaromError('closed', 'the prediction was stopped'));
  }

  /** Whether this program's commands are predicted. */
  get predicting() {
    return this.#core?.runs === true;
  }

  // ---- a frame

  /** Before each frame: asks for input, computes, and sets every body's pose. A hidden page need not call it. `nowMs`: performance.now(). */
  advance(nowMs = globalThis.performance.now()) {
    if (this.#plain) {
      this.#plain.advance(nowMs, (tick) => this.#ask(tick, true), (tick, error) => this.emit('refused', {tick, error}));
      this.#tell(this.#plain.takeEvents().map((event) => [1, false, event]));
    }
    // without a server the picture stands still
    if (this.predicting && this.#client.state === 'open') this.#try(() => this.#predict(nowMs));
    this.#shown.update(() => this.drawn());
  }

  #predict(nowMs) {
    const core = this.#core;
    const began = globalThis.performance.now();
    const spent = () => globalThis.performance.now() - began;
    core.begin(nowMs / 1000);
    for (let next = core.next(spent()); next !== 0; next = core.next(spent())) {
      if (next < 0) {
        this.#ask(-next, false);
        continue;
      }
      const commands = this.#ask(next, true);
      if (commands.length > 0) this.#give(next, commands);
    }
    core.end(spent());
    this.#source.described = this.#replica.world.described;
    this.#picture.show(core.poses(), this.#source);
    this.#tell(core.events());
  }

  // Collects the program's commands for a tick.
  #ask(tick, firstTime) {
    const batch = this.#batch;
    batch.begin(tick);
    try {
      this.#options.input(batch, {tick, firstTime});
    } catch (error) {
      batch.begin(tick);
      queueMicrotask(() => {
        throw error; // an error in the program is reported as uncaught, as for a listener
      });
    }
    return batch.commands;
  }

  #give(tick, commands) {
    try {
      this.#core.give(commands);
    } catch (error) {
      this.emit('refused', {tick, error});
      return;
    }
    const args = {world: this.world, at: tick, late: 'next', commands};
    this.#client.call('world.apply', args).catch((error) => {
      if (this.predicting) this.#try(() => this.#core.refused(tick));
      if (!this.error) this.emit('refused', {tick, error});
    });
  }

  // Asks the server's world first: a tag is not in the hash, so the predicted world may have an old one.
  #describe(body) {
    const confirmed = this.#replica.world.body(body);
    return confirmed ? confirmed.info() : this.#core.call('body.get', {body});
  }

  #tell(events) {
    for (const [fate, wasPredicted, event] of events) {
      this.emit(FATES[fate], fate === 1 ? {...event, wasPredicted} : event);
    }
  }

  // ---- the shown world

  /** The bodies by id, each with the `pose` to draw it at. */
  get bodies() {
    return this.#plain?.view?.bodies ?? this.#picture.bodies;
  }

  /** The bodies to draw. */
  drawn() {
    return this.#plain?.view?.drawn() ?? this.#picture.bodies.values();
  }

  /** Raised when bodies come, go, or are described again. */
  get version() {
    return this.#plain?.view?.version ?? this.#picture.version;
  }

  /** The tick that is shown. */
  get tick() {
    if (this.#plain) return this.#plain.tick;
    return this.predicting ? this.#core.tick : 0;
  }

  /** The exact server's world a moment ago, for queries; null without prediction. */
  get confirmed() {
    return this.#replica?.world ?? null;
  }

  /**
   * The object that a call of `batch` made, by the reference that it returned: {id, confirmed}; null: it is not known
   * (yet). Until
   * it is confirmed its id may change: another session may get that id first. */
  made({tick, $: index}) {
    if (this.#plain) return this.#plain.made(tick, index);
    return this.predicting ? this.#core.made(tick, index) : null;
  }

  /** Calls a method that reads, such as query.ray, on the world that is shown. */
  call(method, args = {}) {
    if (!this.predicting) throw new CaromError('unavailable', 'nothing is predicted: ask the server (client.call)');
    return this.#core.call(method, args);
  }

  /** Marks a body as this program's own; bodies that its commands name are its own anyway. */
  own(body) {
    if (this.predicting) this.#core.own(body);
  }

  /** `predict(body, false)`: the body is drawn where it was confirmed, in the past, and never corrected. */
  predict(body, predicted = true) {
    if (this.predicting) this.#core.predict(body, predicted);
    if (predicted) this.#past.delete(body);
    else this.#past.add(body);
  }

  /** Changes input, inputDelay, budgetMs, check, events, smoothingS. */
  set(options) {
    this.#options = checkedOptions(options, this.#options);
    if (this.predicting) this.#core.set(this.#options);
  }

  /** Figures for an overlay; null without prediction. */
  get figures() {
    return this.predicting ? this.#core.figures() : null;
  }
}


// A server within the page: worlds of the engine as WebAssembly, behind the methods of a client that the viewer calls.
// There are no other sessions, nothing is stored, and everything ends with the page.
//
// Events: those of the client that the viewer listens to; `fault` (CaromError): a world was paused because it is too slow.

import {loadEngine} from '../../src/engine.js';
import {Emitter} from '../../src/emitter.js';
import {CaromError} from '../../src/errors.js';
import {METHODS} from '../../src/methods.js';
import {applyScene, loadScene} from '../scene/load.js';
import {playRecipe} from './recipes.js';
import {LocalSubscription} from './subscription.js';
import {LocalWorld} from './world.js';

const WORLDS_MAX = 16; // each takes memory of the page
const TURN_MS = 16; // interval of steps
const BUDGET_MS = 12; // time for all worlds in a turn

export class LocalClient extends Emitter {
  #worlds = new Map();
  #subscriptions = new Set();
  #epoch = 0;
  #timer;

  /** Loads the engine. */
  static async load() {
    return new LocalClient(await loadEngine());
  }

  constructor(engine) {
    super();
    this.engine = engine;
    this.state = 'open';
    this.hello = {role: 'admin', server: 'this page', version: 'without a server', session: 0, limits: {}, engine: engine.behaviour};
    this.clock = {synchronised: false, lastRtt: NaN};
    this.traffic = {bytesIn: 0, bytesOut: 0};
    this.#timer = setInterval(() => this.#turn(), TURN_MS);
  }

  close() {
    clearInterval(this.#timer);
    for (const world of this.#worlds.values()) world.free();
    this.#worlds.clear();
    this.state = 'closed';
  }

  async predict() {
    throw new CaromError('unavailable', 'A world of this page has no distance: there is nothing to predict');
  }

  async call(method, args = {}) {
    if (method === 'ping') return {time: performance.now() / 1000};
    if (method === 'world.list') return [...this.#worlds.values()].map((world) => world.info());
    if (method === 'world.create') return this.#create(args);
    if (method === 'world.fork') return this.#create({world: args.as, image: this.#world(args.world).save()});
    const world = this.#world(args.world);
    if (method === 'world.destroy') return this.#destroy(world);
    if (method === 'world.image') return {image: world.save(), tick: world.tick};
    if (METHODS[method] === undefined) throw new CaromError('unknown_method', `there is no method '${method}'`);
    return world.call(method, args);
  }

  notify(method, args) {
    this.call(method, args).catch((error) => this.emit('fault', error));
  }

  async subscribe(args) {
    if (args.encoding === 'log') throw new CaromError('unavailable', 'a world of this page keeps no log');
    const subscription = new LocalSubscription(this.#world(args.world), args, () => this.#subscriptions.delete(subscription));
    this.#subscriptions.add(subscription);
    return subscription;
  }

  #world(name) {
    const world = this.#worlds.get(name);
    if (!world) throw new CaromError('not_found', `no world '${name}'`);
    return world;
  }

  /** Arguments of world.create; also `recipe`, a name of recipes.js, and `text`, a scene file with `limits`. */
  async #create({world: name, scene, recipe, image, paused = false, text, limits, ...settings}) {
    if (this.#worlds.has(name)) throw new CaromError('already_exists', `a world '${name}' exists`);
    if (this.#worlds.size >= WORLDS_MAX) throw new CaromError('limit_exceeded', `a page has at most ${WORLDS_MAX} worlds: end one first`);
    const epoch = ++this.#epoch;
    const {world, view = null, game = null} = await this.#make({scene, recipe, image, text, limits, settings});
    this.#worlds.set(name, new LocalWorld(name, world, {epoch, paused, view, game}));
    return {world: name, epoch, tick: world.tick, created: true};
  }

  async #make({scene, recipe, image, text, limits, settings}) {
    delete settings.lifetime;
    if (image) return {world: this.engine.restoreWorld(image)};
    if (recipe) {
      const game = await playRecipe(this.engine, recipe);
      return {world: game.world, view: game.area, game};
    }
    if (!scene && text === undefined) return {world: this.engine.createWorld(settings)};
    const loaded = loadScene(text ?? await sceneFile(scene), limits);
    const world = this.engine.createWorld({...loaded.world, ...settings});
    try {
      await applyScene(loaded, async (commands) => world.apply(commands));
    } catch (error) {
      world.free();
      throw error;
    }
    return {world, view: loaded.view};
  }

  #destroy(world) {
    const {name, tick} = world;
    this.#worlds.delete(name);
    for (const subscription of [...this.#subscriptions]) {
      if (subscription.world === world) subscription.end(new CaromError('not_found', `the world '${name}' has ended`));
    }
    world.free();
    return {world: name, tick};
  }

  // Steps the worlds by the time that has passed, as far as the turn's time goes.
  #turn() {
    const until = performance.now() + BUDGET_MS;
    for (const world of this.#worlds.values()) {
      const why = document.hidden ? world.rest() : world.advance(until);
      if (why) this.emit('fault', new CaromError('limit_exceeded', why));
    }
    for (const subscription of this.#subscriptions) subscription.show();
  }
}

/** The text of a scene that came with the page. */
export async function sceneFile(name) {
  const url = new URL(`../../scenes/${encodeURIComponent(name)}.json`, import.meta.url);
  const response = await fetch(url);
  if (!response.ok) throw new CaromError('not_found', `there is no scene '${name}'`);
  return response.text();
}

// The watched world as it will be when a command of this page reaches the server (../src/prediction.js): drawn instead
// of the live one, with outlines where the server had the bodies a moment ago.
//
// Pushes and pulls of this page act in it at once. Other commands are sent to the server as usual, and take effect when
// its log has them.
//
// Events: `change` (): it runs, stopped, or cannot run (`why`).

import {Emitter} from '../src/emitter.js';
import {outline} from './draw/overlays.js';

const BUDGET_MS = {least: 8, most: 50}; // time for the prediction in a frame
const BUDGET_SHARE = 0.3; // share of the time between frames
const FRAME_WEIGHT = 0.1; // weight of the newest frame in the mean
const BUDGET_STEP = 1.5; // a change by this factor counts
const GHOSTS_MAX = 300;
const GHOST_PX = 3; // a body this far from its confirmed place has a ghost
const ROW = 8; // numbers of a body in World.rows()
const COMMANDS = new Set(['body.impulse', 'joint.set', 'joint.remove']);

export class PredictedSource extends Emitter {
  #session;
  #wanted = false;
  #choice = 0; // raised by every start and stop, so that late results are dropped
  #play = null;
  #commands = []; // [method, args] for the next tick
  #drawn = NaN; // when the last frame was drawn [ms]
  #between = 0; // time between frames, averaged [ms]
  #budgetMs = BUDGET_MS.least;

  constructor(session) {
    super();
    this.#session = session;
    /** Why nothing is predicted although the visitor wants it; '' otherwise. */
    this.why = '';
    session.on('world', () => this.#restart());
    session.on('info', () => { // the list of worlds arrives before their numbers
      if (this.#wanted && this.#play === null && this.why === '') this.#restart();
    });
    session.on('leave', () => this.#flush());
  }

  /** Whether the visitor wants prediction. */
  get wanted() {
    return this.#wanted;
  }

  /** Whether the prediction can be drawn. */
  get shows() {
    return this.#play?.predicting === true && this.#play.tick > 0;
  }

  /** Figures to show; null: nothing is predicted. */
  get figures() {
    return this.#play?.figures ?? null;
  }

  want(on) {
    if (on === this.#wanted) return;
    this.#wanted = on;
    this.#restart();
  }

  #restart() {
    this.#choice++;
    this.#flush();
    this.#play?.stop();
    this.#play = null;
    this.why = '';
    this.emit('change');
    if (this.#wanted && this.#session.world && this.#session.info) this.#start(this.#choice);
  }

  async #start(choice) {
    const {client, world} = this.#session;
    this.why = 'It begins …';
    const options = {budgetMs: this.#budgetMs, input: (batch, {firstTime}) => firstTime && this.#give(batch)};
    let play = null;
    let why = '';
    try {
      play = await client.predict(world, options);
      why = play.reason?.message ?? '';
    } catch (error) {
      why = error.message;
    }
    if (choice !== this.#choice || why) play?.stop(); // without prediction the page draws its own snapshots
    if (choice !== this.#choice) return;
    this.why = why;
    if (!why) this.#follow(play, choice);
    this.emit('change');
  }

  #follow(play, choice) {
    this.#play = play;
    const end = (error) => {
      if (choice !== this.#choice) return;
      this.#play = null;
      this.why = error.message;
      play.stop();
      this.emit('change');
    };
    play.on('fallback', end);
    play.on('ended', end);
  }

  #give(batch) {
    for (const [method, args] of this.#commands.splice(0)) {
      const [group, name] = method.split('.');
      batch[group][name](args);
    }
  }

  // Sends commands that no tick has taken, without a tick.
  #flush() {
    for (const [method, args] of this.#commands.splice(0)) this.#session.send(method, args);
  }

  /** Accepts a command of this page, to act at once. False: the caller must send it. */
  take(method, args) {
    if (!this.shows || !COMMANDS.has(method) || this.#session.info?.paused) return false;
    this.#commands.push([method, args]);
    return true;
  }

  /** Before each frame. */
  advance(now) {
    this.#fitBudget(now);
    this.#play?.advance(now);
  }

  // Where the page draws slowly, more ticks pass between two frames, and each frame has more time for them.
  #fitBudget(now) {
    const passed = Math.min(now - this.#drawn, 1000); // NaN for the first frame
    this.#drawn = now;
    if (passed > 0) this.#between += FRAME_WEIGHT * (passed - this.#between);
    const budgetMs = Math.min(Math.max(BUDGET_SHARE * this.#between, BUDGET_MS.least), BUDGET_MS.most);
    const change = budgetMs / this.#budgetMs;
    if (!this.#play || (change < BUDGET_STEP && change > 1 / BUDGET_STEP)) return;
    this.#budgetMs = budgetMs;
    this.#play.set({budgetMs});
  }

  // ---- the interface of a source (source.js)

  drawn() {
    return this.#play.drawn();
  }

  body(id) {
    return this.#play.bodies.get(id);
  }

  asleep(id) {
    return this.#play.bodies.get(id)?.awake === false;
  }

  get joints() {
    return this.#session.source?.joints ?? new Map();
  }

  get contacts() {
    return this.#session.source?.contacts ?? [];
  }

  get tick() {
    return this.#play.tick;
  }

  get time() {
    return this.tick / (this.#session.info?.hz ?? 60);
  }

  // ---- the ghosts

  /** Draws outlines where the server had the bodies that are drawn elsewhere; returns their number. */
  ghosts(lines, camera, colour) {
    const rows = this.#play.confirmed?.rows() ?? [];
    let count = 0;
    for (let i = 0; i < rows.length && count < GHOSTS_MAX; i += ROW) {
      const body = this.body(rows[i]);
      if (!body?.description || body.type === 'static') continue;
      const pose = {x: rows[i + 1], y: rows[i + 2], angle: rows[i + 3]};
      if (Math.hypot(pose.x - body.pose.x, pose.y - body.pose.y) * camera.scale < GHOST_PX) continue;
      for (const shape of body.shapes) outline(lines, {pose}, shape, colour, 1.2);
      count++;
    }
    return count;
  }
}

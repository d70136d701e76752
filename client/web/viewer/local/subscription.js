// A subscription to a world of the page: the snapshots that a server would send, without a wire.

import {Emitter} from '../../src/emitter.js';
import {WorldView} from '../../src/view.js';

const ROW = 8; // numbers of a row of the engine
const EVENTS_MAX = 4096; // events that wait for a snapshot; later ones are dropped
const DESCRIBED_MAX = 20000; // bodies that are described at once

export class LocalSubscription extends Emitter {
  #off;
  #ended;
  #events = [];
  #bodies = new Set(); // bodies that the view has
  #joints = new Set();
  #changed = {bodies: new Set(), joints: new Set(), all: true};
  #full = true;
  #shownTick = -1;
  #due = 0; // when the next snapshot may come [ms]

  constructor(world, args, ended) {
    super();
    this.world = world;
    this.args = args;
    this.view = new WorldView();
    this.error = null;
    this.#ended = ended;
    this.#off = world.listen({
      events: (events) => this.#keep(events),
      changed: (what) => this.#note(what),
    });
  }

  async unsubscribe() {
    this.#off();
    this.#ended();
  }

  async setArea(area) {
    this.args = {...this.args, area};
  }

  /** The world is over. */
  end(error) {
    this.#off();
    this.#ended();
    this.error = error;
    this.emit('ended', error);
  }

  #keep(events) {
    const wanted = new Set(this.args.events ?? []);
    if (events.some(({kind}) => kind === 'joint_break' || kind === 'remove')) this.#changed.all = true;
    for (const event of events) {
      if (wanted.has(event.kind) && this.#events.length < EVENTS_MAX) this.#events.push(event);
    }
  }

  #note(what) {
    if (what === null) {
      this.#changed.all = true;
      return;
    }
    for (const id of what.bodies) this.#changed.bodies.add(id);
    for (const id of what.joints) this.#changed.joints.add(id);
  }

  /** Makes a snapshot, if there is something new. */
  show() {
    const {world, args} = this;
    const now = performance.now();
    const {all, bodies, joints} = this.#changed;
    const news = this.#full || all || bodies.size > 0 || joints.size > 0 || this.#events.length > 0;
    if ((!news && world.tick === this.#shownTick) || now < this.#due) return;
    this.#due = args.rate ? now + 1000 / args.rate - 2 : 0;
    this.#shownTick = world.tick;
    const snapshot = this.#make();
    this.view.apply(snapshot, now);
    this.emit('snapshot', snapshot);
  }

  #make() {
    const {world, args} = this;
    const inner = world.world;
    const rows = inner.rows().slice();
    const bodies = [];
    for (let i = 0; i < rows.length; i += ROW) bodies.push([...rows.subarray(i, i + ROW - 1)]);
    const present = new Set(bodies.map(([id]) => id));
    const removed = [...this.#bodies].filter((id) => !present.has(id));
    const fresh = [...present].filter((id) => !this.#bodies.has(id));
    const {spawned, joints, joints_removed} = this.#describe(inner, present, fresh, removed);
    this.#bodies = present;
    const snapshot = {subscription: 1, world: world.name, epoch: world.epoch, tick: inner.tick, time: inner.time, full: this.#full, bodies, removed,
                      spawned, joints, joints_removed, events: this.#events, hash: null, contacts: args.contacts ? inner.contacts() : []};
    if (this.#full && world.view) snapshot.view = world.view;
    this.#events = [];
    this.#full = false;
    this.#changed = {bodies: new Set(), joints: new Set(), all: false};
    return snapshot;
  }

  #describe(inner, present, fresh, removed) {
    const {all, bodies, joints} = this.#changed;
    const many = all || fresh.length > 64;
    if (many || removed.length > 0 || joints.size > 0) {
      const state = inner.call('world.state');
      const now = new Set(state.joints.map(({joint}) => joint));
      const gone = [...this.#joints].filter((id) => !now.has(id));
      const known = this.#joints;
      this.#joints = now;
      return {spawned: many ? state.bodies.slice(0, DESCRIBED_MAX) : this.#maps(inner, present, [...fresh, ...bodies]),
              joints: state.joints.filter(({joint}) => all || joints.has(joint) || !known.has(joint)), joints_removed: gone};
    }
    return {spawned: this.#maps(inner, present, [...fresh, ...bodies]), joints: [], joints_removed: []};
  }

  #maps(inner, present, ids) {
    return [...new Set(ids)].filter((id) => present.has(id)).map((body) => inner.call('body.get', {body}));
  }
}

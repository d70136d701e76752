// The tools. One is in hand; the pointer tells it where it is: {x, y} in the world, {px, py} on the
// screen, and the body under it. A tool has
//   down(point)  -> true if it takes the drag; else the view is panned
//   move(point), up(point), tap(point), hover(point), cancel(), draw(lines, theme), marked
// Commands go to the server and show when its snapshots do: the page never moves a body by itself.

import {Hand} from './hand.js';
import {PathTool} from './path.js';
import {Spawn} from './spawn.js';
import {toast} from '../ui/dom.js';
import {jointPlaces} from '../draw/overlays.js';

const PUSH_PER_SECOND = 4; // m/s for each metre that is drawn
const SPEED_MAX = 4000;

class Push {
  name = 'push';
  #from = null;
  #to = null;

  constructor(app) {
    this.app = app;
  }

  get marked() {
    return this.#from?.body.id ?? 0;
  }

  down(point) {
    if (!point.body || point.body.type !== 'dynamic') return false;
    const {pose} = point.body;
    const cos = Math.cos(-pose.angle);
    const sin = Math.sin(-pose.angle);
    const dx = point.x - pose.x;
    const dy = point.y - pose.y;
    this.#from = {body: point.body, local: [cos * dx - sin * dy, sin * dx + cos * dy]};
    this.#to = point;
    return true;
  }

  move(point) {
    this.#to = point;
  }

  #place() {
    const {body: {pose}, local: [x, y]} = this.#from;
    const cos = Math.cos(pose.angle);
    const sin = Math.sin(pose.angle);
    return [pose.x + cos * x - sin * y, pose.y + sin * x + cos * y];
  }

  up(point) {
    const {body} = this.#from;
    const place = this.#place();
    const clamp = (value) => Math.max(-SPEED_MAX, Math.min(SPEED_MAX, value)) * body.description.mass;
    const impulse = [clamp((point.x - place[0]) * PUSH_PER_SECOND), clamp((point.y - place[1]) * PUSH_PER_SECOND)];
    this.app.session.act('body.impulse', {body: body.id, impulse, point: place});
    this.cancel();
  }

  tap(point) {
    if (point.body) this.app.choose(point.body.id);
    this.cancel();
  }

  cancel() {
    this.#from = this.#to = null;
  }

  draw(lines, theme) {
    if (!this.#from) return;
    const place = this.#place();
    lines.dot(place, theme.draw, 8);
    lines.arrow(place, [this.#to.x, this.#to.y], theme.draw, 3);
  }
}

class Joint {
  name = 'joint';
  options = {kind: 'revolute', hertz: 0, motor: 0};
  #from = null;
  #to = null;

  constructor(app) {
    this.app = app;
  }

  get marked() {
    return this.#from?.body.id ?? 0;
  }

  down(point) {
    if (!point.body) return false;
    this.#from = point;
    this.#to = point;
    return true;
  }

  move(point) {
    this.#to = point;
  }

  // From one body to another, or to a fixed place, where a static body without shapes is made.
  async up(point) {
    const from = this.#from;
    this.cancel();
    if (!from || point.body?.id === from.body.id) return;
    const {kind, hertz, motor} = this.options;
    const args = {kind, a: point.body ? point.body.id : {$: 0}, b: from.body.id};
    if (kind === 'distance') {
      args.anchor_a = point.body ? localOf(point.body, point) : [0, 0];
      args.anchor_b = localOf(from.body, from);
    } else if (kind === 'prismatic' || kind === 'wheel') {
      const dx = point.x - from.x;
      const dy = point.y - from.y;
      args.axis = kind === 'wheel' ? [0, 1] : Math.hypot(dx, dy) > 1e-6 ? [dx, dy] : [1, 0];
      args.anchor = [from.x, from.y];
    } else if (kind !== 'filter' && kind !== 'motor') {
      args.anchor = point.body ? [(from.x + point.x) / 2, (from.y + point.y) / 2] : [point.x, point.y];
      if (kind === 'revolute') args.anchor = [point.x, point.y];
    }
    if (hertz > 0 && (kind === 'distance' || kind === 'wheel' || kind === 'weld')) {
      args.hertz = hertz;
      args.damping_ratio = 0.5;
      if (kind === 'weld') Object.assign(args, {angular_hertz: hertz, angular_damping_ratio: 0.5});
    }
    if (motor !== 0 && (kind === 'revolute' || kind === 'wheel')) {
      Object.assign(args, {motor_speed: motor, max_torque: 50 * Math.max(1, from.body.description.mass)});
    }
    if (kind === 'motor') Object.assign(args, {max_force: 100 * from.body.description.mass, max_torque: 100, hertz: 2});
    const commands = [['joint.create', args]];
    if (!point.body) {
      commands.unshift(['body.spawn', {type: 'static', position: [point.x, point.y], tag: 'pin', shapes: []}]);
    }
    await this.app.session.act('world.apply', {commands});
  }

  tap(point) {
    if (point.body) this.app.choose(point.body.id);
    this.cancel();
  }

  cancel() {
    this.#from = this.#to = null;
  }

  draw(lines, theme) {
    if (!this.#from) return;
    const place = [this.#from.x, this.#from.y];
    lines.line(place, [this.#to.x, this.#to.y], theme.draw, 2, 5);
    lines.ring(place, theme.draw, 10, 2);
    lines.ring([this.#to.x, this.#to.y], theme.draw, this.#to.body ? 16 : 10, 2);
  }
}

export function localOf(body, point) {
  const {pose} = body;
  const cos = Math.cos(pose.angle);
  const sin = Math.sin(pose.angle);
  const dx = point.x - pose.x;
  const dy = point.y - pose.y;
  return [cos * dx + sin * dy, -sin * dx + cos * dy];
}

const JOINT_REACH = 9; // pixels from an anchor

class Erase {
  name = 'erase';
  #gone = new Set();

  constructor(app) {
    this.app = app;
  }

  // A joint's anchor comes before the body that it lies over.
  #jointAt(point) {
    const {app} = this;
    for (const joint of app.source?.joints.values() ?? []) {
      for (const place of jointPlaces(joint, app.source).slice(0, 2)) {
        if (!place) continue;
        const [px, py] = app.camera.toScreen(...place);
        if (Math.hypot(px - point.px, py - point.py) < JOINT_REACH) return joint.joint;
      }
    }
    return 0;
  }

  #erase(point, still) {
    const joint = still && this.app.overlays.shown.joints ? this.#jointAt(point) : 0;
    if (joint) {
      this.app.session.act('joint.remove', {joint});
    } else if (point.body && !this.#gone.has(point.body.id)) {
      // A stroke takes what moves; what stands has to be pointed at.
      if (!still && point.body.type === 'static') return;
      this.#gone.add(point.body.id);
      if (this.app.chosen === point.body.id) this.app.choose(0);
      this.app.session.act('body.remove', {body: point.body.id});
    }
  }

  down() {
    this.#gone.clear();
    return true;
  }

  move(point) {
    this.#erase(point, false);
  }

  up() {}

  tap(point) {
    this.#erase(point, true);
  }

  cancel() {
    this.#gone.clear();
  }
}

export function makeTools(app) {
  const list = [new Hand(app), new Push(app), new Spawn(app), new PathTool(app, 'polygon'),
                new PathTool(app, 'chain'), new Joint(app), new Erase(app)];
  return Object.fromEntries(list.map((tool) => [tool.name, tool]));
}

/** Whether this session may change bodies; says so where it may not. */
export function mayAct(app) {
  if (app.scrub) {
    toast('This is the past: go back to now to change things');
    return false;
  }
  if (app.session.mayAct) return true;
  toast('This session may only look');
  return false;
}

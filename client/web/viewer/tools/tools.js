// The tools. One is current; the pointer passes it its position, {x, y} in the world and {px, py} on the screen, and
// the body under it. A tool has
//   down(point)  -> true if it takes the drag; else the view is panned
//   move(point), up(point), tap(point), hover(point), cancel(), draw(lines, theme), marked
// and `needs`, the method that it calls, if it is of no use without the right to it.
// The effect of a command shows with the server's snapshots: the page never moves a body by itself.

import {Hand} from './hand.js';
import {JointTool} from './joint.js';
import {PathTool} from './path.js';
import {Spawn} from './spawn.js';
import {mayAct} from '../edit/rights.js';
import {localOf, placeOf} from '../pose.js';
import {jointPlaces} from '../draw/overlays.js';

const PUSH_PER_SECOND = 4; // m/s for each metre of the drag
const SPEED_MAX = 4000;

class Push {
  name = 'push';
  needs = 'body.impulse';
  #from = null;
  #to = null;

  constructor(app) {
    this.app = app;
  }

  get marked() {
    return this.#from?.body.id ?? 0;
  }

  down(point) {
    if (!point.body || point.body.type !== 'dynamic' || !mayAct(this.app, this.needs, point.body)) return false;
    this.#from = {body: point.body, local: localOf(point.body, point)};
    this.#to = point;
    return true;
  }

  move(point) {
    this.#to = point;
  }

  #place() {
    return placeOf(this.#from.body, this.#from.local);
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

const JOINT_REACH = 9; // distance from an anchor at which a joint is hit, in pixels

class Erase {
  name = 'erase';
  needs = 'body.remove';
  #gone = new Set();

  constructor(app) {
    this.app = app;
  }

  // A joint's anchor is hit before the body under it.
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
      this.app.changes.act(`joint ${joint}`, [['joint.remove', {joint}]]);
    } else if (point.body && !this.#gone.has(point.body.id)) {
      // A stroke erases only moving bodies; static ones need a tap.
      if (!still && point.body.type === 'static') return;
      this.#gone.add(point.body.id);
      this.app.remove(point.body.id);
    }
  }

  down() {
    this.#gone.clear();
    return mayAct(this.app, this.needs);
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
                new PathTool(app, 'chain'), new JointTool(app), new Erase(app)];
  return Object.fromEntries(list.map((tool) => [tool.name, tool]));
}

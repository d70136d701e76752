// Select, pull and pan. A mouse joint on the server pulls the body, and its target follows the pointer; in a paused
// world the body is placed at the pointer. The joint ends with the drag, or when the page is left.

import {whyNot} from '../edit/rights.js';
import {localOf, placeOf} from '../pose.js';

const FORCE_PER_MASS = 1500; // N per kg: a strong hand
const HERTZ = 6;
const DAMPING = 0.8;

export class Hand {
  name = 'hand';
  #pull = null; // {body, local, target, joint, ended}

  constructor(app) {
    this.app = app;
    app.session.on('leave', () => this.cancel());
  }

  get marked() {
    return this.#pull?.body.id ?? 0;
  }

  get pulling() {
    return this.#pull !== null;
  }

  down(point) {
    const {body} = point;
    const paused = this.app.session.info?.paused;
    if (!body || body.type === 'static' || whyNot(this.app, paused ? 'body.set' : 'joint.create', body)) return false;
    if (body.type !== 'dynamic' && !paused) return false;
    const {x, y, angle} = body.pose;
    this.#pull = {body, local: localOf(body, point), target: [point.x, point.y], joint: 0, ended: false,
                  paused, begun: false, carried: false, from: {position: [x, y], angle}};
    return true;
  }

  move(point) {
    const pull = this.#pull;
    if (!pull) return;
    pull.target = [point.x, point.y];
    if (pull.paused) this.#carry(pull);
    else if (!pull.begun) this.#begin(pull);
    else if (pull.joint) this.app.session.notify('joint.set', {joint: pull.joint, target: pull.target});
  }

  #carry(pull) {
    const {body, local: [x, y], target} = pull;
    const cos = Math.cos(body.angle);
    const sin = Math.sin(body.angle);
    const position = [target[0] - (cos * x - sin * y), target[1] - (sin * x + cos * y)];
    pull.carried = true;
    this.app.session.notify('body.set', {body: body.id, position});
  }

  async #begin(pull) {
    pull.begun = true;
    const {session} = this.app;
    const mass = pull.body.description.mass || 1;
    const result = await session.act('joint.create', {
      kind: 'mouse', b: pull.body.id, anchor: placeOf(pull.body, pull.local), target: pull.target,
      max_force: FORCE_PER_MASS * mass, hertz: HERTZ, damping_ratio: DAMPING,
    });
    if (!result) {
      if (this.#pull === pull) this.#pull = null;
      return;
    }
    pull.joint = result.joint;
    if (pull.ended) session.notify('joint.remove', {joint: pull.joint});
    else session.notify('joint.set', {joint: pull.joint, target: pull.target});
  }

  up() {
    this.cancel();
  }

  tap(point) {
    this.cancel();
    this.app.choose(point.body?.id ?? 0);
  }

  cancel() {
    const pull = this.#pull;
    this.#pull = null;
    if (!pull) return;
    pull.ended = true;
    const {body: {id}, from} = pull;
    if (pull.carried) this.app.changes.note(`place of body ${id}`, [{method: 'body.set', args: {body: id, ...from}}]);
    if (pull.joint) this.app.session.notify('joint.remove', {joint: pull.joint});
  }

  draw(lines, theme) {
    const pull = this.#pull;
    if (!pull?.begun) return;
    const from = placeOf(pull.body, pull.local);
    lines.line(from, pull.target, theme.pull, 2);
    lines.dot(from, theme.pull, 7);
    lines.ring(pull.target, theme.pull, 16, 1.5);
  }
}

// Joins bodies: one to another, or to a fixed point, for which a static body without shapes is made.

import {localOf} from '../pose.js';
import {toast} from '../ui/dom.js';
import {mayAct} from '../edit/rights.js';

/** Kinds that the tool makes. The hand makes the tenth kind, mouse. */
export const JOINT_KINDS = ['revolute', 'distance', 'prismatic', 'weld', 'wheel', 'motor', 'gear', 'pulley', 'filter'];
/** Kinds with the spring option. */
export const SPRUNG = ['distance', 'wheel', 'weld'];
export const DRIVEN = ['revolute', 'wheel'];
export const GEARED = ['gear', 'pulley'];
const NEED_TWO = ['gear', 'filter']; // they need two bodies

// The joint's anchors from one point to another; only the last may be without a body.
function placesOf(kind, from, to, options) {
  const ends = {anchor_a: to.body ? localOf(to.body, to) : [0, 0], anchor_b: localOf(from.body, from)};
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  switch (kind) {
    case 'distance':
      return ends;
    case 'pulley': // its wheels are above the two ends
      return {...ends, ground_a: [to.x, to.y + options.height], ground_b: [from.x, from.y + options.height]};
    case 'prismatic':
      return {anchor: [from.x, from.y], axis: Math.hypot(dx, dy) > 1e-6 ? [dx, dy] : [1, 0]};
    case 'wheel':
      return {anchor: [from.x, from.y], axis: [0, 1]};
    case 'weld':
      return {anchor: to.body ? [(from.x + to.x) / 2, (from.y + to.y) / 2] : [to.x, to.y]};
    case 'revolute':
      return {anchor: [to.x, to.y]};
    default:
      return {};
  }
}

function forcesOf(kind, {mass}, {hertz, motor, ratio}) {
  const args = {};
  if (hertz > 0 && SPRUNG.includes(kind)) {
    Object.assign(args, {hertz, damping_ratio: 0.5});
    if (kind === 'weld') Object.assign(args, {angular_hertz: hertz, angular_damping_ratio: 0.5});
  }
  if (motor !== 0 && DRIVEN.includes(kind)) Object.assign(args, {motor_speed: motor, max_torque: 50 * Math.max(1, mass)});
  if (kind === 'motor') Object.assign(args, {max_force: 100 * mass, max_torque: 100, hertz: 2});
  if (GEARED.includes(kind)) args.ratio = ratio;
  return args;
}

export class JointTool {
  name = 'joint';
  needs = 'joint.create';
  options = {kind: 'revolute', hertz: 0, motor: 0, ratio: 1, height: 4};
  #from = null;
  #to = null;

  constructor(app) {
    this.app = app;
  }

  get marked() {
    return this.#from?.body.id ?? 0;
  }

  down(point) {
    if (!point.body || !mayAct(this.app, this.needs)) return false;
    this.#from = point;
    this.#to = point;
    return true;
  }

  move(point) {
    this.#to = point;
  }

  async up(point) {
    const from = this.#from;
    this.cancel();
    if (!from || point.body?.id === from.body.id) return;
    const {kind} = this.options;
    if (!point.body && NEED_TWO.includes(kind)) {
      toast(`A ${kind} joint is between two bodies: end on a body`);
      return;
    }
    const commands = [['joint.create', {kind, a: point.body ? point.body.id : {$: 0}, b: from.body.id,
                                        ...placesOf(kind, from, point, this.options),
                                        ...forcesOf(kind, from.body.description, this.options)}]];
    if (!point.body) {
      commands.unshift(['body.spawn', {type: 'static', position: [point.x, point.y], tag: 'pin', shapes: []}]);
    }
    await this.app.changes.act(`a ${kind} joint`, commands);
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

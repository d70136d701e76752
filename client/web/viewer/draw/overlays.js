// Draws over the shapes: joints, contacts with normals and impulses, velocities, the area of
// interest, sparks of impacts, the trail and outline of the chosen body. Ids are text, on a 2D canvas.

import {isSolid} from './seams.js';
import {placeOf} from '../pose.js';

const SPARK_S = 0.45; // a spark's duration
const SPARKS_MAX = 256;
const LABELS_MAX = 600;
const LABEL_PX = 11; // height of a label
const LABEL_EDGE = 3; // pixels between a label and the edge of the view, for its outline
const TRAIL_MAX = 180; // most points of a trail

// The place nearest to `place` that is `reach` or more from both ends of 0 to `size`; the middle where there is no room.
const within = (place, reach, size) => reach > size / 2 ? size / 2 : Math.min(size - reach, Math.max(reach, place));

const alpha = (colour, value) => [colour[0], colour[1], colour[2], value];

/** The present anchors of a joint: [a, b], null for an end without one. */
export function jointPlaces(joint, source) {
  const a = source.body(joint.a);
  const b = source.body(joint.b);
  return [a ? placeOf(a, joint.anchor_a ?? [0, 0]) : null, b ? placeOf(b, joint.anchor_b ?? [0, 0]) : null, a, b];
}

function drawJoint(lines, joint, source, theme, chosen) {
  const [at, bt, a, b] = jointPlaces(joint, source);
  if (!bt) return;
  const ink = alpha(theme.joint, chosen ? 1 : 0.75);
  const faint = alpha(theme.joint, chosen ? 0.6 : 0.3);
  const width = chosen ? 2.5 : 1.5;
  const centres = () => {
    if (a && a.type !== 'static') lines.line([a.pose.x, a.pose.y], at, faint, 1);
    if (b.type !== 'static') lines.line([b.pose.x, b.pose.y], bt, faint, 1);
  };
  switch (joint.kind) {
    case 'mouse':
      if (joint.target) lines.line(bt, joint.target, alpha(theme.pull, 0.9), 2);
      lines.dot(bt, theme.pull, 7);
      break;
    case 'distance':
      if (!at) return;
      if (joint.hertz > 0) lines.spring(at, bt, ink, width);
      else if (joint.upper !== undefined && !(joint.lower > 0)) lines.line(at, bt, ink, width, 4);
      else lines.line(at, bt, ink, width);
      lines.dot(at, ink, 5);
      lines.dot(bt, ink, 5);
      break;
    case 'prismatic':
      if (!at) return;
      lines.line(at, bt, ink, width + 1);
      lines.ring(at, ink, 9);
      lines.dot(bt, ink, 6);
      break;
    case 'wheel':
      if (!at) return;
      centres();
      lines.spring(at, bt, ink, width);
      lines.ring(bt, ink, 11);
      break;
    case 'pulley':
      if (!at || !joint.ground_a) return;
      lines.line(at, joint.ground_a, ink, width);
      lines.line(joint.ground_a, joint.ground_b, faint, 1);
      lines.line(joint.ground_b, bt, ink, width);
      for (const end of [joint.ground_a, joint.ground_b]) lines.ring(end, ink, 12, 2);
      break;
    case 'filter':
      if (at) lines.line(at, bt, faint, 1, 3);
      break;
    case 'gear':
      if (at) lines.line(at, bt, faint, width, 5);
      break;
    case 'motor':
      if (at) lines.line(at, bt, ink, width, 5);
      lines.ring(bt, ink, 10);
      break;
    case 'weld':
      centres();
      lines.dot(bt, ink, 7);
      lines.ring(bt, ink, 12, 1);
      break;
    default: // revolute, and kinds of later versions
      centres();
      lines.ring(bt, ink, 9, 2);
      if (joint.motor_speed) lines.ring(bt, faint, 15, 1);
  }
}

export class Overlays {
  constructor() {
    this.shown = {joints: true, contacts: false, impulses: false, velocities: false, area: false,
                  ids: false, sparks: true, prediction: false};
    this.sparks = [];
    this.trail = [];
    this.trailOf = 0;
  }

  reset() {
    this.sparks = [];
    this.trail = [];
  }

  /** Shows an event that has a place. */
  event(event, time) {
    if (event.kind === 'begin' && event.speed > 1.5 && this.sparks.length < SPARKS_MAX) {
      this.sparks.push({at: event.point, time, size: Math.min(46, 8 + event.speed * 2.2)});
    } else if (event.kind === 'joint_break' && event.point) {
      this.sparks.push({at: event.point, time, size: 60});
    }
  }

  draw(lines, {camera, theme, source, time, chosen, areaOfInterest}) {
    const {shown} = this;
    if (shown.area && areaOfInterest) {
      const [x0, y0, x1, y1] = areaOfInterest;
      lines.loop([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], alpha(theme.area, 0.8), 1.5, 8);
    }
    if (shown.velocities) this.#velocities(lines, camera, theme, source);
    if (shown.joints) {
      for (const joint of source.joints.values()) {
        drawJoint(lines, joint, source, theme, chosen && (joint.a === chosen || joint.b === chosen));
      }
    }
    if (shown.contacts || shown.impulses) this.#contacts(lines, camera, theme, source);
    if (shown.sparks) this.#sparks(lines, theme, time);
  }

  #velocities(lines, camera, theme, source) {
    const [x0, y0, x1, y1] = camera.area(0.05);
    const ink = alpha(theme.velocity, 0.8);
    for (const body of source.drawn()) {
      const {x, y} = body.pose;
      if (x < x0 || x > x1 || y < y0 || y > y1 || source.asleep(body.id)) continue;
      const speed = Math.hypot(body.vx, body.vy);
      if (speed * 0.12 * camera.scale < 3) continue;
      lines.arrow([x, y], [x + body.vx * 0.12, y + body.vy * 0.12], ink, 1.5);
    }
  }

  #contacts(lines, camera, theme, source) {
    const {shown} = this;
    const length = 14 / camera.scale;
    for (const contact of source.contacts) {
      for (const {point, impulse, tangent_impulse: tangent = 0, normal} of contact.points) {
        const [nx, ny] = normal ?? contact.normal;
        if (shown.contacts) {
          lines.line(point, [point[0] + nx * length, point[1] + ny * length], alpha(theme.normal, 0.85), 1.2);
          lines.dot(point, theme.contact, 5);
        }
        if (shown.impulses && impulse > 0) {
          // Grows with the square root, so that marks at the foot of a heap do not cover it.
          const reach = Math.sqrt(impulse) * 0.6;
          lines.line(point, [point[0] + nx * reach, point[1] + ny * reach], alpha(theme.impulse, 0.9), 2.5);
          const slide = Math.sign(tangent) * Math.sqrt(Math.abs(tangent)) * 0.6;
          lines.line(point, [point[0] + ny * slide, point[1] - nx * slide], alpha(theme.velocity, 0.9), 2);
        }
      }
    }
  }

  #sparks(lines, theme, time) {
    this.sparks = this.sparks.filter((spark) => time - spark.time < SPARK_S && time >= spark.time - 0.1);
    for (const {at, time: begun, size} of this.sparks) {
      const age = Math.max(0, (time - begun) / SPARK_S);
      lines.ring(at, alpha(theme.spark, (1 - age) * 0.7), size * (0.25 + 0.75 * age), 1.6);
    }
  }

  /**
   * Draws the chosen body's trail, and its outline unless the canvas draws it (bodies whose shapes are drawn as one).
   */
  mark(lines, body, theme, time, whole) {
    if (this.trailOf !== body.id) {
      this.trailOf = body.id;
      this.trail = [];
    }
    const {x, y} = body.pose;
    const last = this.trail.at(-1);
    if (last && time < last[2]) this.trail = [];
    if (!last || Math.hypot(x - last[0], y - last[1]) > 1e-3) this.trail.push([x, y, time]);
    while (this.trail.length > TRAIL_MAX || (this.trail.length > 0 && time - this.trail[0][2] > 3)) this.trail.shift();
    for (let i = 0; i + 1 < this.trail.length; i++) {
      lines.line(this.trail[i], this.trail[i + 1], alpha(theme.select, 0.5 * i / this.trail.length), 2);
    }
    for (const shape of body.description?.shapes ?? []) {
      if (!whole || !isSolid(shape)) outline(lines, body, shape, theme.select);
    }
  }

  /** Draws the ids of the bodies in view as text over them, at the edge moved inward until they can be read. */
  labels(context, {camera, theme, source, dpr}) {
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    if (!this.shown.ids) return;
    context.font = `${LABEL_PX}px ui-monospace, Menlo, Consolas, monospace`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = theme.name === 'dark' ? 'rgba(8, 11, 20, 0.75)' : 'rgba(255, 255, 255, 0.8)';
    context.fillStyle = theme.label;
    let count = 0;
    for (const body of source.drawn()) {
      const [px, py] = camera.toScreen(body.pose.x, body.pose.y);
      if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
      if (++count > LABELS_MAX) break;
      const reach = context.measureText(body.id).width / 2 + LABEL_EDGE;
      const [x, y] = [within(px, reach, camera.width), within(py, LABEL_PX / 2 + LABEL_EDGE, camera.height)];
      context.strokeText(body.id, x, y);
      context.fillText(body.id, x, y);
    }
  }
}

/** Draws the outline of a shape at its body's pose. */
export function outline(lines, body, shape, colour, width = 2) {
  const place = (point) => placeOf(body, point);
  const arc = ([x, y], radius, from, to, steps) => {
    const points = [];
    for (let i = 0; i <= steps; i++) {
      const angle = from + (to - from) * (i / steps);
      points.push(place([x + radius * Math.cos(angle), y + radius * Math.sin(angle)]));
    }
    return points;
  };
  switch (shape.kind) {
    case 'circle':
      lines.path(arc(shape.center ?? [0, 0], shape.radius, 0, 2 * Math.PI, 48), colour, width);
      break;
    case 'capsule': {
      const angle = Math.atan2(shape.b[1] - shape.a[1], shape.b[0] - shape.a[0]) + Math.PI / 2;
      lines.loop([...arc(shape.a, shape.radius, angle, angle + Math.PI, 20),
                  ...arc(shape.b, shape.radius, angle + Math.PI, angle + 2 * Math.PI, 20)], colour, width);
      break;
    }
    case 'polygon':
      lines.loop(shape.vertices.map(place), colour, width);
      break;
    case 'segment':
      lines.line(place(shape.a), place(shape.b), colour, width + 2);
      break;
    case 'chain':
      (shape.loop ? lines.loop : lines.path).call(lines, shape.vertices.map(place), colour, width + 1);
      break;
    default:
  }
}

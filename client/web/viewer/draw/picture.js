// From a world's bodies to what the canvas draws: shapes when they change, poses and colours each
// frame. A body has the same slot in the texels as in `bodies`.

import {BOX, CAPSULE, CIRCLE, POLYGON} from './canvas.js';
import {bodyColour} from './theme.js';

const BOX_ERROR = 1e-4; // of its size: how far from right angles a polygon may be and still be a box

/** If four points are a rectangle: {x, y, w, h (half sizes), cos, sin}; else null. */
export function asBox(points) {
  if (points.length !== 4) return null;
  const [a, b, c, d] = points;
  const w = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const h = Math.hypot(d[0] - a[0], d[1] - a[1]);
  const size = Math.max(w, h);
  const skewX = Math.abs(a[0] + c[0] - b[0] - d[0]);
  const skewY = Math.abs(a[1] + c[1] - b[1] - d[1]);
  const dot = (b[0] - a[0]) * (d[0] - a[0]) + (b[1] - a[1]) * (d[1] - a[1]);
  if (skewX + skewY > BOX_ERROR * size || Math.abs(dot) > BOX_ERROR * w * h || w === 0) return null;
  return {x: (a[0] + c[0]) / 2, y: (a[1] + c[1]) / 2, w: w / 2, h: h / 2,
          cos: (b[0] - a[0]) / w, sin: (b[1] - a[1]) / w};
}

/** How far a body's shapes reach from its origin [m], for picking and culling. */
export function reachOf(shapes) {
  let reach = 0;
  for (const shape of shapes) {
    const radius = shape.radius ?? 0;
    const points = shape.vertices ?? (shape.kind === 'circle' ? [shape.center ?? [0, 0]]
                                                              : [shape.a, shape.b]);
    for (const [x, y] of points) reach = Math.max(reach, Math.hypot(x, y) + radius);
  }
  return reach;
}

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.bodies = []; // those of the last frame, in their slots
    this.#versions = [];
    this.#edges = []; // bodies with segments or chains, which are drawn as lines
    this.reaches = new WeakMap(); // body -> [version, reach]
    this.mode = 'tag';
    this.stale = true;
    canvas.onrestored = () => {
      this.stale = true;
    };
  }

  #versions;
  #edges;

  /** Takes the bodies as they are to be drawn now. */
  sync(source) {
    const {bodies} = this;
    const versions = this.#versions;
    let changed = this.stale;
    let count = 0;
    for (const body of source.drawn()) {
      if (body.description === null) continue;
      if (bodies[count] !== body || versions[count] !== body.version) {
        changed = true;
        bodies[count] = body;
        versions[count] = body.version;
      }
      count++;
    }
    if (bodies.length !== count) {
      changed = true;
      bodies.length = versions.length = count;
    }
    if (changed) this.#rebuild();
    this.stale = false;
  }

  /** Writes poses and colours, relative to the camera. `marked` bodies are lit. */
  place(camera, theme, source, marked) {
    const {bodies, canvas} = this;
    const texels = canvas.bodyTexels(bodies.length);
    for (let i = 0; i < bodies.length; i++) {
      const body = bodies[i];
      const {pose} = body;
      const at = i * 8;
      texels[at] = pose.x - camera.x;
      texels[at + 1] = pose.y - camera.y;
      texels[at + 2] = Math.cos(pose.angle);
      texels[at + 3] = Math.sin(pose.angle);
      bodyColour(theme, body, this.mode, source.asleep(body.id), texels, at + 4);
      if (marked.has(body.id)) {
        for (let k = 4; k < 7; k++) texels[at + k] += (theme.select[k - 4] - texels[at + k]) * 0.35;
      }
    }
    canvas.uploadBodies(bodies.length);
  }

  /** Lines for segments and chains, which have no inside. */
  edges(lines, camera, theme, source) {
    const colour = new Float32Array(4);
    const [x0, y0, x1, y1] = camera.area(0.05);
    for (const body of this.#edges) {
      const {pose} = body;
      const reach = this.reach(body);
      if (pose.x + reach < x0 || pose.x - reach > x1 || pose.y + reach < y0 || pose.y - reach > y1) continue;
      bodyColour(theme, body, this.mode, source.asleep(body.id), colour, 0);
      const cos = Math.cos(pose.angle);
      const sin = Math.sin(pose.angle);
      const place = ([x, y]) => [pose.x + cos * x - sin * y, pose.y + sin * x + cos * y];
      for (const shape of body.description.shapes) {
        if (shape.kind === 'segment') lines.line(place(shape.a), place(shape.b), colour, 3);
        else if (shape.kind === 'chain') this.#chain(lines, shape, place, colour, camera);
      }
    }
  }

  // A chain is solid on its left: hatches show that side.
  #chain(lines, shape, place, colour, camera) {
    const points = shape.vertices.map(place);
    if (shape.loop) points.push(points[0]);
    const faint = [colour[0], colour[1], colour[2], 0.4];
    const depth = 7 / camera.scale;
    const spacing = 10 / camera.scale;
    let hatches = 400;
    for (let i = 0; i + 1 < points.length; i++) {
      const [a, b] = [points[i], points[i + 1]];
      lines.line(a, b, colour, 3);
      const size = Math.hypot(b[0] - a[0], b[1] - a[1]);
      const ux = (b[0] - a[0]) / size;
      const uy = (b[1] - a[1]) / size;
      for (let s = spacing / 2; s < size && hatches > 0; s += spacing, hatches--) {
        const from = [a[0] + ux * s, a[1] + uy * s];
        lines.line(from, [from[0] + (-uy - ux * 0.7) * depth, from[1] + (ux - uy * 0.7) * depth], faint, 1);
      }
    }
  }

  reach(body) {
    const known = this.reaches.get(body);
    if (known && known[0] === body.version) return known[1];
    const reach = reachOf(body.description?.shapes ?? []);
    this.reaches.set(body, [body.version, reach]);
    return reach;
  }

  #rebuild() {
    const {canvas, bodies} = this;
    canvas.clearShapes();
    this.#edges = [];
    for (let i = 0; i < bodies.length; i++) {
      const {type, shapes} = bodies[i].description;
      const layer = type === 'static' || shapes.every((shape) => shape.sensor) ? 0 : 1;
      let edges = false;
      for (const shape of shapes) {
        if (shape.kind === 'segment' || shape.kind === 'chain') edges = true;
        else this.#add(shape, i, layer);
      }
      if (edges) this.#edges.push(bodies[i]);
    }
    canvas.uploadShapes();
  }

  #add(shape, slot, layer) {
    const {canvas} = this;
    const flags = shape.sensor ? 1 : 0;
    const put = (kind, count, radius, values) => {
      const buffer = canvas.layer(kind, layer);
      const at = buffer.add();
      const {data} = buffer;
      data[at] = slot;
      data[at + 1] = count;
      data[at + 2] = radius;
      data[at + 3] = flags;
      for (let i = 0; i < 16; i++) data[at + 4 + i] = values[i] ?? 0;
    };
    const radius = shape.radius ?? 0;
    if (shape.kind === 'circle') put(CIRCLE, 0, radius, shape.center ?? [0, 0]);
    else if (shape.kind === 'capsule') put(CAPSULE, 0, radius, [...shape.a, ...shape.b]);
    else if (shape.kind === 'polygon') {
      const box = asBox(shape.vertices);
      if (box) {
        put(BOX, 0, radius, [box.x, box.y, box.w, box.h, box.cos, box.sin]);
      } else {
        const points = [];
        // The places that are left over repeat the last point: the shader takes the box of all eight.
        for (let i = 0; i < 8; i++) points.push(...shape.vertices[Math.min(i, shape.vertices.length - 1)]);
        put(POLYGON, shape.vertices.length, radius, points);
      }
    }
  }

  /** The body under a place, the topmost; within `slack` metres of one. Null if there is none. */
  at(x, y, slack) {
    let best = null;
    let least = slack;
    for (let i = this.bodies.length - 1; i >= 0; i--) {
      const body = this.bodies[i];
      const {pose} = body;
      const reach = this.reach(body) + slack;
      const dx = x - pose.x;
      const dy = y - pose.y;
      if (dx * dx + dy * dy > reach * reach) continue;
      const cos = Math.cos(pose.angle);
      const sin = Math.sin(pose.angle);
      const local = [cos * dx + sin * dy, -sin * dx + cos * dy];
      const bias = body.type === 'dynamic' ? 0 : slack * 0.1; // what moves comes first
      for (const shape of body.description.shapes) {
        const distance = Math.max(0, distanceTo(shape, local)) + bias + (shape.sensor ? slack * 0.5 : 0);
        if (distance < least) {
          least = distance;
          best = body;
        }
      }
    }
    return best;
  }
}

function segmentDistance([px, py], [ax, ay], [bx, by]) {
  const dx = bx - ax;
  const dy = by - ay;
  const size = dx * dx + dy * dy;
  const t = size > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / size)) : 0;
  return Math.hypot(px - ax - dx * t, py - ay - dy * t);
}

/** Signed distance of a point from a shape, both in the body's frame; negative inside. */
export function distanceTo(shape, point) {
  switch (shape.kind) {
    case 'circle': {
      const [x, y] = shape.center ?? [0, 0];
      return Math.hypot(point[0] - x, point[1] - y) - shape.radius;
    }
    case 'capsule':
      return segmentDistance(point, shape.a, shape.b) - shape.radius;
    case 'segment':
      return segmentDistance(point, shape.a, shape.b);
    default: {
      const {vertices} = shape;
      const closed = shape.kind === 'polygon' || shape.loop;
      let least = Infinity;
      let inside = shape.kind === 'polygon';
      for (let i = 0; i + (closed ? 0 : 1) < vertices.length; i++) {
        const a = vertices[i];
        const b = vertices[(i + 1) % vertices.length];
        least = Math.min(least, segmentDistance(point, a, b));
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) < 0) inside = false;
      }
      return (inside ? -least : least) - (shape.radius ?? 0);
    }
  }
}

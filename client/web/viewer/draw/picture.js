// Prepares a world's bodies for the canvas: shapes when they change, poses and colours each frame. A body's texels have
// its index in `bodies`.

import {BOX, CAPSULE, CIRCLE, POLYGON} from './canvas.js';
import {innerEdges, isSolid} from './seams.js';
import {asBox, distanceTo, reachOf} from './shapes.js';
import {bodyColour} from './theme.js';

const CHOSEN = 2; // added to the opacity; the shader outlines the body

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.bodies = []; // bodies of the last frame, by slot
    this.#versions = [];
    this.#edges = []; // bodies with segments or chains, which are drawn as lines
    this.reaches = new WeakMap(); // body -> [version, reach]
    this.seams = new WeakMap(); // shapes of a body -> masks of hidden edges
    this.mode = 'tag';
    this.stale = true;
    canvas.onrestored = () => {
      this.stale = true;
    };
  }

  #versions;
  #edges;

  /** Updates the bodies from the source for this frame. */
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

  /** Writes poses and colours, relative to the camera. `marked` bodies are lit; `chosen` is outlined. */
  place(camera, theme, source, marked, chosen = 0) {
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
      if (body.id === chosen && this.isUnion(body)) texels[at + 7] += CHOSEN;
    }
    canvas.uploadBodies(bodies.length);
  }

  /** Draws segments and chains, which have no inside, as lines. */
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
      const seams = this.#seams(shapes);
      let edges = false;
      shapes.forEach((shape, k) => {
        if (shape.kind === 'segment' || shape.kind === 'chain') edges = true;
        else this.#add(shape, i, layer, seams !== null && isSolid(shape), seams?.[k] ?? 0);
      });
      if (edges) this.#edges.push(bodies[i]);
    }
    canvas.uploadShapes();
  }

  /** Whether a body's shapes are drawn as one. */
  isUnion(body) {
    return this.#seams(body.description.shapes) !== null;
  }

  // Masks of the hidden edges of a body's polygons; null for a body that is not drawn as one.
  #seams(shapes) {
    if (shapes.length < 2) return null;
    let seams = this.seams.get(shapes);
    if (seams === undefined) {
      seams = shapes.filter(isSolid).length > 1 ? innerEdges(shapes) : null;
      this.seams.set(shapes, seams);
    }
    return seams;
  }

  #add(shape, slot, layer, union, seams) {
    const {canvas} = this;
    const flags = (shape.sensor ? 1 : 0) + 2 * seams;
    const put = (kind, count, radius, values) => {
      const buffer = canvas.layer(kind, layer, union);
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
      if (box && seams === 0) {
        put(BOX, 0, radius, [box.x, box.y, box.w, box.h, box.cos, box.sin]);
      } else {
        const points = [];
        // Unused points repeat the last one: the shader takes the box of all eight.
        for (let i = 0; i < 8; i++) points.push(...shape.vertices[Math.min(i, shape.vertices.length - 1)]);
        put(POLYGON, shape.vertices.length, radius, points);
      }
    }
  }

  /** The topmost body under a point, or within `slack` metres of it; null if there is none. */
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
      const bias = body.type === 'dynamic' ? 0 : slack * 0.1; // dynamic bodies win
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

// Draws polygons and ground: in one stroke, or point by point with taps. A concave polygon becomes one body of convex
// pieces. Ground is a chain, which is solid on one side: below, or the outside of a closed line, unless it is flipped.

import {mayAct} from '../edit/rights.js';
import {area, centroid, convexPieces, POINTS_MAX, simplify, simplifyLoop} from './outline.js';
import {toast} from '../ui/dom.js';

const STROKE_PX = 6; // distance between points of a stroke
const STROKE_MAX = 4000; // most points of a stroke
const SLACK_PX = 3; // points that deviate less are dropped
const CLOSE_PX = 16; // distance from the first point that closes the line
const CHAIN_MAX = 1024; // points of a chain; the server's limit

export class PathTool {
  needs = 'body.spawn';
  #points = [];
  #stroke = false;
  #at = null;

  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.options = name === 'polygon' ? {type: 'dynamic', restitution: 0.1, friction: 0.6, density: 1}
                                      : {turned: false, restitution: 0, friction: 0.8};
  }

  get drawing() {
    return this.#points.length > 0;
  }

  hover(point) {
    this.#at = point;
  }

  down(point) {
    if (!mayAct(this.app, this.needs)) return false;
    this.#at = point;
    return true;
  }

  move(point) {
    if (!this.#stroke) {
      this.#stroke = true;
      this.#points.push([this.#at.x, this.#at.y]);
    }
    this.#at = point;
    const [px, py] = this.app.camera.toScreen(...this.#points.at(-1));
    if (Math.hypot(point.px - px, point.py - py) >= STROKE_PX && this.#points.length < STROKE_MAX) {
      this.#points.push([point.x, point.y]);
    }
  }

  up() {
    this.#stroke = false;
    this.finish();
  }

  tap(point) {
    this.#stroke = false;
    const most = this.name === 'polygon' ? POINTS_MAX : CHAIN_MAX;
    if (this.#points.length >= 3 && this.#nearFirst(point)) this.finish(true);
    else if (this.#points.length >= most) toast(`There may be ${most} points at most`);
    else this.#points.push([point.x, point.y]);
  }

  #nearFirst(point) {
    const [px, py] = this.app.camera.toScreen(...this.#points[0]);
    return Math.hypot(point.px - px, point.py - py) < CLOSE_PX;
  }

  /** Makes the drawn shapes: at the line's end, on Enter or a double click. */
  finish(closed = false) {
    const points = this.#points;
    this.cancel();
    if (points.length < 2) return;
    const [px, py] = this.app.camera.toScreen(...points.at(-1));
    const [fx, fy] = this.app.camera.toScreen(...points[0]);
    const loop = closed || (points.length > 3 && Math.hypot(px - fx, py - fy) < CLOSE_PX * 1.5);
    const slack = SLACK_PX / this.app.camera.scale;
    if (this.name === 'polygon') this.#polygon(simplifyLoop(points, slack));
    else this.#chain(loop ? simplifyLoop(points, slack) : simplify(points, slack), loop);
  }

  #polygon(points) {
    const pieces = convexPieces(points);
    if (!pieces) {
      toast('The outline crosses itself or has no area');
      return;
    }
    const [x, y] = centroid(points);
    const {type, restitution, friction, density} = this.options;
    const shapes = pieces.map((piece) => ({
      kind: 'polygon', vertices: piece.map((point) => [point[0] - x, point[1] - y]),
      restitution, friction, density,
    }));
    this.app.changes.act('a drawn body', [['body.spawn', {type, tag: 'drawn', position: [x, y], shapes}]]);
  }

  #chain(points, loop) {
    let vertices = points.slice(0, CHAIN_MAX);
    const {turned, restitution, friction} = this.options;
    // A chain collides on its right: from right to left for ground, counter-clockwise for a solid inside.
    const wrong = loop ? area(vertices) < 0 : vertices.at(-1)[0] > vertices[0][0];
    if (wrong !== turned) vertices = [...vertices].reverse();
    const [x, y] = vertices[0];
    const shape = {kind: 'chain', loop: loop && vertices.length >= 3, restitution, friction,
                   vertices: vertices.map((point) => [point[0] - x, point[1] - y])};
    this.app.changes.act('drawn ground', [['body.spawn', {type: 'static', tag: 'ground', position: [x, y], shapes: [shape]}]]);
  }

  cancel() {
    this.#points = [];
    this.#stroke = false;
    this.app.touch();
  }

  draw(lines, theme) {
    const points = this.#points;
    if (points.length === 0) return;
    lines.path(points, theme.draw, 2.5);
    if (!this.#stroke && this.#at) lines.line(points.at(-1), [this.#at.x, this.#at.y], theme.draw, 1.5, 5);
    if (!this.#stroke) for (const point of points) lines.dot(point, theme.draw, 6);
    if (points.length >= 3) lines.ring(points[0], theme.draw, CLOSE_PX, 1.5);
  }
}

// The page's camera: the centre in metres, the scale in CSS pixels a metre. It glides to its goal, so that the eye can
// follow.

const SCALE_MIN = 0.002;
const SCALE_MAX = 20000;
const REACH = 1e6; // the farthest centre [m]
const GLIDE_MS = 90; // time in which two thirds of the distance is covered

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 40;
    this.width = 1;
    this.height = 1;
    /** Pixels that panels cover at the four edges: left, top, right, bottom. */
    this.inset = [0, 0, 0, 0];
    this.goal = {x: 0, y: 0, scale: 40};
    this.still = false; // true: no gliding (reduced motion)
  }

  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  /** Moves towards the goal; `ms` is the time since the last call. Returns whether it moved. */
  glide(ms) {
    const share = this.still ? 1 : 1 - Math.exp(-ms / GLIDE_MS);
    const {goal} = this;
    const moved = Math.abs(goal.x - this.x) * this.scale > 0.02 ||
                  Math.abs(goal.y - this.y) * this.scale > 0.02 ||
                  Math.abs(goal.scale / this.scale - 1) > 1e-4;
    if (!moved) return false;
    this.x += (goal.x - this.x) * share;
    this.y += (goal.y - this.y) * share;
    this.scale *= (goal.scale / this.scale) ** share;
    return true;
  }

  jump() {
    Object.assign(this, {x: this.goal.x, y: this.goal.y, scale: this.goal.scale});
  }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, this.height / 2 - (y - this.y) * this.scale];
  }

  /** The visible area: [x0, y0, x1, y1], enlarged by `margin`, a share of its size. */
  area(margin = 0) {
    const w = this.width / this.scale * (0.5 + margin);
    const h = this.height / this.scale * (0.5 + margin);
    return [this.x - w, this.y - h, this.x + w, this.y + h];
  }

  /** Sets the goal's centre, within REACH: a body, or the author of a link, may be anywhere. */
  centre(x, y) {
    this.goal.x = Math.min(REACH, Math.max(-REACH, x));
    this.goal.y = Math.min(REACH, Math.max(-REACH, y));
  }

  /** Sets the goal's centre and scale. */
  look([x, y, scale]) {
    this.centre(x, y);
    this.goal.scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale));
  }

  /** Moves the centre at once, without gliding. */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.centre(this.goal.x - dx / this.scale, this.goal.y + dy / this.scale);
  }

  /** Zooms about a point of the screen, which keeps its place. */
  zoom(factor, px = this.width / 2, py = this.height / 2, atOnce = false) {
    const {goal} = this;
    const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, goal.scale * factor));
    const ratio = 1 / goal.scale - 1 / scale;
    this.centre(goal.x + (px - this.width / 2) * ratio, goal.y - (py - this.height / 2) * ratio);
    goal.scale = scale;
    if (atOnce) this.jump();
  }

  /** Shows a whole area in the space that panels leave free. */
  fit([x0, y0, x1, y1]) {
    const [left, top, right, bottom] = this.inset;
    const width = Math.max(50, this.width - left - right);
    const height = Math.max(50, this.height - top - bottom);
    const scale = Math.min(width / Math.max(x1 - x0, 1e-3), height / Math.max(y1 - y0, 1e-3)) * 0.97;
    this.goal.scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale));
    const x = (x0 + x1) / 2 - (left - right) / 2 / this.goal.scale;
    const y = (y0 + y1) / 2 + (top - bottom) / 2 / this.goal.scale;
    this.centre(x, y);
  }
}

// A body to draw, of a view or of a predicted picture: its pose, and how the server describes it.

// All of a description but place, motion and the tick of it, which change without a new drawing.
function looksOf({tick, at, position, angle, velocity, angular_velocity: spin, center, force, torque, awake, ...looks}) {
  return JSON.stringify(looks);
}

export class DescribedBody {
  constructor(id) {
    this.id = id;
    this.vx = 0;
    this.vy = 0;
    this.w = 0;
    /** The place and angle to draw it at. */
    this.pose = {x: 0, y: 0, angle: 0};
    /** The full body map of the server; null until it arrives. */
    this.description = null;
    /** Raised with every description that differs in more than place and motion, for caches of what is drawn. */
    this.version = 0;
  }

  /** Called by the picture with the server's map. Returns whether the body looks different now. */
  redescribe(map) {
    const before = this.description;
    this.description = map;
    if (before !== null && looksOf(before) === looksOf(map)) return false;
    this.version++;
    return true;
  }

  get type() {
    return this.description?.type;
  }

  get tag() {
    return this.description?.tag ?? '';
  }

  get owner() {
    return this.description?.owner ?? '';
  }

  get shapes() {
    return this.description?.shapes ?? [];
  }
}

// A body to draw, of a view or of a predicted picture: its pose, and how the server describes it.

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
    /** Raised with every new description, for caches of what is drawn. */
    this.version = 0;
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

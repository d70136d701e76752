// The bodies of a predicted world as a program draws them: pose, shapes, tag.
//
// Poses come as rows after each frame. Descriptions are asked for when a body appears, and again, some in each frame,
// when commands may have changed any.

import {DescribedBody} from './described_body.js';

const ROW = 8; // doubles: id, x, y, angle, vx, vy, w, flags
const AWAKE = 1; // flags
const APPROXIMATE = 2;
const DESCRIBED_MAX = 128; // bodies that are described again in one frame

/** One body. Only the picture changes its numbers. */
export class PredictedBody extends DescribedBody {
  constructor(id) {
    super(id);
    this.awake = true;
    /** Extrapolated by its velocity, because the frame had no time to compute it. */
    this.approximate = false;
    /** For the picture: `described` at the last description, whether the server lacks the body, the last frame with the
       body. */
    this.describedAt = -1;
    this.provisional = true;
    this.frame = 0;
  }

  /** Called by the picture: the row at index `at`. */
  show(rows, at, frame) {
    const {pose} = this;
    this.frame = frame;
    pose.x = rows[at + 1];
    pose.y = rows[at + 2];
    pose.angle = rows[at + 3];
    this.vx = rows[at + 4];
    this.vy = rows[at + 5];
    this.w = rows[at + 6];
    this.awake = (rows[at + 7] & AWAKE) !== 0;
    this.approximate = (rows[at + 7] & APPROXIMATE) !== 0;
  }

  /** Called by the picture. Returns whether the body looks different now. */
  describe(map, described, provisional) {
    this.describedAt = described;
    this.provisional = provisional;
    return map ? this.redescribe(map) : false;
  }

  get x() {
    return this.pose.x;
  }

  get y() {
    return this.pose.y;
  }

  get angle() {
    return this.pose.angle;
  }
}

export class PredictedPicture {
  #frame = 0;

  constructor() {
    /** @type {Map<number, PredictedBody>} */
    this.bodies = new Map();
    /** Raised when bodies come, go, or are described again. */
    this.version = 0;
  }

  /**
   * Shows rows of `source`: describe(id) gives a body's map, `described` is another number when maps may have changed,
   * and has(id) says whether the server's world has the body. Until it has, another session may get that id. */
  show(rows, source) {
    const {described} = source;
    const stale = []; // descriptions are requested later, because the rows are in the engine's memory
    this.#frame++;
    for (let i = 0; i < rows.length; i += ROW) {
      const body = this.#body(rows[i]);
      body.show(rows, i, this.#frame);
      if (body.describedAt !== described || body.provisional) stale.push(body);
    }
    this.#drop(rows.length / ROW);
    let again = 0;
    for (const body of stale) {
      const confirmed = !body.provisional || source.has(body.id);
      if (body.description !== null && (!confirmed || again++ >= DESCRIBED_MAX)) continue;
      if (body.describe(source.describe(body.id), described, !confirmed)) this.version++;
    }
  }

  #body(id) {
    let body = this.bodies.get(id);
    if (body === undefined) {
      body = new PredictedBody(id);
      this.bodies.set(id, body);
    }
    return body;
  }

  #drop(count) {
    if (this.bodies.size === count) return;
    for (const [id, body] of this.bodies) if (body.frame !== this.#frame) this.bodies.delete(id);
    this.version++;
  }
}

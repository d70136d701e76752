// Predictive interpolation: a body is drawn where it is now, extrapolated by its last known velocity, and not where it
// was a few snapshots ago. It is the alternative to playback with a delay for clients without the engine: no delay, but
// a body that hits another one is drawn inside it for a moment. (The name and the size of the constants are those of
// Unreal Engine's Chaos.)
//
// The drawn place follows the target, which is the newest state extrapolated by its velocity, with the velocity
//
//     target's velocity + offset / max(CORRECTION_S + length of the frame, round trip)
//
// so that a correction is a curve and no jump. A body whose offset does not halve in that time is moved to the target
// with a short half-life; one that is far away, as after a teleport, jumps.

const CORRECTION_S = 0.1; // shortest time in which an offset is corrected
const EXTRAPOLATION_S = 0.75; // longest time over which a state is extrapolated
const SNAP_HALF_LIFE_S = 0.05; // half-life of the offset of a body that is snapped
const SNAP_M = 0.01; // smaller offsets are not watched
const JUMP_M = 2.5; // least offset that is corrected by a jump
const JUMP_S = 0.6; // such an offset is also at least the way of this time at the body's speed
const STILL = 1e-4; // m and rad: smaller motion is invisible

const TURN = 2 * Math.PI;

/** The state of one body's drawing. */
export class Chase {
  #watchedS = 0; // the time since the offset was `#watched`
  #watched = 0;
  #snaps = false;

  /**
   * Moves `body.pose` on by a frame of `dt` seconds. `age`: how old the body's state is [s]; `rest`: it is known to
   * have not moved since; `rtt`: round trip [s]. Returns whether it may move in the next frame.
   */
  advance(body, {dt, age, rest, rtt}) {
    const {pose} = body;
    const ahead = rest ? 0 : Math.min(age, EXTRAPOLATION_S); // the target's lead, now and at the last frame
    const before = rest ? 0 : Math.min(age - dt, EXTRAPOLATION_S);
    const offsetX = body.x + body.vx * before - pose.x;
    const offsetY = body.y + body.vy * before - pose.y;
    const offsetAngle = shortWay(body.angle + body.w * before - pose.angle);
    const left = this.#left(Math.hypot(offsetX, offsetY), Math.hypot(body.vx, body.vy), dt, rtt);
    pose.x = body.x + body.vx * ahead - offsetX * left;
    pose.y = body.y + body.vy * ahead - offsetY * left;
    pose.angle = body.angle + body.w * ahead - offsetAngle * left;
    const still = Math.max(Math.abs(offsetX), Math.abs(offsetY), Math.abs(offsetAngle)) < STILL;
    if (rest && still) [pose.x, pose.y, pose.angle] = [body.x, body.y, body.angle];
    return !(rest && still);
  }

  // The share of the offset that is left after a frame.
  #left(offset, speed, dt, rtt) {
    if (offset > Math.max(JUMP_M, JUMP_S * speed)) {
      this.#watch(0);
      return 0;
    }
    const correction = Math.max(CORRECTION_S + dt, rtt);
    if (offset < SNAP_M) this.#watch(offset);
    this.#watchedS += dt;
    if (this.#watchedS >= correction) {
      const snaps = offset > this.#watched / 2 && this.#watched > 0;
      this.#watch(offset);
      this.#snaps = snaps;
    }
    return (1 - dt / correction) * (this.#snaps ? 2 ** (-dt / SNAP_HALF_LIFE_S) : 1);
  }

  #watch(offset) {
    this.#watchedS = 0;
    this.#watched = offset;
    this.#snaps = false;
  }
}

/** The same direction as an angle within half a turn of 0 [rad]. */
export function shortWay(angle) {
  const turn = angle % TURN;
  if (turn > Math.PI) return turn - TURN;
  return turn < -Math.PI ? turn + TURN : turn;
}

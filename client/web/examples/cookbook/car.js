// A car seen from above: tyres roll forward, grip sideways, and slide when the grip is not enough.
//
// Each axle takes the impulse that stops its motion along the axle, up to the grip. The front axle is turned by
// the steering; so the car runs on a circle around the point where both axles' lines meet, and drifts if it is too fast.

export const CAR = {length: 4, width: 2, wheelbase: 2.5, density: 150, engine: 6, grip: 9, steer: 0.6}; // m, kg/m², m/s², rad
const MASS = CAR.density * CAR.length * CAR.width;
const INERTIA = MASS * (CAR.length ** 2 + CAR.width ** 2) / 12;
const ROUNDS = 8; // each axle's impulse changes the other's motion: they are solved in turn

export const world = {gravity: [0, 0]};

export const rules = {
  join(game, {seat, subject}) {
    game.body.spawn({tag: `car ${seat}`, owner: subject ?? '', position: [0, -4 * (seat - 1)], allow_sleep: false,
                     shapes: [{kind: 'box', size: [CAR.length, CAR.width], density: CAR.density}]});
  },

  // {throttle, steer}: both -1 to 1
  message(game, {name, data, session}) {
    const seat = [...game.seats.values()].find((one) => one.session === session)?.seat;
    const car = [...game.bodies.values()].find(({tag}) => tag === `car ${seat}`);
    const within = (value) => Number.isFinite(value) && Math.abs(value) <= 1;
    if (name !== 'drive' || !car || !within(data?.throttle) || !within(data?.steer)) return;
    game.set(`drive/${car.id}`, {throttle: data.throttle, steer: data.steer});
  },

  async tick(game) {
    for (const {id, tag} of game.bodies.values()) {
      if (!tag.startsWith('car')) continue;
      const state = await game.call('body.get', {body: id});
      const {force, impulses} = drive(state, game.get(`drive/${id}`, {throttle: 0, steer: 0}), game.hz);
      game.body.force({body: id, force});
      for (const impulse of impulses) game.body.impulse({body: id, ...impulse});
    }
  },
};

/** The engine's force and the tyres' impulses in a tick. `state` is a body as body.get answers it. */
export function drive({center, angle, velocity, angular_velocity: spin}, {throttle, steer}, hz) {
  const forward = [Math.cos(angle), Math.sin(angle)];
  const turned = angle + CAR.steer * steer;
  const half = CAR.wheelbase / 2;
  const axles = [{at: half, across: [-Math.sin(turned), Math.cos(turned)], sum: 0},
                 {at: -half, across: [-forward[1], forward[0]], sum: 0}];
  const most = CAR.grip * MASS / 2 / hz; // impulse of an axle in a tick
  let [vx, vy, w] = [...velocity, spin];
  for (let round = 0; round < ROUNDS; round++) {
    for (const axle of axles) {
      const [rx, ry] = [axle.at * forward[0], axle.at * forward[1]];
      const [ax, ay] = axle.across;
      const arm = rx * ay - ry * ax;
      const sliding = (vx - w * ry) * ax + (vy + w * rx) * ay;
      const before = axle.sum;
      axle.sum = Math.max(-most, Math.min(most, before - sliding / (1 / MASS + arm * arm / INERTIA)));
      const change = axle.sum - before;
      vx += change * ax / MASS;
      vy += change * ay / MASS;
      w += change * arm / INERTIA;
    }
  }
  const push = throttle * CAR.engine * MASS;
  return {
    force: [push * forward[0], push * forward[1]],
    impulses: axles.map(({at, across, sum}) => ({impulse: [sum * across[0], sum * across[1]],
                                                 point: [center[0] + at * forward[0], center[1] + at * forward[1]]})),
  };
}

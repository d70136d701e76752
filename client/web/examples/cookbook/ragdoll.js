// Ragdoll: ten parts on hinges with limits, and friction in the joints, so that it falls limp and comes to rest.
//
// Parts of one doll have the same negative group and do not collide with each other; dolls do.

const LIMB = 0.12; // radius [m]
const FRICTION = 3; // torque in each joint [N m]
const BLOW_MAX = 30; // N s
// Middle and half length of each upright part [m]
const PARTS = {head: [0, 1.75, 0.02], torso: [0, 1.25, 0.22], armL: [-0.25, 1.28, 0.14], armR: [0.25, 1.28, 0.14],
               handL: [-0.25, 0.95, 0.14], handR: [0.25, 0.95, 0.14], thighL: [-0.1, 0.72, 0.16], thighR: [0.1, 0.72, 0.16],
               shinL: [-0.1, 0.3, 0.18], shinR: [0.1, 0.3, 0.18]};
// [a, b, place of the hinge, lower and upper limit [rad]]: b's angle minus a's
export const JOINTS = [
  ['torso', 'head', [0, 1.58], -0.5, 0.5],
  ['torso', 'armL', [-0.25, 1.44], -2.5, 2.5], ['torso', 'armR', [0.25, 1.44], -2.5, 2.5],
  ['armL', 'handL', [-0.25, 1.12], 0, 2.4], ['armR', 'handR', [0.25, 1.12], 0, 2.4],
  ['torso', 'thighL', [-0.1, 0.92], -0.7, 1.8], ['torso', 'thighR', [0.1, 0.92], -0.7, 1.8],
  ['thighL', 'shinL', [-0.1, 0.52], -2.3, 0], ['thighR', 'shinR', [0.1, 0.52], -2.3, 0]];

export const world = {gravity: [0, -10]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [24, 1], center: [0, -0.5]},
                                              {kind: 'box', size: [3, 0.3], center: [0, 1.2], angle: -0.35}]});
  },

  join(game, {seat, subject}) {
    const [x0, y0] = [1.4 * (seat - 2), 2.5];
    const parts = {};
    for (const [name, [x, y, half]] of Object.entries(PARTS)) {
      parts[name] = game.body.spawn({
        tag: `${name} ${seat}`, owner: subject ?? '', position: [x0 + x, y0 + y], angular_damping: 0.5,
        shapes: [{kind: 'capsule', a: [0, -half], b: [0, half], radius: name === 'torso' ? 0.2 : LIMB, density: 80,
                  filter: {group: -seat}}]});
    }
    for (const [a, b, [x, y], lower, upper] of JOINTS) {
      game.joint.create({kind: 'revolute', a: parts[a], b: parts[b], anchor: [x0 + x, y0 + y], lower, upper,
                         motor_speed: 0, max_torque: FRICTION});
    }
  },

  leave(game, {seat}) {
    for (const {id, tag} of game.bodies.values()) if (tag.endsWith(` ${seat}`)) game.body.remove({body: id});
  },

  // {impulse: [x, y]}: a blow at the head
  message(game, {name, data, session}) {
    const seat = [...game.seats.values()].find((one) => one.session === session)?.seat;
    const head = [...game.bodies.values()].find(({tag}) => tag === `head ${seat}`);
    const blow = data?.impulse;
    const fine = Array.isArray(blow) && blow.length === 2 && blow.every((part) => Number.isFinite(part) && Math.abs(part) <= BLOW_MAX);
    if (name === 'blow' && head && fine) game.body.impulse({body: head.id, impulse: blow});
  },
};

// Rope bridge: planks on hinges between two cliffs. It sags by its weight, and tears where a hinge carries too much.
//
// The planks are longer together than the gap, so the bridge hangs as a chain does. Hinges hold until `break_force`.

export const BRIDGE = {gap: 12, planks: 20, length: 12.4, height: 0.2, density: 10, force: 4000}; // m, kg/m², N

const WEIGHT_MAX = 10000; // kg

export const world = {gravity: [0, -10]};

export const rules = {
  events: ['joint_break'],

  start(game) {
    if (game.get('torn') !== undefined) return; // this program was started again
    game.set('torn', 0);
    const {gap, planks, length, height, density, force} = BRIDGE;
    const cliffs = [-1, 1].map((side) => game.body.spawn({
      type: 'static', position: [side * (gap / 2 + 2), -2], shapes: [{kind: 'box', size: [4, 4]}]}));
    const plank = length / planks;
    const points = hanging(gap, planks, length);
    let before = cliffs[0];
    for (let i = 0; i < planks; i++) {
      const [[ax, ay], [bx, by]] = [points[i], points[i + 1]];
      const body = game.body.spawn({tag: 'plank', position: [(ax + bx) / 2, (ay + by) / 2], angle: Math.atan2(by - ay, bx - ax),
                                    linear_damping: 0.5, angular_damping: 2, shapes: [{kind: 'box', size: [plank, height], density, friction: 1}]});
      hinge(game, before, body, points[i], force);
      before = body;
    }
    hinge(game, before, cliffs[1], points[planks], force);
  },

  // {weight}: a ball of that weight [kg] is put on the middle
  message(game, {name, data}) {
    if (name !== 'load' || !(Number.isFinite(data?.weight) && data.weight > 0 && data.weight <= WEIGHT_MAX)) return;
    game.body.spawn({tag: 'load', position: [0, -0.8], mass: data.weight, shapes: [{kind: 'circle', radius: 0.5}]});
  },

  event(game) {
    game.set('torn', game.get('torn') + 1);
  },
};

function hinge(game, a, b, anchor, force) {
  game.joint.create({kind: 'revolute', a, b, anchor, break_force: force});
}

// The ends of planks that hang in a V between the cliffs: the bridge swings from there to its own form.
function hanging(gap, planks, length) {
  const depth = Math.sqrt(length ** 2 - gap ** 2) / 2;
  return Array.from({length: planks + 1}, (_, i) => {
    const share = i / planks;
    return [gap * (share - 0.5), -depth * (1 - Math.abs(2 * share - 1))];
  });
}

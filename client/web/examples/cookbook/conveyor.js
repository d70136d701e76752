// Conveyor: a belt carries boxes to a bin, where they are counted and taken away.
//
// The belt does not move: the surface of its shape does, by `tangent_speed`. The message `belt` changes the speed.

export const BELT = {length: 10, speed: 2, friction: 0.5}; // m, m/s
const EVERY_S = 2; // time between two boxes
const BOXES = 5;
const SPEED_MAX = 5; // m/s
const BOX = {kind: 'box', size: [0.6, 0.6], friction: BELT.friction};

export const world = {gravity: [0, -10]};

export const rules = {
  events: ['sensor_begin'],

  start(game) {
    if (game.get('made') !== undefined) return; // this program was started again
    const belt = {kind: 'box', size: [BELT.length, 0.4], center: [0, -0.2], friction: BELT.friction, tangent_speed: BELT.speed};
    game.body.spawn({tag: 'belt', type: 'static', shapes: [belt]});
    game.body.spawn({tag: 'bin', type: 'static', position: [BELT.length / 2 + 1.5, -2.5],
                     shapes: [{kind: 'box', size: [3, 1], sensor: true}]});
    game.set('made', 0);
    game.set('delivered', 0);
  },

  message(game, {name, data}) {
    if (name !== 'belt' || !(Number.isFinite(data) && Math.abs(data) <= SPEED_MAX)) return;
    const belt = [...game.bodies.values()].find(({tag}) => tag === 'belt');
    game.shape.set({shape: belt.shapes[0].shape, tangent_speed: data});
    for (const {id, tag} of game.bodies.values()) if (tag === 'box') game.body.set({body: id, awake: true});
  },

  tick(game) {
    const made = game.get('made');
    if (made === BOXES || game.tick < made * EVERY_S * game.hz) return;
    game.body.spawn({tag: 'box', position: [1 - BELT.length / 2, BOX.size[1] / 2], shapes: [BOX]});
    game.set('made', made + 1);
  },

  // Something has come into the bin: the sensor is `a`.
  event(game, {b: id}) {
    if (game.bodies.get(id)?.tag !== 'box') return;
    game.body.remove({body: id});
    game.set('delivered', game.get('delivered') + 1);
  },
};

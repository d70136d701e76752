// A door with a sensor: it rises while somebody is in front of it or under it, and comes down when the last has gone.
//
// The door is kinematic: it moves at its velocity and nothing stops it. So the sensor reaches over the doorway, and the
// door closes on nobody.

export const DOOR = {width: 0.4, height: 3, speed: 3}; // m, m/s
const SENSOR = {kind: 'box', size: [5, 2.8], center: [0, 1.4], sensor: true};

export const world = {gravity: [0, -10]};

export const rules = {
  events: ['sensor_begin', 'sensor_end'],

  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [30, 1], center: [0, -0.5]}]});
    game.body.spawn({tag: 'sensor', type: 'static', shapes: [SENSOR]});
    game.body.spawn({tag: 'door', type: 'kinematic', position: [0, DOOR.height / 2],
                     shapes: [{kind: 'box', size: [DOOR.width, DOOR.height]}]});
  },

  // `inside/<shape>`: each shape of a body begins and ends on its own. The sensor sees the door too.
  event(game, {kind, b: id, shape_b: shape}) {
    if (kind === 'sensor_end') game.remove(`inside/${shape}`);
    else if (game.bodies.get(id)?.type === 'dynamic') game.set(`inside/${shape}`, id);
  },

  tick(game) {
    const door = [...game.bodies.values()].find(({tag}) => tag === 'door');
    if (door === undefined) return; // it was made in this very tick
    const closed = DOOR.height / 2;
    const aim = game.entries('inside/').length > 0 ? closed + DOOR.height : closed;
    const way = aim - door.y;
    // The last bit of the way is set as a place, so that the door stands exactly where it should.
    if (Math.abs(way) > DOOR.speed / game.hz) {
      const velocity = Math.sign(way) * DOOR.speed;
      if (game.get('door') !== velocity) game.body.set({body: door.id, velocity: [0, velocity]});
      game.set('door', velocity);
    } else if (game.get('door', 0) !== 0) {
      game.body.set({body: door.id, position: [0, aim], velocity: [0, 0]});
      game.set('door', 0);
    }
  },
};

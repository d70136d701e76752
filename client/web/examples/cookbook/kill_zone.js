// Kill zone and respawn: a hero that falls off the level returns to its last checkpoint; anything else that falls is
// taken away.

export const START = [-6, 0.5];
export const CHECKPOINT = [0, 0.5];
const HERO = {kind: 'circle', radius: 0.5, rolling_resistance: 0.05};

export const world = {gravity: [0, -10]};

export const rules = {
  events: ['sensor_begin'],

  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [
      {kind: 'box', size: [6, 1], center: [-6, -0.5]}, {kind: 'box', size: [4, 1], center: [0, -0.5]},
      {kind: 'box', size: [4, 1], center: [6, -0.5]}]});
    game.body.spawn({tag: 'checkpoint', type: 'static', position: CHECKPOINT,
                     shapes: [{kind: 'box', size: [0.2, 2], center: [0, 0.5], sensor: true}]});
    // Wide and thick: nothing falls past it, and nothing falls through it within a tick.
    game.body.spawn({tag: 'kill zone', type: 'static', position: [0, -8],
                     shapes: [{kind: 'box', size: [200, 4], sensor: true}]});
  },

  join(game, {seat, subject}) {
    game.body.spawn({tag: `hero ${seat}`, owner: subject ?? '', position: START, shapes: [HERO]});
    game.set(`deaths/${seat}`, 0);
  },

  leave(game, {seat}) {
    for (const {id, tag} of game.bodies.values()) if (tag === `hero ${seat}`) game.body.remove({body: id});
    for (const key of [`deaths/${seat}`, `checkpoint/${seat}`]) game.remove(key);
  },

  event(game, {a: sensor, b: id}) {
    const body = game.bodies.get(id);
    const place = game.bodies.get(sensor)?.tag;
    if (body === undefined) return; // it was removed meanwhile
    const seat = /^hero (\d+)$/.exec(body.tag)?.[1];
    if (place === 'checkpoint' && seat) game.set(`checkpoint/${seat}`, CHECKPOINT);
    if (place !== 'kill zone') return;
    if (!seat) {
      game.body.remove({body: id});
      return;
    }
    game.set(`deaths/${seat}`, game.get(`deaths/${seat}`, 0) + 1);
    game.body.set({body: id, position: game.get(`checkpoint/${seat}`, START), angle: 0, velocity: [0, 0], angular_velocity: 0});
  },
};

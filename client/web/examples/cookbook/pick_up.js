// Pick-up: coins that a hero collects by touch, once each; every coin comes back after a while.
//
// A coin is a sensor. Two heroes may reach it in the same tick, or one with two shapes: the first takes it, since a body
// that a handler has removed is no longer in `game.bodies`.

export const COIN = {value: 10, back_s: 3};
const PLACES = [[-3, 0.5], [0, 2], [3, 0.5]];
const HERO = {kind: 'circle', radius: 0.5};

export const world = {gravity: [0, -10]};

function place(game, index) {
  game.body.spawn({tag: `coin ${index}`, type: 'static', position: PLACES[index],
                   shapes: [{kind: 'circle', radius: 0.3, sensor: true}]});
}

export const rules = {
  events: ['sensor_begin'],

  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [14, 1], center: [0, -0.5]}]});
    for (const index of PLACES.keys()) place(game, index);
  },

  join(game, {seat, subject}) {
    game.body.spawn({tag: `hero ${seat}`, owner: subject ?? '', position: [-6 + 0.2 * seat, 0.5], shapes: [HERO]});
    game.set(`score/${seat}`, 0);
  },

  leave(game, {seat}) {
    for (const {id, tag} of game.bodies.values()) if (tag === `hero ${seat}`) game.body.remove({body: id});
    game.remove(`score/${seat}`);
  },

  event(game, {a: sensor, b: id}) {
    const coin = /^coin (\d+)$/.exec(game.bodies.get(sensor)?.tag)?.[1];
    const seat = /^hero (\d+)$/.exec(game.bodies.get(id)?.tag)?.[1];
    if (coin === undefined || seat === undefined) return; // taken already, or something else
    game.body.remove({body: sensor});
    game.set(`score/${seat}`, game.get(`score/${seat}`, 0) + COIN.value);
    game.set(`back/${coin}`, game.tick + COIN.back_s * game.hz);
  },

  tick(game) {
    for (const [key, tick] of game.entries('back/')) {
      if (game.tick < tick) continue;
      place(game, Number(key.slice('back/'.length)));
      game.remove(key);
    }
  },
};

// Magnet: pulls bodies with the tag `iron`, weaker by the square of the distance, and lets go by the message `magnet`.
//
// A force acts until it is set again, so iron that leaves the magnet's reach, or a magnet that is switched off, needs
// a force of zero once. `pulled/<body>` remembers who has one.

export const MAGNET = {place: [0, 6], strength: 450, reach: 7, nearest: 2}; // m, N m² per kg, m, m

export const world = {gravity: [0, -10]};

export const rules = {
  start(game) {
    if (game.get('magnet') !== undefined) return; // this program was started again
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [20, 1], center: [0, -0.5]}]});
    game.body.spawn({tag: 'magnet', type: 'static', position: MAGNET.place, shapes: [{kind: 'box', size: [2, 1]}]});
    for (const [x, y] of [[-3, 0.3], [-1, 0.3], [1, 0.3], [8, 0.3]]) {
      game.body.spawn({tag: 'iron', position: [x, y], shapes: [{kind: 'circle', radius: 0.3, density: 3}]});
      game.body.spawn({tag: 'wood', position: [x + 1, y], shapes: [{kind: 'box', size: [0.6, 0.6]}]});
    }
    game.set('magnet', true);
  },

  message(game, {name, data}) {
    if (name === 'magnet') game.set('magnet', data === true);
  },

  async tick(game) {
    for (const [key] of game.entries('pulled/')) if (!game.bodies.has(Number(key.slice(7)))) game.remove(key);
    for (const {id, x, y, tag} of game.bodies.values()) {
      if (tag !== 'iron') continue;
      const [dx, dy] = [MAGNET.place[0] - x, MAGNET.place[1] - y];
      const distance = Math.hypot(dx, dy);
      if (game.get('magnet') && distance <= MAGNET.reach) {
        const {mass} = await game.call('body.get', {body: id});
        const pull = mass * MAGNET.strength / Math.max(distance, MAGNET.nearest) ** 2 / distance;
        game.body.force({body: id, force: [pull * dx, pull * dy]});
        game.set(`pulled/${id}`, true);
      } else if (game.get(`pulled/${id}`)) {
        game.body.force({body: id, force: [0, 0]});
        game.remove(`pulled/${id}`);
      }
    }
  },
};

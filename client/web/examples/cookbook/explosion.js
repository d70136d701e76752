// Explosion: throws near bodies away from a place; walls protect the bodies behind them.
//
// The impulse falls off with the distance, to nothing at the radius. It is the same for light and heavy bodies, so light
// ones fly farther. A ray that meets anything else first says that the body is covered.

export const BLAST = {radius: 5, impulse: 20}; // m, N s

const PLACE_MAX = 1000; // m

export const world = {gravity: [0, -10]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [24, 1], center: [0, -0.5]}]});
    game.body.spawn({tag: 'wall', type: 'static', position: [2, 1], shapes: [{kind: 'box', size: [0.5, 2]}]});
    for (const x of [-4, -3, -2, -1, 1, 3, 4]) {
      game.body.spawn({tag: 'crate', position: [x, 0.4], shapes: [{kind: 'box', size: [0.8, 0.8]}]});
    }
  },

  // {place: [x, y]}
  async message(game, {name, data}) {
    const place = data?.place;
    const fine = Array.isArray(place) && place.length === 2 && place.every((part) => Number.isFinite(part) && Math.abs(part) <= PLACE_MAX);
    if (name !== 'explode' || !fine) return;
    const near = await game.call('query.overlap', {shape: {kind: 'circle', radius: BLAST.radius, center: place}});
    for (const id of near) {
      if (game.bodies.get(id)?.type !== 'dynamic') continue;
      const {center: [x, y]} = await game.call('body.get', {body: id});
      const [dx, dy] = [x - place[0], y - place[1]];
      const distance = Math.hypot(dx, dy);
      const [first] = await game.call('query.ray', {from: place, to: [x, y]});
      if (first?.body !== id || distance === 0 || distance > BLAST.radius) continue;
      const size = BLAST.impulse * (1 - distance / BLAST.radius) / distance;
      game.body.impulse({body: id, impulse: [size * dx, size * dy]});
    }
  },
};

// Bullets that hit at the true place: a player shoots at what its own screen shows, a moment ago; the shot is judged by
// that moment, by `at` of a query.
//
// The player says which tick was drawn (a view's `tick`, whole or between two). The referee believes it only so far back.

export const SHOT = {range: 30, back_s: 0.25, impulse: 2}; // m, s, N s
const TARGET = {kind: 'circle', radius: 0.5};

export const world = {gravity: [0, 0]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({tag: 'target', position: [-6, 5], velocity: [6, 0], shapes: [TARGET]});
  },

  join(game, {seat, subject}) {
    game.body.spawn({tag: `hero ${seat}`, owner: subject ?? '', position: [seat - 1, 0], shapes: [TARGET]});
    for (const key of ['shots', 'hits']) game.set(`${key}/${seat}`, 0);
  },

  // {direction: [x, y], seen: tick}; `tick` is that of the message itself
  async message(game, {name, data, session, tick}) {
    const seat = [...game.seats.values()].find((one) => one.session === session)?.seat;
    const hero = [...game.bodies.values()].find(({tag}) => tag === `hero ${seat}`);
    if (name !== 'shoot' || !hero || !Number.isFinite(data?.seen) || !Array.isArray(data.direction)) return;
    const [dx, dy] = data.direction;
    const length = Math.hypot(dx, dy);
    if (!Number.isFinite(dx) || !Number.isFinite(dy) || !(length > 0 && length < Infinity)) return;
    const [ux, uy] = [dx / length, dy / length];
    const at = Math.max(0, tick - SHOT.back_s * game.hz, Math.min(tick, data.seen));
    const from = [hero.x, hero.y];
    const to = [hero.x + SHOT.range * ux, hero.y + SHOT.range * uy];
    const {hits: [hit]} = await game.call('query.ray', {from, to, at, ignore: hero.id});
    game.send('shot', {seat, from, to: hit?.point ?? to});
    game.set(`shots/${seat}`, game.get(`shots/${seat}`, 0) + 1);
    if (game.bodies.get(hit?.body)?.tag !== 'target') return;
    game.set(`hits/${seat}`, game.get(`hits/${seat}`, 0) + 1);
    game.body.impulse({body: hit.body, impulse: [SHOT.impulse * ux, SHOT.impulse * uy]});
  },
};

// One-way platforms: a hero jumps up through them, lands on them, and drops through on request.
//
// Players ask by messages: `jump`, and `drop`. Only the hero that drops gives up the category of platforms, so that
// others stay on the same platform.

const SOLID = 1;
const PLATFORM = 2; // categories of shapes
const HERO = {kind: 'capsule', a: [0, -0.3], b: [0, 0.3], radius: 0.3};
const FOOT = 0.6; // distance from the middle of the hero to its feet [m]
const JUMP_SPEED = 8; // rises by 8²/20 = 3.2 m
const DROP_S = 0.25; // platforms let a dropping hero pass for this time, in which it sinks by 0.3 m
export const LEVELS = [2, 4]; // upper sides of platforms [m]

export const world = {gravity: [0, -10]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [20, 1], center: [0, -0.5]}]});
    for (const level of LEVELS) {
      game.body.spawn({type: 'static', position: [0, level], shapes: [
        {kind: 'box', size: [4, 0.2], center: [0, -0.1], one_way: [0, 1], filter: {category: PLATFORM}}]});
    }
  },

  join(game, {seat, subject}) {
    const x = seat % 2 ? 0.5 : -0.5;
    game.body.spawn({tag: `hero ${seat}`, owner: subject ?? '', position: [x, FOOT], fixed_rotation: true, shapes: [HERO]});
  },

  async message(game, {name, session}) {
    const seat = [...game.seats.values()].find((one) => one.session === session)?.seat;
    const hero = [...game.bodies.values()].find(({tag}) => tag === `hero ${seat}`);
    if (hero === undefined || !await stands(game, hero)) return;
    if (name === 'jump') game.body.set({body: hero.id, velocity: [hero.vx, JUMP_SPEED]});
    if (name === 'drop') {
      game.shape.set({shape: hero.shapes[0].shape, filter: {mask: SOLID}});
      game.set(`drops/${hero.id}`, game.tick + DROP_S * game.hz);
    }
  },

  // A hero that has sunk meets platforms again: the one around it lets it pass until it is clear.
  tick(game) {
    for (const [key, until] of game.entries('drops/')) {
      if (game.tick < until) continue;
      const hero = game.bodies.get(Number(key.slice('drops/'.length)));
      if (hero) game.shape.set({shape: hero.shapes[0].shape, filter: {mask: SOLID | PLATFORM}});
      game.remove(key);
    }
  },
};

// Whether something carries the body: a contact whose normal, from a to b, points up to it.
async function stands(game, {id}) {
  const {contacts} = await game.call('world.contacts', {body: id});
  return contacts.some(({a, normal}) => (a === id ? -normal[1] : normal[1]) > 0.7);
}

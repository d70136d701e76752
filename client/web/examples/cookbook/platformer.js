// Platformer character: walks at one speed on flat ground, slopes and moving platforms, slides off steep ones, jumps.
//
// The surface of the foot moves (`tangent_speed`), and friction does the rest: the hero stands still on a slope and is
// carried by a platform without any further rule, and what it walks on feels its push. The foot is narrower than the
// body, which has no friction, so that walls do not hold the hero.

export const HERO = {speed: 4, jump: 7, air: 3, friction: 1.2}; // m/s, m/s, 1/s
export const PLATFORM = {from: 13.6, to: 18, y: 3.2, speed: 2}; // m, m/s
const BODY = {kind: 'capsule', a: [0, 0], b: [0, 0.6], radius: 0.3, friction: 0};
const FOOT = {kind: 'circle', radius: 0.25, center: [0, -0.15], friction: HERO.friction};
const SLOPE = [[4, 0], [10, 3.4641], [12, 3.4641], [12, 0]]; // 30°
const STEEP = [[-6, 0], [-8, 3.4641], [-9, 3.4641], [-9, 0]]; // 60°

export const world = {gravity: [0, -10]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [34, 1], center: [5, -0.5]},
                                              {kind: 'polygon', vertices: SLOPE}, {kind: 'polygon', vertices: STEEP}]});
    game.body.spawn({tag: 'platform', type: 'kinematic', position: [PLATFORM.from, PLATFORM.y], velocity: [PLATFORM.speed, 0],
                     shapes: [{kind: 'box', size: [3, 0.5]}]});
  },

  join(game, {seat, subject}) {
    game.body.spawn({tag: `hero ${seat}`, owner: subject ?? '', position: [0, 0.4], fixed_rotation: true, shapes: [BODY, FOOT]});
    game.set(`walk/${seat}`, 0);
  },

  // `walk` with -1 to 1, or `jump`
  async message(game, {name, data, session}) {
    const seat = [...game.seats.values()].find((one) => one.session === session)?.seat;
    const hero = [...game.bodies.values()].find(({tag}) => tag === `hero ${seat}`);
    if (hero === undefined) return;
    if (name === 'walk' && Number.isFinite(data) && Math.abs(data) <= 1) {
      game.shape.set({shape: hero.shapes[1].shape, tangent_speed: data * HERO.speed});
      game.body.set({body: hero.id, awake: true});
      game.set(`walk/${seat}`, data);
    }
    if (name === 'jump' && await stands(game, hero.id)) game.body.set({body: hero.id, velocity: [hero.vx, HERO.jump]});
  },

  async tick(game) {
    const platform = [...game.bodies.values()].find(({tag}) => tag === 'platform');
    if (platform?.x >= PLATFORM.to && platform.vx > 0) game.body.set({body: platform.id, velocity: [-PLATFORM.speed, 0]});
    if (platform?.x <= PLATFORM.from && platform.vx < 0) game.body.set({body: platform.id, velocity: [PLATFORM.speed, 0]});
    for (const {id, tag, vx} of game.bodies.values()) {
      if (!tag.startsWith('hero')) continue;
      const walk = game.get(`walk/${tag.slice(5)}`, 0);
      if (await stands(game, id)) {
        if (game.get(`air/${id}`)) game.body.force({body: id, force: [0, 0]});
        game.remove(`air/${id}`);
      } else if (walk !== 0) { // the feet have no hold: a weak force steers
        const {mass} = await game.call('body.get', {body: id});
        game.body.force({body: id, force: [mass * HERO.air * (walk * HERO.speed - vx), 0]});
        game.set(`air/${id}`, true);
      }
    }
  },
};

// Whether something carries the body: a contact whose normal, from a to b, points up to it.
async function stands(game, id) {
  const {contacts} = await game.call('world.contacts', {body: id});
  return contacts.some(({a, normal}) => (a === id ? -normal[1] : normal[1]) > 0.7);
}

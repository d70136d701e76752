// The recipes of the cookbook, played in the page: their rules answer each tick, one visitor has a seat, and does now and
// then what a player would.

import {CaromError} from '../../src/errors.js';
import {createTestGame} from '../../src/testing.js';

// The title, the area that is shown, and the messages of the visitor by the tick before which they are sent.
export const RECIPES = {
  platformer: {title: 'Platformer character', area: [-10, -1, 21, 8.5], acts: {5: ['walk', 1], 183: ['walk', 0], 240: ['walk', 1], 272: ['walk', 0], 330: ['jump']}},
  one_way: {title: 'One-way platforms', area: [-5, -1, 5, 6.6], acts: {30: ['jump'], 150: ['jump'], 250: ['drop']}},
  car: {title: 'Car from above', area: [-4, -16, 24, 3], acts: {2: ['drive', {throttle: 0.8, steer: 0}], 60: ['drive', {throttle: 0.25, steer: -0.6}], 160: ['drive', {throttle: 0.3, steer: 0.8}], 320: ['drive', {throttle: 0, steer: 0}]}},
  bullets: {title: 'Bullets', area: [-7, -1.5, 7, 6.5], acts: {}},
  kill_zone: {title: 'Kill zone and respawn', area: [-10, -10.5, 9, 3], acts: {}},
  conveyor: {title: 'Conveyor', area: [-6, -4, 9.5, 2], acts: {}},
  door: {title: 'Door with a sensor', area: [-9, -1, 9, 6.5], acts: {}},
  explosion: {title: 'Explosion', area: [-11, -1, 11, 7], acts: {60: ['explode', {place: [0, 0.1]}]}},
  ragdoll: {title: 'Ragdoll', area: [-7, -1, 7, 6], acts: {}},
  rope_bridge: {title: 'Rope bridge', area: [-9, -4, 9, 1.5], acts: {300: ['load', {weight: 40}]}},
  water: {title: 'Water', area: [-7.5, -5.3, 7.5, 4], acts: {}},
  pick_up: {title: 'Pick-up', area: [-7, -1, 7, 4], acts: {}},
  magnet: {title: 'Magnet', area: [-6, -1, 10, 7.5], acts: {}},
  breakable_wall: {title: 'Breakable wall', area: [-5, -1, 9, 5], acts: {50: ['throw', {speed: 40}], 130: ['throw', {speed: 40}]}},
};

/** A game {world, area, step(), free()} of a recipe of that name. */
export async function playRecipe(engine, name) {
  if (!Object.hasOwn(RECIPES, name)) throw new CaromError('not_found', `there is no recipe '${name}'; there are ${Object.keys(RECIPES).join(', ')}`);
  const {area, acts} = RECIPES[name];
  const {world, rules} = await import(`../../cookbook/${name}.js`);
  const game = await createTestGame({...world, ...rules, engine});
  let visitor = null;
  return {
    world: game.world, area,
    async step() {
      visitor ??= game.join('visitor');
      const act = acts[game.tick];
      if (act) game.message(visitor, ...act);
      await game.step();
    },
    free: () => game.free(),
  };
}

// Four walls, and crates that can be pushed.
import {ARENA, ensure, type Rule} from '../game.js';

const {width, height} = ARENA;
const CRATES = 3;

export const arena: Rule = {
  start(game) {
    ensure(game, 'wall', 1, () => ({shapes: [
      {kind: 'box', size: [width + 2, 1], center: [0, height / 2 + 0.5]}, {kind: 'box', size: [width + 2, 1], center: [0, -height / 2 - 0.5]},
      {kind: 'box', size: [1, height], center: [width / 2 + 0.5, 0]}, {kind: 'box', size: [1, height], center: [-width / 2 - 0.5, 0]},
    ]}));
    ensure(game, 'crate', CRATES, (number) => ({
      type: 'dynamic', position: [3 * number - 3, 0], linear_damping: 1.5, angular_damping: 1.5, shapes: [{kind: 'box', size: [1, 1], density: 0.5}],
    }));
  },
};

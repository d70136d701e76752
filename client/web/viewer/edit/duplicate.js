// A copy of a body, beside it.

import {spawnArgs} from './maps.js';

const GAP = 1.05; // distance of the copy, in widths of the body

// The box around a body's shapes, in the world's axes.
function widthOf({angle, shapes}) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [least, most] = [Infinity, -Infinity];
  for (const shape of shapes) {
    const points = shape.vertices ?? (shape.a ? [shape.a, shape.b] : [shape.center ?? [0, 0]]);
    const radius = shape.radius ?? 0;
    for (const [x, y] of points) {
      const at = cos * x - sin * y;
      least = Math.min(least, at - radius);
      most = Math.max(most, at + radius);
    }
  }
  return most > least ? most - least : 1;
}

/** The arguments of body.spawn for a copy at the right of the body. */
export function duplicateArgs(map) {
  const args = spawnArgs(map);
  const [x, y] = args.position ?? [0, 0];
  return {...args, position: [x + GAP * widthOf(map), y]};
}

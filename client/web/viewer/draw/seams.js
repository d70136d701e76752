// Edges of a body's polygons that lie within another of its shapes: a hollow outline is a body of several convex
// pieces, and where two of them meet there is nothing to be seen.

import {distanceTo} from './shapes.js';

const SAMPLES = [0.1, 0.5, 0.9]; // of an edge's length
const STEP = 1e-3; // of an edge's length: how far outside of it one looks for another shape

const isArea = ({kind}) => kind === 'circle' || kind === 'capsule' || kind === 'polygon';

/** The shapes that are drawn as one: with an inside, and no sensors. */
export const isSolid = (shape) => isArea(shape) && !shape.sensor;

// The side to the right of an edge is the outside: corners go round counterclockwise.
function within(a, b, others) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  return SAMPLES.every((t) => {
    const outside = [a[0] + dx * t + dy * STEP, a[1] + dy * t - dx * STEP];
    return others.some((shape) => distanceTo(shape, outside) < 0);
  });
}

/** For each shape a mask: bit i is set if the edge that ends at corner i cannot be seen. */
export function innerEdges(shapes) {
  const solid = shapes.filter(isSolid);
  return shapes.map((shape) => {
    if (shape.kind !== 'polygon' || !isSolid(shape) || shape.radius > 0 || solid.length < 2) return 0;
    const others = solid.filter((other) => other !== shape);
    const {vertices} = shape;
    return vertices.reduce((mask, corner, i) =>
      mask | (within(vertices.at(i - 1), corner, others) ? 1 << i : 0), 0);
  });
}

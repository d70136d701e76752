// Edges of a body's polygons that lie inside another of its shapes: a concave outline consists of several convex
// pieces, and the edges where two of them meet are not drawn.

import {distanceTo} from './shapes.js';

const SAMPLES = [0.1, 0.5, 0.9]; // sampled places, as shares of an edge's length
const STEP = 1e-3; // how far outside the edge to sample, as a share of its length

const isArea = ({kind}) => kind === 'circle' || kind === 'capsule' || kind === 'polygon';

/** Whether the shape is drawn with its body's others as one: it has an inside and is no sensor. */
export const isSolid = (shape) => isArea(shape) && !shape.sensor;

// The outside is to the right of an edge: corners are counterclockwise.
function within(a, b, others) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  return SAMPLES.every((t) => {
    const outside = [a[0] + dx * t + dy * STEP, a[1] + dy * t - dx * STEP];
    return others.some((shape) => distanceTo(shape, outside) < 0);
  });
}

/** A mask for each shape: bit i is set if the edge that ends at corner i is hidden. */
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

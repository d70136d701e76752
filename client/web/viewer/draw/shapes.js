// Protocol shapes as plain geometry: recognising boxes, sizes, distances.

// Share of its size by which a box's corners may deviate from right angles.
const BOX_ERROR = 1e-4;

/** {x, y, w, h (half sizes), cos, sin} if four points form a rectangle; else null. */
export function asBox(points) {
  if (points.length !== 4) return null;
  const [a, b, c, d] = points;
  const w = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const h = Math.hypot(d[0] - a[0], d[1] - a[1]);
  const size = Math.max(w, h);
  const skewX = Math.abs(a[0] + c[0] - b[0] - d[0]);
  const skewY = Math.abs(a[1] + c[1] - b[1] - d[1]);
  const dot = (b[0] - a[0]) * (d[0] - a[0]) + (b[1] - a[1]) * (d[1] - a[1]);
  if (skewX + skewY > BOX_ERROR * size || Math.abs(dot) > BOX_ERROR * w * h || w === 0) return null;
  return {x: (a[0] + c[0]) / 2, y: (a[1] + c[1]) / 2, w: w / 2, h: h / 2,
          cos: (b[0] - a[0]) / w, sin: (b[1] - a[1]) / w};
}

/** The points of a shape, without its radius. */
export const pointsOf = (shape) =>
  shape.vertices ?? (shape.kind === 'circle' ? [shape.center ?? [0, 0]] : [shape.a, shape.b]);

/** The largest distance of a body's shapes from its origin [m], for picking and culling. */
export function reachOf(shapes) {
  let reach = 0;
  for (const shape of shapes) {
    for (const [x, y] of pointsOf(shape)) reach = Math.max(reach, Math.hypot(x, y) + (shape.radius ?? 0));
  }
  return reach;
}

function segmentDistance([px, py], [ax, ay], [bx, by]) {
  const dx = bx - ax;
  const dy = by - ay;
  const size = dx * dx + dy * dy;
  const t = size > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / size)) : 0;
  return Math.hypot(px - ax - dx * t, py - ay - dy * t);
}

/** Signed distance of a point from a shape, both in the body's frame; negative inside. */
export function distanceTo(shape, point) {
  switch (shape.kind) {
    case 'circle': {
      const [x, y] = shape.center ?? [0, 0];
      return Math.hypot(point[0] - x, point[1] - y) - shape.radius;
    }
    case 'capsule':
      return segmentDistance(point, shape.a, shape.b) - shape.radius;
    case 'segment':
      return segmentDistance(point, shape.a, shape.b);
    default: {
      const {vertices} = shape;
      const closed = shape.kind === 'polygon' || shape.loop;
      let least = Infinity;
      let inside = shape.kind === 'polygon';
      for (let i = 0; i + (closed ? 0 : 1) < vertices.length; i++) {
        const a = vertices[i];
        const b = vertices[(i + 1) % vertices.length];
        least = Math.min(least, segmentDistance(point, a, b));
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) < 0) inside = false;
      }
      return (inside ? -least : least) - (shape.radius ?? 0);
    }
  }
}

// Turns a hand-drawn line into shapes: simplifies it (Ramer, Douglas and Peucker), cuts concave outlines into triangles
// (ear clipping), and merges triangles while they stay convex and small (Hertel and Mehlhorn). Pure functions over [[x,
// y] …].

const CORNERS_MAX = 8; // corners of a polygon; the server's limit
export const POINTS_MAX = 64; // points of a simplified outline

export function area(points) {
  let sum = 0;
  for (let i = 0; i < points.length; i++) {
    const [ax, ay] = points[i];
    const [bx, by] = points[(i + 1) % points.length];
    sum += ax * by - bx * ay;
  }
  return sum / 2;
}

export function centroid(points) {
  const whole = area(points);
  let x = 0;
  let y = 0;
  for (let i = 0; i < points.length; i++) {
    const [ax, ay] = points[i];
    const [bx, by] = points[(i + 1) % points.length];
    x += (ax + bx) * (ax * by - bx * ay);
    y += (ay + by) * (ax * by - bx * ay);
  }
  return [x / (6 * whole), y / (6 * whole)];
}

const cross = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

function offLine(p, a, b) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const size = dx * dx + dy * dy;
  const t = size > 0 ? Math.min(1, Math.max(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / size)) : 0;
  return Math.hypot(p[0] - a[0] - dx * t, p[1] - a[1] - dy * t);
}

/** The points of a path that deviate by more than `slack`. */
export function simplify(points, slack) {
  if (points.length < 3) return points;
  let far = 0;
  let most = -1;
  for (let i = 1; i + 1 < points.length; i++) {
    const off = offLine(points[i], points[0], points.at(-1));
    if (off > most) [most, far] = [off, i];
  }
  if (most <= slack) return [points[0], points.at(-1)];
  return [...simplify(points.slice(0, far + 1), slack).slice(0, -1), ...simplify(points.slice(far), slack)];
}

/** Simplifies a closed outline, more coarsely until it has at most POINTS_MAX points. */
export function simplifyLoop(points, slack) {
  let far = 0;
  points.forEach((p, i) => {
    if (Math.hypot(p[0] - points[0][0], p[1] - points[0][1]) >
        Math.hypot(points[far][0] - points[0][0], points[far][1] - points[0][1])) far = i;
  });
  let result = points;
  for (let i = 0; i < 20; i++) {
    const there = simplify(points.slice(0, far + 1), slack);
    const back = simplify([...points.slice(far), points[0]], slack);
    result = [...there.slice(0, -1), ...back.slice(0, -1)];
    if (result.length <= POINTS_MAX) break;
    slack *= 1.5;
  }
  return result;
}

function meet(a, b, c, d) {
  return cross(a, b, c) * cross(a, b, d) < 0 && cross(c, d, a) * cross(c, d, b) < 0;
}

/** Whether a closed outline crosses itself. */
export function crossesItself(points) {
  const n = points.length;
  for (let i = 0; i < n; i++) {
    for (let j = i + 2; j < n; j++) {
      if (i === 0 && j === n - 1) continue;
      if (meet(points[i], points[(i + 1) % n], points[j], points[(j + 1) % n])) return true;
    }
  }
  return false;
}

const inTriangle = (p, a, b, c) => cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0;

// Triangles of a counter-clockwise outline, as triples of indices. Null if no ear is left, which happens if an outline
// crosses itself.
function triangles(points) {
  const left = points.map((_, i) => i);
  const result = [];
  while (left.length > 3) {
    const n = left.length;
    const ear = left.findIndex((at, i) => {
      const before = left[(i + n - 1) % n];
      const after = left[(i + 1) % n];
      if (cross(points[before], points[at], points[after]) <= 1e-12) return false;
      return left.every((other) => other === before || other === at || other === after ||
                                   !inTriangle(points[other], points[before], points[at], points[after]));
    });
    if (ear < 0) return null;
    result.push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]]);
    left.splice(ear, 1);
  }
  result.push(left);
  return result;
}

function convex(points, ring) {
  return ring.every((at, i) => cross(points[at], points[ring[(i + 1) % ring.length]],
                                     points[ring[(i + 2) % ring.length]]) >= -1e-12);
}

// Two rings with a common edge as one, if that is convex and small enough.
function joined(points, a, b) {
  if (a.length + b.length - 2 > CORNERS_MAX) return null;
  for (let i = 0; i < a.length; i++) {
    const from = a[i];
    const to = a[(i + 1) % a.length];
    const j = b.findIndex((at, k) => at === to && b[(k + 1) % b.length] === from);
    if (j < 0) continue;
    const ring = [];
    for (let k = 1; k <= a.length; k++) ring.push(a[(i + k) % a.length]); // the rest of the ring, from `to` to `from`
    for (let k = 2; k < b.length; k++) ring.push(b[(j + k) % b.length]);
    return convex(points, ring) ? ring : null;
  }
  return null;
}

/** Convex pieces of an outline, each of 3 to 8 points; null if it crosses itself or has no area. */
export function convexPieces(points) {
  if (points.length < 3 || Math.abs(area(points)) < 1e-9 || crossesItself(points)) return null;
  const outline = area(points) < 0 ? [...points].reverse() : points;
  const rings = triangles(outline);
  if (!rings) return null;
  for (let i = 0; i < rings.length; i++) {
    for (let j = i + 1; j < rings.length; j++) {
      const ring = joined(outline, rings[i], rings[j]);
      if (!ring) continue;
      rings[i] = ring;
      rings.splice(j, 1);
      j = i; // the larger ring may absorb others
    }
  }
  return rings.map((ring) => ring.map((at) => outline[at]));
}

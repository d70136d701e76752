// Points of a body's frame and of the world.

/** Where a point of a body's frame, [x, y], is in the world. */
export function placeOf(body, [x, y]) {
  const {pose} = body;
  const cos = Math.cos(pose.angle);
  const sin = Math.sin(pose.angle);
  return [pose.x + cos * x - sin * y, pose.y + sin * x + cos * y];
}

/** A point of the world, {x, y}, in a body's frame. */
export function localOf(body, point) {
  const {pose} = body;
  const cos = Math.cos(pose.angle);
  const sin = Math.sin(pose.angle);
  const dx = point.x - pose.x;
  const dy = point.y - pose.y;
  return [cos * dx + sin * dy, -sin * dx + cos * dy];
}

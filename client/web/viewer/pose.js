// Transforms points between a body's frame and the world.

/** The world position of [x, y] in a body's frame. */
export function placeOf(body, [x, y]) {
  const {pose} = body;
  const cos = Math.cos(pose.angle);
  const sin = Math.sin(pose.angle);
  return [pose.x + cos * x - sin * y, pose.y + sin * x + cos * y];
}

/** The position of the world point {x, y} in a body's frame. */
export function localOf(body, point) {
  const {pose} = body;
  const cos = Math.cos(pose.angle);
  const sin = Math.sin(pose.angle);
  const dx = point.x - pose.x;
  const dy = point.y - pose.y;
  return [cos * dx + sin * dy, -sin * dx + cos * dy];
}

// Water: a body in a basin is lifted by the weight of the water that it displaces, at the middle of the part
// under water, so that it rights itself; water also slows it down.
//
// The part of each polygon below the surface is cut off, triangle by triangle. Forces act until they are set again.

export const WATER = {left: -6, right: 6, surface: 0, density: 1, drag: 2, gravity: 10}; // m, kg/m², 1/s, m/s²

export const world = {gravity: [0, -WATER.gravity]};

export const rules = {
  start(game) {
    if (game.get('made')) return; // this program was started again
    game.set('made', true);
    game.body.spawn({tag: 'basin', type: 'static', shapes: [
      {kind: 'box', size: [14, 1], center: [0, -4.5]}, {kind: 'box', size: [1, 6], center: [-6.5, -2]},
      {kind: 'box', size: [1, 6], center: [6.5, -2]}]});
    const float = (x, size, density, angle = 0) =>
      game.body.spawn({position: [x, 2], angle, shapes: [{kind: 'box', size, density}]});
    float(-4, [2.4, 0.8], 0.25);
    float(-1, [2.4, 0.8], 0.5, 0.5);
    float(2, [2, 0.8], 0.75, -0.3);
    float(4.5, [1, 1], 2); // sinks
  },

  async tick(game) {
    const ids = [...game.bodies.values()].filter(({type}) => type === 'dynamic').map(({id}) => id);
    for (const body of await Promise.all(ids.map((id) => game.call('body.get', {body: id})))) {
      const wet = {area: 0, x: 0, y: 0};
      for (const {vertices} of body.shapes) if (vertices) addWet(wet, below(placed(vertices, body)));
      const id = body.body;
      const inside = Math.abs(body.position[0]) < WATER.right && wet.area > 0;
      if (!inside && body.force[0] === 0 && body.force[1] === 0 && body.torque === 0) continue; // it is dry and was before
      const slow = inside ? WATER.drag * WATER.density * wet.area : 0;
      const [vx, vy] = body.velocity;
      const lift = inside ? WATER.density * wet.area * WATER.gravity : 0;
      const arm = inside ? wet.x / wet.area - body.center[0] : 0;
      game.body.force({body: id, force: [-slow * vx, lift - slow * vy]});
      game.body.torque({body: id, torque: arm * lift - (inside ? WATER.drag * body.inertia * body.angular_velocity : 0)});
    }
  },
};

function placed(vertices, {position: [x, y], angle}) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return vertices.map(([px, py]) => [x + c * px - s * py, y + s * px + c * py]);
}

// The part of a convex polygon that lies below the surface.
function below(points) {
  return points.flatMap((p, i) => {
    const q = points[(i + 1) % points.length];
    const [up, uq] = [p[1] - WATER.surface, q[1] - WATER.surface];
    const kept = up <= 0 ? [p] : [];
    if (up * uq < 0) kept.push([p[0] + (q[0] - p[0]) * up / (up - uq), WATER.surface]);
    return kept;
  });
}

// Adds a polygon's area, and its moments: x / area and y / area is the middle.
function addWet(wet, points) {
  for (let i = 1; i + 1 < points.length; i++) {
    const [[ax, ay], [bx, by], [cx, cy]] = [points[0], points[i], points[i + 1]];
    const area = ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2;
    wet.area += area;
    wet.x += area * (ax + bx + cx) / 3;
    wet.y += area * (ay + by + cy) / 3;
  }
}

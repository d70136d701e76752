// Breakable wall: bricks welded to their neighbours; a weld breaks above a force, so a slow ball bounces off and a fast
// one makes a hole.
//
// The engine decides what breaks, and says so by `joint_break`. The rules count, and take debris away after a while.

export const WALL = {columns: 2, rows: 6, brick: [0.5, 0.5], density: 4, force: 600}; // m, kg/m², N
const BALL = {kind: 'circle', radius: 0.4, density: 4};
const SPEED_MAX = 60; // m/s
const BALL_S = 3; // life of a ball

export const world = {gravity: [0, -10]};

export const rules = {
  events: ['joint_break'],

  start(game) {
    if (game.get('broken') !== undefined) return; // this program was started again
    game.set('broken', 0);
    const ground = game.body.spawn({type: 'static', shapes: [{kind: 'box', size: [30, 1], center: [0, -0.5]}]});
    const [width, height] = WALL.brick;
    const weld = (a, b, x, y) => game.joint.create({kind: 'weld', a, b, anchor: [x, y], break_force: WALL.force});
    const below = Array(WALL.columns).fill(ground);
    for (let row = 0; row < WALL.rows; row++) {
      let left = null;
      for (let column = 0; column < WALL.columns; column++) {
        const [x, y] = [column * width, (row + 0.5) * height];
        const brick = game.body.spawn({tag: 'brick', position: [x, y], shapes: [{kind: 'box', size: WALL.brick, density: WALL.density}]});
        weld(below[column], brick, x, y - height / 2);
        if (left) weld(left, brick, x - width / 2, y);
        below[column] = left = brick;
      }
    }
  },

  // {speed}: a ball from the left
  message(game, {name, data}) {
    if (name !== 'throw' || !(Number.isFinite(data?.speed) && data.speed > 0 && data.speed <= SPEED_MAX)) return;
    const ball = {tag: `ball ${game.tick + BALL_S * game.hz}`, position: [-4, 1.6], velocity: [data.speed, 0], bullet: true};
    game.body.spawn({...ball, gravity_scale: 0, shapes: [BALL]});
  },

  event(game) {
    game.set('broken', game.get('broken') + 1);
  },

  tick(game) {
    for (const {id, tag} of game.bodies.values()) {
      if (tag.startsWith('ball') && game.tick >= Number(tag.slice(5))) game.body.remove({body: id});
    }
  },
};

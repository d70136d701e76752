// The world that both servers run: balls that never rest in a box, discs that clients push, and one disc outside of the box whose
// motion shows how long a command takes.

export const HZ = 60;
export const RATE = 30; // snapshots a second
export const BODIES = 200; // dynamic bodies, including those of players and the probe
export const PLAYERS = 30;
export const PUSH_MS = 100; // each player pushes so often in another direction
export const FORCE = 6; // [N]
export const PROBE_IMPULSE = 1; // [N s]
export const HALF = 20; // half the box [m]
export const RADIUS = 0.5;
export const PROBE = {position: [3 * HALF, 0], damping: 20};
export const PLAYER_DAMPING = 0.5; // 1/s
const SPEED = 3; // balls' speed [m/s]

/** Walls as {position, size}. */
export const WALLS = [[0, HALF + 0.5, 2 * HALF + 2, 1], [0, -HALF - 0.5, 2 * HALF + 2, 1], [HALF + 0.5, 0, 1, 2 * HALF], [-HALF - 0.5, 0, 1, 2 * HALF]]
  .map(([x, y, width, height]) => ({position: [x, y], size: [width, height]}));

/** Balls and players' discs, on a grid: {position, velocity, player: 1 to PLAYERS, or 0}. */
export function makeBodies() {
  const bodies = [];
  for (let i = 0; i < BODIES - 1; i++) {
    const angle = 2.399963 * i;
    const player = i < PLAYERS ? i + 1 : 0;
    const speed = player ? 0 : SPEED;
    bodies.push({position: [(i % 15) * 2.5 - 17.5, Math.floor(i / 15) * 2.5 - 17.5], player,
                 velocity: [speed * Math.cos(angle), speed * Math.sin(angle)]});
  }
  return bodies;
}

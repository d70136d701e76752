// The rules of knockout, as handlers of its referee (referee.js): who has a disc, who is out, how the score stands and
// when a round ends.
//
// All that must be known later is in the world's data, where players read it and only the referee writes it:
//   round         {number, ends: tick, winners: names, of the round before}
//   score/<seat>  {name, outs, wins}

export const PLATFORM = 10; // radius [m]
export const PUSH = 26; // force of a push [N per kg]
export const ROUND_S = 90;
export const DISC = {kind: 'circle', radius: 0.7, restitution: 0.9, friction: 0.1};
const ROCK = {kind: 'circle', radius: 1.1, restitution: 0.9, density: 2};
const ROCKS = 3;
const DAMPING = 0.9; // 1/s
const NAME_MAX = 16;
const LOST = PLATFORM + 3; // a body this far from the middle left while no referee saw it [m]

/** A place at `share` of the radius, in a direction of its own for each number. */
function place(number, share) {
  const angle = 2.399963 * number; // the golden angle spreads them
  return [share * PLATFORM * Math.cos(angle), share * PLATFORM * Math.sin(angle)];
}

const atRest = (number, share) => ({position: place(number, share), velocity: [0, 0], angular_velocity: 0});

/** The seat of a disc; undefined of anything else. Discs have the tag `<seat>|<name>`. */
export const seatOf = ({tag}) => /^\d+\|/.test(tag) ? Number.parseInt(tag, 10) : undefined;

function nameOf(text, seat) {
  const name = typeof text === 'string' ? text.replaceAll('|', '').trim().slice(0, NAME_MAX) : '';
  return name || `Player ${seat}`;
}

export const rules = {
  events: ['sensor_end'],

  // The world is new, or this program was started again: existing bodies stay.
  start(game) {
    if (game.get('round') !== undefined) return;
    game.body.spawn({tag: 'platform', type: 'static', shapes: [{kind: 'circle', radius: PLATFORM - DISC.radius, sensor: true}]});
    for (let i = 0; i < ROCKS; i++) {
      game.body.spawn({tag: 'rock', position: place(i, 0.4), linear_damping: DAMPING, angular_damping: DAMPING, shapes: [ROCK]});
    }
    game.set('round', {number: 1, ends: game.tick + ROUND_S * game.hz});
  },

  join(game, {seat, subject, data}) {
    const name = nameOf(data?.name ?? game.get(`player/${subject}/name`), seat);
    game.set(`score/${seat}`, {name, outs: 0, wins: 0});
    game.body.spawn({tag: `${seat}|${name}`, owner: subject ?? '', position: place(seat, 0.8), linear_damping: DAMPING,
                     angular_damping: DAMPING, allow_sleep: false, shapes: [DISC]});
  },

  leave(game, {seat}) {
    game.remove(`score/${seat}`);
    for (const body of game.bodies.values()) if (seatOf(body) === seat) game.body.remove({body: body.id});
  },

  // A disc or a rock has left the platform.
  event(game, {b: id}) {
    const body = game.bodies.get(id);
    if (body === undefined) return; // its player has left
    const seat = seatOf(body);
    const score = game.get(`score/${seat}`);
    if (seat !== undefined && score === undefined) return;
    if (score) game.set(`score/${seat}`, {...score, outs: score.outs + 1});
    game.body.set({body: id, ...atRest(game.tick, score ? 0.8 : 0.4)});
  },

  tick(game) {
    const round = game.get('round');
    if (game.tick >= round.ends) endRound(game, round);
    for (const {seat, subject} of game.seats.values()) rename(game, seat, game.get(`player/${subject}/name`));
    for (const body of game.bodies.values()) {
      if (Math.hypot(body.x, body.y) > LOST) game.body.set({body: body.id, ...atRest(body.id, 0.5)});
      // A disc whose player was gone before it was there.
      if (seatOf(body) !== undefined && !game.seats.has(seatOf(body))) game.body.remove({body: body.id});
    }
  },
};

// Players set names of their own, in their part of the data.
function rename(game, seat, text) {
  const score = game.get(`score/${seat}`);
  if (text === undefined || !score || score.name === nameOf(text, seat)) return;
  const name = nameOf(text, seat);
  game.set(`score/${seat}`, {...score, name});
  for (const body of game.bodies.values()) if (seatOf(body) === seat) game.body.set({body: body.id, tag: `${seat}|${name}`});
}

function endRound(game, round) {
  const scores = game.entries('score/');
  const best = Math.min(...scores.map(([, {outs}]) => outs));
  const winners = scores.length > 1 ? scores.filter(([, {outs}]) => outs === best) : [];
  for (const [key, score] of scores) {
    game.set(key, {...score, outs: 0, wins: score.wins + Number(winners.some(([winner]) => winner === key))});
  }
  game.set('round', {number: round.number + 1, ends: game.tick + ROUND_S * game.hz, winners: winners.map(([, {name}]) => name)});
}

// A round takes some time; the players with the most points have won it.
import {HZ, ROUND_S, type Round, type Rule, type Score} from '../game.js';

export const rounds: Rule = {
  start(game) {
    if (game.get('round') === undefined) game.set('round', {number: 1, ends: game.tick + ROUND_S * HZ, winners: []});
  },

  tick(game) {
    const round = game.get<Round>('round');
    if (game.tick < round.ends) return;
    const scores = game.entries<Score>('score/');
    const best = Math.max(1, ...scores.map(([, {points}]) => points)); // nobody wins without a point
    const winners = scores.filter(([, {points}]) => points === best).map(([, {name}]) => name);
    for (const [key, score] of scores) game.set(key, {...score, points: 0});
    game.set('round', {number: round.number + 1, ends: game.tick + ROUND_S * HZ, winners});
  },
};

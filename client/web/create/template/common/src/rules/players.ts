// A disc and a score for each seat.
import type {Game} from 'carom/referee';
import {cleanName, discOf, RADIUS, seatOf, somewhere, type Rule, type Score} from '../game.js';

// A player's name is in its own part of the data, so that it is known whenever the referee comes.
const nameOf = (game: Game, seat: number, subject?: string) => cleanName(game.get(`player/${subject}/name`), seat);

export const players: Rule = {
  join(game, {seat, subject}) {
    game.set(`score/${seat}`, {name: nameOf(game, seat, subject), points: 0});
    game.body.spawn({tag: discOf(seat), owner: subject ?? '', position: somewhere(seat + 100), linear_damping: 1.2, angular_damping: 1,
                     allow_sleep: false, shapes: [{kind: 'circle', radius: RADIUS, restitution: 0.6, friction: 0.2}]});
  },

  leave(game, {seat}) {
    game.remove(`score/${seat}`);
    for (const {id, tag} of game.bodies.values()) if (seatOf(tag) === seat) game.body.remove({body: id});
  },

  tick(game) {
    for (const {seat, subject} of game.seats.values()) {
      const score = game.get<Score | undefined>(`score/${seat}`);
      const name = nameOf(game, seat, subject);
      if (score && score.name !== name) game.set(`score/${seat}`, {...score, name});
    }
    // A disc whose player left before the disc was made.
    for (const {id, tag} of game.bodies.values()) if (seatOf(tag) && !game.seats.has(seatOf(tag))) game.body.remove({body: id});
  },
};

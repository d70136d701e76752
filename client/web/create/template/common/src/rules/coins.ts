// A coin is worth a point, and is somewhere else then.
import {addPoints, COINS, ensure, seatOf, somewhere, tagOf, type Rule} from '../game.js';

export const coins: Rule = {
  events: ['sensor_begin'], // a body has come into a sensor: a is the sensor's body, b the other

  start(game) {
    ensure(game, 'coin', COINS, (number) => ({position: somewhere(number + 1), shapes: [{kind: 'circle', radius: 0.3, sensor: true}]}));
  },

  event(game, {a, b, tick}) {
    const seat = seatOf(tagOf(game, b));
    if (tagOf(game, a) !== 'coin' || seat === 0) return;
    addPoints(game, seat, 1);
    game.body.set({body: a!, position: somewhere(tick + a!)});
  },
};

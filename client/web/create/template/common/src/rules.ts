// The rules of the game, in the order in which they are asked. A rule of your own is a file in rules/ and a name here.
import {combine} from './game.js';
import {arena} from './rules/arena.js';
import {coins} from './rules/coins.js';
import {players} from './rules/players.js';
import {rounds} from './rules/rounds.js';

export const rules = combine(arena, players, coins, rounds);

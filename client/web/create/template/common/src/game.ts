// Shared by page and rules: sizes, tags of bodies, and the few functions that rules are made of.
//
// All that must be known later is in the world's data, where players read it and only the referee writes it:
//   round         {number, ends: tick, winners: names, of the round before}
//   score/<seat>  {name, points}
// Players write the keys that begin with player/<subject>/: here their names.
import type {Game, GameOptions} from 'carom/referee';
import type {Arguments} from 'carom';

export const TITLE = '__TITLE__';
export const TEMPLATE = '__NAME__'; // name of the worlds' template in caromd (tools/start.js)
export const HZ = 60; // ticks a second, as world.json leaves it
export const ARENA = {width: 16, height: 9}; // [m]
export const RADIUS = 0.5; // radius of a player's disc [m]
export const PUSH = 20; // force of a player [N]; world.json allows 30
export const COINS = 5;
export const ROUND_S = 90;
const NAME_MAX = 16;

export interface Score { name: string; points: number }
export interface Round { number: number; ends: number; winners: string[] }

/** A part of the rules: the handlers of a referee, all of them optional. */
export type Rule = Pick<GameOptions, 'events' | 'start' | 'join' | 'leave' | 'message' | 'event' | 'tick'>;

/** One set of rules of several: each handler calls those of all parts, in their order, and `event` those that name the event's kind. */
export function combine(...rules: Rule[]): Rule {
  const all = (name: 'start' | 'join' | 'leave' | 'message' | 'event' | 'tick', parts = (_value?: any) => rules) => async (game: Game, value?: any) => {
    for (const rule of parts(value)) await rule[name]?.(game, value);
  };
  return {
    events: [...new Set(rules.flatMap(({events = []}) => events))],
    start: all('start'), join: all('join'), leave: all('leave'), message: all('message'), tick: all('tick'),
    event: all('event', ({kind}) => rules.filter(({events = []}) => events.includes(kind))),
  };
}

/** The tag of a body; '' of one that is gone. */
export const tagOf = (game: Game, body = 0): string => game.bodies.get(body)?.tag ?? '';

/** The tag of a player's disc, and back: the seat; 0 of anything else. */
export const discOf = (seat: number): string => `player ${seat}`;
export const seatOf = (tag: string): number => Number(/^player (\d+)$/.exec(tag)?.[1] ?? 0);

/** Makes bodies of a tag until there are `count`: at the start of a world, and when a rule is new in a world that goes on. */
export function ensure(game: Game, tag: string, count: number, make: (number: number) => Omit<Arguments['body.spawn'], 'world'>): void {
  const there = [...game.bodies.values()].filter((body) => body.tag === tag).length;
  for (let number = there; number < count; number++) game.body.spawn({type: 'static', ...make(number), tag});
}

/** A place in the arena, another one for each number. */
export function somewhere(number: number): [number, number] {
  const part = (times: number) => (number * times) % 1 - 0.5; // evenly spread, by multiples of irrational numbers
  return [part(0.7548776662) * (ARENA.width - 3), part(0.5698402910) * (ARENA.height - 3)];
}

/** Gives points to the player of a seat, or takes them; nothing happens if nobody has that seat. */
export function addPoints(game: Game, seat: number, points: number): void {
  const score = game.get<Score | undefined>(`score/${seat}`);
  if (score) game.set(`score/${seat}`, {...score, points: score.points + points});
}

/** A name that is fit to be shown. */
export function cleanName(text: unknown, seat: number): string {
  return typeof text === 'string' && text.trim() ? text.trim().slice(0, NAME_MAX) : `Player ${seat}`;
}

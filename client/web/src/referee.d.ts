import {Emitter, type Client, type ConnectOptions} from './index.js';
import type {Arguments, BatchMethods, BodyMap, MethodName, Results, WorldEvent, WorldMessage} from './index.js';

/** Who has a seat. */
export interface Player { seat: number; session: number; subject?: string }

/** A join, also one that was missed and found later. */
export interface JoinEvent extends Player { kind: 'join'; tick: number; data?: any }
export interface LeaveEvent extends Player { kind: 'leave'; tick: number }

/** A body as in the newest snapshot. */
export interface RefereeBody {
  readonly id: number;
  readonly x: number; readonly y: number; readonly angle: number;
  readonly vx: number; readonly vy: number; readonly w: number;
  readonly type?: BodyMap['type']; readonly tag: string; readonly owner: string;
  readonly shapes: BodyMap['shapes'];
}

/**
 * A world, as a handler reads and changes it. Changes are collected; they take effect together, in one tick, after the
 * handler has ended: `game.body.spawn({…})` and the like, `set`, `remove` and `send`.
 */
export interface Game extends BatchMethods {}
export interface Game {
  /** The world's name. */
  readonly name: string;
  readonly epoch: number;
  readonly hz: number;
  /** The newest tick that is known, and its time [s]. */
  readonly tick: number;
  readonly time: number;
  readonly bodies: ReadonlyMap<number, RefereeBody>;
  readonly seats: Map<number, Player>;
  /** A value of the world's data, with what handlers have set. */
  get<T = any>(key: string, otherwise?: T): T;
  entries<T = any>(prefix?: string): [key: string, value: T][];
  set(key: string, value: unknown): void;
  remove(key: string): void;
  /** A message: to all, or to a subject or a session. */
  send(name: string, data?: unknown, to?: string | number): void;
  /** Calls a method at once and apart from the handler's changes: queries, above all. */
  call<M extends MethodName>(method: M, args?: Omit<Arguments[M], 'world'>): Promise<Results[M]>;
}

export interface Handlers {
  /** This program has become the world's referee: at its beginning, after a restart, or after another referee. */
  start?(game: Game): void | Promise<void>;
  join?(game: Game, player: JoinEvent): void | Promise<void>;
  leave?(game: Game, player: LeaveEvent): void | Promise<void>;
  message?(game: Game, message: WorldMessage): void | Promise<void>;
  /** An event of the kinds in `events`. */
  event?(game: Game, event: WorldEvent): void | Promise<void>;
  /** After the events of each snapshot. */
  tick?(game: Game): void | Promise<void>;
}

export interface RefereeGame {
  readonly world: string;
  readonly epoch: number;
  readonly tick: number;
  readonly state: 'standby' | 'holder' | 'ended';
  /** Whether this program is the world's referee. */
  readonly holds: boolean;
  /** Events that wait for handlers. */
  readonly waiting: number;
  /** Events that were handled, handlers that failed, events that were dropped. */
  readonly handled: number;
  readonly failed: number;
  readonly eventsLost: number;
}

/** Where an error came from: a handler's name, `claim`, `beat`, `seats`, `queue`, `template`, `look`, `attach …` or `connection`. */
export interface ErrorPlace { error: Error; during: string; game?: RefereeGame; event?: WorldEvent }

export interface GameOptions extends Handlers {
  /** Kinds of events for the handler `event`; default none. */
  events?: Exclude<WorldEvent['kind'], 'join' | 'leave' | 'message'>[];
  /** Seconds (0.5 to 60) without a sign of a referee, after which another takes over; default 2. */
  leaseS?: number;
  /** Milliseconds that a handler may take; default 10 000. */
  handlerMs?: number;
  /** Called for each error; without it errors are printed. */
  error?(error: Error, place: ErrorPlace): void;
}

export interface RefereeOptions extends GameOptions, Pick<ConnectOptions, 'token' | 'reconnect' | 'tls' | 'WebSocket'> {
  /** A client of the program's own, in place of `url` and `token`. */
  client?: Client;
  url?: string | URL;
  /** The program's name, for the server's log; default 'referee'. */
  name?: string;
  /** Templates whose worlds it referees, those that come later too. */
  template?: string | string[];
  /** Worlds by name, or by the beginning of the name and `*`. */
  worlds?: string | string[];
  /** Snapshots a second at most; default 30. */
  rate?: number;
  /** False: no bodies are sent, and `game.bodies` is empty. */
  bodies?: boolean;
  /** Milliseconds between two looks for worlds; default 500. */
  lookMs?: number;
}

export class Referee extends Emitter<{
  attached: RefereeGame; detached: RefereeGame; holds: RefereeGame; standby: RefereeGame; error: ErrorPlace;
}> {
  /** By the world's name. */
  readonly games: Map<string, RefereeGame>;
  readonly figures: {worlds: number; holds: number; waiting: number; handled: number; failed: number; eventsLost: number};
  /** Hands its worlds over, and closes its connections. */
  close(): Promise<void>;
}
export function createReferee(options: RefereeOptions): Promise<Referee>;

import type {Engine, World, WorldSettings} from './index.js';
import type {GameOptions, Player, RefereeBody} from './referee.js';

export interface TestGameOptions extends GameOptions, Omit<WorldSettings, 'events'> {
  /** Seats of the world; default 64. */
  seats?: number;
  /** The engine, of loadEngine(). */
  engine?: Engine;
}

export interface TestGame {
  /** The world itself: a test may do there what it likes. */
  readonly world: World;
  readonly tick: number;
  /** Whether the referee holds the world. */
  readonly holds: boolean;
  readonly bodies: ReadonlyMap<number, RefereeBody>;
  readonly seated: ReadonlyMap<number, Player>;
  /** Messages that the referee has sent. */
  readonly sent: {name: string; data?: any; to: string | number; tick: number}[];
  /** A value of the world's data; undefined if there is none. */
  get<T = any>(key: string): T;
  /** All keys of the game and their values. */
  readonly data: Record<string, any>;
  /** Takes a seat; the referee hears of it in the next tick. */
  join(subject?: string, data?: unknown): Player;
  leave(player: Player): void;
  message(player: Player | undefined, name: string, data?: unknown): void;
  /** Steps the world, with the referee's answers to each tick. Throws what a handler threw, unless there is `error`. */
  step(ticks?: number): Promise<void>;
  /** The referee hands the world over, and another begins. */
  restart(): Promise<void>;
  /** The referee ends without a word; another begins, and takes over when the lease is over. */
  crash(): void;
  free(): void;
}
export function createTestGame(options?: TestGameOptions): Promise<TestGame>;

import type {Pose, Prediction, PredictedBody, ViewBody, WorldView} from './index.js';
import type {ShapeMap, Vector} from './index.js';

/** A source of bodies to draw: the view of a subscription with `describe: true`, or a prediction. */
export type Drawn = WorldView | Prediction;
export type DrawnBody = ViewBody | PredictedBody;

/** An object of a picture: Phaser's game objects and PixiJS's display objects are such. */
export interface Follower { x: number; y: number; rotation: number; destroy(): void }

export interface Point { x: number; y: number }
export interface Outline { points: Point[]; closed: boolean }

/** A place in the world [m], in pixels: y points downward there. Default: 50 pixels a metre. */
export function toPixels(place: Vector, pixelsPerMetre?: number): Point;
/** A place in pixels, in the world [m]. */
export function toMetres(place: Point, pixelsPerMetre?: number): [number, number];
/** A shape as points in pixels, relative to its body. */
export function outlineOf(shape: ShapeMap, pixelsPerMetre?: number): Outline;
/** Colours of debug drawings. */
export const COLOURS: {static: number; kinematic: number; dynamic: number; sensor: number; contact: number};

export interface FollowOptions<Object> {
  /** Pixels a metre; default 50. */
  pixelsPerMetre?: number;
  /** Makes the object of a body. null: the body has none. undefined, or without this option: its shapes are drawn. */
  sprite?(body: DrawnBody): Object | null | undefined;
  /** The body's description has changed (shapes, tag, owner). Without this function, its object is made again. */
  change?(body: DrawnBody, object: Object): void;
  /** The body is drawn no more; its object is destroyed after this. */
  remove?(body: DrawnBody, object: Object): void;
  /** The colour of bodies whose shapes are drawn. */
  colour?: number;
}

/** Objects that follow bodies. */
export class Followers<Object extends Follower = Follower> implements Iterable<[DrawnBody, Object]> {
  private constructor();
  readonly pixelsPerMetre: number;
  /** How many bodies have an object. */
  readonly size: number;
  /** The object of a body, by its id. */
  get(id: number): Object | undefined;
  [Symbol.iterator](): IterableIterator<[DrawnBody, Object]>;
  /** Puts each object where its body is drawn. Call it in each frame, after advance() of the view. */
  update(): void;
  /** Destroys all objects, and listens no more. */
  destroy(): void;
}

export interface DebugOptions {
  /** Pixels a metre; default 50. */
  pixelsPerMetre?: number;
  /** Outlines of shapes; default true. */
  shapes?: boolean;
  /** Points where shapes touch, and their normals; default true. A subscription needs `contacts: true`. */
  contacts?: boolean;
}

export interface ControlOptions {
  /** Pixels a metre; default 50. */
  pixelsPerMetre?: number;
  /** Codes of keys (KeyboardEvent.code); default: arrow keys, and W, A, S, D. */
  keys?: {left?: string[]; right?: string[]; up?: string[]; down?: string[]};
}

export class Controls {
  private constructor();
  /** Where the keys point: [x, y] of length 1, y upward; [0, 0] without a key. */
  readonly direction: [number, number];
  /** The pointer in the world [m]; null before there was one. */
  readonly pointer: {x: number; y: number; down: boolean} | null;
  /** Whether a key is held, by its code ('Space'). */
  held(code: string): boolean;
  /** Whether a key has gone down since the last call for it. */
  struck(code: string): boolean;
  destroy(): void;
}
export type {Pose};

import type {Application, Container, Graphics} from 'pixi.js';
import type {Controls, ControlOptions, DebugOptions, Drawn, DrawnBody, FollowOptions, Followers} from './picture.js';

export {COLOURS, Controls, Followers, outlineOf, toMetres, toPixels} from './picture.js';
export type {ControlOptions, DebugOptions, Drawn, DrawnBody, Follower, FollowOptions, Outline, Point} from './picture.js';

/** A Graphics of a body's shapes. */
export function shapesOf(body: DrawnBody, options?: {pixelsPerMetre?: number; colour?: number}): Graphics;

/** Display objects that follow the bodies of `view`, as children of `container`: call `update()` of what it returns in each frame. */
export function followBodies<Object extends Container = Graphics>(
  container: Container, view: Drawn, options?: FollowOptions<Object>): Followers<Object | Graphics>;

/** Shapes and contacts as lines above the picture. */
export function drawDebug(container: Container, view: Drawn, options?: DebugOptions):
  {readonly graphics: Graphics; update(): void; destroy(): void};

/** Keys, and the pointer in metres, as `container` of the application shows the world. */
export function createControls(app: Application, container: Container, options?: ControlOptions): Controls;

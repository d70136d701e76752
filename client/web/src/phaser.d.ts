import type {GameObjects, Scene} from 'phaser';
import type {Controls, ControlOptions, DebugOptions, Drawn, DrawnBody, Follower, FollowOptions, Followers} from './picture.js';

export {COLOURS, Controls, Followers, outlineOf, toMetres, toPixels} from './picture.js';
export type {ControlOptions, DebugOptions, Drawn, DrawnBody, Follower, FollowOptions, Outline, Point} from './picture.js';

/** The container to which objects are added, instead of the scene itself. */
export interface Parent { parent?: GameObjects.Container | GameObjects.Layer }

/** A game object of a body's shapes. */
export function shapesOf(scene: Scene, body: DrawnBody, options?: {pixelsPerMetre?: number; colour?: number}): GameObjects.Graphics;

/** Game objects that follow the bodies of `view`: call it in create(), and `update()` of what it returns in update(). Ends with the scene. */
export function followBodies<Object extends GameObjects.GameObject & Follower = GameObjects.Graphics>(
  scene: Scene, view: Drawn, options?: FollowOptions<Object> & Parent): Followers<Object | GameObjects.Graphics>;

/** Shapes and contacts as lines above the picture. */
export function drawDebug(scene: Scene, view: Drawn, options?: DebugOptions & Parent):
  {readonly graphics: GameObjects.Graphics; update(): void; destroy(): void};

/** Keys, and the scene's pointer in metres, as its main camera shows the world. Ends with the scene. */
export function createControls(scene: Scene, options?: ControlOptions): Controls;

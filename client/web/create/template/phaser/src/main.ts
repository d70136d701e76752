// The picture, drawn by Phaser: an object for each body, and the names of players above their discs.
import {createControls, drawDebug, followBodies, shapesOf, type Controls, type DrawnBody, type Followers} from 'carom/phaser';
import {AUTO, Game, Scale, Scene, type GameObjects} from 'phaser';

import {ARENA, RADIUS, seatOf} from './game.js';
import {onJoin, Play} from './play.js';

const PIXELS = 60; // a metre
// Colours of the seats.
const COLOURS = [0xff9f5a, 0x4cc9f0, 0xc792ff, 0x5fe3a1, 0xff6b8b, 0xf4f1bb, 0x9fb4ff, 0xf7aef8];
const PAINT: Record<string, number> = {wall: 0x56648c, crate: 0xb08968, coin: 0xffd166}; // other bodies have the colour of their kind

class Picture extends Scene {
  play: Play | null = null;
  #controls!: Controls;
  #followers: Followers | null = null;
  #labels: Followers | null = null;
  #debug: ReturnType<typeof drawDebug> | null = null;

  create(): void {
    this.cameras.main.centerOn(0, 0);
    this.#controls = createControls(this, {pixelsPerMetre: PIXELS});
    onJoin(async (name) => {
      const play = new Play({name, steer: () => this.#steer(), show: (view) => {
        for (const old of [this.#followers, this.#labels, this.#debug]) old?.destroy();
        this.#followers = followBodies(this, view, {pixelsPerMetre: PIXELS, sprite: (body) => this.#sprite(body)});
        this.#labels = followBodies<GameObjects.Text>(this, view, {pixelsPerMetre: PIXELS, sprite: (body) => this.#label(body)});
        this.#debug = drawDebug(this, view, {pixelsPerMetre: PIXELS});
        this.#debug.graphics.visible = false;
        this.play = play;
      }});
      await play.start();
    });
  }

  override update(): void {
    if (!this.play) return;
    this.play.advance();
    this.#followers?.update();
    this.#labels?.update();
    for (const [{tag}, label] of this.#labels ?? []) {
      const text = label as GameObjects.Text;
      text.setRotation(0).setText(this.play.score(seatOf(tag))?.name ?? '');
      text.setX(within(text.x, this.scale.width / 2 - text.width / 2 - 4));
      text.setY(within(text.y - PIXELS * RADIUS - 12, this.scale.height / 2 - text.height / 2 - 4));
    }
    if (this.#controls.struck('Backquote') && this.#debug) this.#debug.graphics.visible = !this.#debug.graphics.visible;
    this.#debug?.update();
  }

  #sprite(body: DrawnBody): GameObjects.Graphics {
    const seat = seatOf(body.tag);
    return shapesOf(this, body, {pixelsPerMetre: PIXELS, colour: seat ? COLOURS[seat % COLOURS.length] : PAINT[body.tag]});
  }

  #label({tag}: DrawnBody): GameObjects.Text | null {
    return seatOf(tag) ? this.add.text(0, 0, '', {fontSize: '14px', color: '#e7ecff'}).setOrigin(0.5) : null;
  }

  // Keys, or the way from the disc to the finger.
  #steer(): [number, number] {
    const {pointer, direction} = this.#controls;
    const me = this.play?.me;
    if (!pointer?.down || !me) return direction;
    const [x, y] = [pointer.x - me.pose.x, pointer.y - me.pose.y];
    const length = Math.max(1, Math.hypot(x, y));
    return [x / length, y / length];
  }
}

// The place nearest to `place` between -most and most: names stay in the picture.
function within(place: number, most: number): number {
  return Math.max(-most, Math.min(most, place));
}

const scene = new Picture('picture');
Object.assign(globalThis, {picture: scene}); // for the console
new Game({
  type: AUTO, parent: 'game', width: (ARENA.width + 0.4) * PIXELS, height: (ARENA.height + 0.4) * PIXELS, backgroundColor: '#141a2b', banner: false,
  scale: {mode: Scale.FIT, autoCenter: Scale.CENTER_BOTH}, input: {keyboard: false}, audio: {noAudio: true}, scene,
});

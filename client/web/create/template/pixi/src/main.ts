// The picture, drawn by PixiJS: an object for each body, and the names of players above their discs.
import 'pixi.js/unsafe-eval'; // caromd's policy for pages forbids eval, which PixiJS does without by this
import {createControls, drawDebug, followBodies, shapesOf, type DrawnBody, type Followers} from 'carom/pixi';
import {Application, Container, Text} from 'pixi.js';

import {ARENA, RADIUS, seatOf} from './game.js';
import {onJoin, Play} from './play.js';

const PIXELS = 60; // a metre
// Colours of the seats.
const COLOURS = [0xff9f5a, 0x4cc9f0, 0xc792ff, 0x5fe3a1, 0xff6b8b, 0xf4f1bb, 0x9fb4ff, 0xf7aef8];
const PAINT: Record<string, number> = {wall: 0x56648c, crate: 0xb08968, coin: 0xffd166}; // other bodies have the colour of their kind

const app = new Application();
await app.init({width: (ARENA.width + 0.4) * PIXELS, height: (ARENA.height + 0.4) * PIXELS, background: '#141a2b', antialias: true, preference: 'webgl'});
document.getElementById('game')!.append(app.canvas);
const world = new Container({x: app.screen.width / 2, y: app.screen.height / 2});
app.stage.addChild(world);

const controls = createControls(app, world, {pixelsPerMetre: PIXELS});
const picture: {play: Play | null} = {play: null};
Object.assign(globalThis, {picture}); // for the console
let followers: Followers | null = null;
let labels: Followers<Text> | null = null;
let debug: ReturnType<typeof drawDebug> | null = null;

onJoin(async (name) => {
  const play = new Play({name, steer, show(view) {
    for (const old of [followers, labels, debug]) old?.destroy();
    followers = followBodies(world, view, {pixelsPerMetre: PIXELS, sprite});
    labels = followBodies<Text>(world, view, {pixelsPerMetre: PIXELS, sprite: label}) as Followers<Text>;
    debug = drawDebug(world, view, {pixelsPerMetre: PIXELS});
    debug.graphics.visible = false;
    picture.play = play;
  }});
  await play.start();
});

app.ticker.add(() => {
  const {play} = picture;
  if (!play) return;
  play.advance();
  followers?.update();
  labels?.update();
  for (const [{tag}, text] of labels ?? []) {
    text.rotation = 0;
    text.text = play.score(seatOf(tag))?.name ?? '';
    text.x = within(text.x, app.screen.width / 2 - text.width / 2 - 4);
    text.y = within(text.y - PIXELS * RADIUS - 12, app.screen.height / 2 - text.height / 2 - 4);
  }
  if (controls.struck('Backquote') && debug) debug.graphics.visible = !debug.graphics.visible;
  debug?.update();
});

// The place nearest to `place` between -most and most: names stay in the picture.
function within(place: number, most: number): number {
  return Math.max(-most, Math.min(most, place));
}

function sprite(body: DrawnBody) {
  const seat = seatOf(body.tag);
  return shapesOf(body, {pixelsPerMetre: PIXELS, colour: seat ? COLOURS[seat % COLOURS.length] : PAINT[body.tag]});
}

function label({tag}: DrawnBody): Text | null {
  return seatOf(tag) ? new Text({text: '', anchor: 0.5, style: {fontSize: 14, fill: '#e7ecff'}}) : null;
}

// Keys, or the way from the disc to the finger.
function steer(): [number, number] {
  const {pointer, direction} = controls;
  const me = picture.play?.me;
  if (!pointer?.down || !me) return direction;
  const [x, y] = [pointer.x - me.pose.x, pointer.y - me.pose.y];
  const length = Math.max(1, Math.hypot(x, y));
  return [x / length, y / length];
}

// The viewer's parts that need no browser: drawn outlines, history, addresses, camera, explanations.
import test from 'node:test';
import assert from 'node:assert/strict';

import {decode} from '../src/msgpack.js';
import {WorldView} from '../src/view.js';
import {visitBy} from '../src/visit.js';
import {Camera} from '../viewer/draw/camera.js';
import {frameOf} from '../viewer/draw/frame.js';
import {drawGrid} from '../viewer/draw/grid.js';
import {Overlays} from '../viewer/draw/overlays.js';
import {THEMES, themeOf} from '../viewer/draw/theme.js';
import {innerEdges} from '../viewer/draw/seams.js';
import {asBox, distanceTo, reachOf} from '../viewer/draw/shapes.js';
import {playersText} from '../viewer/edit/rights.js';
import {areaOf, shapeArgs, short} from '../viewer/edit/maps.js';
import {REPLACED_MAX, Replaced} from '../viewer/edit/replaced.js';
import {Elsewhere, WORLDS_ELSEWHERE_MAX} from '../viewer/elsewhere.js';
import {History, PastSource} from '../viewer/history.js';
import {Pace} from '../viewer/pace.js';
import {Recording} from '../viewer/recording.js';
import {byLink, keepToken, ownToken, tokenFor} from '../viewer/tokens.js';
import {area, convexPieces, simplify, simplifyLoop} from '../viewer/tools/outline.js';
import {AddressError, readAddress, serverOf, writeAddress} from '../viewer/ui/address.js';
import {bytes, clockText, counted, figure} from '../viewer/ui/dom.js';
import {Newest, outcome, wrongNumber} from '../viewer/ui/field.js';
import {explain} from '../viewer/ui/inspector.js';
import {freeName} from '../viewer/ui/names.js';

// ---- drawn outlines

const STAR = Array.from({length: 10}, (_, i) => {
  const radius = i % 2 ? 1 : 2.5;
  return [radius * Math.cos(Math.PI * i / 5), radius * Math.sin(Math.PI * i / 5)];
});

const isConvex = (points) => points.every((a, i) => {
  const b = points[(i + 1) % points.length];
  const c = points[(i + 2) % points.length];
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > -1e-9;
});

test('a_hollow_outline_becomes_convex_pieces_of_the_same_area', () => {
  for (const outline of [STAR, [...STAR].reverse()]) {
    const pieces = convexPieces(outline);
    assert.ok(pieces.length >= 4);
    for (const piece of pieces) {
      assert.ok(piece.length >= 3 && piece.length <= 8, `${piece.length} corners`);
      assert.ok(isConvex(piece));
    }
    const sum = pieces.reduce((total, piece) => total + area(piece), 0);
    assert.ok(Math.abs(sum - Math.abs(area(STAR))) < 1e-9);
  }
});

test('an_outline_that_crosses_itself_or_is_flat_is_refused', () => {
  assert.equal(convexPieces([[0, 0], [2, 2], [2, 0], [0, 2]]), null);
  assert.equal(convexPieces([[0, 0], [1, 0], [2, 0]]), null);
});

test('a_stroke_keeps_its_corners_alone', () => {
  const stroke = [];
  for (let i = 0; i <= 20; i++) stroke.push([i / 10, 0.001 * (i % 2)]);
  for (let i = 1; i <= 20; i++) stroke.push([2, i / 10]);
  assert.deepEqual(simplify(stroke, 0.05), [[0, 0], [2, 0], [2, 2]]);
  const square = [[0, 0], [1, 0.001], [2, 0], [2, 2], [0, 2], [0, 0.02]];
  assert.equal(simplifyLoop(square, 0.05).length, 4);
});

test('edges_between_the_pieces_of_one_body_are_not_seen', () => {
  const polygon = (...vertices) => ({kind: 'polygon', vertices});
  const left = polygon([0, 0], [1, 0], [1, 1], [0, 1]);
  const right = polygon([1, 0], [2, 0], [2, 1], [1, 1]);
  const half = polygon([1, 0.5], [2, 0.5], [2, 1], [1, 1]);
  assert.deepEqual(innerEdges([left, right]), [1 << 2, 1 << 0]);
  assert.deepEqual(innerEdges([left, half]), [0, 1 << 0], 'an edge that is seen in part is seen');
  assert.deepEqual(innerEdges([left, {...right, sensor: true}]), [0, 0], 'a sensor hides nothing');
  assert.deepEqual(innerEdges([left, {kind: 'circle', center: [1.2, 0.5], radius: 3}]), [15, 0]);
  // Cuts a star into pieces: every visible edge is an edge of the star.
  const pieces = convexPieces(STAR).map((vertices) => polygon(...vertices));
  const masks = innerEdges(pieces);
  const onStar = ([x, y]) => STAR.some(([a, b]) => Math.hypot(a - x, b - y) < 1e-9);
  assert.ok(pieces.every(({vertices}) => vertices.every(onStar)));
  const seen = pieces.reduce((sum, {vertices}, i) => sum + vertices.filter((_, k) => !(masks[i] >> k & 1)).length, 0);
  assert.equal(seen, STAR.length);
});

// ---- the past

const BODY = {position: [0, 0], angle: 0, velocity: [0, 0], angular_velocity: 0, type: 'dynamic', shapes: []};

function makeSnapshot(tick, more) {
  return {subscription: 1, world: 'w', epoch: 'e', tick, time: tick / 60, full: false, bodies: [], removed: [],
          events: [], hash: new Uint8Array(8), ...more};
}

// Records a body that falls from tick 0 to `ticks`, and another that exists from 30 to 60.
function recorded(ticks) {
  const view = new WorldView();
  const history = new History();
  for (let tick = 0; tick <= ticks; tick++) {
    const snapshot = makeSnapshot(tick, {full: tick === 0, bodies: [[1, 0, -tick, 0, 0, -60, 0]]});
    if (tick === 0) snapshot.spawned = [{...BODY, body: 1}];
    if (tick === 30) snapshot.spawned = [{...BODY, body: 2, position: [5, 5]}];
    if (tick === 60) snapshot.removed = [2];
    if (tick === 40) snapshot.events = [{kind: 'sleep', tick, a: 2}];
    view.apply(snapshot, tick * 1000 / 60);
    history.add(snapshot, view, new Set());
  }
  return history;
}

test('the_past_shows_every_tick_and_what_lies_between', () => {
  const history = recorded(600);
  const past = new PastSource(history);
  assert.equal(history.begin, 0);
  assert.equal(history.end, 10);
  for (const tick of [0, 599, 45, 300, 30, 31, 600, 7]) {
    past.seek(tick / 60 + 1e-9);
    assert.ok(Math.abs(past.body(1).pose.y + tick) < 1e-6, `tick ${tick}`);
    assert.equal(past.tick, tick);
    assert.equal(past.body(2) !== undefined, tick >= 30 && tick < 60, `tick ${tick}`);
    assert.equal(past.asleep(2), tick >= 40 && tick < 120, `tick ${tick}`);
  }
  past.seek(100.25 / 60);
  assert.ok(Math.abs(past.body(1).pose.y + 100.25) < 1e-6);
  assert.equal(past.seek(99), 10);
  assert.equal(past.seek(-1), 0);
});

test('history_is_bounded_and_still_begins_with_everything', () => {
  const history = recorded(60 * 320);
  assert.ok(history.end - history.begin <= 302, `${history.end - history.begin} s`);
  assert.ok(history.bytes < 96 * 1024 * 1024);
  const past = new PastSource(history);
  past.seek(history.begin);
  assert.ok(Math.abs(past.body(1).pose.y + history.begin * 60) < 1e-6);
});

test('history_of_another_epoch_begins_anew', () => {
  const history = recorded(100);
  const view = new WorldView();
  const snapshot = makeSnapshot(5, {epoch: 'other', full: true, spawned: [{...BODY, body: 9}], bodies: [[9, 0, 0, 0, 0, 0, 0]]});
  view.apply(snapshot, 0);
  history.add(snapshot, view, new Set());
  assert.equal(history.begin, 5 / 60);
});

// An engine whose worlds only count commands.
const counter = {
  restoreWorld(image) {
    const world = {tick: image[0], commands: 0, freed: false};
    world.setPaused = () => {};
    world.play = (bytes) => {
      const {from, tick, commands = []} = decode(bytes);
      assert.equal(from, world.tick);
      assert.ok(commands.every((command) => command[0] <= tick));
      world.tick = tick;
      world.commands += commands.length;
    };
    world.free = () => {
      world.freed = true;
    };
    return world;
  },
};

const command = (tick) => [tick, 1, 'body.remove', {world: 'w', body: tick}];

test('a_recording_leads_to_any_tick_between_its_records', async () => {
  const recording = new Recording();
  const segment = recording.open({image: new Uint8Array([5]), from: 5, tick: 5});
  recording.add(segment, {from: 5, tick: 20, commands: [command(6), command(12), command(13)]});
  recording.add(segment, {from: 20, tick: 35, commands: [command(35)]});
  for (const [tick, commands] of [[5, 0], [6, 1], [12, 2], [13, 3], [20, 3], [34, 3], [35, 4]]) {
    const world = await recording.restore(counter, tick);
    assert.deepEqual([world.tick, world.commands], [tick, commands]);
  }
  assert.deepEqual([recording.begin, recording.covers(4), recording.covers(36)], [5, false, false]);
  await assert.rejects(recording.restore(counter, 36), {code: 'not_found'});
});

test('a_recording_with_a_gap_ends_before_it_and_goes_on_with_an_image', async () => {
  const recording = new Recording();
  const segment = recording.open({image: new Uint8Array([0]), from: 0, tick: 0});
  recording.add(segment, {from: 0, tick: 10});
  recording.add(segment, {from: 12, tick: 20});
  recording.open({image: new Uint8Array([30]), from: 30, tick: 30});
  assert.deepEqual([5, 10, 11, 20, 30].map((tick) => recording.covers(tick)), [true, true, false, false, true]);
  // A replay may go back in time: later records do not belong to this world's past.
  recording.open({image: new Uint8Array([8]), from: 8, tick: 8});
  assert.deepEqual([8, 30].map((tick) => recording.covers(tick)), [true, false]);
});

test('a_recording_is_bounded_in_time_and_bytes', () => {
  const recording = new Recording(60);
  for (let from = 0; from < 60 * 600; from += 1200) {
    const segment = recording.open({image: new Uint8Array(100), from, tick: from});
    for (let tick = from; tick < from + 1200; tick += 15) recording.add(segment, {from: tick, tick: tick + 15});
  }
  assert.ok(recording.begin >= 60 * 280 && recording.begin <= 60 * 300, `begins at ${recording.begin}`);
  recording.clear();
  for (let from = 0; from < 600; from += 60) {
    const segment = recording.open({image: new Uint8Array(20 * 1024 * 1024), from, tick: from});
    recording.add(segment, {from, tick: from + 60});
    assert.ok(recording.bytes <= 64 * 1024 * 1024, `${recording.bytes} bytes`);
  }
  assert.ok(recording.covers(600));
});

// ---- shapes and views

test('rectangles_are_known_and_distances_are_signed', () => {
  assert.deepEqual({...asBox([[-1, -2], [1, -2], [1, 2], [-1, 2]])}, {x: 0, y: 0, w: 1, h: 2, cos: 1, sin: 0});
  assert.equal(asBox([[-1, -2], [1, -2], [1.1, 2], [-1, 2]]), null);
  assert.equal(asBox([[0, 0], [1, 0], [0, 1]]), null);
  assert.equal(distanceTo({kind: 'circle', radius: 2, center: [1, 0]}, [4, 0]), 1);
  const square = {kind: 'polygon', vertices: [[-1, -1], [1, -1], [1, 1], [-1, 1]]};
  assert.equal(distanceTo(square, [3, 0]), 2);
  assert.equal(distanceTo(square, [0.5, 0]), -0.5);
  assert.equal(reachOf([square, {kind: 'circle', radius: 3}]), 3);
});

test('the_camera_zooms_about_a_point_and_fits_beside_panels', () => {
  const camera = new Camera();
  camera.resize(1000, 500);
  const before = camera.toWorld(700, 100);
  camera.zoom(3, 700, 100, true);
  const after = camera.toWorld(700, 100);
  assert.ok(Math.hypot(after[0] - before[0], after[1] - before[1]) < 1e-9);
  camera.inset = [200, 0, 0, 100];
  camera.fit([-10, -5, 10, 5]);
  camera.jump();
  const [left, bottom] = camera.toScreen(-10, -5);
  const [right, top] = camera.toScreen(10, 5);
  assert.ok(left >= 200 && right <= 1000 && top >= 0 && bottom <= 400, [left, bottom, right, top].join());
  camera.zoom(1e12);
  assert.ok(camera.goal.scale <= 20000);
});

test('a_link_or_a_body_anywhere_leaves_the_camera_where_worlds_are', () => {
  const camera = new Camera();
  camera.resize(1000, 500);
  const links = [[1e308, 0, 40], [0, -1e300, 40], [1e21, 1e21, 1e-300], [-1e16, 9007199254740993, 1e308], [0, 0, 5e-324]];
  for (const at of links) {
    camera.look(at);
    camera.jump();
    for (let i = 0; i < 3; i++) {
      camera.zoom(1e-9, 0, 0, true);
      camera.pan(1e12, -1e12);
      camera.jump();
    }
    camera.fit([-1e308, at[0], 1e308, at[1]]);
    let lines = 0;
    for (let i = 0; i < 20; i++) {
      camera.glide(50);
      drawGrid({line: () => lines++}, camera, {grid: [0, 0, 0]}); // ends
    }
    assert.ok(lines < 20 * 800, `${lines} lines`);
    assert.ok(Math.abs(camera.goal.x) <= 1e6 && Math.abs(camera.goal.y) <= 1e6 && camera.goal.scale >= 0.002, at.join());
  }
});

// A body in the form that sources have.
const placed = (x, y, more = {}) => ({pose: {x, y, angle: 0}, vx: 0, vy: 0, type: 'dynamic',
                                      description: {shapes: [{kind: 'circle', radius: 0.5}]}, ...more});
const GROUND = placed(0, -1, {type: 'static', description: {shapes: [{kind: 'polygon', vertices: [[-30, -1], [30, -1], [30, 1], [-30, 1]]}]}});
const HEAP = [GROUND, ...Array.from({length: 40}, (_, i) => placed(i % 8 - 4, 0.5 + Math.floor(i / 8)))];
const shown = ([x0, y0, x1, y1], x, y) => x >= x0 && x <= x1 && y >= y0 && y <= y1;
const assertFramed = (box) => {
  for (const [x, y] of [[-4, 0.5], [3, 0.5], [-4, 4.5], [3, 4.5]]) assert.ok(shown(box, x, y), `${x}, ${y} of ${box}`);
  assert.ok(box[2] - box[0] < 80 && box[3] - box[1] < 40, `${box}`);
};

test('a_frame_shows_the_bodies_that_are_there_and_not_those_that_fell_off', () => {
  assertFramed(frameOf(HEAP));
  const falling = (count) => Array.from({length: count}, (_, i) => placed(31 + i, -9.81 / 2 * i * i, {vy: -9.81 * i - 3}));
  const frozen = (count) => Array.from({length: count}, (_, i) => placed(40 + i, -1e6));
  for (const fallen of [[placed(35, -500, {vy: -99})], falling(30), falling(400), frozen(3), frozen(400)]) {
    assertFramed(frameOf([...HEAP, ...fallen]));
  }
  // One falling body among few is left out; few bodies far apart are all shown.
  assertFramed(frameOf([GROUND, placed(-4, 0.5), placed(3, 4.5), placed(-4, 4.5), placed(3, 0.5), placed(50, -900, {vy: -130})]));
  const [x0, , x1] = frameOf([placed(0, 0), placed(1, 0), placed(100, 0)]);
  assert.ok(x0 <= 0 && x1 >= 100);
});

test('the_first_frame_is_gone_back_to_when_everything_fell_off', () => {
  const home = frameOf(HEAP);
  const gone = HEAP.slice(1).map(({pose}) => placed(pose.x * 50, -3000, {vy: -240}));
  assert.deepEqual(frameOf([GROUND, ...gone], home), home);
  assert.deepEqual(frameOf([], home), home);
  assert.equal(frameOf([]), null);
  assertFramed(frameOf([...HEAP, ...gone], home));
  const built = placed(300, 20); // later, by somebody
  assert.ok(shown(frameOf([...HEAP.slice(0, 10), built], home), 300, 20));
  assert.ok(shown(frameOf([built, built, placed(0, 5, {vx: 9})], home), 0, 5), 'it flies, and is at home');
});

test('the_outermost_of_many_bodies_do_not_widen_a_frame', () => {
  const cloud = Array.from({length: 1000}, (_, i) => placed(i % 40, Math.floor(i / 40)));
  const [x0, y0, x1, y1] = frameOf([...cloud, placed(5000, 0), placed(0, -7000)]);
  assert.ok(x1 - x0 < 60 && y1 - y0 < 40, [x0, y0, x1, y1].join());
  assert.ok(x0 <= 1 && x1 >= 38 && y0 <= 1 && y1 >= 23, [x0, y0, x1, y1].join());
});

test('a_minority_that_rests_far_away_does_not_empty_the_frame', () => {
  for (const [count, x, y] of [[20, 1e4, 0], [20, 0, -1e4], [20, 7071, -7071], [21, 1e4, 0], [5, 1e4, 0], [20, 2000, -9]]) {
    const bodies = [...HEAP.slice(0, count - 2), placed(x, y, {vx: 0.01}), placed(x + 3, y, {vx: 0.01})];
    const home = frameOf(bodies);
    assert.ok(shown(home, -4, 0.5) && home[2] - home[0] < 80 && home[3] - home[1] < 40, `${[count, x, y]}: ${home}`);
    assert.deepEqual(frameOf(bodies, home), home, 'the world keeps its view');
  }
  const town = Array.from({length: 20}, (_, i) => placed(1e4 + i, 0.5));
  const both = frameOf([...HEAP.slice(0, 10), ...town], [-5, -1, 5, 5]);
  assert.ok(shown(both, -4, 0.5) && shown(both, 1e4, 0.5), 'most bodies are far from home: both places are shown');
});

test('few_bodies_are_shown_with_room_around_them', () => {
  const pendulum = frameOf([GROUND, placed(-4, 2.2, {vx: 3})]); // the pendulum swings between -4 and 4
  for (const [x, y] of [[-4, 2.2], [0, -1], [4, 2.2]]) assert.ok(shown(pendulum, x, y), `${x}, ${y} of ${pendulum}`);
  assert.ok(pendulum[2] - pendulum[0] < 30);
  const [x0, , x1] = frameOf([placed(0, 0, {description: {shapes: [{kind: 'circle', radius: 0.01}]}})]);
  assert.ok(x1 - x0 > 0.1 && x1 - x0 < 0.5, 'small bodies are shown at their size');
  assert.deepEqual(frameOf([placed(2, 3, {description: {shapes: []}})]), [2, 3, 2, 3]);
});

// The places at which the labels of bodies at these places [pixels] are drawn, in a view of 400 by 200 pixels.
function labelled(places, [width, height] = [400, 200]) {
  const camera = new Camera();
  camera.resize(width, height);
  const bodies = places.map(([px, py], i) => {
    const [x, y] = camera.toWorld(px, py);
    return {id: 1000 + i, pose: {x, y, angle: 0}};
  });
  const drawn = {strokeText: [], fillText: []};
  const note = (name) => (text, x, y) => drawn[name].push([Math.round(x), Math.round(y)]);
  const context = {setTransform() {}, clearRect() {}, measureText: (text) => ({width: 6 * String(text).length}),
                   strokeText: note('strokeText'), fillText: note('fillText')};
  const overlays = new Overlays();
  overlays.shown.ids = true;
  overlays.labels(context, {camera, theme: THEMES.dark, source: {drawn: () => bodies}, dpr: 1});
  assert.deepEqual(drawn.strokeText, drawn.fillText);
  return drawn.fillText;
}

test('methods_of_players_are_named_where_a_world_bounds_them', () => {
  assert.equal(playersText({players: {methods: ['body.impulse', 'message.send'], speed: 3}}), 'Players may call body.impulse, message.send.');
  assert.equal(playersText({players: {methods: []}}), 'Players may call no method here.');
  assert.deepEqual([playersText({players: {speed: 3}}), playersText({})], ['', ''], 'their methods are not bounded');
});

test('labels_at_the_edges_are_drawn_whole', () => {
  const [w, h] = [12 + 3, 5.5 + 3]; // half a label, and the outline
  assert.deepEqual(labelled([[200, 100], [200, 1], [200, 199], [1, 100], [399, 100], [0, 0], [400, 200], [20, 9]]),
                   [[200, 100], [200, Math.round(h)], [200, Math.round(200 - h)], [w, 100], [400 - w, 100], [w, Math.round(h)],
                    [400 - w, Math.round(200 - h)], [20, 9]]);
  assert.deepEqual(labelled([[200, -1], [-1, 100], [401, 100]]), [], 'bodies out of view have none');
  assert.deepEqual(labelled([[1, 1]], [20, 10]), [[10, 5]], 'a view that is smaller than a label');
});

test('a_rate_is_that_of_some_seconds_and_slowed_is_not_paused', () => {
  const pace = new Pace();
  const tell = (tick, at, paused = false) => pace.add({tick, hz: 60, paused, epoch: 1}, at);
  assert.equal(pace.text, 'running');
  const texts = new Set();
  for (let i = 0; i < 40; i++) {
    tell(Math.floor(30 * i + (i % 3 - 1) * 4), i / 2 + (i % 2) * 0.01); // ticks in one second: 52 to 68
    if (i > 8) texts.add(pace.text);
  }
  assert.ok([...texts].every((text) => /^(59|60) Hz$/.test(text)), [...texts].join());
  for (let i = 0; i < 12; i++) tell(2000 + Math.floor(i * 15 / 2), 30 + i / 2, true);
  assert.equal(pace.text, 'slowed to 15 Hz');
  tell(2082, 35.51, true); // two observations within one step
  assert.equal(pace.text, 'slowed to 15 Hz');
  for (let i = 0; i < 14; i++) {
    tell(2082, 36 + i / 2, true);
    if (i > 2) assert.deepEqual([pace.text, pace.rate], ['paused', 0]);
  }
  tell(2083, 43, true);
  assert.equal(pace.text, 'paused', 'a single step');
  for (let i = 0; i < 14; i++) tell(3000 + 60 * i, 44 + i / 2, true);
  assert.equal(pace.text, 'sped up to 120 Hz');
  tell(5, 60);
  assert.equal(pace.text, 'running', 'begun anew');
});

test('a_world_that_answers_late_is_not_told_faster_than_it_is', () => {
  const pace = new Pace();
  for (let i = 0; i < 40; i++) { // every fifth answer comes nine seconds after its question
    const late = i % 5 === 4 ? 9 : 0.01;
    pace.add({tick: Math.floor(60 * (i + late)), hz: 60, paused: false, epoch: 1}, i, i + late);
    if (i >= 2) assert.match(pace.text, /^(59|60) Hz$/);
  }
  const early = new Pace(); // the first answer shows an older tick than the later ones
  for (let i = 0; i < 6; i++) {
    early.add({tick: 30 * i + (i ? 5 : 0), hz: 60, paused: false, epoch: 1}, i / 2);
    if (i >= 3) assert.deepEqual([early.text, early.rate], ['60 Hz', 60]);
  }
});

test('a_world_far_away_is_told_paused_and_its_rate', () => {
  for (const away of [0.05, 0.32, 1.5]) { // round trips [s]
    const pace = new Pace();
    let at = 0;
    const look = (rate, paused, base) => {
      for (let i = 0; i < 12; i++, at += 0.5) pace.add({tick: base + Math.floor(rate * i / 2), hz: 60, paused, epoch: 1}, at, at + away);
      return pace.text;
    };
    assert.equal(look(60, false, 0), '60 Hz', `${away} s away`);
    assert.equal(look(0, true, 330), 'paused', `${away} s away`);
    assert.equal(look(15, true, 400), 'slowed to 15 Hz', `${away} s away`);
    pace.add({tick: 900, hz: 60, paused: false, epoch: 1}, at, at + away + 4);
    assert.equal(pace.text, 'running', 'that it goes on is true even of a late answer');
  }
});

test('a_stepped_world_does_not_read_paused_when_answers_come_late_or_in_another_order', () => {
  const pace = new Pace();
  const texts = new Set();
  for (let i = 0; i < 60; i++) { // two questions at a time; the page reads the first answer late
    const at = i / 2;
    pace.add({tick: 100 + Math.floor(at * 15), hz: 60, paused: true, epoch: 1}, at, at + 0.1 + (i % 3) * 0.15);
    pace.add({tick: 100 + Math.floor((at - 0.02) * 15), hz: 60, paused: true, epoch: 1}, at - 0.02, at + 0.08 + (i % 4) * 0.3);
    if (i >= 8) texts.add(pace.text);
  }
  assert.ok([...texts].every((text) => /^slowed to 1[3-7] Hz$/.test(text)), [...texts].join());
});

test('a_theme_that_an_address_names_is_one_that_there_is', () => {
  for (const name of [undefined, '', 'x', 'dark ', 'constructor', '__proto__', 'toString']) assert.equal(themeOf(name, 'light'), 'light');
  assert.equal(themeOf('dark', 'light'), 'dark');
  assert.ok(Object.keys(THEMES).every((name) => themeOf(name) === name));
});

test('an_address_says_what_to_show_and_refuses_nonsense', () => {
  const link = writeAddress({world: 'demo', at: [1.5, -2, 40], follow: 7, tick: 600}, 'http://host/viewer/?x=1#y');
  assert.equal(link, 'http://host/viewer/#world=demo&at=1.5,-2,40&follow=7&tick=600');
  const read = readAddress(new URL(link));
  assert.deepEqual([read.world, read.at, read.follow, read.tick], ['demo', [1.5, -2, 40], 7, 600]);
  const bad = readAddress(new URL('http://host/#world=<b>&at=1,2&follow=-3&tick=1e9'));
  assert.deepEqual([bad.world, bad.at, bad.follow, bad.tick], [undefined, undefined, undefined, undefined]);
  const told = (hash) => readAddress(new URL(`http://host/#${hash}`)).faults.map(({why}) => why);
  assert.deepEqual(told('theme=purple'), ['“purple” behind #…theme= in the address is ignored: it is dark or light']);
  assert.deepEqual(told('wrld=a&wrld=b'), ['“wrld” behind # in the address means nothing; did you mean \'world\'?']);
  assert.deepEqual(told('constructor=1'), ['“constructor” behind # in the address means nothing']);
  assert.deepEqual(told('world=a&at=1,2,3&follow=1&tick=1&theme=dark&token=x'), []);
});

test('a_link_bears_no_secret_and_a_token_is_kept_for_its_server', () => {
  const base = 'http://me:secret@host/?server=ws%3A%2F%2Fb%2F#token=secret&world=a';
  const server = serverOf('wss://me:secret@b.example:1/rpc?token=secret#secret');
  assert.equal(server, 'wss://b.example:1/rpc');
  assert.ok(!writeAddress({server, world: 'demo'}, base).includes('secret'));
  assert.equal(readAddress(new URL('https://host/?server=http://b:1')).server, 'ws://b:1/rpc');
  assert.equal(serverOf('/rpc', 'https://host/a/'), 'wss://host/rpc');
  assert.equal(readAddress(new URL('https://host/?server=/b/rpc')).server, 'wss://host/b/rpc');
  keepToken(server, 'one');
  assert.equal(tokenFor(server), 'one');
  for (const other of ['wss://b.example:2/rpc', 'ws://b.example:1/rpc', 'wss://b.example:1/x/rpc', 'wss://evil/rpc']) {
    assert.equal(tokenFor(other), undefined);
  }
  visitBy(server, 'of a link');
  assert.deepEqual([tokenFor(server), ownToken(server), byLink(server), byLink('wss://evil/rpc')], ['of a link', 'one', true, false]);
  assert.equal(tokenFor('wss://evil/rpc'), undefined);
  keepToken(server, 'two'); // the visitor signs in during the visit
  assert.deepEqual([tokenFor(server), byLink(server)], ['two', false]);
});

test('an_address_that_names_no_server_is_refused_with_reason_allowed_values_and_place', () => {
  const read = (text) => readAddress(new URL(`https://host/a/?server=${encodeURIComponent(text)}`)).server;
  const wrong = {
    'must begin with': ['javascript:alert(1)', 'ws:', 'data:text/html,x', 'blob:http://x/y', 'nonsense', 'ftp://b/', 'file:///etc/passwd',
                        '127.0.0.1:22767', 'b.example:22767', 'b.example/rpc', 'wss:b', '?x', '#x'],
    'names no host': ['ws://', 'wss:///rpc', 'ws://:80', '///x', 'ws://?a'],
    'neither a host’s name nor': ['ws://[', 'ws://[::g]', 'ws://256.1.1.1', 'ws://a<b', 'ws://a..b', `ws://${'a'.repeat(64)}`,
                                  `ws://${'a.'.repeat(130)}b`, 'ws://%00'],
    'a port is a number from 1 to 65535': ['ws://b:70000', 'ws://b:0', 'ws://b:65536', 'ws://b:x', 'ws://b:-1', 'ws://[::1]:70000', '//b:70000',
                                           'ws://b:1:2', 'ws://b:1e3'],
    'must not name a user': ['ws://me:secret@b', 'wss://me@b/rpc', '//me:secret@b', 'ws://host:secret@evil.example:70000'],
    'a space, a backslash or': [' ws://b', 'ws://b ', 'ws://b c', 'ws://b\n', 'w\ts://b', 'ws:\\\\b', 'ws://b\u202ecilbup', 'ws://b\u200b'],
    'and 1000 are allowed': [`ws://${'b'.repeat(10000)}`, `/${'b'.repeat(1000)}`],
  };
  for (const [reason, texts] of Object.entries(wrong)) {
    for (const text of texts) {
      assert.throws(() => read(text), (error) => {
        assert.ok(error instanceof AddressError, `${text}: ${error}`);
        assert.match(error.message, /is no server: .*\. It stands behind \?server= in the address of this page\. Allowed are ws:\/\/HOST:PORT/, text);
        assert.ok(error.message.includes(reason), `${text}: ${error.message}`);
        assert.ok(!/secret|[\u202e\u200b\n]/.test(error.message), error.message);
        assert.ok(error.message.length < 500, `${error.message.length} characters`);
        return true;
      });
    }
  }
  const good = {'ws://b': 'ws://b/rpc', 'WSS://B.example:65535/x': 'wss://b.example:65535/x', 'http://b:1/': 'ws://b:1/rpc', '/x/rpc': 'wss://host/x/rpc',
                '../rpc': 'wss://host/rpc', './rpc': 'wss://host/a/rpc', '//b:1/rpc': 'wss://b:1/rpc', 'ws://[::1]:22767/rpc': 'ws://[::1]:22767/rpc',
                'ws://127.0.0.1:1': 'ws://127.0.0.1:1/rpc', [`ws://${'a'.repeat(63)}.b`]: `ws://${'a'.repeat(63)}.b/rpc`,
                'ws://bücher.example/@x': 'ws://xn--bcher-kva.example/@x', 'ws://b./rpc': 'ws://b./rpc', 'ws://b:/rpc': 'ws://b/rpc'};
  for (const [text, server] of Object.entries(good)) assert.equal(read(text), server);
  assert.equal(read(''), undefined);
});

// ---- bounds

test('shapes_that_were_replaced_are_remembered_up_to_a_maximum_which_is_told_once', () => {
  let told = 0;
  const replaced = new Replaced(() => told++, 3);
  for (const id of [1, 2, 3, 3]) replaced.add(id);
  assert.deepEqual([told, ...[1, 2, 3, 4].map((id) => replaced.has(id))], [0, true, true, true, false]);
  for (const id of [4, 5]) replaced.add(id);
  assert.deepEqual([told, ...[1, 2, 3, 4, 5].map((id) => replaced.has(id))], [1, false, false, true, true, true]);
  replaced.clear();
  for (const id of [1, 2, 3, 4]) replaced.add(id);
  assert.deepEqual([told, replaced.has(1), replaced.has(4)], [2, false, true]);
  assert.equal(new Replaced(() => {}).most, REPLACED_MAX);
});

// A server of a fleet with `count` worlds that lists two in an answer; `asked`: how often it was asked.
function fleetServer(count, took = () => {}) {
  const names = Array.from({length: count}, (_, i) => `w${i}`);
  const line = {asked: 0, async call(method, {after}) {
    assert.equal(method, 'server.fleet');
    line.asked++;
    took();
    const from = after === '' ? 0 : names.indexOf(after) + 1;
    return {worlds: names.slice(from, from + 2).map((world) => ({world, node: 'b', address: 'b:1'})), total: count};
  }};
  return line;
}

test('worlds_of_a_fleet_are_listed_up_to_a_maximum_and_the_rest_is_counted', async () => {
  for (const [count, listed, more, asked] of [[0, 0, 0, 1], [1, 1, 0, 1], [4, 4, 0, 3], [5, 5, 0, 3], [6, 5, 1, 3], [9, 5, 4, 3]]) {
    const elsewhere = new Elsewhere({most: 5, rows: 2});
    const line = fleetServer(count);
    await elsewhere.ask(line);
    assert.deepEqual([elsewhere.besides(new Set()).length, elsewhere.more, line.asked], [listed, more, asked], `${count} worlds`);
  }
  const elsewhere = new Elsewhere({rows: 2});
  assert.equal(elsewhere.most, WORLDS_ELSEWHERE_MAX);
  await elsewhere.ask(fleetServer(3));
  assert.deepEqual(elsewhere.besides(new Set(['w0', 'w2'])), [{world: 'w1', elsewhere: 'b', address: 'b:1'}]);
});

test('a_fleet_is_asked_less_often_the_longer_it_takes_and_a_server_without_one_once', async () => {
  let now = 0;
  const elsewhere = new Elsewhere({rows: 2, now: () => now});
  for (const [took, pause] of [[10, 1900], [500, 5000], [4000, 30000]]) {
    const line = fleetServer(1, () => {
      now += took;
    });
    await elsewhere.ask(line); // another server is asked at once
    now += pause - 1;
    await elsewhere.ask(line);
    assert.equal(line.asked, 1, `${took} ms`);
    now += 1;
    await elsewhere.ask(line);
    assert.equal(line.asked, 2, `${took} ms`);
  }
  const failing = (code) => ({asked: 0, async call() {
    this.asked++;
    throw Object.assign(new Error(code), {code});
  }});
  for (const [code, kept, asked] of [['timeout', 1, 2], ['unavailable', 1, 2], ['permission_denied', 0, 1], ['failed_precondition', 0, 1]]) {
    await elsewhere.ask(fleetServer(1));
    const line = failing(code);
    await elsewhere.ask(line);
    assert.equal(elsewhere.besides(new Set()).length, kept, code);
    now += 60000;
    await elsewhere.ask(line);
    assert.equal(line.asked, asked, code);
    now += 60000;
  }
  // One question at a time.
  let answer;
  const slow = {asked: 0, call() {
    this.asked++;
    return new Promise((resolve) => {
      answer = resolve;
    });
  }};
  const first = elsewhere.ask(slow);
  now += 60000;
  await elsewhere.ask(slow);
  assert.equal(slow.asked, 1);
  answer({worlds: [], total: 0});
  await first;
});

// ---- words

test('bodies_that_stand_are_explained', () => {
  const map = {...BODY, body: 3, awake: true, enabled: true, gravity_scale: 1};
  assert.match(explain({...map, awake: false}, [], [], false)[0], /^It sleeps/);
  assert.match(explain({...map, type: 'static'}, [], [], false)[0], /^It is static/);
  assert.match(explain(map, [], [], true)[0], /paused/);
  assert.match(explain({...map, velocity: [3, 4]}, [], [], false)[0], /5 m\/s/);
  // Finds contradictory sentences.
  const ground = {a: 1, b: 3, normal: [0, 1], points: []};
  const moving = {...map, velocity: [3.76, 0]};
  assert.deepEqual(explain(moving, [ground], [], false), ['It moves at 3.76 m/s.', 'It touches a shape below it.']);
  assert.ok(!explain(moving, [ground], [], true).some((line) => /^It (moves|rests)/.test(line)));
  assert.deepEqual(explain({...map, angular_velocity: -2}, [], [], false), ['It turns at 2 rad/s.']);
  for (const state of [{frozen: true}, {enabled: false}]) {
    const [line, ...more] = explain({...moving, ...state}, [ground], [], false);
    assert.match(line, /frozen|disabled/);
    assert.deepEqual(more, []);
  }
  assert.deepEqual(explain({...map, type: 'kinematic'}, [], [], false), ['It is kinematic, and its velocity is zero.']);
  assert.ok(explain(map, [ground], [{kind: 'weld'}], false).includes('It rests on a shape.'));
  assert.ok(explain(map, [ground], [{kind: 'weld'}], false).includes('A joint holds it.'));
});

// ---- changes

test('maps_become_the_arguments_that_differ_from_what_is_usual', () => {
  const map = {shape: 4, kind: 'polygon', vertices: [[0, 0], [2, 0], [0, 2]], radius: 0, density: 1, friction: Math.fround(0.6), restitution: Math.fround(0.3),
               rolling_resistance: 0, tangent_speed: 0, sensor: false, filter: {category: 1, mask: -1, group: -2}, events: ['contact', 'sensor']};
  assert.deepEqual(shapeArgs(map), {kind: 'polygon', vertices: map.vertices, restitution: 0.3, filter: {group: -2}});
  assert.deepEqual(shapeArgs(map, 2).vertices, [[0, 0], [4, 0], [0, 4]]);
  assert.deepEqual([short(Math.fround(0.1)), short(0.1), short(1 / 3), short(2 ** 20 + 0.5)], [0.1, 0.1, 1 / 3, 2 ** 20 + 0.5]);
  assert.equal(Math.fround(short(Math.fround(Math.PI))), Math.fround(Math.PI));
  assert.equal(areaOf(map), 2);
  const round = (shape, wanted) => assert.ok(Math.abs(areaOf(shape) - wanted) < 1e-12, shape.kind);
  round({kind: 'circle', radius: 2}, 4 * Math.PI);
  round({kind: 'capsule', a: [0, 0], b: [3, 4], radius: 1}, Math.PI + 10);
  round({...map, radius: 0.5}, 2 + (4 + Math.sqrt(8)) * 0.5 + Math.PI * 0.25);
});

test('a_number_outside_its_range_is_named_with_the_range', () => {
  const range = {label: 'Friction', min: 0, max: 1000, unit: 'm'};
  for (const text of ['0', '1000', ' 0.5 ', '0,5', '1e3']) assert.equal(wrongNumber(text, range), '', text);
  for (const text of ['', ' ', '-0.1', '1000.1', 'NaN', 'Infinity', '1 2', '0x']) assert.equal(wrongNumber(text, range), 'Friction: a number from 0 to 1000 m', text);
});

test('names_and_numbers_are_for_people', () => {
  const worlds = [{world: 'lab'}, {world: 'lab-2'}];
  assert.equal(freeName('lab', worlds), 'lab-3');
  assert.equal(freeName('my lab/é', worlds), 'my-lab-');
  assert.ok(freeName('x'.repeat(80), worlds).length <= 64);
  assert.deepEqual([figure(1234.5), figure(0.00012), figure(1e-7, 3, 1e-3), figure(NaN), figure(2)],
                   ['1235', '1.20e-4', '0', '–', '2']);
  assert.deepEqual([bytes(999), bytes(1500), bytes(25e6), clockText(65.2), clockText(3700)],
                   ['999 B', '1.5 kB', '25 MB', '1:05.2', '1:01:40.0']);
  assert.deepEqual([0, 1, 2].map((count) => counted(count, 'body', 'bodies')), ['0 bodies', '1 body', '2 bodies']);
});

test('the_newest_value_is_sent_though_one_before_it_failed', async () => {
  const sent = [];
  const fails = [];
  const newest = new Newest((value) => new Promise((resolve, reject) => {
    sent.push(value);
    fails.push((why) => (why ? reject(new Error(why)) : resolve()));
  }));
  const first = newest.put(1);
  newest.put(2);
  newest.put(3);
  fails[0]('lost');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(sent, [1, 3], 'the value between is dropped, the newest is not');
  fails[1]('lost too');
  await assert.rejects(first, {message: 'lost too'});
  const again = newest.put(4);
  fails[2]('');
  await again;
  assert.deepEqual(sent, [1, 3, 4]);
});

test('a_change_that_throws_has_an_outcome_to_tell', async () => {
  assert.equal(await outcome(() => ''), '');
  assert.equal(await outcome(async () => 'no such joint'), 'no such joint');
  assert.equal(await outcome(() => {
    throw new Error('no world is shown');
  }), 'no world is shown');
});

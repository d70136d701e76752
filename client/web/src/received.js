// Checks of a server's messages, made before anything uses them: a server of another version, a broken one, or one that
// a stranger's link names may send anything. Each function throws a TypeError that names the wrong member. The client
// itself uses only members that are checked here; it passes the others to the program unchanged.

const TIME_MAX = 2 ** 53; // seconds, and ticks

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array);
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;

function expect(right, name, what, value) {
  if (right) return;
  const kind = value === null ? 'nil' : Array.isArray(value) ? 'an array' : typeof value;
  throw new TypeError(`${name}: expected ${what}, got ${typeof value === 'number' ? value : kind}`);
}

// `check` of a member that may be missing.
const unless = (value, check, name) => value === undefined || check(value, name);

const whole = (value, name) => expect(isWhole(value), name, 'a whole number', value);
const finite = (value, name) => expect(Number.isFinite(value), name, 'a finite number', value);
const text = (value, name) => expect(typeof value === 'string', name, 'a string', value);
const list = (value, name) => expect(Array.isArray(value), name, 'an array', value);
const map = (value, name) => expect(isMap(value), name, 'a map', value);
const bytes = (value, name) => expect(value instanceof Uint8Array, name, 'bytes', value);

function vector(value, name) {
  expect(Array.isArray(value) && value.length === 2 && Number.isFinite(value[0]) && Number.isFinite(value[1]),
         name, 'two finite numbers', value);
}

/** The answer to hello. */
export function checkHello(hello) {
  map(hello, 'hello');
  for (const name of ['session', 'engine', 'compact']) unless(hello[name], whole, name);
  unless(hello.resume, text, 'resume');
  unless(hello.limits, map, 'limits');
  unless(hello.subscriptions, list, 'subscriptions');
  for (const one of hello.subscriptions ?? []) whole(one?.subscription, 'subscriptions');
  unless(hello.pending, list, 'pending');
  for (const id of hello.pending ?? []) whole(id, 'pending');
  unless(hello.applied, map, 'applied');
  for (const one of Object.values(hello.applied ?? {})) {
    map(one, 'applied');
    unless(one.last, whole, 'applied');
    unless(one.epoch, whole, 'applied');
  }
}

/** The answer to ping. */
export function checkPing(answer) {
  map(answer, 'ping');
  finite(answer.time, 'time');
}

/** The answer to world.subscribe. */
export function checkSubscribed(answer) {
  map(answer, 'world.subscribe');
  whole(answer.subscription, 'subscription');
}

/** The texts of a notification with `code`  and `reason`: undefined if there is none. */
export function noticeOf(notice) {
  const said = (value) => (typeof value === 'string' ? value : undefined);
  return {code: said(notice?.code), reason: said(notice?.reason)};
}

/** A record of a world's log. The engine checks the contents of its commands, image and data. */
export function checkRecord(record) {
  unless(record.margin, finite, 'margin');
  unless(record.commands, list, 'commands');
  for (const name of ['image', 'data', 'hash']) unless(record[name], bytes, name);
  unless(record.from, whole, 'from');
  unless(record.tick, whole, 'tick');
}

function checkBody(body) {
  map(body, 'spawned');
  whole(body.body, 'spawned.body');
  vector(body.position, 'spawned.position');
  vector(body.velocity, 'spawned.velocity');
  finite(body.angle, 'spawned.angle');
  finite(body.angular_velocity, 'spawned.angular_velocity');
  unless(body.tag, text, 'spawned.tag');
  unless(body.shapes, list, 'spawned.shapes');
  for (const shape of body.shapes ?? []) map(shape, 'spawned.shapes');
}

// The members of every row: called for each body of each snapshot.
function checkRow(row) {
  list(row, 'bodies');
  let right = isWhole(row[0]);
  for (let i = 1; i < 7; i++) right = right && Number.isFinite(row[i]);
  if (!right) throw new TypeError('bodies: expected rows of an id and six finite numbers');
}

/** A snapshot that is no record of a log, unpacked. */
export function checkSnapshot(snapshot) {
  for (const name of ['tick', 'epoch']) whole(snapshot[name], name);
  text(snapshot.world, 'world');
  expect(snapshot.time >= 0 && snapshot.time <= TIME_MAX && typeof snapshot.time === 'number', 'time', 'seconds', snapshot.time);
  for (const name of ['skipped', 'events_lost', 'left_out', 'oldest', 'unfollowed']) unless(snapshot[name], whole, name);
  for (const name of ['bodies', 'removed', 'events']) list(snapshot[name], name);
  for (const name of ['leave', 'spawned', 'joints', 'joints_removed', 'contacts']) unless(snapshot[name], list, name);
  for (const row of snapshot.bodies) checkRow(row);
  for (const body of snapshot.spawned ?? []) checkBody(body);
  for (const joint of snapshot.joints ?? []) {
    map(joint, 'joints');
    whole(joint.joint, 'joints.joint');
  }
  for (const event of snapshot.events) {
    map(event, 'events');
    whole(event.tick, 'events.tick');
  }
  for (const contact of snapshot.contacts ?? []) map(contact, 'contacts');
  unless(snapshot.data, map, 'data');
  unless(snapshot.view, (view) => expect(Array.isArray(view) && view.length === 4 && view.every(Number.isFinite), 'view',
                                         'four finite numbers', view), 'view');
}

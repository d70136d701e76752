// The answers of the methods, as in PROTOCOL.md. Later servers may add keys.
import type {Area, Filter, Vector, WorldEvent} from './methods.js';

/** Numbers of bodies, shapes, joints, subscriptions: below 2^53, never used twice in a world. */
export type Number53 = number;
/** 8 bytes, most significant first. */
export type Hash = Uint8Array;

export interface CallOptions {
  /** Milliseconds until the call fails with `timeout`; 0 for none; default 30 000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

// generated from proto/schema: results
/** The answer of a command that creates nothing. */
export interface Tick {
  /** The tick whose state shows it first. */
  tick: number;
}
/** A subscription of a session. */
export interface SubscriptionResult {
  /** Its number. */
  subscription: number;
  /** The world that it shows. */
  world: string;
}
/** A session's last request that took effect in a world, which may have ended. */
export interface AppliedResult {
  /** The world's epoch. */
  epoch: number;
  /** The request's id. */
  last: number;
}
/** How a resumed session goes on. */
export interface ResumedResult {
  /** By world: the last request of the session that took effect there. */
  applied: Record<string, AppliedResult>;
  /** Ids of requests that are not answered yet. */
  pending: number[];
  /** The subscriptions that go on. */
  subscriptions: SubscriptionResult[];
}
/** The answer of hello. */
export interface Hello {
  /** The version that both sides use from now on. */
  protocol: number;
  /** The server's name: caromd. */
  server: string;
  /** The server's version. */
  version: string;
  /** The engine's behaviour number. */
  engine: number;
  /** The number of the tables of compact logs. */
  compact: number;
  /** The session's number. */
  session: number;
  /** The session's secret; empty where it cannot be resumed. */
  resume: string;
  /** What the session may do. */
  role: 'none' | 'viewer' | 'player' | 'referee' | 'admin';
  /** The subject of its token; left out without one. */
  subject?: string;
  /** When the token expires, since 1970; left out without one. [s] */
  expires?: number;
  /** The limits that hold for this session. */
  limits: Record<string, number>;
  /** In a fleet: where to try if this server does not answer any more: the address of the server that stands by for a world of this session, or, while it has none, for a world of this server; left out if there is none. Over WebSocket that for HTTP. */
  standby?: string;
  /** By world: the last request of the session that took effect there. */
  applied?: Record<string, AppliedResult>;
  /** Ids of requests that are not answered yet. */
  pending?: number[];
  /** The subscriptions that go on. */
  subscriptions?: SubscriptionResult[];
}
/** The answer of ping. */
export interface PingResult {
  /** The server's monotonic clock. [s] */
  time: number;
  /** What was sent. */
  any: unknown;
}
/** A template of worlds that joins make. */
export interface TemplateResult {
  /** Its name, as world.join takes it. */
  template: string;
  /** The seats of each of its worlds. */
  seats: number;
}
/** The answer of server.info. */
export interface ServerInfo {
  /** The server's name: caromd. */
  server: string;
  /** The server's version. */
  version: string;
  /** The newest version of the protocol that it speaks. */
  protocol: number;
  /** How long it has run. [s] */
  uptime: number;
  /** How many worlds it has. */
  worlds: number;
  /** How many sessions it has. */
  sessions: number;
  /** Its limits. */
  limits: Record<string, number>;
  /** The templates that world.join makes worlds of. */
  templates: TemplateResult[];
}
/** A bin of a histogram: `count` times lie above the bin before and up to `most`. */
export type LatencyBinResult = [number, number];
/** The durations of one kind of work; all are zero when `count` is. */
export interface Latency {
  /** How many there were. */
  count: number;
  /** The time that half of them did not exceed. [s] */
  p50: number;
  /** The time that 90 % of them did not exceed. [s] */
  p90: number;
  /** The time that 99 % of them did not exceed. [s] */
  p99: number;
  /** The time that 99.9 % of them did not exceed. [s] */
  p999: number;
  /** The longest. [s] */
  max: number;
  /** On request: [largest time in seconds, count], without empty ones. */
  bins?: LatencyBinResult[];
}
/** The answer of server.stats. */
export interface ServerStatsResult {
  /** Counters by name. */
  counters: Record<string, number>;
  /** Durations by kind of work. */
  latencies: Record<string, Latency>;
}
/** A session, as server.sessions lists it. */
export interface SessionInfo {
  /** Its number. */
  session: number;
  /** The client's name, as `hello` gave it; `""` without one. */
  client: string;
  /** The address of its connection; `""` while it has none. */
  address: string;
  /** `false`: it has lost its connection, and may be resumed. */
  connected: boolean;
  /** When it began, since 1970 (UTC). [s] */
  since: number;
  /** Time since its last message, or since its connection was lost. [s] */
  idle: number;
  /** Its role. */
  role: 'none' | 'viewer' | 'player' | 'referee' | 'admin';
  /** The subject of its token; `""` without one. */
  subject: string;
  /** Its subscriptions, with their worlds. */
  subscriptions: SubscriptionResult[];
  /** Requests that wait for their results. */
  in_flight: number;
  /** Input of its present connection, from the operating system. [bytes] */
  received_bytes: number;
  /** Output of its present connection, to the operating system. [bytes] */
  sent_bytes: number;
  /** Output that its client has not taken yet. [bytes] */
  queued_bytes: number;
  /** How long there has been unsent output without a break. [s] */
  lag: number;
  /** Memory for the subscriptions of all sessions of its subject; without one, of its address or of itself. `holder_bytes` bounds it. [bytes] */
  memory_bytes: number;
  /** Time that its messages took on the network thread and on the thread that decodes large messages; the time of worlds is in `world.info`. [s] */
  work: number;
}
/** The answer of server.sessions. */
export interface SessionsResult {
  /** Sessions by ascending numbers. */
  sessions: SessionInfo[];
  /** How many sessions there are in all. */
  total: number;
}
/** The bounds of the role player in a world. */
export interface PlayersMap {
  /** The commands, reads and queries that it may call. */
  methods?: ('world.state' | 'world.contacts' | 'world.apply' | 'body.spawn' | 'body.remove' | 'body.get' | 'body.set' | 'body.impulse' | 'body.angular_impulse' | 'body.force' | 'body.torque' | 'shape.add' | 'shape.set' | 'shape.remove' | 'joint.create' | 'joint.set' | 'joint.remove' | 'joint.get' | 'joint.list' | 'query.ray' | 'query.overlap' | 'query.cast' | 'query.nearest' | 'data.set' | 'data.remove' | 'data.get' | 'message.send')[];
  /** Types of bodies that it may make. */
  types?: ('static' | 'kinematic' | 'dynamic')[];
  /** Bodies that one subject may own. */
  bodies?: number;
  /** Mass of a body. [kg] */
  mass?: number;
  /** Longer side of the box around a body's shapes. [m] */
  size?: number;
  /** Speed that a command may give. [m/s] */
  speed?: number;
  /** Force of a command or a joint. [N] */
  force?: number;
  /** Sum of impulses on a body in a tick. [N s] */
  impulse?: number;
  /** Torque of a command or a joint. [N m] */
  torque?: number;
  /** Place for bodies: [x0, y0, x1, y1]. */
  area?: Area;
}
/** Whether a world has a referee. */
export interface RefereePresence {
  /** Whether a session of role referee or admin subscribes to the world's events of kind message. */
  present: boolean;
  /** The number of that session; of several, of the one that subscribed first. */
  session?: Number53;
}
/** A world, and the tick at which it stands. */
export interface WorldTick {
  /** The world's name. */
  world: string;
  /** Its tick. */
  tick: number;
}
/** The answer of world.create and world.fork. */
export interface WorldCreateResult {
  /** The world's name. */
  world: string;
  /** Its epoch. */
  epoch: number;
  /** The tick at which it stands. */
  tick: number;
  /** False if the world existed already. */
  created: boolean;
}
/** The answer of world.subscribe. */
export interface SubscribeResult {
  /** The subscription's number. */
  subscription: number;
  /** The world's epoch. */
  epoch: number;
  /** The tick at which the subscription begins. */
  tick: number;
}
/** The answer of world.image. */
export interface WorldImageResult {
  /** The image. */
  image: Uint8Array;
  /** The tick that it shows. */
  tick: number;
  /** The world's hash at that tick. */
  hash: Hash;
}
/** The settings of a world. */
export interface WorldDefResult {
  /** Ticks in a second. */
  hz: number;
  /** Acceleration of every dynamic body. [m/s²] */
  gravity: Vector;
  /** Solver steps in a tick. */
  substeps: number;
  /** Whether bodies at rest may sleep. */
  sleep: boolean;
  /** Whether fast bodies are swept against static and kinematic ones. */
  continuous: boolean;
  /** Maximum of its bodies. */
  max_bodies: number;
  /** Slower impacts do not bounce. [m/s] */
  restitution_threshold: number;
  /** Slower impacts make no hit event. [m/s] */
  hit_threshold: number;
  /** Bodies below this speed may sleep. [m/s] */
  sleep_speed: number;
}
/** How many objects a world contains. */
export interface WorldCountsResult {
  /** Bodies. */
  bodies: number;
  /** Bodies that are awake. */
  awake: number;
  /** Shapes; a chain is one. */
  shapes: number;
  /** Joints. */
  joints: number;
  /** Pairs of shapes that touch. */
  contacts: number;
  /** Pairs of shapes whose boxes overlap. */
  pairs: number;
  /** Bodies that ever left the world's bounds and were disabled. */
  frozen: number;
}
/** The answer of world.info, and each element of world.list. */
export interface WorldInfo {
  /** The world's name. */
  world: string;
  /** Changes when the world is created again, or is set back. */
  epoch: number;
  /** The tick at which it stands. */
  tick: number;
  /** Its time: tick / hz. [s] */
  time: number;
  /** Ticks in a second. */
  hz: number;
  /** Acceleration of every dynamic body. [m/s²] */
  gravity: Vector;
  /** Solver steps in a tick. */
  substeps: number;
  /** Whether bodies at rest may sleep. */
  sleep: boolean;
  /** Whether fast bodies are swept against static and kinematic ones. */
  continuous: boolean;
  /** Maximum of its bodies. */
  max_bodies: number;
  /** Slower impacts do not bounce. [m/s] */
  restitution_threshold: number;
  /** Slower impacts make no hit event. [m/s] */
  hit_threshold: number;
  /** Bodies below this speed may sleep. [m/s] */
  sleep_speed: number;
  /** Whether it is paused. */
  paused: boolean;
  /** As of `world.create`. */
  durability: 'none' | 'normal' | 'full' | 'replicated';
  /** Bodies. */
  bodies: number;
  /** Bodies that are awake. */
  awake: number;
  /** Shapes; a chain is one. */
  shapes: number;
  /** Joints. */
  joints: number;
  /** Pairs of shapes that touch. */
  contacts: number;
  /** Pairs of shapes whose boxes overlap. */
  pairs: number;
  /** Bodies that ever left the world's bounds and were disabled. */
  frozen: number;
  /** Subscriptions. */
  subscribers: number;
  /** Whether anybody decides here: who gets messages to `referee`. */
  referee: RefereePresence;
  /** Equal worlds have equal hashes. */
  hash: Hash;
  /** Mean time of a tick in the last second. [ms] */
  step_ms: number;
  /** Ticks a second, measured over the last second, or since it runs if that is shorter (then at most `hz`). Paused: those of `world.step`, where they went on for a second or more; otherwise 0. [1/s] */
  rate: number;
  /** Ticks that began later than a whole tick after their deadline. */
  ticks_late: number;
  /** The bounds of the role player here; left out if the world has none. */
  players?: PlayersMap;
  /** Keys of its data. */
  data_keys: number;
  /** Bytes of its data, as `data_bytes_per_world` counts them. */
  data_bytes: number;
  /** The template that it was made from by `world.join`; left out, with the next three, if by another way. */
  template?: string;
  /** Its seats. */
  seats?: number;
  /** How many of them are taken. */
  seats_taken?: number;
  /** The holders of the seats, ascending by seat; left out in lists, and for tokens with areas. */
  seated?: SeatMap[];
  /** In a fleet: how many servers have had the world; not in lists, nor are the next two. */
  term?: number;
  /** In a fleet: the address of the server that serves it; over WebSocket that for HTTP. */
  primary?: string;
  /** In a fleet: the address of the server that takes over if that one ends; left out if there is none. Over WebSocket that for HTTP. */
  standby?: string;
  /** In a fleet: up to where the standby has the world's log; not in lists. */
  standby_tick?: number;
  /** Only at a relay (`caromd --relay`): the address of the server whose log the world plays. */
  relay_of?: string;
  /** Only at a relay: how long ago the log's last record came; 0 while the world is paused and the log is connected. [s] */
  lag?: number;
  /** Only while the world's log cannot be written: why, and what to do. */
  log_error?: string;
  /** Only for a world that is not served (most numbers are 0 then): why, and what to do. */
  unavailable?: string;
}
/** The answer of world.state. */
export interface StateResult {
  /** The tick, or moment between two, that the read named. */
  at?: number;
  /** The world's name. */
  world: string;
  /** The tick that was read. */
  tick: number;
  /** The world's hash. */
  hash: Hash;
  /** Full body maps. */
  bodies: BodyMap[];
  /** Full joint maps. */
  joints: JointMap[];
}
/** A point where two shapes touch. */
export interface ContactPointResult {
  /** Its place. [m] */
  point: Vector;
  /** Above 0: overlap. [m] */
  depth: number;
  /** Impulse along the normal in the last tick. [N s] */
  impulse: number;
  /** Impulse across the normal in the last tick. [N s] */
  tangent_impulse: number;
  /** Its own normal, if that differs from the contact's. */
  normal?: Vector;
}
/** A pair of shapes that touch. */
export interface ContactMap {
  /** A body. */
  a: Number53;
  /** The other body. */
  b: Number53;
  /** The shape of a. */
  shape_a: Number53;
  /** The shape of b. */
  shape_b: Number53;
  /** Unit vector from a to b, at the deepest point. */
  normal: Vector;
  /** Where they touch. */
  points: ContactPointResult[];
}
/** The answer of world.contacts. */
export interface ContactsResult {
  /** The tick, or moment between two, that the read named. */
  at?: number;
  /** The world's name. */
  world: string;
  /** The tick that was read. */
  tick: number;
  /** Pairs of shapes that touch, in a fixed order. */
  contacts: ContactMap[];
}
/** How a batch met the tick that it was meant for. */
export interface BatchTimingResult {
  /** How many ticks too late it came; 0: in time. */
  late: number;
  /** Time from its arrival to the start of its tick; negative if it was late. [s] */
  margin: number;
}
/** The answer of world.apply. */
export interface BatchResult {
  /** The tick whose state shows it first. */
  tick: number;
  /** How many ticks too late it came; 0: in time. */
  late?: number;
  /** Time from its arrival to the start of its tick; negative if it was late. [s] */
  margin?: number;
  /** The answer of each command, as if called alone. */
  results: unknown[];
  /** It was not applied. */
  dropped?: boolean;
}
/** The answer of a world.apply that was not applied, because its tick was over. */
export interface DroppedResult {
  /** It was not applied. */
  dropped: boolean;
  /** How many ticks too late it came; 0: in time. */
  late: number;
  /** Time from its arrival to the start of its tick; negative if it was late. [s] */
  margin: number;
}
/** A body in full: the names of body.spawn's arguments, and more. */
export interface BodyMap {
  /** Its id. */
  body: Number53;
  /** As in `body.spawn`. */
  type: 'static' | 'kinematic' | 'dynamic';
  /** Place of its origin. [m] */
  position: Vector;
  /** Counter-clockwise, within ±π. [rad] */
  angle: number;
  /** Velocity of `center`. [m/s] */
  velocity: Vector;
  /** Counter-clockwise. [rad/s] */
  angular_velocity: number;
  /** The centre of mass, in the world. [m] */
  center: Vector;
  /** 0 if it is not dynamic. [kg] */
  mass: number;
  /** About the centre of mass; 0 if it is not dynamic. [kg m²] */
  inertia: number;
  /** As in `body.spawn`. [1/s] */
  linear_damping: number;
  /** As in `body.spawn`. [1/s] */
  angular_damping: number;
  /** As in `body.spawn`. */
  gravity_scale: number;
  /** Acts until it is set again. [N] */
  force: Vector;
  /** Acts until it is set again. [N m] */
  torque: number;
  /** As in `body.spawn`. */
  fixed_rotation: boolean;
  /** As in `body.spawn`. */
  bullet: boolean;
  /** As in `body.spawn`. */
  allow_sleep: boolean;
  /** Whether it is awake now. */
  awake: boolean;
  /** Whether it moves and collides. */
  enabled: boolean;
  /** It left the world's bounds and was disabled. */
  frozen: boolean;
  /** As in `body.spawn`. */
  tag: string;
  /** The subject that owns it; left out if nobody does. */
  owner?: string;
  /** Its shapes. */
  shapes: ShapeMap[];
}
/** The answer of body.get. */
export interface BodyGetResult extends BodyMap {
  /** The tick, or moment between two, that the read named. */
  at?: number;
  /** The tick that was read. */
  tick: number;
}
/** The answer of body.spawn. */
export interface SpawnResult {
  /** The body's id. */
  body: Number53;
  /** The ids of its shapes, in the order given. */
  shapes: Number53[];
  /** The tick whose state shows it first. */
  tick: number;
}
/** A shape as the server describes it; a box comes as a polygon. */
export interface ShapeMap {
  /** Its id. */
  shape: Number53;
  kind: 'circle' | 'polygon' | 'capsule' | 'segment' | 'chain';
  radius?: number;
  center?: Vector;
  vertices?: Vector[];
  a?: Vector;
  b?: Vector;
  loop?: boolean;
  /** Mass by area. [kg/m²] */
  density: number;
  /** Friction. */
  friction: number;
  /** Restitution. */
  restitution: number;
  /** Torque against rolling, divided by load and radius. */
  rolling_resistance: number;
  /** The surface's speed. [m/s] */
  tangent_speed: number;
  /** Whether it reports bodies instead of colliding. */
  sensor: boolean;
  /** The shapes that it collides with. */
  filter: Required<Filter>;
  /** The events that it makes. */
  events: ('contact' | 'hit' | 'sensor')[];
  /** The side from which bodies collide with it; left out if that is every side. */
  one_way?: Vector;
}
/** The answer of shape.add. */
export interface ShapeAddResult {
  /** The shape's id. */
  shape: Number53;
  /** The tick whose state shows it first. */
  tick: number;
}
/** How a joint is now. Forces are means of the last tick. */
export interface JointStateResult {
  /** Angle of b relative to a. [rad] */
  angle: number;
  /** Distance of b from a along the axis. [m] */
  translation: number;
  /** Distance between the anchors, or length of the rope. [m] */
  length: number;
  /** Speed of the motion that the motor drives. [rad/s or m/s] */
  speed: number;
  /** A gear's x_a, a pulley's l_a. */
  side_a: number;
  /** A gear's x_b, a pulley's l_b. */
  side_b: number;
  /** Force on b; 0 while one of the bodies is disabled. [N] */
  force: Vector;
  /** Torque on b; 0 while one of the bodies is disabled. [N m] */
  torque: number;
}
/** A joint: its kind, its bodies, and the arguments of its kind that are in effect. */
export interface JointMap {
  /** Its id. */
  joint: Number53;
  /** As in `joint.create`. */
  kind: 'revolute' | 'prismatic' | 'distance' | 'weld' | 'wheel' | 'motor' | 'mouse' | 'filter' | 'gear' | 'pulley';
  /** The first body; 0: none. */
  a: Number53;
  /** The second body; 0: none. */
  b: Number53;
  /** As in `joint.create`. */
  collide_connected: boolean;
  /** As in `joint.create`. */
  anchor_a?: Vector;
  /** As in `joint.create`. */
  anchor_b?: Vector;
  /** As in `joint.create`. */
  axis?: Vector;
  /** As in `joint.create`. */
  reference_angle?: number;
  /** As in `joint.create`. */
  length?: number;
  /** As in `joint.create`. */
  lower?: number;
  /** As in `joint.create`. */
  upper?: number;
  /** As in `joint.create`. */
  motor_speed?: number;
  /** As in `joint.create`. */
  max_force?: number;
  /** As in `joint.create`. */
  max_torque?: number;
  /** As in `joint.create`. */
  hertz?: number;
  /** As in `joint.create`. */
  damping_ratio?: number;
  /** As in `joint.create`. */
  angular_hertz?: number;
  /** As in `joint.create`. */
  angular_damping_ratio?: number;
  /** As in `joint.create`. */
  target?: Vector;
  /** As in `joint.create`. */
  target_angle?: number;
  /** As in `joint.create`. */
  target_translation?: number;
  /** As in `joint.create`. */
  velocity?: Vector;
  /** As in `joint.create`. */
  ratio?: number;
  /** As in `joint.create`. */
  joint_a?: Number53;
  /** As in `joint.create`. */
  joint_b?: Number53;
  /** As in `joint.create`. */
  ground_a?: Vector;
  /** As in `joint.create`. */
  ground_b?: Vector;
  /** As in `joint.create`. */
  break_force?: number;
  /** As in `joint.create`. */
  break_torque?: number;
  /** Where the anchors are now, in the world. [m] */
  points: [Vector, Vector];
  /** How it is now. */
  state: JointStateResult;
}
/** The answer of joint.get. */
export interface JointGetResult extends JointMap {
}
/** The answer of joint.create. */
export interface JointCreateResult {
  /** The joint's id. */
  joint: Number53;
  /** The tick whose state shows it first. */
  tick: number;
}
/** The answer of joint.list. */
export interface JointListResult {
  /** The world's name. */
  world: string;
  /** The tick that was read. */
  tick: number;
  /** Full joint maps. */
  joints: JointMap[];
}
/** A shape that a ray or a moving shape meets. */
export interface Hit {
  /** The body. */
  body: Number53;
  /** Its shape. */
  shape: Number53;
  /** The place of the hit. [m] */
  point: Vector;
  /** Unit vector out of the shape; [0, 0] where the path begins in it. */
  normal: Vector;
  /** The share of the path up to the hit, 0 to 1. */
  fraction: number;
}
/** The answer of query.ray and query.cast. */
export type HitsResult = Hit[] & {at?: number; hits?: Hit[]};
/** The answer of query.overlap. */
export type FoundResult = Number53[] & {at?: number; bodies?: Number53[]};
/** The answer of query.nearest; nil where there is nothing. */
export interface NearResult {
  /** The tick, or moment between two, that the read named. */
  at?: number;
  /** The body. */
  body: Number53;
  /** Its shape. */
  shape: Number53;
  /** The nearest point of the shape; the given point if that is inside. [m] */
  point: Vector;
  /** 0 inside. [m] */
  distance: number;
}
/** A key's value, by the key. */
export interface Datum {
  /** The value. */
  value: unknown;
  /** The number of its last change: above all earlier ones of the world. */
  version: number;
}
/** The answer of data.set. */
export interface DataSetResult {
  /** The key's version from now on. */
  version: number;
  /** The tick whose state shows it first. */
  tick: number;
}
/** The answer of data.get. */
export interface DataResult {
  /** The keys that are there, each with its value and version. */
  data: Record<string, Datum>;
  /** The tick that was read. */
  tick: number;
}
/** The answer of world.join. */
export interface JoinResult {
  /** The name of the world in which the session has a seat. */
  world: string;
  /** The seat, 1 to the world's number of seats. */
  seat: number;
  /** Whether this join made the world. */
  created: boolean;
  /** The tick whose state has the seat. */
  tick: number;
}
/** A taken seat. */
export interface SeatMap {
  /** Its number, from 1 on. */
  seat: number;
  /** The number of the session that has it. */
  session: Number53;
  /** That session's subject; left out if it has none. */
  subject?: string;
}
/** A server of the fleet, as server.fleet lists it. */
export interface FleetNode {
  /** Its name. */
  node: string;
  /** Whether it is the server that answers. */
  self: boolean;
  /** Where clients reach it by TCP. */
  address: string;
  /** Where clients reach it by HTTP and WebSocket; left out if it has none. */
  http?: string;
  /** The number of its engine's behaviour. */
  engine: number;
  /** Whether it takes no new worlds, as it is about to end. */
  draining: boolean;
  /** Worlds that it serves. */
  worlds: number;
  /** Its sessions that have a connection. */
  sessions: number;
  /** By how much its ticks begin late: the 99th percentile since its start. [ms] */
  lateness_ms: number;
  /** Memory that it may still take. [bytes] */
  free_memory: number;
}
/** A world of the fleet, as server.fleet lists it. */
export interface FleetWorld {
  /** Its name. */
  world: string;
  /** How many servers have had it: it rises with each change. */
  term: number;
  /** The server that serves it; it lives if it is among `nodes`. */
  node: string;
  /** The server that takes over if that one ends; left out if there is none. */
  standby?: string;
  /** Up to where the standby has its log; this and the next two only of worlds that the answering server serves, and that have a standby. */
  standby_tick?: number;
  /** For how long the oldest entry of the log that the standby does not have has waited; 0 if it has all. [s] */
  lag_s?: number;
  /** Bytes of the log that it does not have. */
  lag_bytes?: number;
  /** The number of its engine's behaviour. */
  engine: number;
  /** Its ticks a second. [1/s] */
  hz: number;
  /** Where clients reach its server by TCP. */
  address: string;
  /** Likewise by HTTP and WebSocket; left out if it has none. */
  http?: string;
}
/** The answer of server.fleet. */
export interface Fleet {
  /** Where its records are in etcd. */
  prefix: string;
  /** Only while etcd does not answer this server: why. What it lists may then be old. */
  store_error?: string;
  /** The servers that live, by their names. */
  nodes: FleetNode[];
  /** The worlds, by their names. */
  worlds: FleetWorld[];
  /** How many worlds there are in all. */
  total: number;
}
/** The answer of world.move. */
export interface WorldMove {
  /** The world's name. */
  world: string;
  /** The server that serves it now. */
  node: string;
  /** How many servers have had it. */
  term: number;
}
// end of generated

/** [id, x, y, angle, vx, vy, w] */
export type Row = [number, number, number, number, number, number, number];
export interface Snapshot {
  subscription: number; world: string; epoch: number; tick: number; time: number; full: boolean;
  bodies: Row[]; removed: Number53[]; enter?: Number53[]; leave?: Number53[];
  events: WorldEvent[]; contacts?: ContactMap[]; hash?: Hash; last?: number; skipped?: number;
  events_lost?: number; margin?: number;
  spawned?: BodyMap[]; joints?: JointMap[]; joints_removed?: Number53[]; describing?: boolean;
  view?: Area; unfollowed?: Number53; left_out?: number; oldest?: number;
  /** Of subscriptions with `data`: the keys that have changed, null for one that is gone; all, with `full`. */
  data?: Record<string, unknown>;
}

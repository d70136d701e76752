// Generated from proto/schema by proto/generate/typescript.py: do not edit.
import type {
  BatchResult, BodyGetResult, CallOptions, ContactsResult, DataResult, DataSetResult, Fleet, FoundResult,
  Hello, HitsResult, JoinResult, JointCreateResult, JointGetResult, JointListResult, NearResult, Number53,
  PingResult, ServerInfo, ServerStatsResult, SessionsResult, ShapeAddResult, SpawnResult, StateResult,
  SubscribeResult, Tick, WorldCreateResult, WorldImageResult, WorldInfo, WorldMove, WorldTick,
} from './results.js';

/** A body, shape, joint or subscription; in a batch also what an earlier command made. */
export type Id = number | {$: number};
/** [x, y] */
export type Vector = [number, number];
/** [x0, y0, x1, y1]: lower left and upper right corner */
export type Area = [number, number, number, number];
/** A command of world.apply: the method and its arguments without `world`. */
export type Command = {[M in BatchMethodName]: [method: M, args: BatchArguments<M>]}[BatchMethodName];
/** What a command of a batch makes, for later commands of the same batch. */
export type Reference = {$: number};

export interface Filter {
  /** The shape's own categories: bits. Default 1. */
  category?: number | bigint;
  /** The categories it meets: each one's mask must have a bit of the other's category. Default -1. */
  mask?: number | bigint;
  /** Shapes of the same group never meet if it is negative, and always if it is positive; 0: no group. Default 0. */
  group?: number;
}

export interface Precision {
  /** Places are rounded to multiples of this. Default 0.001953125. [m] */
  position?: number;
  /** Angles are rounded to this, or a little less: a whole number of steps makes a turn. Default 0.006135923151542565. [rad] */
  angle?: number;
  /** Velocities (and spin, in rad/s) are rounded to this; not sent, if left out. [m/s] */
  velocity?: number;
}

export interface Players {
  /** The commands, reads and queries that it may call. */
  methods?: ('world.state' | 'world.contacts' | 'world.apply' | 'body.spawn' | 'body.remove' | 'body.get' | 'body.set' | 'body.impulse' | 'body.angular_impulse' | 'body.force' | 'body.torque' | 'shape.add' | 'shape.set' | 'shape.remove' | 'joint.create' | 'joint.set' | 'joint.remove' | 'joint.get' | 'joint.list' | 'query.ray' | 'query.overlap' | 'query.cast' | 'query.nearest' | 'data.set' | 'data.remove' | 'data.get' | 'message.send')[];
  /** Types of bodies that it may make. */
  types?: ('static' | 'kinematic' | 'dynamic')[];
  /** Bodies that one subject may own. */
  bodies?: number;
  /** Mass of a body that it makes or changes, by `mass` or by density. [kg] */
  mass?: number;
  /** Longer side of the box around a body's shapes, in the body's frame. [m] */
  size?: number;
  /** Speed that a command may give to a body, and to its surface by turning or as a conveyor. [m/s] */
  speed?: number;
  /** Force of body.force, of gravity_scale, and of a joint's motor or spring. [N] */
  force?: number;
  /** Sum of the impulses that a subject gives to a body in a tick; apart from it in N m s, that of the angular ones. [N s] */
  impulse?: number;
  /** Torque of body.torque, of a force about the centre of mass, and of a joint's motor or spring. [N m] */
  torque?: number;
  /** Place for bodies that it makes or moves by body.set, with all of their shapes. [m] */
  area?: Area;
}

export interface CircleShape {
  /** The form. */
  kind: 'circle';
  /** Radius of the circle. [m] */
  radius: number;
  /** Place in the body's frame. Default [0, 0]. [m] */
  center?: Vector;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export interface BoxShape {
  /** The form. */
  kind: 'box';
  /** Full width and height. [m] */
  size: Vector;
  /** Place in the body's frame. Default [0, 0]. [m] */
  center?: Vector;
  /** Angle of the rectangle, about its centre. Default 0. [rad] */
  angle?: number;
  /** Rounding around the polygon. Default 0. [m] */
  radius?: number;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export interface PolygonShape {
  /** The form. */
  kind: 'polygon';
  /** Points in any order; their convex hull is taken. [m] */
  vertices: Vector[];
  /** Rounding around the polygon. Default 0. [m] */
  radius?: number;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export interface CapsuleShape {
  /** The form. */
  kind: 'capsule';
  /** One end of the middle line. [m] */
  a: Vector;
  /** The other end. [m] */
  b: Vector;
  /** Radius around the middle line. [m] */
  radius: number;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export interface SegmentShape {
  /** The form. */
  kind: 'segment';
  /** One end. [m] */
  a: Vector;
  /** The other end. [m] */
  b: Vector;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export interface ChainShape {
  /** The form. */
  kind: 'chain';
  /** Points in order; the chain collides on its right side, a counter-clockwise loop on its outside. [m] */
  vertices: Vector[];
  /** The last point joins the first; 3 points or more. Default false. */
  loop?: boolean;
  /** Mass by area. Default 1. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. Default 0.6. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. Default 0. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. Default 0. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. Default 0. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. Default false. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact", "sensor"]. */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. Default [0, 0]. */
  one_way?: Vector;
}

export type Shape = CircleShape | BoxShape | PolygonShape | CapsuleShape | SegmentShape | ChainShape;
/** A shape without its matter; no chain. */
export type Form = Exclude<Shape, ChainShape>;

export interface HelloArguments {
  /** The version that the client speaks. Default 1. */
  protocol?: number;
  /** Name and version of the client, for logs. Default "". */
  client?: string;
  /** A token that says who the client is, if the server asks for one. */
  token?: string;
  /** The secret from an earlier hello's answer, to resume that session. */
  resume?: string;
}

export interface PingArguments {
  /** Any value; the answer has it unchanged. */
  any?: unknown;
}

export interface GoodbyeArguments {
}

export interface ServerInfoArguments {
}

export interface ServerStatsArguments {
  /** Whether the answer includes the bins of each latency. Default false. */
  bins?: boolean;
}

export interface ServerSessionsArguments {
  /** Only sessions with a number above this one. Default 0. */
  after?: number;
  /** The maximum of sessions in the answer. Default 1000. */
  count?: number;
}

export interface ServerKickArguments {
  /** The session's number. */
  session: Id;
  /** Text for the session's client. Default "closed by an administrator". */
  reason?: string;
}

export interface WorldCreateArguments {
  /** The world's name. */
  world: string;
  /** Acceleration of every dynamic body. Default [0, -9.81]. [m/s²] */
  gravity?: Vector;
  /** Ticks in a second. Default 60. [1/s] */
  hz?: number;
  /** Solver steps in a tick. Default 4. */
  substeps?: number;
  /** Whether the world begins paused. Default false. */
  paused?: boolean;
  /** Maximum of bodies; more are refused with limit_exceeded. Default 1048576. */
  max_bodies?: number;
  /** How much a restart restores; if left out: normal where the server keeps logs, else none. */
  durability?: 'none' | 'normal' | 'full' | 'replicated';
  /** Bodies at rest may sleep. Default true. */
  sleep?: boolean;
  /** Whether fast bodies are swept against static and kinematic ones. Default true. */
  continuous?: boolean;
  /** Slower impacts do not bounce. Default 0.5. [m/s] */
  restitution_threshold?: number;
  /** Slower impacts make no hit event. Default 1. [m/s] */
  hit_threshold?: number;
  /** Bodies below this speed may sleep; 0: none sleeps. Default 0.05. [m/s] */
  sleep_speed?: number;
  /** A scene that the server has; its settings apply where none are given here. */
  scene?: string;
  /** Whether an existing world of that name is the answer instead of an error. Default false. */
  if_absent?: boolean;
  /** Whether the world ends with the server, or with the session that made it. Default "server". */
  lifetime?: 'server' | 'session';
  /** An image that world.image answered: the world begins as that one, with its settings. */
  image?: Uint8Array;
  /** The bounds of the role player here: a map of maxima; {} ends them. */
  players?: Players;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldDestroyArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldListArguments {
}

export interface WorldInfoArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldPauseArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldResumeArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldStepArguments {
  /** The world's name. */
  world: string;
  /** Number of ticks. Default 1. */
  ticks?: number;
  /** The tick to go to, instead of `ticks`; a world that replays a recording can go back too. */
  to?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldSetArguments {
  /** The world's name. */
  world: string;
  /** Acceleration of every dynamic body. [m/s²] */
  gravity?: Vector;
  /** Bodies at rest may sleep. */
  sleep?: boolean;
  /** Slower impacts do not bounce. [m/s] */
  restitution_threshold?: number;
  /** Bodies below this speed may sleep; 0: none sleeps. [m/s] */
  sleep_speed?: number;
  /** The bounds of the role player here: a map of maxima; {} ends them. */
  players?: Players;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldImageArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldForkArguments {
  /** The world's name. */
  world: string;
  /** The second world's name. */
  as: string;
  /** How much a restart restores; if left out: normal where the server keeps logs, else none. */
  durability?: 'none' | 'normal' | 'full' | 'replicated';
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldStateArguments {
  /** The world's name. */
  world: string;
  /** A tick of the world's history whose state is read; the present one, if left out. */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldContactsArguments {
  /** The world's name. */
  world: string;
  /** Only contacts of this body. */
  body?: Id;
  /** A tick of the world's history whose state is read; the present one, if left out. */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldApplyArguments {
  /** The world's name. */
  world: string;
  /** Commands, each with its method's own arguments, without world. */
  commands: Command[];
  /** The tick whose state shows them first; the next one, if left out. */
  at?: number;
  /** The treatment of a batch whose tick is over: an error, applied with the next tick, or not applied. Default "refuse". */
  late?: 'refuse' | 'next' | 'drop';
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldSubscribeArguments {
  /** The world's name. */
  world: string;
  /** Snapshots a second at most; one a tick, if left out. [1/s] */
  rate?: number;
  /** The encoding of bodies; log: the world's commands, for a replica. Default "plain". */
  encoding?: 'plain' | 'packed' | 'log';
  /** The values that encoding packed sends, and their steps; no other encoding takes it. */
  precision?: Precision;
  /** Only bodies whose box meets it; the whole world, if left out. [m] */
  area?: Area;
  /** A body that the area moves with; the area is then relative to its position. */
  follow?: Id;
  /** A body stays in view until it is farther than this from the area. A sixteenth of the area's shorter side, if left out. [m] */
  margin?: number;
  /** Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out. [B/s] */
  budget?: number;
  /** Whether rows of bodies are sent; false for events alone. Default true. */
  bodies?: boolean;
  /** The kinds of events that are sent. Default ["begin", "end"]. */
  events?: ('begin' | 'stay' | 'end' | 'hit' | 'sensor_begin' | 'sensor_end' | 'sleep' | 'wake' | 'spawn' | 'remove' | 'joint_break' | 'freeze' | 'message' | 'join' | 'leave')[];
  /** Whether the points of every touching pair are sent, for drawing. Default false. */
  contacts?: boolean;
  /** Whether full maps of bodies and joints are sent when they are new or were changed. Default false. */
  describe?: boolean;
  /** `compact` of hello's answer, for encoding log, if the reader has the same number. Default 0. */
  compact?: number;
  /** Whether changes of the world's data are sent: true for all keys, or the prefixes of the wanted keys. */
  data?: boolean | string[];
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldUnsubscribeArguments {
  /** The number that world.subscribe gave. */
  subscription: Id;
}

export interface WorldViewArguments {
  /** The number that world.subscribe gave. */
  subscription: Id;
  /** The new area; the whole world, if left out. [m] */
  area?: Area;
  /** A body that the area moves with; the area is then relative to its position. */
  follow?: Id;
  /** A body stays in view until it is farther than this from the area. Unchanged, if left out. [m] */
  margin?: number;
}

export interface BodySpawnArguments {
  /** The world's name. */
  world: string;
  /** static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. Default "dynamic". */
  type?: 'static' | 'kinematic' | 'dynamic';
  /** Place of the body's origin. Default [0, 0]. [m] */
  position?: Vector;
  /** Counter-clockwise. Default 0. [rad] */
  angle?: number;
  /** Velocity of the centre of mass. Default [0, 0]. [m/s] */
  velocity?: Vector;
  /** Counter-clockwise. Default 0. [rad/s] */
  angular_velocity?: number;
  /** Loss of velocity. Default 0. [1/s] */
  linear_damping?: number;
  /** Loss of angular velocity. Default 0. [1/s] */
  angular_damping?: number;
  /** Share of the world's gravity. Default 1. */
  gravity_scale?: number;
  /** Never turns. Default false. */
  fixed_rotation?: boolean;
  /** A dynamic body that is swept against moving bodies too. Default false. */
  bullet?: boolean;
  /** May sleep when it is at rest. Default true. */
  allow_sleep?: boolean;
  /** Moves; false puts it to sleep. Default true. */
  awake?: boolean;
  /** A disabled body neither moves nor collides. Default true. */
  enabled?: boolean;
  /** Mass of the body; 0: the sum of its shapes'. Default 0. [kg] */
  mass?: number;
  /** UTF-8 text that the server keeps for clients. Default "". */
  tag?: string;
  /** The body's shapes; a body without any is a mass point of 1 kg. */
  shapes: Shape[];
  /** Whether the body ends with the world, or with the session that spawned it. Default "world". */
  lifetime?: 'world' | 'session';
  /** The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin may name anyone else. */
  owner?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyRemoveArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyGetArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** A tick of the world's history whose state is read; the present one, if left out. */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodySetArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. */
  type?: 'static' | 'kinematic' | 'dynamic';
  /** Place of the body's origin. [m] */
  position?: Vector;
  /** Counter-clockwise. [rad] */
  angle?: number;
  /** Velocity of the centre of mass. [m/s] */
  velocity?: Vector;
  /** Counter-clockwise. [rad/s] */
  angular_velocity?: number;
  /** Loss of velocity. [1/s] */
  linear_damping?: number;
  /** Loss of angular velocity. [1/s] */
  angular_damping?: number;
  /** Share of the world's gravity. */
  gravity_scale?: number;
  /** Never turns. */
  fixed_rotation?: boolean;
  /** A dynamic body that is swept against moving bodies too. */
  bullet?: boolean;
  /** May sleep when it is at rest. */
  allow_sleep?: boolean;
  /** Moves; false puts it to sleep. */
  awake?: boolean;
  /** A disabled body neither moves nor collides. */
  enabled?: boolean;
  /** Mass of the body; 0: the sum of its shapes'. [kg] */
  mass?: number;
  /** UTF-8 text that the server keeps for clients. */
  tag?: string;
  /** The new owner; set by the present owner, or by a referee or an admin, who may also say "" for nobody. */
  owner?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyImpulseArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** Changes the velocity at once. [N s] */
  impulse: Vector;
  /** Where it acts, in the world; the centre of mass, if left out. [m] */
  point?: Vector;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyAngularImpulseArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** Counter-clockwise. [N m s] */
  impulse: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyForceArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** Acts on every tick until it is set again; zero ends it. [N] */
  force: Vector;
  /** Where it acts, in the world; the force stays at that point of the body. The centre of mass, if left out. [m] */
  point?: Vector;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface BodyTorqueArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** Acts on every tick until it is set again; zero ends it. [N m] */
  torque: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface ShapeAddArguments {
  /** The world's name. */
  world: string;
  /** The body's id. */
  body: Id;
  /** A shape as body.spawn takes it. */
  shape: Shape;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface ShapeSetArguments {
  /** The world's name. */
  world: string;
  /** The shape's id. */
  shape: Id;
  /** Mass by area. [kg/m²] */
  density?: number;
  /** Friction; for a pair of shapes, the root of the product. */
  friction?: number;
  /** Restitution; for a pair of shapes, the larger one. */
  restitution?: number;
  /** Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. */
  rolling_resistance?: number;
  /** Conveyor: the surface's speed along the outward normal turned clockwise. [m/s] */
  tangent_speed?: number;
  /** Whether the shape reports bodies that enter it instead of colliding. */
  sensor?: boolean;
  /** The shapes that it collides with; all, if left out. */
  filter?: Filter;
  /** Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). */
  events?: ('contact' | 'hit' | 'sensor')[];
  /** One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all sides. */
  one_way?: Vector;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface ShapeRemoveArguments {
  /** The world's name. */
  world: string;
  /** The shape's id. */
  shape: Id;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface JointCreateArguments {
  /** The world's name. */
  world: string;
  /** The kind of joint. */
  kind: 'revolute' | 'prismatic' | 'distance' | 'weld' | 'wheel' | 'motor' | 'mouse' | 'filter' | 'gear' | 'pulley';
  /** The first body; a mouse has none, and a gear may name joints instead. */
  a?: Id;
  /** The second body. */
  b?: Id;
  /** The place in the world where it acts; or anchor_a and anchor_b instead. [m] */
  anchor?: Vector;
  /** A point of a, in its frame. [m] */
  anchor_a?: Vector;
  /** A point of b, in its frame. [m] */
  anchor_b?: Vector;
  /** A direction in the world, of any length. */
  axis?: Vector;
  /** The angle of b minus that of a at which the joint's angle is zero; the present one, if left out. [rad] */
  reference_angle?: number;
  /** A revolute or prismatic joint that the gear couples. */
  joint_a?: Id;
  /** The other joint that the gear couples; both are given, or neither. */
  joint_b?: Id;
  /** The place where a's rope turns, in the world. [m] */
  ground_a?: Vector;
  /** The place where b's rope turns, in the world. [m] */
  ground_b?: Vector;
  /** The weight of b's motion; at least 0.001 in size, > 0 for a pulley. Default 1. */
  ratio?: number;
  /** Whether the two bodies collide with each other. Default false. */
  collide_connected?: boolean;
  /** Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [m] */
  length?: number;
  /** Lower limit. [rad or m] */
  lower?: number;
  /** Upper limit. [rad or m] */
  upper?: number;
  /** The speed that the motor aims at; 0: a brake. [rad/s or m/s] */
  motor_speed?: number;
  /** Greatest force of the motor or mouse; 0: off. [N] */
  max_force?: number;
  /** Greatest torque of the motor; 0: off. [N m] */
  max_torque?: number;
  /** Frequency of the spring; 0: none. [1/s] */
  hertz?: number;
  /** Damping of the spring; 1: critical. */
  damping_ratio?: number;
  /** Frequency of the angle's spring; 0: none. [1/s] */
  angular_hertz?: number;
  /** Damping of the angle's spring; 1: critical. */
  angular_damping_ratio?: number;
  /** mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m] */
  target?: Vector;
  /** The spring's position of rest. [rad] */
  target_angle?: number;
  /** The spring's position of rest. [m] */
  target_translation?: number;
  /** Velocity of b's anchor that the motor aims at, in a's frame. [m/s] */
  velocity?: Vector;
  /** The force above which the joint breaks; 0: none. [N] */
  break_force?: number;
  /** The torque above which the joint breaks; 0: none. [N m] */
  break_torque?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface JointSetArguments {
  /** The world's name. */
  world: string;
  /** The joint's id. */
  joint: Id;
  /** Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [m] */
  length?: number;
  /** Lower limit. [rad or m] */
  lower?: number;
  /** Upper limit. [rad or m] */
  upper?: number;
  /** The speed that the motor aims at; 0: a brake. [rad/s or m/s] */
  motor_speed?: number;
  /** Greatest force of the motor or mouse; 0: off. [N] */
  max_force?: number;
  /** Greatest torque of the motor; 0: off. [N m] */
  max_torque?: number;
  /** Frequency of the spring; 0: none. [1/s] */
  hertz?: number;
  /** Damping of the spring; 1: critical. */
  damping_ratio?: number;
  /** Frequency of the angle's spring; 0: none. [1/s] */
  angular_hertz?: number;
  /** Damping of the angle's spring; 1: critical. */
  angular_damping_ratio?: number;
  /** mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m] */
  target?: Vector;
  /** The spring's position of rest. [rad] */
  target_angle?: number;
  /** The spring's position of rest. [m] */
  target_translation?: number;
  /** Velocity of b's anchor that the motor aims at, in a's frame. [m/s] */
  velocity?: Vector;
  /** The force above which the joint breaks; 0: none. [N] */
  break_force?: number;
  /** The torque above which the joint breaks; 0: none. [N m] */
  break_torque?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface JointRemoveArguments {
  /** The world's name. */
  world: string;
  /** The joint's id. */
  joint: Id;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface JointGetArguments {
  /** The world's name. */
  world: string;
  /** The joint's id. */
  joint: Id;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface JointListArguments {
  /** The world's name. */
  world: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface QueryRayArguments {
  /** The world's name. */
  world: string;
  /** The beginning of the ray. [m] */
  from: Vector;
  /** The end of the ray. [m] */
  to: Vector;
  /** The shapes that the query sees; all, if left out. */
  filter?: Filter;
  /** A body that the query does not see. */
  ignore?: Id;
  /** Whether the query sees sensors too. Default false. */
  sensors?: boolean;
  /** Whether all hits are answered; only the nearest, if left out. Default false. */
  all?: boolean;
  /** A tick of the world's history that the query looks at, or a moment between two; the present tick, if left out. [ticks] */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface QueryOverlapArguments {
  /** The world's name. */
  world: string;
  /** Bodies with a shape that meets it, or else: [m] */
  area?: Area;
  /** Bodies that overlap it (world coordinates), or else: */
  shape?: Form;
  /** Bodies that this point lies in. [m] */
  point?: Vector;
  /** The shapes that the query sees; all, if left out. */
  filter?: Filter;
  /** A body that the query does not see. */
  ignore?: Id;
  /** Whether the query sees sensors too. Default false. */
  sensors?: boolean;
  /** A tick of the world's history that the query looks at, or a moment between two; the present tick, if left out. [ticks] */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface QueryCastArguments {
  /** The world's name. */
  world: string;
  /** The shape, relative to its origin. */
  shape: Form;
  /** Where the path of the shape's origin begins. [m] */
  from: Vector;
  /** Where the path of the shape's origin ends. [m] */
  to: Vector;
  /** The shapes that the query sees; all, if left out. */
  filter?: Filter;
  /** A body that the query does not see. */
  ignore?: Id;
  /** Whether the query sees sensors too. Default false. */
  sensors?: boolean;
  /** Whether all hits are answered; only the nearest, if left out. Default false. */
  all?: boolean;
  /** A tick of the world's history that the query looks at, or a moment between two; the present tick, if left out. [ticks] */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface QueryNearestArguments {
  /** The world's name. */
  world: string;
  /** A place in the world. [m] */
  point: Vector;
  /** How far to look. Default 1000000. [m] */
  radius?: number;
  /** The shapes that the query sees; all, if left out. */
  filter?: Filter;
  /** A body that the query does not see. */
  ignore?: Id;
  /** Whether the query sees sensors too. Default false. */
  sensors?: boolean;
  /** A tick of the world's history that the query looks at, or a moment between two; the present tick, if left out. [ticks] */
  at?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface DataSetArguments {
  /** The world's name. */
  world: string;
  /** A text that is not empty. */
  key: string;
  /** Any value but nil, at most 16 containers deep. */
  value: unknown;
  /** The version that the key must have, 0 for a key that is not there; already_exists names the one that it has. Any, if left out. */
  version?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface DataRemoveArguments {
  /** The world's name. */
  world: string;
  /** A text that is not empty. */
  key: string;
  /** The version that the key must have, 0 for a key that is not there; already_exists names the one that it has. Any, if left out. */
  version?: number;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface DataGetArguments {
  /** The world's name. */
  world: string;
  /** A text that is not empty. */
  key?: string;
  /** The beginning of the keys that are answered. */
  prefix?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface MessageSendArguments {
  /** The world's name. */
  world: string;
  /** The kind of message, a word of the game's own. */
  name: string;
  /** Any value, at most 16 containers deep. */
  data?: unknown;
  /** Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject, or the number of a session. */
  to?: string | number;
  /** The sender's subject; the session's, if left out. Only a referee or an admin may name another. */
  subject?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldJoinArguments {
  /** The world to join, if it is to be this one; of the template. */
  world?: string;
  /** The template's name. */
  template: string;
  /** Any value, at most 16 containers deep: the event `join` has it. */
  data?: unknown;
  /** Only in logs: the seat that the server chose. Default 0. */
  seat?: number;
  /** Only in logs: the number of the session. */
  session?: Id;
  /** Only in logs: the session's subject. */
  subject?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface WorldLeaveArguments {
  /** The world's name. */
  world: string;
  /** The session whose seat it is; this one, if left out. Only a referee or an admin may name another. */
  session?: Id;
  /** Only in logs: the seat. Default 0. */
  seat?: number;
  /** Only in logs: the session's subject. */
  subject?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

export interface ServerFleetArguments {
  /** Only worlds with a name behind this one. Default "". */
  after?: string;
  /** The maximum of worlds in the answer. Default 1000. */
  count?: number;
}

export interface WorldMoveArguments {
  /** The world's name. */
  world: string;
  /** The other server's name; left out, its standby, or else that with fewer worlds of two chosen by chance. Default "". */
  to?: string;
  /** The epoch that the world must have; not_found if it has another. */
  epoch?: number;
}

/** The arguments of every method, by its name. */
export interface Arguments {
  'hello': HelloArguments;
  'ping': PingArguments;
  'goodbye': GoodbyeArguments;
  'server.info': ServerInfoArguments;
  'server.stats': ServerStatsArguments;
  'server.sessions': ServerSessionsArguments;
  'server.kick': ServerKickArguments;
  'world.create': WorldCreateArguments;
  'world.destroy': WorldDestroyArguments;
  'world.list': WorldListArguments;
  'world.info': WorldInfoArguments;
  'world.pause': WorldPauseArguments;
  'world.resume': WorldResumeArguments;
  'world.step': WorldStepArguments;
  'world.set': WorldSetArguments;
  'world.image': WorldImageArguments;
  'world.fork': WorldForkArguments;
  'world.state': WorldStateArguments;
  'world.contacts': WorldContactsArguments;
  'world.apply': WorldApplyArguments;
  'world.subscribe': WorldSubscribeArguments;
  'world.unsubscribe': WorldUnsubscribeArguments;
  'world.view': WorldViewArguments;
  'body.spawn': BodySpawnArguments;
  'body.remove': BodyRemoveArguments;
  'body.get': BodyGetArguments;
  'body.set': BodySetArguments;
  'body.impulse': BodyImpulseArguments;
  'body.angular_impulse': BodyAngularImpulseArguments;
  'body.force': BodyForceArguments;
  'body.torque': BodyTorqueArguments;
  'shape.add': ShapeAddArguments;
  'shape.set': ShapeSetArguments;
  'shape.remove': ShapeRemoveArguments;
  'joint.create': JointCreateArguments;
  'joint.set': JointSetArguments;
  'joint.remove': JointRemoveArguments;
  'joint.get': JointGetArguments;
  'joint.list': JointListArguments;
  'query.ray': QueryRayArguments;
  'query.overlap': QueryOverlapArguments;
  'query.cast': QueryCastArguments;
  'query.nearest': QueryNearestArguments;
  'data.set': DataSetArguments;
  'data.remove': DataRemoveArguments;
  'data.get': DataGetArguments;
  'message.send': MessageSendArguments;
  'world.join': WorldJoinArguments;
  'world.leave': WorldLeaveArguments;
  'server.fleet': ServerFleetArguments;
  'world.move': WorldMoveArguments;
}

/** The answer of every method. */
export interface Results {
  'hello': Hello;
  'ping': PingResult;
  'goodbye': {};
  'server.info': ServerInfo;
  'server.stats': ServerStatsResult;
  'server.sessions': SessionsResult;
  'server.kick': {};
  'world.create': WorldCreateResult;
  'world.destroy': WorldTick;
  'world.list': WorldInfo[];
  'world.info': WorldInfo;
  'world.pause': WorldTick;
  'world.resume': WorldTick;
  'world.step': WorldTick;
  'world.set': Tick;
  'world.image': WorldImageResult;
  'world.fork': WorldCreateResult;
  'world.state': StateResult;
  'world.contacts': ContactsResult;
  'world.apply': BatchResult;
  'world.subscribe': SubscribeResult;
  'world.unsubscribe': {};
  'world.view': {};
  'body.spawn': SpawnResult;
  'body.remove': Tick;
  'body.get': BodyGetResult;
  'body.set': Tick;
  'body.impulse': Tick;
  'body.angular_impulse': Tick;
  'body.force': Tick;
  'body.torque': Tick;
  'shape.add': ShapeAddResult;
  'shape.set': Tick;
  'shape.remove': Tick;
  'joint.create': JointCreateResult;
  'joint.set': Tick;
  'joint.remove': Tick;
  'joint.get': JointGetResult;
  'joint.list': JointListResult;
  'query.ray': HitsResult;
  'query.overlap': FoundResult;
  'query.cast': HitsResult;
  'query.nearest': NearResult | null;
  'data.set': DataSetResult;
  'data.remove': Tick;
  'data.get': DataResult;
  'message.send': Tick;
  'world.join': JoinResult;
  'world.leave': Tick;
  'server.fleet': Fleet;
  'world.move': WorldMove;
  // Of a server that knows more methods than this package.
  [method: string]: unknown;
}

/** The methods that are allowed in a batch. */
export type BatchMethodName =
  'world.set' |
  'body.spawn' |
  'body.remove' |
  'body.get' |
  'body.set' |
  'body.impulse' |
  'body.angular_impulse' |
  'body.force' |
  'body.torque' |
  'shape.add' |
  'shape.set' |
  'shape.remove' |
  'joint.create' |
  'joint.set' |
  'joint.remove' |
  'joint.get' |
  'data.set' |
  'data.remove' |
  'data.get' |
  'message.send';
/** Their arguments there: the batch says which world, and which epoch. */
export type BatchArguments<M extends BatchMethodName> = Omit<Arguments[M], 'world' | 'epoch'>;

/** Every method as a function. */
export interface Methods {
  /** Introduces the client; the answer has the limits that the client must keep. Least role: none. */
  hello(args?: HelloArguments, options?: CallOptions): Promise<Results['hello']>;
  /** Answers at once. Least role: none. */
  ping(args?: PingArguments, options?: CallOptions): Promise<Results['ping']>;
  /** Ends the session: nothing is kept for a resume. Least role: none. */
  goodbye(args?: GoodbyeArguments, options?: CallOptions): Promise<Results['goodbye']>;
  readonly server: {
    /** The server's version, uptime and limits. Least role: viewer. */
    info(args?: ServerInfoArguments, options?: CallOptions): Promise<Results['server.info']>;
    /** The server's counters and latencies since it began. Least role: viewer. */
    stats(args?: ServerStatsArguments, options?: CallOptions): Promise<Results['server.stats']>;
    /** The sessions, by their numbers. Least role: admin. */
    sessions(args?: ServerSessionsArguments, options?: CallOptions): Promise<Results['server.sessions']>;
    /** Ends a session and closes its connection. Least role: admin. */
    kick(args: ServerKickArguments, options?: CallOptions): Promise<Results['server.kick']>;
    /** The servers of the fleet and its worlds, as this server knows them. Least role: admin. */
    fleet(args?: ServerFleetArguments, options?: CallOptions): Promise<Results['server.fleet']>;
  };
  readonly world: {
    /** Makes a world, which begins to run unless it is paused. Least role: admin. */
    create(args: WorldCreateArguments, options?: CallOptions): Promise<Results['world.create']>;
    /** Ends a world and its subscriptions. Least role: admin. */
    destroy(args: WorldDestroyArguments, options?: CallOptions): Promise<Results['world.destroy']>;
    /** All worlds. Least role: viewer. */
    list(args?: WorldListArguments, options?: CallOptions): Promise<Results['world.list']>;
    /** A world in numbers. Least role: viewer. */
    info(args: WorldInfoArguments, options?: CallOptions): Promise<Results['world.info']>;
    /** Pauses a world; no error if it is paused already. Least role: referee. */
    pause(args: WorldPauseArguments, options?: CallOptions): Promise<Results['world.pause']>;
    /** Resumes a paused world; no error if it is running. Least role: referee. */
    resume(args: WorldResumeArguments, options?: CallOptions): Promise<Results['world.resume']>;
    /** Runs some ticks of a paused world. Least role: referee. */
    step(args: WorldStepArguments, options?: CallOptions): Promise<Results['world.step']>;
    /** Changes a world's settings; at least one must be given. Least role: referee. */
    set(args: WorldSetArguments, options?: CallOptions): Promise<Results['world.set']>;
    /** The whole state of a world, to the bit, as bytes. Least role: admin. */
    image(args: WorldImageArguments, options?: CallOptions): Promise<Results['world.image']>;
    /** Makes a second world with the same state, which then runs independently. Least role: admin. */
    fork(args: WorldForkArguments, options?: CallOptions): Promise<Results['world.fork']>;
    /** All bodies and joints of a world. Least role: viewer. */
    state(args: WorldStateArguments, options?: CallOptions): Promise<Results['world.state']>;
    /** The pairs of shapes that touch, of the world or of one body. Least role: viewer. */
    contacts(args: WorldContactsArguments, options?: CallOptions): Promise<Results['world.contacts']>;
    /** Applies many commands in one tick, all of them or none. Least role: player. */
    apply(args: WorldApplyArguments, options?: CallOptions): Promise<Results['world.apply']>;
    /** Sends snapshots from now on. Least role: viewer. */
    subscribe(args: WorldSubscribeArguments, options?: CallOptions): Promise<Results['world.subscribe']>;
    /** Ends a subscription. Least role: viewer. */
    unsubscribe(args: WorldUnsubscribeArguments, options?: CallOptions): Promise<Results['world.unsubscribe']>;
    /** Moves a subscription's area. Least role: viewer. */
    view(args: WorldViewArguments, options?: CallOptions): Promise<Results['world.view']>;
    /** Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new world. Least role: player. */
    join(args: WorldJoinArguments, options?: CallOptions): Promise<Results['world.join']>;
    /** Frees a seat. The server does so by itself when the session ends. Least role: player. */
    leave(args: WorldLeaveArguments, options?: CallOptions): Promise<Results['world.leave']>;
    /** Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its sessions can be resumed there. Least role: admin. */
    move(args: WorldMoveArguments, options?: CallOptions): Promise<Results['world.move']>;
  };
  readonly body: {
    /** Makes a body with its shapes. Least role: player. */
    spawn(args: BodySpawnArguments, options?: CallOptions): Promise<Results['body.spawn']>;
    /** Removes a body with its shapes and joints. Least role: player. */
    remove(args: BodyRemoveArguments, options?: CallOptions): Promise<Results['body.remove']>;
    /** All about a body. Least role: viewer. */
    get(args: BodyGetArguments, options?: CallOptions): Promise<Results['body.get']>;
    /** Changes the given properties, at least one; the others stay as they are. Least role: player. */
    set(args: BodySetArguments, options?: CallOptions): Promise<Results['body.set']>;
    /** A push; wakes the body. Least role: player. */
    impulse(args: BodyImpulseArguments, options?: CallOptions): Promise<Results['body.impulse']>;
    /** A twist; wakes the body. Least role: player. */
    angular_impulse(args: BodyAngularImpulseArguments, options?: CallOptions): Promise<Results['body.angular_impulse']>;
    /** Sets the force that acts from now on; wakes the body. Least role: player. */
    force(args: BodyForceArguments, options?: CallOptions): Promise<Results['body.force']>;
    /** Sets the torque that acts from now on; wakes the body. Least role: player. */
    torque(args: BodyTorqueArguments, options?: CallOptions): Promise<Results['body.torque']>;
  };
  readonly shape: {
    /** Gives a body another shape. Least role: player. */
    add(args: ShapeAddArguments, options?: CallOptions): Promise<Results['shape.add']>;
    /** Changes the given properties of a shape; its form stays. Least role: player. */
    set(args: ShapeSetArguments, options?: CallOptions): Promise<Results['shape.set']>;
    /** Removes a shape from its body. Least role: player. */
    remove(args: ShapeRemoveArguments, options?: CallOptions): Promise<Results['shape.remove']>;
  };
  readonly joint: {
    /** Joins two bodies. Least role: player. */
    create(args: JointCreateArguments, options?: CallOptions): Promise<Results['joint.create']>;
    /** Changes the given settings, at least one; the others stay as they are. Least role: player. */
    set(args: JointSetArguments, options?: CallOptions): Promise<Results['joint.set']>;
    /** Removes a joint. Least role: player. */
    remove(args: JointRemoveArguments, options?: CallOptions): Promise<Results['joint.remove']>;
    /** All about a joint. Least role: viewer. */
    get(args: JointGetArguments, options?: CallOptions): Promise<Results['joint.get']>;
    /** All joints of a world. Least role: viewer. */
    list(args: JointListArguments, options?: CallOptions): Promise<Results['joint.list']>;
  };
  readonly query: {
    /** The shapes that a ray meets. Least role: viewer. */
    ray(args: QueryRayArguments, options?: CallOptions): Promise<Results['query.ray']>;
    /** The bodies in a place; exactly one of area, shape and point. Least role: viewer. */
    overlap(args: QueryOverlapArguments, options?: CallOptions): Promise<Results['query.overlap']>;
    /** The shapes that a moving shape meets. Least role: viewer. */
    cast(args: QueryCastArguments, options?: CallOptions): Promise<Results['query.cast']>;
    /** The surface that is nearest to a place. Least role: viewer. */
    nearest(args: QueryNearestArguments, options?: CallOptions): Promise<Results['query.nearest']>;
  };
  readonly data: {
    /** Sets the value of a key of the world's data. Least role: player. */
    set(args: DataSetArguments, options?: CallOptions): Promise<Results['data.set']>;
    /** Removes a key of the world's data. Least role: player. */
    remove(args: DataRemoveArguments, options?: CallOptions): Promise<Results['data.remove']>;
    /** The world's data: one key, those with a prefix, or all. Least role: viewer. */
    get(args: DataGetArguments, options?: CallOptions): Promise<Results['data.get']>;
  };
  readonly message: {
    /** Sends a message to clients that subscribe to the world's events of kind message. Least role: player. */
    send(args: MessageSendArguments, options?: CallOptions): Promise<Results['message.send']>;
  };
}

/** The methods of one world, whose name is filled in. */
export interface WorldMethods {
  readonly world: {
    /** Makes a world, which begins to run unless it is paused. Least role: admin. */
    create(args?: Omit<WorldCreateArguments, 'world'>, options?: CallOptions): Promise<Results['world.create']>;
    /** Ends a world and its subscriptions. Least role: admin. */
    destroy(args?: Omit<WorldDestroyArguments, 'world'>, options?: CallOptions): Promise<Results['world.destroy']>;
    /** A world in numbers. Least role: viewer. */
    info(args?: Omit<WorldInfoArguments, 'world'>, options?: CallOptions): Promise<Results['world.info']>;
    /** Pauses a world; no error if it is paused already. Least role: referee. */
    pause(args?: Omit<WorldPauseArguments, 'world'>, options?: CallOptions): Promise<Results['world.pause']>;
    /** Resumes a paused world; no error if it is running. Least role: referee. */
    resume(args?: Omit<WorldResumeArguments, 'world'>, options?: CallOptions): Promise<Results['world.resume']>;
    /** Runs some ticks of a paused world. Least role: referee. */
    step(args?: Omit<WorldStepArguments, 'world'>, options?: CallOptions): Promise<Results['world.step']>;
    /** Changes a world's settings; at least one must be given. Least role: referee. */
    set(args?: Omit<WorldSetArguments, 'world'>, options?: CallOptions): Promise<Results['world.set']>;
    /** The whole state of a world, to the bit, as bytes. Least role: admin. */
    image(args?: Omit<WorldImageArguments, 'world'>, options?: CallOptions): Promise<Results['world.image']>;
    /** Makes a second world with the same state, which then runs independently. Least role: admin. */
    fork(args: Omit<WorldForkArguments, 'world'>, options?: CallOptions): Promise<Results['world.fork']>;
    /** All bodies and joints of a world. Least role: viewer. */
    state(args?: Omit<WorldStateArguments, 'world'>, options?: CallOptions): Promise<Results['world.state']>;
    /** The pairs of shapes that touch, of the world or of one body. Least role: viewer. */
    contacts(args?: Omit<WorldContactsArguments, 'world'>, options?: CallOptions): Promise<Results['world.contacts']>;
    /** Applies many commands in one tick, all of them or none. Least role: player. */
    apply(args: Omit<WorldApplyArguments, 'world'>, options?: CallOptions): Promise<Results['world.apply']>;
    /** Sends snapshots from now on. Least role: viewer. */
    subscribe(args?: Omit<WorldSubscribeArguments, 'world'>, options?: CallOptions): Promise<Results['world.subscribe']>;
    /** Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new world. Least role: player. */
    join(args: Omit<WorldJoinArguments, 'world'>, options?: CallOptions): Promise<Results['world.join']>;
    /** Frees a seat. The server does so by itself when the session ends. Least role: player. */
    leave(args?: Omit<WorldLeaveArguments, 'world'>, options?: CallOptions): Promise<Results['world.leave']>;
    /** Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its sessions can be resumed there. Least role: admin. */
    move(args?: Omit<WorldMoveArguments, 'world'>, options?: CallOptions): Promise<Results['world.move']>;
  };
  readonly body: {
    /** Makes a body with its shapes. Least role: player. */
    spawn(args: Omit<BodySpawnArguments, 'world'>, options?: CallOptions): Promise<Results['body.spawn']>;
    /** Removes a body with its shapes and joints. Least role: player. */
    remove(args: Omit<BodyRemoveArguments, 'world'>, options?: CallOptions): Promise<Results['body.remove']>;
    /** All about a body. Least role: viewer. */
    get(args: Omit<BodyGetArguments, 'world'>, options?: CallOptions): Promise<Results['body.get']>;
    /** Changes the given properties, at least one; the others stay as they are. Least role: player. */
    set(args: Omit<BodySetArguments, 'world'>, options?: CallOptions): Promise<Results['body.set']>;
    /** A push; wakes the body. Least role: player. */
    impulse(args: Omit<BodyImpulseArguments, 'world'>, options?: CallOptions): Promise<Results['body.impulse']>;
    /** A twist; wakes the body. Least role: player. */
    angular_impulse(args: Omit<BodyAngularImpulseArguments, 'world'>, options?: CallOptions): Promise<Results['body.angular_impulse']>;
    /** Sets the force that acts from now on; wakes the body. Least role: player. */
    force(args: Omit<BodyForceArguments, 'world'>, options?: CallOptions): Promise<Results['body.force']>;
    /** Sets the torque that acts from now on; wakes the body. Least role: player. */
    torque(args: Omit<BodyTorqueArguments, 'world'>, options?: CallOptions): Promise<Results['body.torque']>;
  };
  readonly shape: {
    /** Gives a body another shape. Least role: player. */
    add(args: Omit<ShapeAddArguments, 'world'>, options?: CallOptions): Promise<Results['shape.add']>;
    /** Changes the given properties of a shape; its form stays. Least role: player. */
    set(args: Omit<ShapeSetArguments, 'world'>, options?: CallOptions): Promise<Results['shape.set']>;
    /** Removes a shape from its body. Least role: player. */
    remove(args: Omit<ShapeRemoveArguments, 'world'>, options?: CallOptions): Promise<Results['shape.remove']>;
  };
  readonly joint: {
    /** Joins two bodies. Least role: player. */
    create(args: Omit<JointCreateArguments, 'world'>, options?: CallOptions): Promise<Results['joint.create']>;
    /** Changes the given settings, at least one; the others stay as they are. Least role: player. */
    set(args: Omit<JointSetArguments, 'world'>, options?: CallOptions): Promise<Results['joint.set']>;
    /** Removes a joint. Least role: player. */
    remove(args: Omit<JointRemoveArguments, 'world'>, options?: CallOptions): Promise<Results['joint.remove']>;
    /** All about a joint. Least role: viewer. */
    get(args: Omit<JointGetArguments, 'world'>, options?: CallOptions): Promise<Results['joint.get']>;
    /** All joints of a world. Least role: viewer. */
    list(args?: Omit<JointListArguments, 'world'>, options?: CallOptions): Promise<Results['joint.list']>;
  };
  readonly query: {
    /** The shapes that a ray meets. Least role: viewer. */
    ray(args: Omit<QueryRayArguments, 'world'>, options?: CallOptions): Promise<Results['query.ray']>;
    /** The bodies in a place; exactly one of area, shape and point. Least role: viewer. */
    overlap(args?: Omit<QueryOverlapArguments, 'world'>, options?: CallOptions): Promise<Results['query.overlap']>;
    /** The shapes that a moving shape meets. Least role: viewer. */
    cast(args: Omit<QueryCastArguments, 'world'>, options?: CallOptions): Promise<Results['query.cast']>;
    /** The surface that is nearest to a place. Least role: viewer. */
    nearest(args: Omit<QueryNearestArguments, 'world'>, options?: CallOptions): Promise<Results['query.nearest']>;
  };
  readonly data: {
    /** Sets the value of a key of the world's data. Least role: player. */
    set(args: Omit<DataSetArguments, 'world'>, options?: CallOptions): Promise<Results['data.set']>;
    /** Removes a key of the world's data. Least role: player. */
    remove(args: Omit<DataRemoveArguments, 'world'>, options?: CallOptions): Promise<Results['data.remove']>;
    /** The world's data: one key, those with a prefix, or all. Least role: viewer. */
    get(args?: Omit<DataGetArguments, 'world'>, options?: CallOptions): Promise<Results['data.get']>;
  };
  readonly message: {
    /** Sends a message to clients that subscribe to the world's events of kind message. Least role: player. */
    send(args: Omit<MessageSendArguments, 'world'>, options?: CallOptions): Promise<Results['message.send']>;
  };
}

/** The methods of a batch, each a command that is added to it. */
export interface BatchMethods {
  readonly world: {
    /** Changes a world's settings; at least one must be given. Least role: referee. */
    set(args?: Omit<WorldSetArguments, 'world' | 'epoch'>): Reference;
  };
  readonly body: {
    /** Makes a body with its shapes. Least role: player. */
    spawn(args: Omit<BodySpawnArguments, 'world' | 'epoch'>): Reference;
    /** Removes a body with its shapes and joints. Least role: player. */
    remove(args: Omit<BodyRemoveArguments, 'world' | 'epoch'>): Reference;
    /** All about a body. Least role: viewer. */
    get(args: Omit<BodyGetArguments, 'world' | 'epoch'>): Reference;
    /** Changes the given properties, at least one; the others stay as they are. Least role: player. */
    set(args: Omit<BodySetArguments, 'world' | 'epoch'>): Reference;
    /** A push; wakes the body. Least role: player. */
    impulse(args: Omit<BodyImpulseArguments, 'world' | 'epoch'>): Reference;
    /** A twist; wakes the body. Least role: player. */
    angular_impulse(args: Omit<BodyAngularImpulseArguments, 'world' | 'epoch'>): Reference;
    /** Sets the force that acts from now on; wakes the body. Least role: player. */
    force(args: Omit<BodyForceArguments, 'world' | 'epoch'>): Reference;
    /** Sets the torque that acts from now on; wakes the body. Least role: player. */
    torque(args: Omit<BodyTorqueArguments, 'world' | 'epoch'>): Reference;
  };
  readonly shape: {
    /** Gives a body another shape. Least role: player. */
    add(args: Omit<ShapeAddArguments, 'world' | 'epoch'>): Reference;
    /** Changes the given properties of a shape; its form stays. Least role: player. */
    set(args: Omit<ShapeSetArguments, 'world' | 'epoch'>): Reference;
    /** Removes a shape from its body. Least role: player. */
    remove(args: Omit<ShapeRemoveArguments, 'world' | 'epoch'>): Reference;
  };
  readonly joint: {
    /** Joins two bodies. Least role: player. */
    create(args: Omit<JointCreateArguments, 'world' | 'epoch'>): Reference;
    /** Changes the given settings, at least one; the others stay as they are. Least role: player. */
    set(args: Omit<JointSetArguments, 'world' | 'epoch'>): Reference;
    /** Removes a joint. Least role: player. */
    remove(args: Omit<JointRemoveArguments, 'world' | 'epoch'>): Reference;
    /** All about a joint. Least role: viewer. */
    get(args: Omit<JointGetArguments, 'world' | 'epoch'>): Reference;
  };
  readonly data: {
    /** Sets the value of a key of the world's data. Least role: player. */
    set(args: Omit<DataSetArguments, 'world' | 'epoch'>): Reference;
    /** Removes a key of the world's data. Least role: player. */
    remove(args: Omit<DataRemoveArguments, 'world' | 'epoch'>): Reference;
    /** The world's data: one key, those with a prefix, or all. Least role: viewer. */
    get(args?: Omit<DataGetArguments, 'world' | 'epoch'>): Reference;
  };
  readonly message: {
    /** Sends a message to clients that subscribe to the world's events of kind message. Least role: player. */
    send(args: Omit<MessageSendArguments, 'world' | 'epoch'>): Reference;
  };
}

/** The codes of errors that a server answers with. */
export type ProtocolErrorCode =
  'invalid_argument' | 'not_found' | 'already_exists' | 'permission_denied' | 'unauthenticated' |
  'limit_exceeded' | 'unavailable' | 'unknown_method' | 'moved' | 'internal';

/** What happened, and the tick whose state first shows it; the keys besides depend on the kind. */
export interface WorldEvent {
  kind:
    'begin' | 'stay' | 'end' | 'hit' | 'sensor_begin' | 'sensor_end' | 'sleep' | 'wake' | 'spawn' |
    'remove' | 'joint_break' | 'freeze' | 'message' | 'join' | 'leave';
  tick: number;
  /** A body; in a sensor's events, the sensor's. Of begin, stay, end, hit, sensor_begin, sensor_end, sleep, wake, spawn, remove, joint_break, freeze. */
  a?: Number53;
  /** The other body. Of begin, stay, end, hit, sensor_begin, sensor_end, joint_break. */
  b?: Number53;
  /** The shape of a. Of begin, stay, end, hit, sensor_begin, sensor_end. */
  shape_a?: Number53;
  /** The shape of b. Of begin, stay, end, hit, sensor_begin, sensor_end. */
  shape_b?: Number53;
  /** The deepest point of contact. Of begin, stay, hit. */
  point?: Vector;
  /** A unit vector from a to b. Of begin, stay, hit. */
  normal?: Vector;
  /** How far they overlap there, in m. Of begin, stay, hit. */
  depth?: number;
  /** Speed of approach along the normal, in m/s. Of begin, stay, hit. */
  speed?: number;
  /** The sum of the normal impulses of the tick, in N s. Of begin, stay, hit. */
  impulse?: number;
  /** The joint. Of joint_break. */
  joint?: Number53;
  /** The message's name. Of message. */
  name?: string;
  /** The data of the message, or of the join; left out if it has none. Of message, join. */
  data?: unknown;
  /** The number of the session that sent it, or that has the seat. Of message, join, leave. */
  session?: Number53;
  /** That session's subject; left out if it has none. Of message, join, leave. */
  subject?: string;
  /** The seat, from 1 on. Of join, leave. */
  seat?: Number53;
}

export type MethodName = keyof Arguments;
export interface MethodInfo {
  role: 'none' | 'viewer' | 'player' | 'referee' | 'admin'; scope: string; batch: boolean; args: string[];
}
export const PROTOCOL_VERSION: number;
export const METHODS: Record<MethodName, MethodInfo>;

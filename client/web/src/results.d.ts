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

export interface Hello {
  protocol: number; server: string; version: string; engine: number; session: number;
  compact?: number; subject?: string; /** Seconds since 1970, of a token. */ expires?: number;
  resume: string; role: 'none' | 'viewer' | 'player' | 'admin'; limits: Record<string, number>;
  /** For a resumed session: see PROTOCOL.md, "Resuming a session". */
  applied?: Record<string, {epoch: number; last: number}>; pending?: number[];
  subscriptions?: {subscription: number; world: string}[];
}
export interface ServerInfo {
  server: string; version: string; protocol: number; uptime: number; worlds: number;
  sessions: number; limits: Record<string, number>;
}
export interface Latency {
  count: number; p50: number; p90: number; p99: number; p999: number; max: number;
  /** On request: [largest time in seconds, count], without empty ones. */
  bins?: [number, number][];
}
export interface SessionInfo {
  session: number; client: string; address: string; connected: boolean; since: number;
  idle: number; role: string; subject: string;
  subscriptions: {subscription: number; world: string}[]; in_flight: number;
  received_bytes: number; sent_bytes: number; queued_bytes: number; lag: number;
  memory_bytes: number; work: number;
}
export interface WorldInfo {
  world: string; epoch: number; tick: number; time: number; hz: number; gravity: Vector;
  substeps: number; sleep: boolean; continuous: boolean; max_bodies: number;
  restitution_threshold: number; hit_threshold: number; sleep_speed: number; paused: boolean;
  durability: string;
  bodies: number; awake: number; shapes: number; joints: number; contacts: number; pairs: number;
  frozen: number; subscribers: number; hash: Hash; step_ms: number; rate: number;
  ticks_late: number;
  /** For a world that is not served (most numbers are 0 then): why, and what to do. */
  unavailable?: string;
}
/** A shape as the server describes it; a box comes as a polygon. */
export interface ShapeMap {
  shape: Number53; kind: 'circle' | 'polygon' | 'capsule' | 'segment' | 'chain';
  radius?: number; center?: Vector; vertices?: Vector[]; a?: Vector; b?: Vector; loop?: boolean;
  density: number; friction: number; restitution: number; rolling_resistance: number;
  tangent_speed: number; sensor: boolean; filter: Required<Filter>;
  events: ('contact' | 'hit' | 'sensor')[];
}
export interface BodyMap {
  body: Number53; type: 'static' | 'kinematic' | 'dynamic'; position: Vector; angle: number;
  velocity: Vector; angular_velocity: number; center: Vector; mass: number; inertia: number;
  linear_damping: number; angular_damping: number; gravity_scale: number; force: Vector;
  torque: number; fixed_rotation: boolean; bullet: boolean; allow_sleep: boolean; awake: boolean;
  enabled: boolean; frozen: boolean; tag: string; owner?: string; shapes: ShapeMap[];
}
/** A joint: its kind, its bodies, and the properties of its kind. */
export interface JointMap {
  joint: Number53; kind: string; a?: Number53; b?: Number53; anchor_a?: Vector; anchor_b?: Vector;
  force?: Vector; torque?: number; [key: string]: unknown;
}
export interface ContactMap {
  a: Number53; b: Number53; shape_a: Number53; shape_b: Number53; normal: Vector;
  points: {
    point: Vector; depth: number; impulse: number; tangent_impulse: number; normal?: Vector;
  }[];
}
export interface Hit { body: Number53; shape: Number53; point: Vector; normal: Vector; fraction: number }
export interface Tick { tick: number }
export interface WorldTick { world: string; tick: number }

/** [id, x, y, angle, vx, vy, w] */
export type Row = [number, number, number, number, number, number, number];
export interface Snapshot {
  subscription: number; world: string; epoch: number; tick: number; time: number; full: boolean;
  bodies: Row[]; removed: Number53[]; enter?: Number53[]; leave?: Number53[];
  events: WorldEvent[]; contacts?: ContactMap[]; hash?: Hash; last?: number; skipped?: number;
  events_lost?: number; margin?: number;
  spawned?: BodyMap[]; joints?: JointMap[]; joints_removed?: Number53[]; describing?: boolean;
  view?: Area; unfollowed?: Number53; left_out?: number; oldest?: number;
}

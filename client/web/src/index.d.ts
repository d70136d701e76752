import type {Area, Arguments, BatchMethods, Command, Form, Id, MethodName, Methods, ProtocolErrorCode, Results, Shape,
             Vector, WorldEvent, WorldMethods, WorldSubscribeArguments} from './methods.js';
import type {BodyMap, CallOptions, ContactMap, Hash, Hello, Hit, JointMap, ShapeMap, Row,
             Snapshot} from './results.js';

export * from './methods.js';
export * from './results.js';

export type ErrorCode = ProtocolErrorCode | 'closed' | 'timeout';
export const ERROR_CODES: ErrorCode[];

export class CaromError extends Error {
  constructor(code: ErrorCode, text: string, more?: {method?: string; applied?: boolean});
  static fromWire(text: string, method?: string): CaromError;
  readonly code: ErrorCode;
  readonly method?: string;
  /** For a call without an answer: whether it took effect; undefined if unknown. */
  readonly applied?: boolean;
}

/** Listeners by name; `on` and `once` return a function that removes the listener. */
export class Emitter<Events> {
  on<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): () => void;
  once<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): () => void;
  emit<K extends keyof Events>(name: K, value: Events[K]): void;
  /** Whether anybody listens to one of these. */
  hears(...names: (keyof Events)[]): boolean;
}

// ---- connecting

export interface Transport {
  send(bytes: Uint8Array): void;
  end(): void;
  readonly buffered: number;
}
export interface TransportHandlers {
  open(): void;
  data(bytes: Uint8Array): void;
  close(reason: string): void;
}
export type OpenTransport = (handlers: TransportHandlers) => Transport;

export function webSocketTransport(url: string, Class?: unknown): OpenTransport;
export function tcpTransport(options?: {host?: string; port?: number; tls?: object}): OpenTransport;
export function transportFor(url?: string | URL | null,
                             options?: {WebSocket?: unknown; tls?: object}): OpenTransport;

export interface ConnectOptions {
  /** Name and version of the program, for the server's log. */
  name?: string;
  /** A token, or a function that returns one for each connection and before it expires. */
  token?: string | (() => string | Promise<string>);
  /** Timeout of calls; default 30 000, 0 for none. */
  timeoutMs?: number;
  reconnect?: false | {
    /** The first pause; default 100. */ firstMs?: number;
    /** The longest pause; default 5000. */ maxMs?: number;
    /** Give up after this time; default never. */ giveUpMs?: number;
    /** Try again even if the first attempt fails; default false. */ first?: boolean;
  };
  /** The secret of an earlier session (hello.resume) to resume; if it is gone, another begins. */
  resume?: string;
  /** In a page: a reload resumes the session. A name if a page has several clients of one server. */
  keepSession?: boolean | string;
  /** A class to use instead of the platform's WebSocket. */
  WebSocket?: unknown;
  /** Options of node:tls, for tls:// URLs. */
  tls?: object;
  /** A transport to use instead of a URL. */
  transport?: OpenTransport;
  /**
   * Whether calls and subscriptions follow their worlds to other servers; default true. The token goes to a server that
   * was named over TLS, or within this machine; with `plain` also over a network without TLS.
   */
  follow?: boolean | {plain?: boolean};
  /** The transport to another server, in place of the package's own. */
  transportTo?: (url: URL) => OpenTransport;
  /** Loads the engine for predictions, instead of the package's own loader. */
  loadEngine?: () => Promise<Engine>;
  /** Simulates a distance to the server, to try a game out. It is read with every message, so it may be changed. */
  distance?: Distance;
}

/** Bytes arrive late, in order, as over TCP. */
export interface Distance {
  /** One way; default 0. */ delayMs?: number;
  /** The delay varies by this, up and down; default 0. */ jitterMs?: number;
  /** Share of the segments that are lost, 0 to 1; default 0. */ stall?: number;
  /** How long a lost segment delays all data behind it; default a round trip and 10 ms. */ stallMs?: number;
  /** Seed of jitter and stalls; default 1. */ seed?: number;
}
export function distantTransport(open: OpenTransport, distance: Distance): OpenTransport;

export function connect(url?: string | URL | OpenTransport | null,
                        options?: ConnectOptions): Promise<Client>;
export function makeClient(url?: string | URL | OpenTransport | null,
                           options?: ConnectOptions): Client;

export interface ClientEvents {
  open: Hello; lost: CaromError; resumed: Hello; renewed: Hello;
  leaving: {seconds: number; reason: string}; closed: CaromError; ping: ServerClock;
  moved: {world: string; address: string; http?: string; term: number; tick: number};
}
export interface Client extends Omit<Methods, 'hello'> {}
export class Client extends Emitter<ClientEvents> {
  constructor(open: OpenTransport, options?: ConnectOptions);
  readonly state: 'connecting' | 'open' | 'reconnecting' | 'closed';
  readonly hello: Hello | null;
  /** Whether the last hello resumed an existing session. */
  readonly resumed: boolean;
  readonly ready: Promise<Client>;
  /** URL of the server; undefined with a transport of the program's own. */
  readonly url: string | undefined;
  /** The clients of all connections, this one first. */
  readonly servers: Client[];
  /** The client of the connection to a world's server; this one, unless another server has the world. */
  serverOf(world: string): Client;
  readonly clock: ServerClock;
  readonly traffic: {
    bytesIn: number; bytesOut: number; messagesIn: number; messagesOut: number; reconnects: number;
  };
  call<M extends MethodName>(method: M, args?: Arguments[M],
                             options?: CallOptions): Promise<Results[M]>;
  notify<M extends MethodName>(method: M, args?: Arguments[M]): boolean;
  /** With `epoch`, only that world: if another has its name, calls fail with `not_found`. */
  use(world: string, options?: {epoch?: number}): WorldCalls;
  /** The last epoch received for the world of that name; undefined if none, or it has ended. */
  epochOf(world: string): number | undefined;
  /** Uses encoding packed, unless `args` has another. */
  subscribe(args: WorldSubscribeArguments, options?: SubscribeOptions): Promise<Subscription>;
  unsubscribe(subscription: Subscription): Promise<void>;
  /** Shows a world without the network's delay: this program's commands act at once. */
  predict(world: string, options?: PredictionOptions): Promise<Prediction>;
  /** The engine that predictions of this client share. */
  engine(): Promise<Engine>;
  /** Closes permanently, with a goodbye; with `keepSession` without one, so that the session can be resumed. */
  close(options?: {keepSession?: boolean}): void;
}

export interface WorldCalls extends WorldMethods {}
export class WorldCalls {
  readonly name: string;
  readonly epoch?: number;
  subscribe(args?: Omit<WorldSubscribeArguments, 'world'>,
            options?: SubscribeOptions): Promise<Subscription>;
  notify<M extends MethodName>(method: M, args?: Omit<Arguments[M], 'world'>): boolean;
  batch(): Batch;
  predict(options?: PredictionOptions): Promise<Prediction>;
}

/** The tick whose state shows a batch first, and the treatment of the batch if that tick is over. */
export interface BatchTime { at?: number; late?: 'refuse' | 'next' | 'drop' }

export interface Batch extends BatchMethods {}
export class Batch {
  readonly commands: Command[];
  send(options?: CallOptions & BatchTime): Promise<Results['world.apply']>;
  notify(time?: BatchTime): boolean;
}

// ---- watching

export interface ViewOptions {
  /** Additional delay of drawing behind the snapshots. */
  extraDelayMs?: number;
  /**
   * 'delayed' (default): bodies are drawn between two snapshots, a little in the past. 'predictive': where they are
   * now, carried on by their velocities, which suits things that collide seldom.
   */
  interpolation?: 'delayed' | 'predictive';
}

export interface SubscribeOptions extends ViewOptions {
  /** How long to wait for a world that does not exist yet, or is destroyed and made again; default 0. */
  waitMs?: number;
}

/** Takes the `data` of a subscription's packed snapshots, one after the other (PROTOCOL.md). */
export class PackedDecoder {
  /** Throws an Error for bytes that do not follow the last snapshot; only a full snapshot is accepted then. */
  decode(bytes: Uint8Array): {
    full: boolean; tick: number; hz: number; bodies: Row[]; removed: number[]; enter: number[]; leave: number[];
  };
}

/** An event of kind message: a client sent it with message.send. */
export interface WorldMessage extends WorldEvent {
  kind: 'message'; name: string; session: number;
}

/** An event of kind join: a session took a seat of the world (world.join). */
export interface WorldJoin extends WorldEvent {
  kind: 'join'; seat: number; session: number;
}

/** An event of kind leave: a seat became free, as its session left it (world.leave) or ended. */
export interface WorldLeave extends WorldEvent {
  kind: 'leave'; seat: number; session: number;
}

export class Subscription extends Emitter<{
  snapshot: Snapshot; event: WorldEvent; message: WorldMessage; join: WorldJoin; leave: WorldLeave; waiting: CaromError; ended: CaromError;
}> implements AsyncIterable<Snapshot> {
  readonly id: number;
  readonly args: WorldSubscribeArguments;
  readonly world: string;
  readonly view: WorldView;
  readonly error: CaromError | null;
  readonly skipped: number;
  readonly eventsLost: number;
  next(): Promise<Snapshot>;
  /**
   * The snapshots from now on. The loop ends when the subscription is ended here, and throws if it ends otherwise; at most 1 024
   * wait for it.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Snapshot>;
  /** The events from now on, likewise; at most 65 536 wait. */
  events(): AsyncIterableIterator<WorldEvent>;
  setArea(area?: Area, options?: {margin?: number}): Promise<void>;
  /** Moves the area with a body; `area` is relative to its position. */
  follow(body: Id, area: Area, options?: {margin?: number}): Promise<void>;
  unsubscribe(): Promise<void>;
}

export interface Pose { x: number; y: number; angle: number }

export class ViewBody {
  readonly id: number;
  /** The newest state. */
  readonly x: number; readonly y: number; readonly angle: number;
  readonly vx: number; readonly vy: number; readonly w: number;
  /** World time of this state [s]. */
  readonly time: number;
  /** The place and angle to draw it at. */
  readonly pose: Pose;
  readonly description: BodyMap | null;
  readonly version: number;
  readonly since: number; readonly until: number;
  readonly type?: BodyMap['type']; readonly tag: string; readonly owner: string;
  readonly shapes: ShapeMap[];
}

/**
 * Of what is drawn: `add` when a body is drawn for the first time, `change` when its description changes, `remove` when it is
 * drawn no more. Each comes with advance().
 */
export interface ShownEvents<Body> { add: Body; change: Body; remove: Body }

export class WorldView extends Emitter<ShownEvents<ViewBody>> {
  constructor(options?: ViewOptions);
  readonly bodies: Map<number, ViewBody>;
  readonly joints: Map<number, JointMap>;
  readonly contacts: ContactMap[];
  /** The world's data by key, of subscriptions with `data`. */
  readonly data: Map<string, unknown>;
  readonly world: string; readonly epoch?: number; readonly tick: number; readonly time: number;
  readonly hash: Hash | null;
  readonly area: Area | null;
  /** The removed body that the view followed; 0: none. */
  readonly unfollowed: number;
  /** With a budget: bodies in view whose state is older than `tick`, or not received yet. */
  readonly leftOut: number;
  /** The least tick of any body's state; `tick` if none was left out. */
  readonly oldest: number;
  readonly describing: boolean;
  readonly shownTime: number;
  readonly eventsLost: number;
  readonly version: number;
  readonly playback: Playback;
  /** Round trip that predictive interpolation assumes; a subscription sets it. */
  rttMs: number;
  apply(snapshot: Snapshot, nowMs: number): void;
  /** Sets every body's pose for the local time (performance.now()); the world time shown. */
  advance(nowMs: number): number;
  drawn(): IterableIterator<ViewBody>;
  /** Removed bodies that are still drawn. */
  readonly departed: number;
  takeEvents(): WorldEvent[];
}

// ---- prediction

export interface PredictionOptions {
  /**
   * Gives this program's commands for a tick: `batch.body.force({…})`. Called for every tick once with `firstTime`, and
   * again without it whenever the tick is predicted again; the commands of the first time then act by themselves.
   * Sounds and
   * sparks belong to the first time.
   */
  input?: (batch: BatchMethods, at: {tick: number; firstTime: boolean}) => void;
  /** Kinds of events to report; default none. */
  events?: WorldEvent['kind'][];
  /** Ticks (0 to 3) by which commands act later: fewer corrections of what others see; default 0. */
  inputDelay?: number;
  /** Milliseconds that a frame may take: beyond it only bodies near the client's own bodies are computed; default 0, no limit.
     */
  budgetMs?: number;
  /** Predicts again in every frame and compares: for finding mistakes; default false. */
  check?: boolean;
  /** Half-life of a correction in what is drawn [s]; default 0.06. */
  smoothingS?: number;
  /** Records of the world's log a second at most; default: one a tick. */
  rate?: number;
  /** False: no prediction, as when it is not possible. */
  predicting?: boolean;
  /** The engine, from loadEngine(); default: the engine of the client. */
  engine?: Engine | Promise<Engine>;
}

export interface PredictionFigures {
  /** Over the last 8 s: share of the ticks that were predicted to the bit, rollbacks a second, ticks of a rollback. */
  right: number; rollbacks: number; depth: number;
  /** The largest corrections of the last 8 s, of own bodies and of others [m]. */
  error: number; error_others: number;
  /** Ticks ahead of the newest state that news in time shows, and how many of them are slack beyond the round trip. */
  lead: number; slack: number;
  /** Round trip; how long before its tick the last batch came (negative: after it) [s]. */
  rtt: number; margin: number;
  /** The clock's speed: 1 is the server's speed. Input delay [ticks]. Batches that the log has not shown yet. */
  rate: number; delay: number; waiting: number;
  /** Totals since the start. */
  ticks: number; ticks_right: number; rollback_count: number;
  sent: number; confirmed: number; late: number; lost: number; refused: number; failed: number;
  approximate: number; check_failures: number; check_failed_at: number; events_lost: number;
  /** Recent mean times. */
  step_ms: number; copy_ms: number;
}

export class PredictedBody {
  readonly id: number;
  /** Where it is drawn: the same as `pose`. */
  readonly x: number; readonly y: number; readonly angle: number;
  readonly vx: number; readonly vy: number; readonly w: number;
  readonly awake: boolean;
  /** Extrapolated by its velocity: the frame had no time to compute it. */
  readonly approximate: boolean;
  readonly pose: Pose;
  readonly description: BodyMap | null;
  readonly version: number;
  readonly type?: BodyMap['type']; readonly tag: string; readonly owner: string;
  readonly shapes: ShapeMap[];
}

export class Prediction extends Emitter<{
  predicted: WorldEvent; confirmed: WorldEvent & {wasPredicted: boolean}; takenBack: WorldEvent;
  refused: {tick: number; error: CaromError}; fallback: CaromError; ended: CaromError;
} & ShownEvents<PredictedBody | ViewBody>> {
  readonly world: string;
  readonly predicting: boolean;
  /** Why nothing is predicted; null while it is. */
  readonly reason: CaromError | null;
  readonly error: CaromError | null;
  readonly tick: number;
  readonly bodies: Map<number, PredictedBody | ViewBody>;
  readonly version: number;
  /** The exact world of the server a moment ago; null without prediction. */
  readonly confirmed: World | null;
  readonly figures: PredictionFigures | null;
  /** Call it before each frame. */
  advance(nowMs?: number): void;
  drawn(): IterableIterator<PredictedBody | ViewBody>;
  /** The object that a call of `batch` made; its id may change until it is confirmed. */
  made(reference: object): {id: number; confirmed: boolean} | null;
  /** Calls a method that reads, such as query.ray, on the predicted world. */
  call<M extends MethodName>(method: M, args?: Bound<M>): Results[M];
  own(body: number): void;
  /** With `false` the body is drawn in the past, where the server had it. */
  predict(body: number, predicted?: boolean): void;
  set(options: Pick<PredictionOptions, 'input' | 'inputDelay' | 'budgetMs' | 'check' | 'events' | 'smoothingS'>): void;
  stop(): void;
}

export class ServerClock {
  readonly synchronised: boolean;
  readonly rtt: number; readonly lastRtt: number; readonly jitter: number;
  /** How much faster the server's clock runs than the local one (50e-6: 50 ppm); NaN until it is measured. */
  readonly rate: number;
  add(sentMs: number, nowMs: number, seconds: number): void;
  at(nowMs: number): number;
  reset(): void;
}

export class Playback {
  constructor(extraMs?: number);
  extraMs: number;
  readonly delay: number;
  /** `skipped`: of the snapshot. Returns the time until which the world was as the snapshot before had it [s]. */
  add(nowMs: number, seconds: number, skipped?: number): number;
  show(nowMs: number): number;
  newest(nowMs: number): number;
  earliest(nowMs: number): number;
  reset(): void;
}

// ---- bytes

export class MessagePackError extends Error {}
export function encode(value: unknown): Uint8Array;
export function decode(bytes: Uint8Array): any;
export class Decoder {
  constructor(bytesMax?: number);
  feed(chunk: Uint8Array): any[];
}
export type {Id};

// ---- the engine in this process

export type EngineSource = string | URL | ArrayBuffer | ArrayBufferView | Response | WebAssembly.Module;
/** Without a source: engine.wasm of this package. */
export function loadEngine(source?: EngineSource): Promise<Engine>;

export interface WorldSettings {
  gravity?: Vector; hz?: number; substeps?: number; max_bodies?: number; sleep?: boolean;
  continuous?: boolean; restitution_threshold?: number; hit_threshold?: number;
  sleep_speed?: number;
  /** Kinds of events to keep; default none. */
  events?: WorldEvent['kind'][];
}

export class Engine {
  readonly behaviour: number;
  readonly compact: number;
  readonly memoryBytes: number;
  createWorld(settings?: WorldSettings): World;
  restoreWorld(image: Uint8Array, options?: {events?: WorldEvent['kind'][]}): World;
}

type Bound<M extends MethodName> = Omit<Arguments[M], 'world'>;
type BodyDefinition = Partial<Pick<Bound<'body.spawn'>, 'shapes'>> & Omit<Bound<'body.spawn'>, 'shapes'>;
type QueryOptions = Omit<Bound<'query.ray'>, 'from' | 'to' | 'all'>;

declare global {
  // As in TypeScript's lib.esnext.disposable, for older targets.
  interface SymbolConstructor { readonly dispose: unique symbol }
}

export class World {
  readonly engine: Engine;
  readonly tick: number;
  readonly time: number;
  readonly eventsLost: number;
  gravity: Vector;
  call<M extends MethodName>(method: M, args?: Bound<M>): Results[M];
  apply(commands: Command[]): unknown[];
  step(ticks?: number): void;
  info(): Results['world.info'];
  createBody(definition?: BodyDefinition): Body;
  body(id: number): Body | null;
  bodies(): IterableIterator<Body>;
  createJoint(definition: Omit<Bound<'joint.create'>, 'a' | 'b' | 'joint_a' | 'joint_b'> & {
    a?: Body | number; b?: Body | number; joint_a?: Joint | number; joint_b?: Joint | number;
  }): Joint;
  /** [id, x, y, angle, vx, vy, w, awake] of each body; valid until the next call. */
  rows(options?: {awakeOnly?: boolean}): Float64Array;
  row(id: number): Float64Array;
  raycast(from: Vector, to: Vector, options?: QueryOptions): Hit | null;
  raycastAll(from: Vector, to: Vector, options?: QueryOptions): Hit[];
  castShape(shape: Form, from: Vector, to: Vector, options?: QueryOptions): Hit | null;
  overlap(place: Bound<'query.overlap'>): number[];
  nearest(point: Vector, options?: Omit<Bound<'query.nearest'>, 'point'>): Results['query.nearest'];
  contacts(body?: Body | number): ContactMap[];
  wantEvents(kinds: WorldEvent['kind'][]): void;
  events(): WorldEvent[];
  hash(): Hash;
  save(): Uint8Array;
  clone(): World;
  /** With `ticks`, at most so many of it: called again with the same record it continues, while `within` is true. */
  play(record: Uint8Array, ticks?: number): number;
  /** A record in the compact form, which begins at the world's tick. */
  playCompact(data: Uint8Array, ticks?: number): number;
  /** Whether a part of the last record is left to play. */
  readonly within: boolean;
  setPaused(paused: boolean): void;
  free(): void;
  [Symbol.dispose](): void;
}

export class Body {
  readonly world: World;
  readonly id: number;
  readonly exists: boolean;
  position: Vector;
  angle: number;
  velocity: Vector;
  angularVelocity: number;
  awake: boolean;
  info(): BodyMap;
  set(values: Omit<Bound<'body.set'>, 'body'>): void;
  applyImpulse(impulse: Vector, point?: Vector): void;
  applyAngularImpulse(impulse: number): void;
  setForce(force: Vector, point?: Vector): void;
  setTorque(torque: number): void;
  addShape(shape: Shape): number;
  contacts(): ContactMap[];
  remove(): void;
}

export class Joint {
  readonly world: World;
  readonly id: number;
  info(): JointMap;
  set(values: Omit<Bound<'joint.set'>, 'joint'>): void;
  remove(): void;
}

export interface LogRecord {
  from: number; tick: number;
  commands?: [tick: number, session: number, method: string, args: object][];
  hash?: Hash; image?: Uint8Array; paused?: boolean;
}
export function encodeRecord(record: LogRecord): Uint8Array;
export class Replica extends Emitter<{tick: number; diverged: CaromError; ended: CaromError}> {
  constructor(engine: Engine);
  readonly world: World | null;
  readonly tick: number;
  readonly error: CaromError | null;
  /** Copies a server's world until stop(). Resolves when the copy exists. */
  follow(client: Client, world: string, options?: {rate?: number}): Promise<this>;
  stop(): void;
  play(record: LogRecord | {data: Uint8Array}): void;
  free(): void;
}

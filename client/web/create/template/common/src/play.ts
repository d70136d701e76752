// The page's part of the game, whatever draws it: takes a seat, steers the player's own disc, shows the scores.
//
// The page decides nothing. The world is predicted: a push moves the player's own disc in the next frame, however far the server is
// away, and the server does the same at the same tick.
import {connect, loadEngine, type Client, type Prediction, type PredictedBody, type Subscription, type ViewBody, type WorldCalls} from 'carom';
import wasm from 'carom/engine.wasm';

import {discOf, HZ, PUSH, TEMPLATE, TITLE, type Round, type Score} from './game.js';

const SAY_MS = 5000; // how long the end of a round is shown
const element = (id: string) => document.getElementById(id)!;

export interface PlayOptions {
  name: string;
  /** Where the player wants to go: x and y of at most length 1, y upward. */
  steer(): [number, number];
  /** There is a picture to draw: at first, and again after a restart of the server. */
  show(view: Prediction): void;
}

export class Play {
  view!: Prediction;
  seat = 0;
  #options: PlayOptions;
  #client!: Client;
  #world!: WorldCalls;
  #board!: Subscription;
  #round = 0; // the number that was shown last
  #sent = '';
  #shown = '';

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#client = await connect(undefined, {name: TEMPLATE, loadEngine: () => loadEngine(wasm)});
    this.#client.on('lost', () => say('The connection was lost; trying again …'));
    this.#client.on('resumed', () => say(''));
    this.#client.on('renewed', () => { // the server has restarted without this session: another seat
      this.view.stop();
      this.#sit().then(() => say(''), (error) => say(error.message));
    });
    await this.#sit();
  }

  async #sit(): Promise<void> {
    const {world, seat} = await this.#client.world.join({template: TEMPLATE});
    this.seat = seat;
    this.#sent = '';
    this.#world = this.#client.use(world);
    await this.#world.data.set({key: `player/${this.#client.hello!.subject}/name`, value: this.#options.name});
    this.#board = await this.#world.subscribe({bodies: false, data: ['score/', 'round'], events: [], rate: 10});
    this.#round = 0;
    this.view = await this.#world.predict({input: (batch, {firstTime}) => {
      const me = this.me;
      if (!me || !firstTime) return;
      const [x, y] = this.#options.steer();
      const force: [number, number] = [PUSH * x, PUSH * y];
      if (force.join() === this.#sent) return; // a force acts until another is given
      this.#sent = force.join();
      batch.body.force({body: me.id, force});
    }});
    this.view.on('refused', ({error}) => {
      this.#sent = ''; // the force is given again
      say(error.message);
    });
    if (this.view.reason) say(`No prediction: ${this.view.reason.message}`);
    this.#options.show(this.view);
  }

  /** The player's own disc; undefined until the referee has made it. */
  get me(): PredictedBody | ViewBody | undefined {
    for (const body of this.view?.bodies.values() ?? []) if (body.tag === discOf(this.seat)) return body;
    return undefined;
  }

  score(seat: number): Score | undefined {
    return this.#board.view.data.get(`score/${seat}`) as Score | undefined;
  }

  /** Before each frame. */
  advance(): void {
    this.view?.advance(performance.now());
    this.#showScores();
  }

  // Winners come from the data, which only the referee writes; a message may be of any player.
  #ended(number: number, winners: string[]): void {
    say(winners.length ? `Round ${number} goes to ${winners.join(' and ')}` : `Round ${number} is over`);
    setTimeout(() => say(''), SAY_MS);
  }

  #showScores(): void {
    const {data, tick} = this.#board.view;
    const round = data.get('round') as Round | undefined;
    if (round && this.#round > 0 && round.number === this.#round + 1) this.#ended(this.#round, round.winners);
    this.#round = round?.number ?? 0;
    const left = round ? Math.max(0, Math.ceil((round.ends - tick) / HZ)) : 0;
    const scores = [...data].filter(([key]) => key.startsWith('score/')).map(([, score]) => score as Score)
      .sort((a, b) => b.points - a.points || (a.name < b.name ? -1 : 1));
    const text = round ? `Round ${round.number}, ${left} s` : 'There is no referee yet.';
    if (this.#shown === JSON.stringify([text, scores])) return;
    this.#shown = JSON.stringify([text, scores]);
    element('round').textContent = text;
    element('scores').replaceChildren(...scores.map(({name, points}) => {
      const line = document.createElement('li');
      line.textContent = `${points} ${name}`;
      return line;
    }));
  }
}

export function say(text: string): void {
  element('says').textContent = text;
}

/** Calls `begin` with the player's name: of the form, or `#name=…` of the address. */
export function onJoin(begin: (name: string) => Promise<void>): void {
  document.title = TITLE;
  element('title').textContent = TITLE;
  const form = element('join') as HTMLFormElement;
  const input = element('name') as HTMLInputElement;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    form.inert = true;
    say('');
    try {
      await begin(input.value);
      form.hidden = true;
    } catch (error) {
      say((error as Error).message);
    }
    form.inert = false;
  });
  const name = new URLSearchParams(location.hash.slice(1)).get('name');
  if (name === null) return;
  input.value = name;
  form.requestSubmit();
}

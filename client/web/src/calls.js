// The methods of the table as functions: `caller.body.spawn({…})` for body.spawn.

import {checkOptions, checkWorldName} from './errors.js';
import {METHODS} from './methods.js';

/** Sets `target.world.create` and so on, each calling `call(name, args, options)`. */
export function addMethods(target, call, wanted = () => true) {
  for (const [name, info] of Object.entries(METHODS)) {
    if (!wanted(name, info)) continue;
    const method = (args, options) => call(name, args, options);
    const [group, verb] = name.split('.');
    if (verb === undefined) {
      target[name] = method;
    } else {
      target[group] ??= {};
      target[group][verb] = method;
    }
  }
}

/** Whether the method's arguments name a world. */
export function namesWorld(name, info) {
  return info.args.includes('world');
}

/**
 * Commands for one tick, applied all or none. Each call returns a reference to the thing that it makes, for later
 * commands of the same batch.
 */
export class Batch {
  #send;
  #notify;

  constructor(send, notify) {
    this.#send = send;
    this.#notify = notify;
    this.commands = [];
    addMethods(this, (name, args = {}) => {
      this.commands.push([name, args]);
      return {$: this.commands.length - 1};
    }, (name, info) => info.batch);
  }

  /**
   * The answer: `results` in the order of the commands. `at`: the tick whose state shows them first; `late`: what
   * becomes of them if that tick is over, 'refuse' (an error), 'next' (the next tick) or 'drop'.
   */
  async send(options) {
    const {at, late, ...rest} = options ?? {};
    return this.#send({commands: this.commands, at, late}, rest);
  }

  /** Sends the commands without waiting for an answer: see Client.notify. */
  notify(options = {}) {
    checkOptions('notify', options, ['at', 'late']);
    const {at, late} = options;
    return this.#notify({commands: this.commands, at, late});
  }
}

/** The methods of one world, whose name, and epoch where one was given, are filled in. */
export class WorldCalls {
  #client;

  constructor(client, name, options = {}) {
    checkWorldName('use', name);
    checkOptions('use', options, ['epoch']);
    const {epoch} = options;
    this.#client = client;
    this.name = name;
    this.epoch = epoch;
    addMethods(this, (method, args, options) => client.call(method, this.#fill(args), options),
               namesWorld);
  }

  #fill(args) {
    return {world: this.name, epoch: this.epoch, ...args};
  }

  /** Subscribes to this world: see Client.subscribe. */
  subscribe(args, options) {
    return this.#client.subscribe(this.#fill(args), options);
  }

  /** Shows this world without the network's delay: see Client.predict. */
  predict(options) {
    return this.#client.predict(this.name, options);
  }

  /** Sends a command of this world without waiting for an answer: see Client.notify. */
  notify(method, args) {
    return this.#client.notify(method, this.#fill(args));
  }

  /** A batch of commands: see Batch. */
  batch() {
    return new Batch((args, options) => this.#client.call('world.apply', this.#fill(args), options),
                     (args) => this.notify('world.apply', args));
  }
}

// The events of one name as an async iterator, for `for await`: those that come while the loop's body runs wait, up to a
// bound.

import {CaromError} from './errors.js';

/**
 * Iterates over what `emitter` emits as `name`, until it emits `ended` (error): an iteration ends with the code `closed`, and throws
 * other errors. More than `most` waiting values end it with `limit_exceeded`. `error`: of an emitter that has ended.
 */
export function iterate(emitter, name, most, error = null) {
  const waiting = [];
  let end = error;
  let wake = null; // ends the wait of next()

  const settle = () => {
    wake?.();
    wake = null;
  };
  const finish = (reason) => {
    end ??= reason;
    offs.forEach((off) => off());
    settle();
  };
  const take = (value) => {
    if (waiting.length === most) {
      waiting.length = 0;
      finish(new CaromError('limit_exceeded', `${name}: more than ${most} waited for the loop that takes them`));
    } else {
      waiting.push(value);
      settle();
    }
  };
  const offs = end === null ? [emitter.on(name, take), emitter.on('ended', finish)] : [];

  let turn = Promise.resolve(); // calls of next() are answered in their order
  const step = async () => {
    while (waiting.length === 0 && end === null) await new Promise((resolve) => (wake = resolve));
    if (waiting.length > 0) return {done: false, value: waiting.shift()};
    const reason = end;
    end = new CaromError('closed', 'the iteration has ended'); // an error is thrown once
    if (reason.code !== 'closed') throw reason;
    return {done: true, value: undefined};
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const result = turn.then(step);
      turn = result.catch(() => {});
      return result;
    },
    async return(value) {
      waiting.length = 0;
      finish(new CaromError('closed', 'the iteration has ended'));
      return {done: true, value};
    },
  };
}

// A value to change in place: by typing, with the allowed range beside it, or by a slider.

import {el, figure} from './dom.js';

/** Why a text is no allowed number; '' if it is one. */
export function wrongNumber(text, {label, min, max, unit = ''}) {
  const value = Number(text.trim().replace(',', '.'));
  if (text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max) return '';
  return `${label}: a number from ${figure(min, 6)} to ${figure(max, 6)}${unit ? ` ${unit}` : ''}`;
}

/** What was wrong with a change: what `commit()` resolves to, '' for nothing, or what it threw. */
export async function outcome(commit) {
  try {
    return await commit();
  } catch (error) {
    return error.message;
  }
}

/**
 * Sends values one after the other: the newest waits for the answer of the one before, those between are dropped. A value
 * whose sending fails does not keep the newest from being sent; the failure of the newest is thrown.
 */
export class Newest {
  #busy = false;
  #next = null;

  constructor(send) {
    this.send = send;
  }

  /** Whether the newest value is on its way, or waits for the one before it. */
  get busy() {
    return this.#busy;
  }

  async put(value) {
    this.#next = {value};
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#next) {
        const {value: newest} = this.#next;
        this.#next = null;
        try {
          await this.send(newest);
        } catch (error) {
          if (!this.#next) throw error;
        }
      }
    } finally {
      this.#busy = false;
    }
  }
}

// The parts that fields of numbers and texts share: a label, what is wrong, and whether the visitor is at work here.
class Field {
  constructor(label) {
    this.label = label;
    this.wrong = el('p', {class: 'wrong', role: 'alert', hidden: true});
    this.held = false; // a pointer holds the slider
    this.newest = new Newest(async (change) => this.tell(await outcome(() => this.send(change))));
  }

  /** Whether the visitor is changing the value, or the server has not answered the change: then the world's value, which
   * may be the one from before, does not replace it. */
  get busy() {
    return this.held || this.newest.busy || (document.activeElement === this.input && this.touched);
  }

  /** Whether the text has changes that are not in the world yet: Ctrl Z is then the text's. */
  get touched() {
    return this.input.dataset.touched !== undefined;
  }

  set touched(touched) {
    if (touched) this.input.dataset.touched = '';
    else delete this.input.dataset.touched;
  }

  /** Whether the visitor has come here to change the value, and has not done so yet. */
  get entered() {
    return this.held || (document.activeElement === this.input && this.input.dataset.entered !== undefined);
  }

  // The events of the input: `commit()` when a value has been typed.
  typing(commit) {
    const set = (touched, entered) => {
      this.touched = touched;
      if (entered) this.input.dataset.entered = '';
      else delete this.input.dataset.entered;
    };
    // Escape drops what was typed: the field would commit it as the panel closes and takes the focus away.
    const drop = () => {
      set(false, false);
      this.tell('');
      this.input.value = this.text;
    };
    return {onkeydown: ({key}) => key === 'Escape' && drop(), onfocus: () => set(false, true), oninput: () => set(true, true), onblur: () => set(false, false), onchange: () => {
      set(false, false);
      return commit();
    }};
  }

  tell(text) {
    if (this.wrong.textContent === text && this.wrong.hidden === !text) return;
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
    this.input.setAttribute('aria-invalid', String(text !== ''));
  }

  /** Closes the field, and says why; '' opens it. */
  close(why) {
    for (const part of [this.input, this.slider]) {
      if (!part || part.disabled === (why !== '')) continue;
      part.disabled = why !== '';
      part.title = why;
    }
  }
}

/**
 * A number. `range`: {min, max, unit} that the server allows; `slider`: [least, most, log] that the slider spans; `name`: for screen readers;
 * `commit(value, drag)` changes the world, `drag` is a number of one movement of the slider, and resolves to what was
 * wrong, or ''.
 */
export class NumberField extends Field {
  static #drags = 0;

  constructor({label, name = label, range, slider: [least, most, log = false], commit}) {
    super(label);
    this.range = {...range, label};
    this.commit = commit;
    this.value = NaN;
    this.send = ([value, drag]) => this.commit(value, drag);
    this.to = (value) => (log ? Math.log(Math.max(value, least)) : value);
    this.from = (value) => Number(figure(log ? Math.exp(value) : Number(value), 3, (most - least) / 2000));
    this.input = el('input', {type: 'text', inputmode: 'decimal', 'aria-label': name, maxlength: 24, ...this.typing(() => this.#typed())});
    this.slider = el('input', {type: 'range', min: this.to(least), max: this.to(most), step: 'any', 'aria-label': `${name}, slider`,
                               oninput: () => this.#slid(), onchange: () => this.#release(), onlostpointercapture: () => this.#release()});
    this.element = el('div', {class: 'field'}, el('span', {'aria-hidden': 'true'}, label), this.input,
                      el('small', {}, range.unit ?? ''), this.slider, this.wrong);
    this.slider.value = this.slider.min; // until there is a value
    this.input.placeholder = '–';
  }

  #typed() {
    const why = wrongNumber(this.input.value, this.range);
    this.tell(why);
    if (why) return;
    this.value = Number(this.input.value.trim().replace(',', '.'));
    this.#place();
    this.newest.put([this.value, 0]);
  }

  #slid() {
    if (!this.held) this.drag = ++NumberField.#drags;
    this.held = true;
    this.value = this.from(this.slider.value);
    this.input.value = figure(this.value);
    this.newest.put([this.value, this.drag]);
  }

  // A movement of the slider ends: by the visitor, or because the slider was closed or hidden under the pointer.
  #release() {
    this.held = false;
    this.drag = 0;
  }

  close(why) {
    if (why) this.#release();
    super.close(why);
  }

  /** The world's value, as the field writes it. */
  get text() {
    return Number.isFinite(this.value) ? figure(this.value, 4) : '';
  }

  #place() {
    this.slider.value = this.to(this.value);
  }

  /** Shows the world's value, unless the visitor is changing it. */
  show(value) {
    if (this.busy || !this.wrong.hidden) return;
    if (this.value === value) return;
    this.value = value;
    this.input.value = this.text;
    this.input.placeholder = Number.isFinite(value) ? '' : '–';
    if (Number.isFinite(value)) this.#place();
    else this.slider.value = this.slider.min;
  }
}

/** A line of text of at most `most` bytes. */
export class TextField extends Field {
  constructor({label, most, commit}) {
    super(label);
    this.value = '';
    this.send = commit;
    this.input = el('input', {type: 'text', 'aria-label': label, autocomplete: 'off', ...this.typing(() => {
      const size = new TextEncoder().encode(this.input.value).length;
      this.tell(size > most ? `${label}: at most ${most} bytes of UTF-8; this has ${size}` : '');
      if (size > most) return;
      this.value = this.input.value;
      this.newest.put(this.value);
    })});
    this.element = el('div', {class: 'field text'}, el('span', {'aria-hidden': 'true'}, label), this.input, this.wrong);
  }

  get text() {
    return this.value;
  }

  show(value) {
    if (this.busy || !this.wrong.hidden || this.value === value) return;
    this.value = value;
    this.input.value = value;
  }
}

/** A choice that is on or off. */
export class CheckField {
  constructor({label, commit}) {
    this.sending = 0; // changes on their way: until they are answered the world's value does not replace the visitor's
    this.input = el('input', {type: 'checkbox', onchange: async () => {
      this.sending++;
      this.tell(await outcome(() => commit(this.input.checked)));
      this.sending--;
    }});
    this.wrong = el('p', {class: 'wrong', role: 'alert', hidden: true});
    this.element = el('div', {class: 'field check-field'}, el('label', {class: 'check'}, this.input, label), this.wrong);
  }

  tell(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
  }

  close(why) {
    this.input.disabled = why !== '';
    this.input.title = why;
  }

  show(value) {
    if (this.sending === 0) this.input.checked = value;
  }
}

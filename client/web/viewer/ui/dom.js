// Small DOM helpers.

const TOAST_MS = 5000;
const TOASTS_MAX = 4;

export const $ = (id) => document.getElementById(id);

/** An element: `el('button', {class: 'icon', onclick}, 'text', child …)`. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled' || key === 'selected') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** One of the page's icons. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

const before = new WeakMap(); // the element that had the focus before it came into a panel; null: none had it

/** Notes where the focus comes from whenever it comes into a panel, for focusBack(). */
export function rememberFocus(panel) {
  panel.addEventListener('focusin', ({relatedTarget}) => {
    if (!panel.contains(relatedTarget)) before.set(panel, relatedTarget);
  });
}

/**
 * Moves the focus out of a panel that closes, back to where it was. A panel that a key has opened gives it back to the
 * page: a button there would take the next Space, which pauses the world.
 */
export function focusBack(panel) {
  if (!panel.contains(document.activeElement)) return;
  document.activeElement.blur();
  before.get(panel)?.focus();
}

const titles = new WeakMap(); // control -> its title while it may act

/** Disables a control, with the reason as its title; '' enables it under its own title. */
export function disable(control, why) {
  if (!titles.has(control)) titles.set(control, control.title);
  const title = why || titles.get(control);
  if (control.title !== title) control.title = title;
  if (control.disabled !== (why !== '')) control.disabled = why !== '';
}

/** Shows an error (with `note`, a success) for some seconds. */
export function toast(text, {note = false} = {}) {
  const box = $('toasts');
  if (box.lastElementChild?.textContent === text) return;
  const line = el('p', {class: note ? 'note' : undefined}, text);
  box.append(line);
  while (box.children.length > TOASTS_MAX) box.firstElementChild.remove();
  setTimeout(() => line.remove(), TOAST_MS);
}

/** Saves bytes to a file on the visitor's machine. */
export function download(content, name) {
  const url = URL.createObjectURL(new Blob([content], {type: 'application/octet-stream'}));
  el('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), TOAST_MS);
}

/** A number for people, of about three digits. `rest`: smaller ones show as 0. */
export function figure(value, digits = 3, rest = 0) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < rest) return '0';
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2).replace('e+', 'e');
  return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size + 1))))));
}

/** `1 body`, `2 bodies`. */
export const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

export function bytes(value) {
  if (!Number.isFinite(value)) return '–';
  for (const unit of ['B', 'kB', 'MB']) {
    if (value < 1000 || unit === 'MB') return `${value < 10 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1000;
  }
  return '';
}

/** 65.2 -> 1:05.2 */
export function clockText(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(1).padStart(4, '0');
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
                       : `${minutes}:${rest}`;
}

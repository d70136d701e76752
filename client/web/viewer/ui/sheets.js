// Panels on small screens: a phone shows one at a time, the one opened last. Those under it stay open and reappear when
// it is closed. Larger screens show panels side by side, and this file changes nothing.

import {$} from './dom.js';

const SHEETS = ['options', 'log', 'inspector', 'settings', 'layers', 'prediction', 'plots'];

// Must equal the style sheet's.
const PHONE = '(max-width: 720px) and (min-height: 521px), (max-width: 720px) and (max-aspect-ratio: 4/3)';

/** Whether panels cover the lower half of the world. */
export const onPhone = () => matchMedia(PHONE).matches;

let stack = []; // ids of open panels, the topmost last

function look() {
  stack = stack.filter((id) => !$(id).hidden);
  for (const id of SHEETS) if (!$(id).hidden && !stack.includes(id)) stack.push(id);
  for (const id of SHEETS) $(id).toggleAttribute('data-under', stack.includes(id) && id !== stack.at(-1));
}

/** Puts an open panel on top. Returns whether it was hidden before. */
export function raise(id) {
  const covered = !$(id).hidden && !$(id).checkVisibility();
  if (!$(id).hidden) stack = [...stack.filter((other) => other !== id), id];
  look();
  return covered;
}

export function bindSheets() {
  const observer = new MutationObserver(look);
  for (const id of SHEETS) observer.observe($(id), {attributeFilter: ['hidden']});
  look();
}

// Which panels are open, and in which order they were opened: Escape closes the last one. A panel that closes gives the
// focus back to the element that had it before.
//
// A phone shows one panel at a time, the one opened last. Those under it stay open and reappear when it is closed. Larger
// screens show panels side by side.

import {$, focusBack, rememberFocus} from './dom.js';

// Buttons that show whether a panel is seen, and by which attribute.
const LIGHTS = [['layers', 'layers-button', 'aria-expanded'], ['plots', 'plots-button', 'aria-pressed'], ['log', 'log-button', 'aria-pressed']];
const SHEETS = ['options', 'log', 'inspector', 'settings', 'layers', 'prediction', 'plots'];
const PANELS = [...SHEETS, 'worlds'];

// Must equal the media query of the style sheet.
const PHONE = '(max-width: 720px) and (min-height: 521px), (max-width: 720px) and (max-aspect-ratio: 4/3)';

/** Whether panels cover the lower half of the world. */
export const onPhone = () => matchMedia(PHONE).matches;

let stack = []; // ids of open panels, the topmost last

function look() {
  for (const id of PANELS) if ($(id).hidden) focusBack($(id));
  stack = stack.filter((id) => !$(id).hidden);
  for (const id of PANELS) if (!$(id).hidden && !stack.includes(id)) stack.push(id);
  const top = stack.findLast((id) => SHEETS.includes(id));
  for (const id of SHEETS) $(id).toggleAttribute('data-under', stack.includes(id) && id !== top);
  for (const [id, button, attribute] of LIGHTS) $(button).setAttribute(attribute, $(id).checkVisibility());
}

/** Puts an open panel on top. Returns whether it was hidden before. */
export function raise(id) {
  const covered = !$(id).hidden && !$(id).checkVisibility();
  if (!$(id).hidden) stack = [...stack.filter((other) => other !== id), id];
  look();
  return covered;
}

/** The id of the panel that Escape closes: the one with the focus, else the one opened last; undefined if none is open. */
export function topmost() {
  look();
  return stack.find((id) => $(id).contains(document.activeElement)) ?? stack.at(-1);
}

export function bindSheets() {
  const observer = new MutationObserver(look);
  for (const id of PANELS) {
    observer.observe($(id), {attributeFilter: ['hidden']});
    rememberFocus($(id));
  }
  addEventListener('resize', look);
  look();
}

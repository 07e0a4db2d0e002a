// SPDX-License-Identifier: Apache-2.0
// Elements, without markup in strings.

import { text } from './strings.js';

/**
 * Makes an element. Objects among the parts hold properties; properties that begin with `on` are listeners. All other parts
 * are children.
 * @param {string} tag the name of the element and, after a point, its class
 * @param {...(string | Node | Record<string, any> | null | undefined | false)} parts
 * @returns {any}
 */
export function element(tag, ...parts) {
  const [kind, style] = tag.split('.');
  const made = document.createElement(kind);
  if (kind === 'button') made.type = kind;
  if (style) made.className = style;
  for (const part of parts) {
    if (part?.constructor === Object) {
      for (const [name, value] of Object.entries(part)) {
        if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
        else made[name] = value;
      }
    } else if (part) made.append(part);
  }
  return made;
}

/** Outlines on a grid of 24 by 24. */
const outlines = {
  play: 'M8 5v14l11-7z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M11 7 5 12l6 5zM19 7l-6 5 6 5z',
  forward: 'm13 7 6 5-6 5zM5 7l6 5-6 5z',
  mute: 'M4 9v6h3l5 4V5L7 9zm10-1a5 5 0 0 1 0 8zm0-3a8 8 0 0 1 0 14v2a10 10 0 0 0 0-18z',
  unmute: 'M4 9v6h3l5 4V5L7 9zm12 0-1 1 2 2-2 2 1 1 2-2 2 2 1-1-2-2 2-2-1-1-2 2z',
  audio: 'M12 3v10.3A3.5 3.5 0 1 0 14 16.5V7h4V3z',
  subtitles: 'M3 5h18v14H3zm3 6v2h7v-2zm9 0v2h3v-2zm-9 4v2h3v-2zm5 0v2h7v-2z',
  speed: 'M12 4a9 9 0 0 0-8 13h3a7 7 0 1 1 10 0h3a9 9 0 0 0-8-13zm5 5-6 4a2 2 0 1 0 2 2z',
  titles: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 6a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  programs: 'M8 3l4 3 4-3v2l-1 1h6v13H3V6h6L8 5zM5 8v9h14V8z',
  variants: 'M4 14h4v6H4zm6-5h4v11h-4zm6-5h4v16h-4z',
  chapters: 'M4 6h2v2H4zm4 0h12v2H8zm-4 5h2v2H4zm4 0h12v2H8zm-4 5h2v2H4zm4 0h12v2H8z',
  statistics: 'M5 13h3v6H5zm5.5-8h3v14h-3zM16 9h3v10h-3z',
  picture: 'M3 5h18v14H3zm2 2v10h14V7zm6 4h7v5h-7z',
  full: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
  window: 'M8 4h2v6H4V8h4zm6 0h2v4h4v2h-6zM4 14h6v6H8v-4H4zm10 0h6v2h-4v4h-2z',
  sessions: 'M3 5h7l2 2h9v12H3zm2 4v8h14V9z',
  close: 'm6 4.6 6 6 6-6L19.4 6l-6 6 6 6-1.4 1.4-6-6-6 6L4.6 18l6-6-6-6z',
};

/**
 * @param {keyof typeof outlines} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const drawing = document.createElementNS(space, 'svg');
  drawing.setAttribute('viewBox', '0 0 24 24');
  drawing.ariaHidden = true;
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', outlines[name]);
  drawing.append(path);
  return drawing;
}

/**
 * A button with an icon, and with the text of the same name.
 * @param {keyof typeof outlines} name
 * @param {(event: Event) => void} onclick
 * @param {string} [label]
 * @returns {any}
 */
export function button(name, onclick, label) {
  const made = element('button.icon', { name, onclick });
  /** @param {keyof typeof outlines} other @param {string} otherLabel */
  made.become = (other, otherLabel = text[other]) => {
    if (made.title === otherLabel) return;
    made.replaceChildren(icon(other));
    made.title = made.ariaLabel = otherLabel;
  };
  made.become(name, label);
  return made;
}

/**
 * @param {EventTarget} target
 * @param {Record<string, (event: any) => void>} handlers by the names of events
 * @param {AbortSignal} [signal] removes the handlers
 */
export function listen(target, handlers, signal) {
  for (const [name, handler] of Object.entries(handlers)) target.addEventListener(name, handler, { signal });
}

export class Emitter extends EventTarget {
  /** @param {string} name @param {any} [detail] */
  emit(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }
}

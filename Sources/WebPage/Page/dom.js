// SPDX-License-Identifier: Apache-2.0
// Elements, without markup in strings.

/**
 * @typedef {string | Node | null | undefined | false} Child
 */

/**
 * Makes an element. Properties that begin with `on` are listeners, `class` and names with a dash are attributes, others are
 * properties of the element.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'class' || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** Outlines on a grid of 24 by 24. */
const outlines = {
  play: 'M8 5v14l11-7z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M11 7 5 12l6 5zM19 7l-6 5 6 5z',
  forward: 'm13 7 6 5-6 5zM5 7l6 5-6 5z',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM14.5 8.5a5 5 0 0 1 0 7v-7zM14.5 5.2a8 8 0 0 1 0 13.6v2a10 10 0 0 0 0-17.6z',
  muted: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9l-1 1 2 2-2 2 1 1 2-2 2 2 1-1-2-2 2-2-1-1-2 2z',
  audio: 'M12 3v10.3A3.5 3.5 0 1 0 14 16.500V7h4V3z',
  subtitles: 'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm2 7v2h7v-2zm9 0v2h3v-2zM6 15.500v2h3v-2zm5 0v2h7v-2z',
  speed: 'M12 4a9 9 0 0 0-7.8 13.500h2.400a7 7 0 1 1 10.8 0h2.400A9 9 0 0 0 12 4zm4.5 5-5.2 3.600a2 2 0 1 0 1.6 1.700z',
  chapters: 'M4 6h2v2H4zm4 0h12v2H8zm-4 5h2v2H4zm4 0h12v2H8zm-4 5h2v2H4zm4 0h12v2H8z',
  statistics: 'M5 13h3v6H5zm5.5-8h3v14h-3zM16 9h3v10h-3z',
  picture: 'M3 5h18v14H3zm2 2v10h14V7zm6 4h7v5h-7z',
  full: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
  window: 'M8 4h2v6H4V8h4zm6 0h2v4h4v2h-6zM4 14h6v6H8v-4H4zm10 0h6v2h-4v4h-2z',
  open: 'M3 5h7l2 2h9v12H3zm2 4v8h14V9z',
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
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', outlines[name]);
  drawing.append(path);
  return drawing;
}

/**
 * A button with an icon.
 * @param {keyof typeof outlines} name
 * @param {string} label
 * @param {(event: Event) => void} onclick
 * @returns {HTMLButtonElement}
 */
export function button(name, label, onclick) {
  const made = element('button', { type: 'button', class: 'icon', title: label, 'aria-label': label, onclick }, icon(name));
  /** @param {keyof typeof outlines} other @param {string} otherLabel */
  made.become = (other, otherLabel) => {
    if (made.title === otherLabel) return;
    made.replaceChildren(icon(other));
    made.title = otherLabel;
    made.setAttribute('aria-label', otherLabel);
  };
  return made;
}

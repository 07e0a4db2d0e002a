// SPDX-License-Identifier: Apache-2.0
// A button that opens a menu of choices.

import { button, element } from './dom.js';

/** @typedef {{label: string, detail?: string, isChosen: boolean, choose: () => void, isDisabled?: boolean}} Choice */

/** @type {Menu | null} */
let opened = null;

export class Menu {
  /**
   * @param {any} iconName
   * @param {string} label
   * @param {() => Choice[]} choices
   */
  constructor(iconName, label, choices) {
    this.choices = choices;
    this.button = button(iconName, label, () => (opened === this ? this.close() : this.open()));
    this.button.setAttribute('aria-haspopup', 'menu');
    this.button.setAttribute('aria-expanded', 'false');
    this.list = element('div', { class: 'menu', role: 'menu', hidden: true, 'aria-label': label, onkeydown: event => this.#key(event) });
    this.node = element('div', { class: 'anchor' }, this.button, this.list);
  }

  open() {
    opened?.close();
    opened = this;
    this.list.replaceChildren(...this.choices().map(choice => element('button', {
      type: 'button', role: 'menuitemradio', 'aria-checked': String(choice.isChosen), disabled: choice.isDisabled ?? false,
      onclick: () => { choice.choose(); this.close(); },
    }, choice.label, choice.detail && element('small', {}, choice.detail))));
    this.list.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    (this.list.querySelector('[aria-checked=true]') ?? this.list.firstElementChild)?.focus();
  }

  close() {
    if (opened === this) opened = null;
    const hadFocus = this.list.contains(document.activeElement);
    this.list.hidden = true;
    this.button.setAttribute('aria-expanded', 'false');
    if (hadFocus) this.button.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...this.list.querySelectorAll('button:not(:disabled)')];
    const place = items.indexOf(/** @type {any} */ (document.activeElement));
    const target = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape') this.close();
    else if (target !== undefined) items[(target + items.length) % items.length]?.focus();
    else if (event.key !== 'Tab') { if (event.key === 'Enter' || event.key === ' ') event.stopPropagation(); return; }
    event.stopPropagation();
    if (event.key !== 'Tab') event.preventDefault();
  }
}

/** Closes the open menu. @returns {boolean} whether there was one */
export function closeMenu() {
  const wasOpen = opened !== null;
  opened?.close();
  return wasOpen;
}

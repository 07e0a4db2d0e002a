// SPDX-License-Identifier: Apache-2.0
// A button that opens a menu of choices.

import { button, element } from './dom.js';
import { text } from './strings.js';

/**
 * A scale is a value that is changed by two steps, down and up, each with a label; the menu stays open meanwhile.
 * @typedef {{label: string, detail?: string, isChosen?: boolean, choose?: () => void, isDisabled?: boolean}} Choice
 * @typedef {{label: string, value: () => string, steps: [string, () => void][]}} Scale
 */

/** @type {Menu | null} */
let opened = null;

export class Menu {
  /** @type {any} */
  #choices; #scales; #role; #button; #list;

  /**
   * @param {any} name of the icon, and of the text
   * @param {() => Choice[]} choices
   * @param {Scale[]} [scales] shown below the choices
   * @param {'radio' | 'checkbox'} [kind] a checkbox if several can be chosen
   */
  constructor(name, choices, scales = [], kind = 'radio') {
    this.#choices = choices;
    this.#scales = scales;
    this.#role = `menuitem${kind}`;
    this.#button = button(name, () => (opened === this ? this.close() : this.open()));
    this.#button.ariaHasPopup = 'menu';
    this.#button.ariaExpanded = false;
    this.#list = element('div.menu', { role: 'menu', hidden: true, ariaLabel: text[name], onkeydown: event => this.#key(event) });
    this.node = element('div.anchor', this.#button, this.#list);
  }

  /** Shows the button if there is a choice. */
  update() {
    this.node.hidden = this.#choices().length < 2;
    if (this.node.hidden && opened === this) this.close();
  }

  open() {
    if (this.node.hidden) return;
    opened?.close();
    opened = this;
    this.#list.replaceChildren(...this.#choices().map(each => this.#item(each)), ...this.#scales.map(each => this.#scale(each)));
    this.#list.hidden = false;
    // The list ends above the controls, and scrolls if there is not enough room above them.
    this.#list.style.maxHeight = `min(60vh, ${this.#list.getBoundingClientRect().bottom - 8}px)`;
    this.#button.ariaExpanded = true;
    (this.#list.querySelector('[aria-checked="true"]') ?? this.#list.firstElementChild)?.focus();
  }

  /** @param {Choice} choice */
  #item({ label, detail, isChosen, isDisabled, choose }) {
    return element('button', {
      role: this.#role, ariaChecked: Boolean(isChosen), disabled: isDisabled ?? false,
      onclick: () => { choose?.(); this.close(); },
    }, label, detail && element('small', detail));
  }

  /** @param {Scale} scale */
  #scale({ label, value, steps }) {
    const shown = element('small', value());
    const [less, more] = steps.map(([name, step], at) => element('button', {
      role: 'menuitem', ariaLabel: name, title: name, onclick: () => { step(); shown.textContent = value(); },
    }, at ? '+' : '−'));
    return element('div.scale', { role: 'group', ariaLabel: label }, element('span', label, shown), less, more);
  }

  close() {
    if (opened === this) opened = null;
    const hadFocus = this.#list.contains(document.activeElement);
    this.#list.hidden = true;
    this.#button.ariaExpanded = false;
    if (hadFocus) this.#button.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...this.#list.querySelectorAll('button:not(:disabled)')];
    const at = items.indexOf(/** @type {any} */ (document.activeElement));
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
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

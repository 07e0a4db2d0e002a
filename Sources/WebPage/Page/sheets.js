// SPDX-License-Identifier: Apache-2.0
// The dialogs: sessions and files, and the sheet of keys.

import { button, element } from './dom.js';
import { text } from './strings.js';
import { clock, joined } from './time.js';
import { playhead } from './sessions.js';

/** @param {string} title @param {...any} content */
function dialog(title, ...content) {
  const made = element('dialog.sheet', { ariaLabel: title });
  made.append(element('header', element('h2', title), button('close', () => made.close())), ...content);
  made.onclick = event => { if (event.target === made) made.close(); };
  return made;
}

/** The name of a source without its folders, and that of a URL without its query. @param {string} source */
export const title = source => (source[0] === '/' ? source : source.replace(/[?#].*$/, '')).split('/').filter(Boolean).at(-1) ?? source;

export class SessionSheet {
  /** @type {any} */
  #sessions; #actions; #list; #field;

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {{open: (source: string) => void, choose: (session: string) => void, stop: (session: string) => void}} actions
   */
  constructor(sessions, actions) {
    this.#sessions = sessions;
    this.#actions = actions;
    this.#list = element('ul');
    this.#field = element('input', { placeholder: text.openHint, ariaLabel: text.openLabel, required: true, spellcheck: false });
    const form = element('form', {
      onsubmit: event => {
        event.preventDefault();
        this.node.close();
        actions.open(this.#field.value.trim());
        this.#field.value = '';
      },
    }, this.#field, element('button.primary', { type: 'submit' }, text.open));
    this.node = dialog(text.sessions, form, this.#list);
  }

  /** @param {string | null} current */
  show(current) {
    this.update(current);
    if (!this.node.open) this.node.showModal();
    this.#field.focus();
  }

  /** @param {string | null} current */
  update(current) {
    const states = [...this.#sessions.states.values()];
    this.#list.replaceChildren(...states.map(state => element(state.session === current ? 'li.current' : 'li',
      element('button.session', { onclick: () => { this.node.close(); this.#actions.choose(state.session); } },
        element('strong', title(state.source)),
        element('small', joined(state.phase, `${clock(playhead(state))} / ${clock((state.duration_us ?? NaN) / 1e6)}`, state.renderer))),
      button('close', () => this.#actions.stop(state.session), text.stop(title(state.source))))));
    if (states.length === 0) this.#list.append(element('li.empty', text.noSessions));
  }
}

/** @returns {HTMLDialogElement} */
export const helpSheet = () => dialog(text.keys, element('dl.keys',
  ...text.help.flatMap(([keys, what]) => [element('dt', element('kbd', keys)), element('dd', what)])));

// SPDX-License-Identifier: Apache-2.0
// The states of all sessions, kept current by one watch that survives a restart of the engine.

import { pause } from './api.js';
import { Emitter } from './dom.js';
import { now } from './time.js';

/**
 * A session's state as `enginectl watch --json` prints it, with `received`: when its position came, by this page's clock.
 * @typedef {Record<string, any>} State
 */

export class Sessions extends Emitter {
  /** @type {Map<string, State>} */
  states = new Map();

  /** @param {import('./api.js').API} api */
  constructor(api) {
    super();
    this.api = api;
  }

  /** Watches until the token is refused. */
  async run() {
    for (;;) {
      try {
        const list = await this.api.call('ListSessions');
        this.states = new Map(list.sessions.map(state => [state.session, { ...state, received: now() }]));
        this.emit('connected');
        const request = { all_sessions: true, time_interval_us: -1, without_cues: true };
        await this.api.follow('Watch', request, event => this.#receive(event), new AbortController().signal);
      } catch (error) {
        if ([401, 404].includes(/** @type {any} */ (error).status)) return this.emit('refused');
      }
      this.emit('disconnected');
      await pause(500);
    }
  }

  /** @param {any} event */
  #receive(event) {
    switch (event.event) {
      case 'snapshot':
      case 'delta': {
        // A state without an error has no member for it, so an earlier error is removed here.
        const change = 'phase' in event.state ? { error: undefined, ...event.state } : event.state;
        const state = { ...this.states.get(change.session), ...change };
        if ('position' in event.state) state.received = now();
        this.states.set(state.session, state);
        return this.emit('changed', state.session);
      }
      case 'notice':
        return this.emit('notice', event);
      case 'closed':
        this.states.delete(event.session);
        return this.emit('closed', event.session);
    }
  }
}

/**
 * Where a session's playhead is now, in seconds.
 * @param {State} state
 */
export function playhead(state) {
  const anchor = state.position;
  if (!anchor) return 0;
  return anchor.position_us / 1e6 + anchor.rate * (now() - state.received) / 1000;
}

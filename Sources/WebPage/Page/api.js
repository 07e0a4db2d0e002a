// SPDX-License-Identifier: Apache-2.0
// Calls to the engine, and its events.

const storage = 'engined-token';

/** A failure as the engine reports it. */
export class EngineFailure extends Error {
  /** @param {number} status @param {{code: string, message: string, cause?: string}} error */
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
  }

  /** Whether the engine may answer the same call later. */
  get isPassing() { return this.status === 0 || this.status === 503; }
}

export class API {
  #token = sessionStorage.getItem(storage) ?? '';

  get hasToken() { return this.#token !== ''; }

  /**
   * Takes the ticket out of the address bar, and exchanges it for a token that only this tab has.
   * @returns {Promise<boolean>} whether there is a token now
   */
  async begin() {
    const ticket = location.hash.slice(1);
    // A new link that is opened in this tab changes only the fragment.
    onhashchange = () => location.reload();
    if (ticket) {
      history.replaceState(null, '', location.pathname);
      const { token } = await this.#json('ticket', { ticket }, '');
      this.#token = token;
      sessionStorage.setItem(storage, token);
    }
    return this.hasToken;
  }

  /**
   * Calls an RPC.
   * @param {string} method
   * @param {object} [request]
   * @returns {Promise<any>}
   */
  call(method, request = {}) { return this.#json(`api/${method}`, request, this.#token); }

  /**
   * Follows an RPC that answers with events, until it ends or fails.
   * @param {string} method
   * @param {object} request
   * @param {(event: any) => void} receive
   * @param {AbortSignal} signal
   */
  async follow(method, request, receive, signal) {
    const answer = await this.#fetch(`api/${method}`, request, this.#token, signal);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ value: '', done: true }));
      if (done) return;
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.#deliver(part, receive);
    }
  }

  /** @param {string} part @param {(event: any) => void} receive */
  #deliver(part, receive) {
    const lines = part.split('\n');
    const data = lines.find(line => line.startsWith('data:'));
    if (!data) return;
    const event = JSON.parse(data.slice(5));
    if (lines[0].endsWith('error')) throw new EngineFailure(0, event.error);
    receive(event);
  }

  /** @param {string} path @param {object} request @param {string} token */
  async #json(path, request, token) { return (await this.#fetch(path, request, token)).json(); }

  /** @param {string} path @param {object} request @param {string} token @param {AbortSignal} [signal] */
  async #fetch(path, request, token, signal) {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    let answer;
    try {
      answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(request), signal, cache: 'no-store' });
    } catch (error) {
      throw new EngineFailure(0, { code: 'unavailable', message: String(error) });
    }
    if (answer.ok) return answer;
    const report = await answer.json().catch(() => ({}));
    throw new EngineFailure(answer.status, report.error ?? { code: 'internal', message: answer.statusText });
  }
}

/** @param {number} milliseconds */
export const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

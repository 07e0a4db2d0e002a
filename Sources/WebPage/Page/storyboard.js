// SPDX-License-Identifier: Apache-2.0
// Thumbnails for the timeline: sprites that the engine makes on request.

import { load, local } from './playlist.js';
import { parseBlocks } from './vtt.js';

export class Storyboard {
  /** @type {{start: number, end: number, url: URL, area: number[]}[]} */
  #pictures = [];
  /** @type {string | null} */
  #url = null;

  /**
   * Shows the pictures of a session. The engine has them once its plan of the source is complete.
   * @param {import('./sessions.js').State} state
   */
  async use({ storyboard_url: address, production }) {
    if (address === this.#url) return;
    this.#pictures = [];
    this.#url = production?.plan_complete ? address : null;
    if (!this.#url) return;
    const own = local(address);
    try {
      this.#pictures = parseBlocks(await (await load(own)).text()).map(({ start, end, text }) => {
        const url = new URL(text.trim(), own), area = url.hash.slice('#xywh='.length).split(',').map(Number);
        url.hash = '';
        return { start, end, url, area };
      });
    } catch (error) {
      // Without a status, the engine may be restarting, and the next state tries again. Otherwise there are no previews.
      if (!error.status && this.#url === address) this.#url = null;
    }
  }

  /**
   * Shows the thumbnail of a time in an element.
   * @param {HTMLElement} element
   * @param {number} time
   */
  show(element, time) {
    const picture = this.#pictures.findLast(each => each.start <= time);
    element.hidden = !picture;
    if (!picture) return;
    const [x, y, width, height] = picture.area;
    Object.assign(element.style, {
      width: `${width}px`, height: `${height}px`, backgroundImage: `url("${picture.url.href}")`, backgroundPosition: `-${x}px -${y}px`,
    });
  }
}

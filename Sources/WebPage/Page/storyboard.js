// SPDX-License-Identifier: Apache-2.0
// Thumbnails for the timeline: sprites that the engine makes on request.

import { load, local } from './playlist.js';
import { parseBlocks } from './vtt.js';

export class Storyboard {
  /** @type {{start: number, end: number, url: URL, area: number[]}[]} */
  #pictures = [];
  #url = '';

  /** @param {string | null} address the engine's `storyboard_url` */
  async use(address) {
    if (!address || address === this.#url) return;
    this.#url = address;
    this.#pictures = [];
    const own = local(address);
    try {
      this.#pictures = parseBlocks(await (await load(own)).text()).map(({ start, end, text }) => {
        const url = new URL(text.trim(), own), area = url.hash.slice('#xywh='.length).split(',').map(Number);
        url.hash = '';
        return { start, end, url, area };
      });
    } catch {
      // A source without pictures, or one whose plan still grows: the timeline has no previews then.
      this.#url = '';
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

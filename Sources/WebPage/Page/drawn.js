// SPDX-License-Identifier: Apache-2.0
// Subtitles that the engine draws at the size of the video: scripts as their authors meant them, and bitmaps.

import { pause } from './api.js';
import { Emitter, element } from './dom.js';
import { microseconds, seconds } from './time.js';

/** How far pictures are fetched ahead, and how much with one call, in seconds. */
const ahead = 6, span = 20;

/** One track: the pictures that were fetched, and the canvas that shows one of them. */
class Layer {
  node = element('canvas.drawn', { ariaHidden: true });
  /** @type {{start: number, end: number, images: any[]}[]} */
  #pictures = [];
  #from = 0;
  #until = -1;
  /** @type {any} */
  #shown;
  #isDrawing = false;
  /** @type {AbortController | null} */
  #call = null;

  /** @param {Drawn} owner @param {number} track */
  constructor(owner, track) {
    this.owner = owner;
    this.track = track;
  }

  /** Shows the picture of a time, and fetches the next ones. @param {number} time */
  update(time) {
    if (time < this.#from || time > this.#until) {
      this.end();
      this.#from = this.#until = Math.max(0, time);
    }
    if (!this.#call && this.#until < time + ahead) this.#fetch();
    this.#draw(this.#pictures.findLast(each => each.start <= time && time < each.end));
  }

  /** Forgets everything, and ends the call that is under way. */
  end() {
    this.#call?.abort();
    this.#call = null;
    this.#pictures = [];
    this.#until = -1;
  }

  async #fetch() {
    const { owner, track } = this, { origin, size: [width, height] } = owner, from = this.#until, call = this.#call = new AbortController();
    this.#until += span;
    const range = { start_us: microseconds(from + origin), end_us: microseconds(this.#until + origin) };
    const cues = { session_id: owner.session, track, range }, { signal } = call;
    try {
      await owner.api.follow('DrawSubtitles', { cues, width, height, straight_alpha: true }, ({ pictures = [] }) => {
        for (const { start_us: start, end_us: end, images = [] } of pictures) {
          this.#pictures.push({ start: seconds(start) - origin, end: seconds(end) - origin, images });
        }
      }, signal);
      this.#pictures = this.#pictures.filter(each => each.end > from - span);
    } catch (error) {
      if (signal.aborted) return;
      if (error.status || error.code !== 'unavailable') return owner.fail(track, error);
      // The engine may be restarting.
      this.#until = from;
      await pause(1000);
    }
    if (this.#call === call) this.#call = null;
  }

  /** @param {any} picture */
  async #draw(picture) {
    if (picture === this.#shown || this.#isDrawing) return;
    this.#isDrawing = true;
    this.#shown = picture;
    const images = picture?.images ?? [], { node } = this;
    const decoded = await Promise.all(images.map(({ png }) => createImageBitmap(new Blob([Uint8Array.from(atob(png), each => each.charCodeAt(0))]))));
    // Setting its size also clears the canvas.
    node.width = images[0]?.canvas_width ?? 1;
    node.height = images[0]?.canvas_height ?? 1;
    images.forEach(({ x = 0, y = 0 }, index) => node.getContext('2d').drawImage(decoded[index], x * node.width, y * node.height));
    this.#isDrawing = false;
  }
}

export class Drawn extends Emitter {
  node = element('div.pictures');
  /** @type {Map<number, Layer>} */
  #layers = new Map();
  #failed = new Set();
  /** The session and what is loaded in it. */
  #loaded = '';
  delay = 0;
  /** The size of the video on the screen, in device pixels. */
  size = [0, 0];
  /** @type {string | undefined} */
  session;
  /** The time of the source's clock at which the timeline begins, in seconds. */
  origin = 0;

  /** @param {import('./api.js').API} api @param {HTMLVideoElement} video */
  constructor(api, video) {
    super();
    this.api = api;
    this.video = video;
    this.#follow();
  }

  /** Whether the engine draws a track, rather than the browser. @param {{id: number, codec: string, text: boolean}} track */
  takes({ id, codec, text }) { return (!text || codec === 'ass') && !this.#failed.has(id); }

  /**
   * Shows the tracks with these numbers, and no others.
   * @param {import('./sessions.js').State | undefined} state
   * @param {number[]} ids
   */
  show(state, ids) {
    const isNew = this.#loaded !== (this.#loaded = `${state?.session} ${state?.url}`);
    if (isNew) this.#failed.clear();
    this.session = state?.session;
    this.origin = seconds(state?.media?.start_us ?? 0);
    for (const [id, layer] of this.#layers) {
      if (!isNew && ids.includes(id)) continue;
      layer.end();
      layer.node.remove();
      this.#layers.delete(id);
    }
    for (const id of ids) {
      if (this.#layers.has(id)) continue;
      const layer = new Layer(this, id);
      this.#layers.set(id, layer);
      this.node.append(layer.node);
    }
  }

  /** @param {number} id @param {Error} error */
  fail(id, error) {
    this.#failed.add(id);
    this.emit('failed', error);
  }

  #follow() {
    requestAnimationFrame(() => this.#follow());
    const { video, node } = this, { videoWidth, videoHeight, clientWidth, clientHeight } = video;
    if (!videoWidth || !clientWidth || this.#layers.size === 0) return;
    const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight), sizes = [videoWidth * scale, videoHeight * scale];
    [node.style.width, node.style.height] = sizes.map(length => `${length}px`);
    const size = sizes.map(length => Math.min(8192, Math.max(16, Math.round(length * devicePixelRatio))));
    if (`${size}` !== `${this.size}`) {
      this.size = size;
      this.#layers.forEach(layer => layer.end());
    }
    this.#layers.forEach(layer => layer.update(video.currentTime - this.delay));
  }
}

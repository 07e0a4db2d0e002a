// SPDX-License-Identifier: Apache-2.0
// Subtitles that the engine draws at the size of the video: scripts as their authors meant them, and bitmaps.

import { Emitter, element } from './dom.js';
import { pixels } from './png.js';
import { microseconds, now, seconds } from './time.js';
import { pause } from './api.js';

/** How far pictures are fetched ahead, and how much with one call, in seconds. */
const ahead = 6, span = 20;

/** One track: the pictures that were fetched, and the canvas that shows one of them. */
class Layer {
  node = element('canvas.drawn', { width: 1, height: 1, ariaHidden: true });
  /** @type {{start: number, end: number, images: any[]}[]} */
  #pictures = [];
  #from = 0;
  #until = -1;
  #size = '';
  /** @type {any} */
  #shown;
  #isDrawing = false;
  /** @type {AbortController | null} */
  #call = null;

  /** @param {Drawn} owner @param {number} id */
  constructor(owner, id) {
    this.owner = owner;
    this.id = id;
  }

  /** Shows what belongs to a time, and fetches what comes. @param {number} time @param {[number, number]} size */
  update(time, size) {
    if (this.#size !== `${size}` || time < this.#from || time > this.#until) {
      this.end();
      this.#size = `${size}`;
      this.#pictures = [];
      this.#from = this.#until = Math.max(0, time);
    }
    if (!this.#call && this.#until < time + ahead) this.#fetch(size);
    this.#draw(this.#pictures.findLast(each => each.start <= time && time < each.end));
  }

  /** Ends the call that is under way. */
  end() {
    this.#call?.abort();
    this.#call = null;
  }

  /** @param {[number, number]} size */
  async #fetch([width, height]) {
    const call = this.#call = new AbortController(), start = this.#until, { api, session, origin } = this.owner;
    this.#until += span;
    const range = { start_us: microseconds(start + origin), end_us: microseconds(this.#until + origin) };
    try {
      await api.follow('DrawSubtitles', { cues: { session_id: session, track: this.id, range }, width, height }, answer => {
        if (call.signal.aborted) return;
        for (const { start_us: begin, end_us: end, images = [] } of answer.pictures ?? []) {
          this.#pictures.push({ start: seconds(begin) - origin, end: seconds(end) - origin, images });
        }
      }, call.signal);
      this.#pictures = this.#pictures.filter(each => each.end > start - span);
    } catch (error) {
      if (call.signal.aborted) return;
      if (!error.isPassing || error.code !== 'unavailable') return this.owner.fail(this.id, error);
      // The engine may be restarting.
      this.#until = start;
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
    const decoded = await Promise.all(images.map(image => pixels(image.png)));
    const { canvas_width: width, canvas_height: height } = images[0] ?? { canvas_width: 1, canvas_height: 1 };
    // This also clears it.
    Object.assign(node, { width, height });
    decoded.forEach((data, index) => {
      const { x = 0, y = 0 } = images[index];
      node.getContext('2d').putImageData(data, Math.round(x * width), Math.round(y * height));
    });
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
  #box = '';
  #changed = 0;
  delay = 0;
  session = '';
  /** The time of the source's clock at which the timeline begins, in seconds. */
  origin = 0;

  /** @param {import('./api.js').API} api @param {HTMLVideoElement} video */
  constructor(api, video) {
    super();
    this.api = api;
    this.video = video;
  }

  /** Whether the engine draws a track, rather than the browser. @param {{id: number, codec: string, text: boolean}} track */
  takes(track) { return (!track.text || track.codec === 'ass') && !this.#failed.has(track.id); }

  /**
   * Shows the tracks with these numbers, and no others.
   * @param {import('./sessions.js').State | undefined} state
   * @param {number[]} ids
   */
  show(state, ids) {
    const loaded = state ? `${state.session} ${state.url}` : '';
    if (loaded !== this.#loaded) {
      this.#failed.clear();
      this.#clear(() => true);
      this.#loaded = loaded;
    }
    this.session = state?.session ?? '';
    this.origin = seconds(state?.media?.start_us ?? 0);
    this.#clear(id => !ids.includes(id));
    const isIdle = this.#layers.size === 0;
    for (const id of ids) {
      if (this.#layers.has(id)) continue;
      const layer = new Layer(this, id);
      this.#layers.set(id, layer);
      this.node.append(layer.node);
    }
    if (isIdle) this.#follow();
  }

  /** @param {(id: number) => boolean} isGone */
  #clear(isGone) {
    for (const [id, layer] of this.#layers) {
      if (!isGone(id)) continue;
      layer.end();
      layer.node.remove();
      this.#layers.delete(id);
    }
  }

  /** @param {number} id @param {Error} error */
  fail(id, error) {
    this.#failed.add(id);
    this.emit('failed', error);
  }

  #follow() {
    if (this.#layers.size === 0) return;
    requestAnimationFrame(() => this.#follow());
    const { video } = this, { videoWidth, videoHeight, clientWidth, clientHeight } = video;
    if (!videoWidth || !clientWidth) return;
    const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight), width = videoWidth * scale, height = videoHeight * scale;
    const box = `${[(clientWidth - width) / 2, (clientHeight - height) / 2, width, height]}`;
    if (box !== this.#box) {
      this.#box = box;
      this.#changed = now();
    }
    const [left, top] = box.split(',');
    Object.assign(this.node.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    // While the window changes its size, the pictures are stretched.
    if (this.#layers.size === 0 || now() < this.#changed + 300) return;
    const side = length => Math.min(8192, Math.max(16, Math.round(length * devicePixelRatio)));
    for (const layer of this.#layers.values()) layer.update(video.currentTime - this.delay, [side(width), side(height)]);
  }
}

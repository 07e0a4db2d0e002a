// SPDX-License-Identifier: Apache-2.0
// The timeline: where playback is, what is buffered, chapters, and a preview under the pointer.

import { element } from './dom.js';
import { text } from './strings.js';
import { clock, joined, seconds } from './time.js';

/**
 * @typedef {{position: number, start: number, end: number, isLive: boolean, buffered: {start_us: number, end_us: number}[],
 *   chapters: {start_us: number, title: string}[]}} TimelineView
 */

/**
 * A time as text; of a live source, how far it is behind the edge.
 * @param {number} time @param {number} end @param {boolean} isLive
 */
export const place = (time, end, isLive) => (isLive ? `-${clock(Math.max(0, end - time))}` : clock(time));

export class Timeline {
  /** @type {any} */
  #storyboard; #seek; #buffered; #played; #chapters; #thumb; #picture; #caption; #preview;

  /** @type {TimelineView} */
  #view = { position: 0, start: 0, end: 0, isLive: false, buffered: [], chapters: [] };
  /** @type {number | null} while the pointer drags */
  #dragged = null;

  /**
   * @param {import('./storyboard.js').Storyboard} storyboard
   * @param {(time: number) => void} seek
   */
  constructor(storyboard, seek) {
    this.#storyboard = storyboard;
    this.#seek = seek;
    this.#buffered = element('div.ranges');
    this.#played = element('div.played');
    this.#chapters = element('div.marks');
    this.#thumb = element('div.thumb');
    this.#picture = element('div.picture');
    this.#caption = element('span');
    this.#preview = element('div.preview', { hidden: true }, this.#picture, this.#caption);
    this.node = element('div.timeline', {
      role: 'slider', tabIndex: 0, ariaLabel: text.position, ariaValueMin: 0,
      onpointerdown: event => this.#press(event), onpointermove: event => this.#hover(event),
      onpointerup: event => this.#release(event), onpointercancel: () => { this.#dragged = null; }, onpointerleave: () => { this.#preview.hidden = true; },
    }, element('div.rail', this.#buffered, this.#played, this.#chapters), this.#thumb, this.#preview);
  }

  /** @param {TimelineView} view */
  show(view) {
    this.#view = view;
    const { position, start, end, isLive, buffered, chapters } = view;
    this.#played.style.width = this.#thumb.style.left = `${this.#percent(this.#dragged ?? position)}%`;
    this.node.ariaValueMax = Math.round(end - start);
    this.node.ariaValueNow = Math.round(position - start);
    this.node.ariaValueText = isLive ? text.behind(clock(Math.max(0, end - position))) : `${clock(position)} / ${clock(end)}`;
    this.#buffered.replaceChildren(...buffered.map(each => this.#range(seconds(each.start_us), seconds(each.end_us))));
    this.#chapters.replaceChildren(...chapters.slice(1).map(({ start_us }) => this.#range(seconds(start_us), seconds(start_us))));
  }

  /** @param {number} from @param {number} to */
  #range(from, to) {
    const made = element('i'), left = this.#percent(from);
    Object.assign(made.style, { left: `${left}%`, width: `${this.#percent(to) - left}%` });
    return made;
  }

  /** @param {number} time */
  #percent(time) {
    const { start, end } = this.#view;
    return end > start ? Math.min(100, Math.max(0, (time - start) / (end - start) * 100)) : 0;
  }

  /** @param {PointerEvent} event */
  #time(event) {
    const { left, width } = this.node.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientX - left) / width));
    return this.#view.start + part * (this.#view.end - this.#view.start);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    this.node.setPointerCapture(event.pointerId);
    this.#dragged = this.#time(event);
    this.show(this.#view);
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    const time = this.#time(event), { left, width } = this.node.getBoundingClientRect();
    if (this.#dragged !== null) {
      this.#dragged = time;
      this.show(this.#view);
    }
    const chapter = this.#view.chapters.findLast(each => seconds(each.start_us) <= time)?.title;
    const { end, isLive } = this.#view;
    this.#caption.textContent = joined(place(time, end, isLive), chapter);
    this.#storyboard.show(this.#picture, time);
    this.#preview.hidden = false;
    const half = this.#preview.offsetWidth / 2;
    this.#preview.style.left = `${Math.min(width - half, Math.max(half, event.clientX - left))}px`;
  }

  /** @param {PointerEvent} event */
  #release(event) {
    if (this.#dragged === null) return;
    const time = this.#time(event);
    this.#dragged = null;
    this.#seek(time);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The timeline: where playback is, what is buffered, chapters, and a preview under the pointer.

import { element } from './dom.js';
import { text } from './strings.js';
import { clock, seconds } from './time.js';

/**
 * @typedef {{position: number, start: number, end: number, buffered: {start_us: number, end_us: number}[],
 *   chapters: {start_us: number, title: string}[]}} TimelineView
 */

export class Timeline {
  /** @type {TimelineView} */
  #view = { position: 0, start: 0, end: 0, buffered: [], chapters: [] };
  /** @type {number | null} while the pointer drags */
  #dragged = null;
  #marks = '';

  /**
   * @param {import('./storyboard.js').Storyboard} storyboard
   * @param {(time: number) => void} seek
   */
  constructor(storyboard, seek) {
    this.storyboard = storyboard;
    this.seek = seek;
    this.buffered = element('div', { class: 'ranges' });
    this.played = element('div', { class: 'played' });
    this.chapters = element('div', { class: 'marks' });
    this.thumb = element('div', { class: 'thumb' });
    this.picture = element('div', { class: 'picture' });
    this.caption = element('span');
    this.preview = element('div', { class: 'preview', hidden: true }, this.picture, this.caption);
    this.node = element('div', {
      class: 'timeline', role: 'slider', tabIndex: 0, 'aria-label': text.position, 'aria-valuemin': '0',
      onpointerdown: event => this.#press(event), onpointermove: event => this.#hover(event),
      onpointerup: event => this.#release(event), onpointerleave: () => { this.preview.hidden = true; },
    }, element('div', { class: 'rail' }, this.buffered, this.played, this.chapters), this.thumb, this.preview);
  }

  /** @param {TimelineView} view */
  show(view) {
    this.#view = view;
    const { position, start, end, buffered, chapters } = view;
    const place = this.#percent(this.#dragged ?? position);
    this.played.style.width = this.thumb.style.left = `${place}%`;
    this.node.setAttribute('aria-valuemax', String(Math.round(end - start)));
    this.node.setAttribute('aria-valuenow', String(Math.round(position - start)));
    this.node.setAttribute('aria-valuetext', `${clock(position)} / ${clock(end)}`);
    this.buffered.replaceChildren(...buffered.map(range => this.#range(seconds(range.start_us), seconds(range.end_us))));
    const marks = JSON.stringify([start, end, chapters.map(each => each.start_us)]);
    if (marks === this.#marks) return;
    this.#marks = marks;
    this.chapters.replaceChildren(...chapters.slice(1).map(chapter => this.#range(seconds(chapter.start_us), seconds(chapter.start_us))));
  }

  /** @param {number} from @param {number} to */
  #range(from, to) {
    const made = element('i');
    made.style.left = `${this.#percent(from)}%`;
    made.style.width = `${this.#percent(to) - this.#percent(from)}%`;
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
    this.caption.textContent = chapter ? `${clock(time)} · ${chapter}` : clock(time);
    this.storyboard.show(this.picture, time);
    this.preview.hidden = false;
    const half = this.preview.offsetWidth / 2;
    this.preview.style.left = `${Math.min(width - half, Math.max(half, event.clientX - left))}px`;
  }

  /** @param {PointerEvent} event */
  #release(event) {
    if (this.#dragged === null) return;
    const time = this.#time(event);
    this.#dragged = null;
    this.seek(time);
  }
}

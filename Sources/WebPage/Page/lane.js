// SPDX-License-Identifier: Apache-2.0
// The media of one kind: its playlist, and the buffer it goes to.

import { load, parseMedia, segmentAt } from './playlist.js';
import { now, pairs } from './time.js';

/** @typedef {import('./playlist.js').MediaPlaylist} MediaPlaylist */
/** @typedef {import('./playlist.js').Segment} Segment */

export class Lane {
  /** @type {any} */
  #lead;

  /** @type {MediaPlaylist | null} */
  list = null;
  /** @type {Set<number>} */
  appended = new Set();
  /** @type {Map<number, number>} how many parts are appended of a segment that was fetched in parts */
  #parts = new Map();
  /** @type {Set<number>} segments without media for their middle, or that have left the window */
  hollow = new Set();
  /** @type {URL | null} */
  map = null;
  /** @type {Map<string, ArrayBuffer>} */
  maps = new Map();
  /** @type {AbortController | null} */
  fetching = null;
  reloaded = 0;
  /** Whether the list is that of another rendition. */
  isStale = false;
  /** What was buffered of another rendition plays until this time. */
  #kept = 0;

  /** @param {URL} url @param {SourceBuffer} buffer @param {Lane | null} [lead] the lane of the video, for a lane of audio */
  constructor(url, buffer, lead) {
    this.url = url;
    this.buffer = buffer;
    this.#lead = lead;
  }

  /**
   * Plays another rendition: its segments replace those of the old one, which plays until then.
   * @param {URL} url
   * @param {number} kept segments that begin before this time are not replaced
   */
  become(url, kept) {
    this.fetching?.abort();
    this.url = url;
    this.map = null;
    this.appended.clear();
    this.#parts.clear();
    this.hollow.clear();
    this.isStale = true;
    this.#kept = kept;
  }

  /**
   * Fetches the playlist.
   * @returns {Promise<MediaPlaylist | null>} `null` if the lane has been given another rendition meanwhile
   */
  async fetched() {
    this.reloaded = now();
    const { url, open } = this;
    // If parts are listed, the engine answers once there is another one (draft-pantos-hls-rfc8216bis §6.2.5.2).
    const next = open ? new URL(`?_HLS_msn=${open.index}&_HLS_part=${open.parts.length}`, url) : url;
    const text = await (await load(next)).text();
    // Audio of a live source gets the spans of the video's segments: their durations before the session joined may be
    // unknown.
    const lead = /-(later|earlier)-|ENDLIST/.test(url.href + text) ? null : this.#lead;
    const list = parseMedia(url, text, index => lead?.spanOf(index) ?? this.spanOf(index));
    return url === this.url ? list : null;
  }

  /** The segment that is still arriving, if its parts are listed. */
  get open() {
    const last = this.isStale ? null : this.list?.segments.at(-1);
    return last?.isOpen ? last : null;
  }

  /** @param {MediaPlaylist} list */
  use(list) {
    this.list = list;
    if (!this.isStale) return;
    this.isStale = false;
    for (const { index, start } of list.segments) if (start < this.#kept) this.appended.add(index);
  }

  /**
   * Where a segment lies, if the last playlist says so.
   * @param {number} index
   * @returns {{start: number, duration?: number} | undefined}
   */
  spanOf(index) {
    if (!this.list) return undefined;
    const { segments, end } = this.list, segment = segments[index - segments[0]?.index];
    if (segment) return segment.isOpen ? { start: segment.start } : { start: segment.start, duration: segment.duration };
    return !this.open && index - 1 === segments.at(-1)?.index ? { start: end } : undefined;
  }

  /** @returns {[number, number][]} what the buffer has */
  get filled() { return pairs(this.buffer.buffered); }

  /** Whether the buffer has a time. @param {number} time */
  has(time) { return this.filled.some(([start, end]) => start <= time + 0.05 && time < end); }

  /**
   * The first segment that is missing from a time on, or its first missing part; `null` if nothing is missing up to `until`.
   * @param {number} time
   * @param {number} until
   * @returns {Segment & {part?: number} | null}
   */
  missing(time, until) {
    const { segments } = /** @type {MediaPlaylist} */ (this.list);
    for (let at = segmentAt(/** @type {any} */ (this.list), time); at < segments.length; at += 1) {
      const segment = segments[at];
      if (segment.start > until) return null;
      if (this.hollow.has(segment.index)) continue;
      const taken = this.#parts.get(segment.index) ?? 0, part = segment.parts[taken];
      if (part && (taken || segment.isOpen)) return { ...segment, ...part, part: taken };
      if (taken && segment.parts.length) this.appended.add(segment.index);
      if (segment.isOpen) continue;
      const probe = Math.max(time, segment.start + segment.duration / 2);
      if (!this.appended.has(segment.index) || !this.has(Math.min(probe, segment.start + segment.duration * 0.8))) {
        return segment;
      }
    }
    return null;
  }

  /** Notes that a segment is appended, or a part of it. @param {Segment & {part?: number}} segment */
  took({ index, part }) {
    if (part === undefined) this.appended.add(index);
    else this.#parts.set(index, part + 1);
  }

  /**
   * The first time, at or after a time, for which this lane has media or will have it.
   * @param {number} time
   * @param {boolean} isStalled whether the browser has stopped there, which it does a little before a short gap
   */
  next(time, isStalled) {
    const after = isStalled && this.filled.find(([start], index) => index && start > time && start < time + 0.2);
    if (after) return after[0];
    if (!this.list || this.has(time)) return time;
    const segment = this.list.segments.find(each => each.start + each.duration > time + 0.05 && !this.hollow.has(each.index));
    if (!segment) return time;
    if (!this.appended.has(segment.index)) return Math.max(time, segment.start);
    // The media may begin a little later than its segment.
    return this.filled.find(([start]) => start > time && start < segment.start + segment.duration)?.[0] ?? time;
  }

  /** @param {() => void} action */
  change(action) {
    return new Promise((resolve, reject) => {
      const done = () => { this.buffer.removeEventListener('error', failed); resolve(undefined); };
      const failed = () => reject(new Error('the browser refused the media'));
      this.buffer.addEventListener('updateend', done, { once: true });
      this.buffer.addEventListener('error', failed, { once: true });
      action();
    });
  }
}

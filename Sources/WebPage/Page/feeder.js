// SPDX-License-Identifier: Apache-2.0
// Feeds a <video> from the engine's segments by Media Source Extensions.
//
// The plan of a source is known: each segment is fetched by its index, and a seek is just another index. The playlists say
// where segments lie on the timeline, and the buffers say what is missing.

import { isVideo, load, loadMaster, parseMedia, segmentAt } from './playlist.js';

/** How much is buffered ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 60;

/** Whether this browser plays a format in fMP4. */
export const isSupported = codec =>
  globalThis.MediaSource?.isTypeSupported(`${isVideo(codec) ? 'video' : 'audio'}/mp4; codecs="${codec}"`) ?? false;

/** The media of one kind: its playlist, and the buffer it goes to. */
class Lane {
  /** @type {import('./playlist.js').MediaPlaylist | null} */
  list = null;
  /** @type {Set<number>} */
  appended = new Set();
  /** @type {Set<number>} appended segments that have no media for their middle */
  hollow = new Set();
  /** @type {URL | null} */
  map = null;
  /** @type {Map<string, ArrayBuffer>} */
  maps = new Map();
  /** @type {AbortController | null} */
  fetching = null;
  reloaded = 0;

  /** @param {URL} url @param {SourceBuffer} buffer */
  constructor(url, buffer) {
    this.url = url;
    this.buffer = buffer;
  }

  async reload() {
    this.reloaded = performance.now();
    const url = this.url;
    const list = parseMedia(url, await (await load(url)).text());
    if (url !== this.url) return;
    const known = this.list?.segments[0];
    const shift = known && list.segments.length ? this.#startOf(list.segments[0].index) : 0;
    if (shift) for (const segment of list.segments) segment.start += shift;
    list.end += shift;
    this.list = list;
  }

  /** Where a segment of a window that has moved begins: as the last list said. @param {number} index */
  #startOf(index) {
    const { segments, end } = /** @type {import('./playlist.js').MediaPlaylist} */ (this.list);
    return segments.find(segment => segment.index === index)?.start ?? (index > segments[0].index ? end : segments[0].start);
  }

  /** Whether the buffer has a time. @param {number} time */
  has(time) {
    const { buffered } = this.buffer;
    for (let index = 0; index < buffered.length; index += 1) {
      if (buffered.start(index) <= time + 0.05 && time < buffered.end(index)) return true;
    }
    return false;
  }

  /**
   * The first segment that is missing from a time on.
   * @param {number} time
   * @param {number} until
   */
  missing(time, until) {
    const { segments } = /** @type {import('./playlist.js').MediaPlaylist} */ (this.list);
    for (let place = segmentAt(/** @type {any} */ (this.list), time); place < segments.length; place += 1) {
      const segment = segments[place];
      if (segment.start > until) return null;
      if (this.hollow.has(segment.index)) continue;
      const probe = Math.max(time, segment.start + segment.duration / 2);
      if (!this.appended.has(segment.index) || !this.has(Math.min(probe, segment.start + segment.duration * 0.8))) {
        return segment;
      }
    }
    return null;
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

export class Feeder extends EventTarget {
  /** @type {Lane | null} */
  video = null;
  /** @type {Lane | null} */
  audio = null;
  codecs = '';
  #source = new MediaSource();
  #isClosed = false;
  #master;
  #wake = () => {};

  /**
   * @param {HTMLVideoElement} element
   * @param {URL} url of the master playlist
   */
  constructor(element, url) {
    super();
    this.element = element;
    this.url = url;
  }

  /**
   * Opens the source at a position, and feeds it until `close`.
   * @param {number} position
   * @param {number | null} audio the index of the stream
   */
  async open(position, audio) {
    this.#master = await loadMaster(this.url);
    const { codecs, video } = this.#master;
    this.codecs = codecs.join(', ');
    const refused = codecs.filter(codec => !isSupported(codec));
    if (refused.length) throw Object.assign(new Error(`no support for ${refused.join(', ')}`), { isFormat: true });
    const opened = new Promise(resolve => this.#source.addEventListener('sourceopen', resolve, { once: true }));
    this.element.src = URL.createObjectURL(this.#source);
    await opened;
    URL.revokeObjectURL(this.element.src);
    const type = kind => `${kind}/mp4; codecs="${codecs.find(codec => isVideo(codec) === (kind === 'video'))}"`;
    const track = this.#audioURL(audio);
    if (video) this.video = new Lane(video, this.#source.addSourceBuffer(type('video')));
    if (track) this.audio = new Lane(track, this.#source.addSourceBuffer(type('audio')));
    await Promise.all(this.#lanes.map(lane => this.#patiently(() => lane.reload())));
    this.#extend();
    if (position > 0) this.element.currentTime = position;
    this.element.addEventListener('seeking', this.#woken);
    this.element.addEventListener('timeupdate', this.#woken);
    for (const lane of this.#lanes) this.#feed(lane);
  }

  get #lanes() { return /** @type {Lane[]} */ ([this.video, this.audio].filter(Boolean)); }

  /** The master playlist names an audio track by its stream. @param {number | null} stream */
  #audioURL(stream) {
    const { audio, defaultAudio } = this.#master;
    return audio.get(stream ?? defaultAudio) ?? audio.get(defaultAudio) ?? null;
  }

  #woken = () => {
    for (const lane of this.#lanes) {
      // A fetch for another place is in the way of a seek.
      if (this.element.seeking && !lane.has(this.element.currentTime)) lane.fetching?.abort();
    }
    this.#wake();
  };

  /**
   * Plays another audio track from the playhead on: its segments replace those of the old one, which plays until then.
   * @param {number | null} stream
   */
  async switchAudio(stream) {
    const url = this.#master && this.#audioURL(stream);
    if (!this.audio || !url || url.href === this.audio.url.href) return;
    this.audio.fetching?.abort();
    this.audio.url = url;
    this.audio.map = null;
    this.audio.appended.clear();
    this.audio.hollow.clear();
    await this.#patiently(() => /** @type {Lane} */ (this.audio).reload());
    this.#wake();
  }

  close() {
    this.#isClosed = true;
    for (const lane of this.#lanes) lane.fetching?.abort();
    this.element.removeEventListener('seeking', this.#woken);
    this.element.removeEventListener('timeupdate', this.#woken);
    this.#wake();
  }

  /** How far playlists reach, in seconds. */
  get end() { return Math.max(0, ...this.#lanes.map(lane => lane.list?.end ?? 0)); }

  /** @param {Lane} lane */
  async #feed(lane) {
    try {
      while (!this.#isClosed) {
        const time = this.element.currentTime;
        const segment = lane.list && lane.missing(time, time + ahead);
        if (segment) await this.#append(lane, segment);
        else if (lane.list?.ended) await this.#finish();
        else await this.#follow(lane);
      }
    } catch (error) {
      if (!this.#isClosed) this.dispatchEvent(new CustomEvent('failed', { detail: error }));
    }
  }

  /** @param {Lane} lane @param {import('./playlist.js').Segment} segment */
  async #append(lane, segment) {
    const url = lane.url;
    const stop = lane.fetching = new AbortController();
    try {
      const map = segment.map && segment.map.href !== lane.map?.href ? await this.#initOf(lane, segment.map) : null;
      const media = await this.#patiently(async () => (await load(segment.url, stop.signal)).arrayBuffer());
      if (this.#isClosed || lane.url !== url || stop.signal.aborted) return;
      if (map) {
        await lane.change(() => lane.buffer.appendBuffer(map));
        lane.map = segment.map;
      }
      await this.#makeRoom(lane);
      await lane.change(() => lane.buffer.appendBuffer(media));
      lane.appended.add(segment.index);
      // A segment without media here would otherwise be asked for again and again.
      if (!lane.has(segment.start + segment.duration / 2)) lane.hollow.add(segment.index);
      this.#extend();
      this.dispatchEvent(new Event('buffered'));
    } catch (error) {
      if (/** @type {any} */ (error).name === 'QuotaExceededError') return this.#sleep(1000);
      if (!stop.signal.aborted) throw error;
    } finally {
      lane.fetching = null;
    }
  }

  /** @param {Lane} lane @param {URL} url */
  async #initOf(lane, url) {
    const known = lane.maps.get(url.href);
    if (known) return known;
    const init = await this.#patiently(async () => (await load(url)).arrayBuffer());
    lane.maps.set(url.href, init);
    return init;
  }

  /** Removes what was played long ago. @param {Lane} lane */
  async #makeRoom(lane) {
    const end = this.element.currentTime - behind;
    const { buffered } = lane.buffer;
    if (end <= 0 || buffered.length === 0 || buffered.start(0) >= end - 10) return;
    await lane.change(() => lane.buffer.remove(0, end));
  }

  /** Everything is buffered, or will be when the playhead moves. */
  async #finish() {
    const isComplete = each => {
      const last = each.list?.segments.at(-1);
      return each.list?.ended && last && !each.missing(last.start, Infinity) && !each.buffer.updating;
    };
    if (this.#source.readyState === 'open' && this.#lanes.every(isComplete)) this.#source.endOfStream();
    await this.#sleep(1000);
  }

  /** The list grows, or its window moves. @param {Lane} lane */
  async #follow(lane) {
    const due = lane.reloaded + (lane.list?.target ?? 2) * 500;
    await this.#sleep(Math.max(200, due - performance.now()));
    if (!this.#isClosed && performance.now() >= due) await this.#patiently(() => lane.reload());
    this.#extend();
  }

  #extend() {
    if (this.#source.readyState !== 'open' || this.#lanes.some(lane => lane.buffer.updating)) return;
    const end = this.end;
    if (!(this.#source.duration >= end)) this.#source.duration = end;
  }

  /** @param {number} milliseconds */
  #sleep(milliseconds) {
    return new Promise(resolve => {
      const before = this.#wake;
      const timer = setTimeout(() => resolve(undefined), milliseconds);
      this.#wake = () => { before(); clearTimeout(timer); resolve(undefined); };
    }).finally(() => { this.#wake = () => {}; });
  }

  /**
   * Tries until it works: the engine may be restarting, or the media not be there yet. Anything else is a failure.
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T>}
   */
  async #patiently(action) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await action();
      } catch (error) {
        const { status, name } = /** @type {any} */ (error);
        const isPassing = status === 503 || (status === undefined && name === 'TypeError');
        if (this.#isClosed || !isPassing || attempt >= 60) throw error;
        this.dispatchEvent(new Event('waiting'));
        await new Promise(resolve => setTimeout(resolve, 500));
      }
    }
  }
}

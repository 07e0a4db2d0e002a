// SPDX-License-Identifier: Apache-2.0
// Feeds a <video> from the engine's segments by Media Source Extensions.
//
// The plan of a source is known: each segment is fetched by its index, and a seek is just another index. The playlists say
// where segments lie on the timeline, and the buffers say what is missing.

import { Emitter, listen } from './dom.js';
import { Lane } from './lane.js';
import { isVideo, load, loadMaster } from './playlist.js';
import { now } from './time.js';

/** @typedef {import('./playlist.js').Segment} Segment */

/** How much is buffered ahead of the playhead, and kept behind it, in seconds. */
const ahead = 30, behind = 60;

/** The media type of a format in fMP4. */
const type = codec => `${isVideo(codec) ? 'video' : 'audio'}/mp4; codecs="${codec}"`;

/** Whether this browser plays a format in fMP4. */
export const isSupported = codec => globalThis.MediaSource?.isTypeSupported(type(codec)) ?? false;

export class Feeder extends Emitter {
  /** @type {Lane | null} */
  video = null;
  /** @type {Lane | null} */
  audio = null;
  codings = '';
  /** Where playback begins, in seconds; commands may change it until playback has begun. */
  position = 0;
  /** @type {number | null} */
  #stream = null;
  #source = new MediaSource();
  #end = new AbortController();
  /** @type {import('./playlist.js').MasterPlaylist | undefined} */
  #master;
  /** @type {Set<() => void>} */
  #sleepers = new Set();

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
   * Opens the source at `position`, and feeds the element until `close`.
   * @param {number | null} audio the index of the stream
   * @param {number | null} variant
   */
  async open(audio, variant) {
    const { codings, video } = this.#master = await this.#patiently(() => loadMaster(this.url, variant));
    this.#stream = audio;
    this.codings = codings.join(' ');
    const refused = codings.filter(each => !isSupported(each));
    if (refused.length) throw Object.assign(new Error(`no support for ${refused.join(' ')}`), { isFormat: true });
    const opened = new Promise(resolve => this.#source.addEventListener('sourceopen', resolve, { once: true }));
    this.element.src = URL.createObjectURL(this.#source);
    await opened;
    URL.revokeObjectURL(this.element.src);
    const track = this.#audioURL;
    // For what is seen, or for what is heard.
    const buffer = seen => this.#source.addSourceBuffer(type(codings.find(each => isVideo(each) === seen)));
    if (video) this.video = new Lane(video, buffer(true));
    if (track) this.audio = new Lane(track, buffer(false), this.video);
    for (const lane of this.#lanes) await this.#reload(lane);
    this.#extend();
    if (this.position > 0) this.element.currentTime = this.position;
    const woken = () => this.#woken();
    listen(this.element, { seeking: woken, timeupdate: woken, waiting: woken }, this.#end.signal);
    for (const lane of this.#lanes) this.#feed(lane);
  }

  get isOpen() { return this.#lanes.length > 0 && this.#lanes.every(lane => lane.list); }

  /** The variants that the session offers, by their index in the source; -1 for its own. */
  get variants() { return this.#master?.variants ?? []; }

  get #lanes() { return /** @type {Lane[]} */ ([this.video, this.audio].filter(Boolean)); }

  /** The master playlist names an audio track by its stream. */
  get #audioURL() {
    const { audio, defaultAudio } = /** @type {import('./playlist.js').MasterPlaylist} */ (this.#master);
    return audio.get(this.#stream ?? defaultAudio) ?? audio.get(defaultAudio) ?? null;
  }

  #woken() {
    for (const lane of this.#lanes) {
      // A fetch for another place is in the way of a seek.
      if (this.element.seeking && !lane.has(this.#time)) lane.fetching?.abort();
    }
    this.#leap();
    this.#wake();
  }

  /** Plays another audio track from the playhead on. @param {number | null} stream */
  switchAudio(stream) {
    this.#stream = stream;
    if (this.#master) this.#become(this.audio, this.#audioURL, 0);
  }

  /**
   * Plays another variant from the next segment on.
   * @param {number | null} variant its index in the source; if it is not offered, the session's own is played
   */
  async switchVariant(variant) {
    this.#master = await this.#patiently(() => loadMaster(this.url, variant));
    const kept = this.#time + 1;
    this.#become(this.video, this.#master.video, kept);
    this.#become(this.audio, this.#audioURL, kept);
  }

  /** @param {Lane | null} lane @param {URL | null} url @param {number} kept */
  #become(lane, url, kept) {
    if (!lane || !url || url.href === lane.url.href) return;
    lane.become(url, kept);
    this.#wake();
  }

  /** The playhead. */
  get #time() { return this.element.currentTime; }

  get #isClosed() { return this.#end.signal.aborted; }

  /** Moves the playhead. @param {number} time */
  seek(time) {
    this.position = time;
    if (this.isOpen) this.element.currentTime = time;
  }

  close() {
    this.#end.abort();
    for (const lane of this.#lanes) lane.fetching?.abort();
    this.#wake();
  }

  /** Where a segment lies on the timeline, if that is known. @param {number} index */
  spanOf(index) { return this.#lanes[0]?.spanOf(index); }

  /** @param {Lane} lane */
  async #feed(lane) {
    try {
      while (!this.#isClosed) {
        if (lane.isStale) await this.#reload(lane);
        const time = this.#time;
        const segment = lane.list && lane.missing(time, time + ahead);
        if (segment) await this.#append(lane, segment);
        else if (lane.list?.ended) await this.#finish();
        else await this.#follow(lane);
      }
    } catch (error) {
      if (!this.#isClosed) this.emit('failed', error);
    }
  }

  /** @param {Lane} lane @param {Segment & {part?: number}} segment */
  async #append(lane, segment) {
    const { url } = lane;
    const stop = lane.fetching = new AbortController();
    try {
      const map = segment.map && segment.map.href !== lane.map?.href ? await this.#initOf(lane, segment.map) : null;
      const media = await this.#bytes(/** @type {URL} */ (segment.url), stop.signal);
      if (this.#isClosed || lane.url !== url || stop.signal.aborted) return;
      await this.#makeRoom(lane);
      // Chromium accepts another codec only after this call.
      const own = map && new TextDecoder().decode(map);
      const found = this.#master?.codings.find(each => own?.includes(each.slice(0, 4)));
      if (found) lane.buffer.changeType(type(found));
      for (const data of [map, media]) if (data) await lane.change(() => lane.buffer.appendBuffer(data));
      lane.map = segment.map;
      lane.took(segment);
      // A segment without media here would otherwise be asked for again and again.
      if (segment.part === undefined && !lane.has(segment.start + segment.duration / 2)) lane.hollow.add(segment.index);
      this.#extend();
      this.emit('buffered');
    } catch (error) {
      const { name, status } = /** @type {any} */ (error);
      if (name === 'QuotaExceededError') return this.#sleep(1000);
      if (stop.signal.aborted) return;
      if (!status || !lane.list || lane.list.ended) throw error;
      // The segment may have left the window of a live source meanwhile.
      await this.#reload(lane);
      if (status !== 410 && lane.spanOf(segment.index)) throw error;
      lane.hollow.add(segment.index);
    } finally {
      lane.fetching = null;
    }
    this.#leap();
  }

  /** @param {Lane} lane @param {URL} url */
  async #initOf(lane, url) {
    const init = lane.maps.get(url.href) ?? await this.#bytes(url);
    lane.maps.set(url.href, init);
    return init;
  }

  /** @param {URL} url @param {AbortSignal} [signal] */
  #bytes(url, signal) { return this.#patiently(async () => (await load(url, signal)).arrayBuffer()); }

  /** Removes what was played long ago. @param {Lane} lane */
  async #makeRoom(lane) {
    const end = this.#time - behind;
    if (end > 0 && lane.filled[0]?.[0] < end - 10) await lane.change(() => lane.buffer.remove(0, end));
  }

  /** Moves the playhead past media that will never be there: what has left the window, or was never sent. */
  #leap() {
    const { element } = this, time = element.currentTime;
    // A paused viewer keeps the picture that is shown.
    if (!this.isOpen || (element.paused && !element.seeking && element.readyState > 1)) return;
    const isStalled = element.readyState < 3 && !element.seeking;
    const next = Math.max(...this.#lanes.map(lane => lane.next(time, isStalled)));
    if (next > time) element.currentTime = next + 0.001;
  }

  /** Ends the stream once everything is buffered. Called while nothing is missing near the playhead. */
  async #finish() {
    const isComplete = each => {
      const last = each.list?.segments.at(-1);
      return each.list?.ended && last && !each.missing(last.start, Infinity) && !each.buffer.updating;
    };
    if (this.#source.readyState === 'open' && this.#lanes.every(isComplete)) this.#source.endOfStream();
    await this.#sleep(1000);
  }

  /** Reloads a list that grows, or whose window moves, when that is due. @param {Lane} lane */
  async #follow(lane) {
    if (lane.open) return this.#reload(lane);
    const due = lane.reloaded + (lane.list?.segments.at(-1)?.duration ?? 2) * 250;
    await this.#sleep(Math.max(200, due - now()));
    if (!this.#isClosed && now() >= due) await this.#reload(lane);
    this.#extend();
  }

  /** @param {Lane} lane */
  async #reload(lane) {
    const list = await this.#patiently(() => lane.fetched());
    if (list && (list.isPlaced || await this.#place(lane, list))) lane.use(list);
  }

  /**
   * Finds out where a window lies on the timeline, from where the media of its newest segments is after it was appended.
   * @param {Lane} lane
   * @param {import('./playlist.js').MediaPlaylist} list
   * @returns {Promise<boolean>} whether that is known
   */
  async #place(lane, list) {
    for (const segment of list.segments.filter(each => !each.isOpen).toReversed()) {
      const before = lane.filled.map(([, end]) => end);
      await this.#append(lane, segment);
      const end = lane.filled.find(range => !before.includes(range[1]))?.[1];
      if (end === undefined) continue;
      lane.hollow.delete(segment.index);
      const shift = end - segment.start - segment.duration;
      for (const each of list.segments) each.start += shift;
      list.end += shift;
      return true;
    }
    return false;
  }

  #extend() {
    if (!this.isOpen || this.#source.readyState !== 'open' || this.#lanes.some(lane => lane.buffer.updating)) return;
    const end = Math.max(...this.#lanes.flatMap(lane => [lane.list?.end ?? 0, ...lane.filled.flat()])), { duration } = this.#source;
    if (duration >= end && duration < Infinity) return;
    // The engine may be ahead of the fetched playlists and move the playhead there, so only a complete playlist sets an
    // end.
    this.#source.duration = end + (this.#lanes.every(lane => lane.list?.ended) ? 0 : 1e5);
  }

  #wake() { for (const end of this.#sleepers) end(); }

  /** @param {number} milliseconds */
  #sleep(milliseconds) {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer);
        this.#sleepers.delete(end);
        resolve(undefined);
      };
      const timer = setTimeout(end, milliseconds);
      this.#sleepers.add(end);
    });
  }

  /**
   * Retries for about 30 s while the engine may be restarting, or the media is not there yet. Other errors are thrown at once.
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
        this.emit('waiting');
        await new Promise(resolve => setTimeout(resolve, 500));
      }
    }
  }
}

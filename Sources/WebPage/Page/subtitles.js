// SPDX-License-Identifier: Apache-2.0
// The selected text tracks, from their WebVTT renditions: fetched around the playhead, drawn by the browser.

import { load, parseMedia, segmentAt } from './playlist.js';
import { cue, parseBlocks } from './vtt.js';

/** One track: its playlist, and the cues that were fetched. */
class Rendition {
  /** @type {import('./playlist.js').MediaPlaylist | null} */
  list = null;
  fetched = new Set();
  known = new Set();

  /** @param {URL} url @param {TextTrack} track */
  constructor(url, track) {
    this.url = url;
    this.track = track;
  }

  /** Fetches the segments around a time. @param {number} time */
  async fill(time) {
    if (!this.list || (!this.list.ended && time > this.list.end - 10)) {
      this.list = parseMedia(this.url, await (await load(this.url)).text());
    }
    const place = segmentAt(this.list, time);
    for (const segment of this.list.segments.slice(place, place + 4)) {
      if (this.fetched.has(segment.index)) continue;
      this.fetched.add(segment.index);
      try {
        this.#add(await (await load(segment.url)).text());
      } catch (error) {
        this.fetched.delete(segment.index);
        throw error;
      }
    }
  }

  /** A cue is in every segment in which it is on screen. @param {string} text */
  #add(text) {
    for (const block of parseBlocks(text)) {
      const name = `${block.start} ${block.end} ${block.text}`;
      if (this.known.has(name)) continue;
      this.known.add(name);
      this.track.addCue(cue(block));
    }
  }
}

export class Subtitles {
  /** @type {Map<number, Rendition>} */
  #renditions = new Map();
  /** @type {TextTrack[]} that no selection shows any more: a track cannot be removed */
  #spare = [];
  /** @type {TextTrack | null} */
  #dropped = null;
  #isFilling = false;

  /** @param {HTMLVideoElement} video */
  constructor(video) {
    this.video = video;
    video.addEventListener('timeupdate', () => this.#fill());
    video.addEventListener('seeking', () => this.#fill());
  }

  /**
   * Shows the tracks with these numbers, and no others.
   * @param {number[]} ids
   * @param {URL | null} master the URL of the master playlist, beside which the renditions are
   */
  show(ids, master) {
    for (const [id, rendition] of this.#renditions) {
      if (master && ids.includes(id) && rendition.url.href === this.#url(id, master).href) continue;
      this.#clear(rendition.track);
      this.#spare.push(rendition.track);
      this.#renditions.delete(id);
    }
    if (!master) return;
    for (const id of ids) {
      if (this.#renditions.has(id)) continue;
      const track = this.#spare.pop() ?? this.video.addTextTrack('subtitles');
      track.mode = 'showing';
      this.#renditions.set(id, new Rendition(this.#url(id, master), track));
    }
    this.#fill();
  }

  /**
   * Shows a file that only this page has.
   * @param {string} file
   * @returns {boolean} whether it has cues
   */
  drop(file) {
    const blocks = parseBlocks(file);
    if (blocks.length === 0) return false;
    this.#dropped ??= this.video.addTextTrack('subtitles');
    this.#clear(this.#dropped);
    this.#dropped.mode = 'showing';
    for (const block of blocks) this.#dropped.addCue(cue(block));
    return true;
  }

  /** Keeps cues out of the way of the controls. @param {boolean} isLifted */
  lift(isLifted) {
    const line = isLifted ? -5 : -2;
    for (const track of this.video.textTracks) {
      if (track.mode !== 'showing') continue;
      for (const each of track.cues ?? []) if (each.isFree && each.line !== line) each.line = line;
    }
  }

  /** @param {number} id @param {URL} master */
  #url(id, master) { return new URL(`subtitles-${id}.m3u8`, master); }

  /** @param {TextTrack} track */
  #clear(track) {
    track.mode = 'hidden';
    for (const each of [...track.cues ?? []]) track.removeCue(each);
    track.mode = 'disabled';
  }

  async #fill() {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      for (const rendition of this.#renditions.values()) await rendition.fill(this.video.currentTime);
    } catch {
      // Fetched again with the next frame: the engine may be restarting.
    } finally {
      this.#isFilling = false;
    }
  }
}

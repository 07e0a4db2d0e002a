// SPDX-License-Identifier: Apache-2.0
// The selected text tracks, from their WebVTT renditions: fetched around the playhead, drawn by the browser.

import { listen } from './dom.js';
import { load, parseMedia, segmentAt } from './playlist.js';
import { cue, decoded, parseBlocks, parseScript } from './vtt.js';
import { now } from './time.js';

const storage = 'engined-cues';

/** One track: its playlist, and the cues that were fetched. */
class Rendition {
  /** @type {any} */
  #owner;

  /** @type {import('./playlist.js').MediaPlaylist | null} */
  #list = null;
  #reloaded = 0;
  #fetched = new Set();
  #known = new Set();

  /** @param {URL} url @param {TextTrack} track @param {Subtitles} owner */
  constructor(url, track, owner) {
    this.url = url;
    this.track = track;
    this.#owner = owner;
  }

  /** Fetches the segments around a time. @param {number} time */
  async fill(time) {
    if (!this.#list || (!this.#list.ended && time > this.#list.end - 10 && now() > this.#reloaded + (this.#list.segments.at(-1)?.duration ?? 2) * 500)) {
      this.#reloaded = now();
      const list = parseMedia(this.url, await (await load(this.url)).text(), this.#owner.spanOf);
      // Text renditions have the segments of the video, so their place is known as soon as that of the video's.
      if (!list.isPlaced) return;
      this.#list = list;
    }
    const at = segmentAt(this.#list, time);
    for (const segment of this.#list.segments.slice(at, at + 4)) {
      if (this.#fetched.has(segment.index)) continue;
      this.#fetched.add(segment.index);
      try {
        this.#add(await (await load(segment.url)).text());
      } catch (error) {
        this.#fetched.delete(segment.index);
        throw error;
      }
    }
  }

  /** A cue is in every segment in which it is on screen. @param {string} text */
  #add(text) {
    for (const block of parseBlocks(text)) {
      const name = `${block.start} ${block.end} ${block.text}`;
      if (this.#known.has(name)) continue;
      this.#known.add(name);
      this.track?.addCue(this.#owner.made(block));
    }
  }
}

export class Subtitles {
  /** @type {Map<number, Rendition>} */
  #renditions = new Map();
  /** @type {TextTrack[]} tracks to use again, because a track cannot be removed */
  #spare = [];
  /** @type {TextTrack | null} */
  #dropped = null;
  #isFilling = false;
  #delay = 0;
  #size = Number(localStorage.getItem(storage) ?? 1);

  /**
   * @param {HTMLVideoElement} video
   * @param {(index: number) => {start: number, duration?: number} | undefined} spanOf where a segment of the video lies
   */
  constructor(video, spanOf) {
    this.video = video;
    this.spanOf = spanOf;
    this.size = this.#size;
    const fill = () => this.#fill();
    listen(video, { timeupdate: fill, seeking: fill });
  }

  /** The name of the file that only this page shows, if there is one. @type {string[]} */
  files = [];

  /** The size of the text, as a factor; kept for this browser. */
  get size() { return this.#size; }

  set size(size) {
    this.#size = size;
    localStorage.setItem(storage, size);
    this.video.style.setProperty('--cue', size);
  }

  /** How much later cues are shown than their file says, in seconds. */
  get delay() { return this.#delay; }

  set delay(delay) {
    if (delay === this.#delay) return;
    this.#delay = delay;
    for (const track of this.video.textTracks) for (const each of [...track.cues ?? []]) this.#shift(each);
    this.#fill();
  }

  /** @param {any} cue */
  #shift(cue) {
    cue.startTime = Math.max(0, cue.from + this.#delay);
    cue.endTime = Math.max(0, cue.to + this.#delay);
    return cue;
  }

  /** @param {ReturnType<typeof parseBlocks>[number]} block */
  made(block) { return this.#shift(cue(block)); }

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
      // Cues of a segment that is still being fetched must not appear in the rendition that gets the track next.
      rendition.track = null;
      this.#renditions.delete(id);
    }
    if (!master) return;
    for (const id of ids) {
      if (this.#renditions.has(id)) continue;
      const track = this.#spare.pop() ?? this.video.addTextTrack('subtitles');
      track.mode = 'showing';
      this.#renditions.set(id, new Rendition(this.#url(id, master), track, this));
    }
    this.#fill();
  }

  /**
   * Shows a file that only this page has.
   * @param {string} name
   * @param {ArrayBuffer} file
   * @returns {boolean} whether it has cues
   */
  drop(name, file) {
    const text = decoded(file), found = parseBlocks(text), blocks = found.length ? found : parseScript(text);
    if (blocks.length === 0) return false;
    this.#dropped ??= this.video.addTextTrack('subtitles');
    this.discard();
    this.files = [name];
    this.#dropped.mode = 'showing';
    for (const block of blocks) this.#dropped.addCue(this.made(block));
    return true;
  }

  discard() {
    this.files = [];
    if (this.#dropped) this.#clear(this.#dropped);
  }

  /** Keeps cues out of the way of the controls. @param {number} height of the controls, 0 if they are not shown */
  lift(height) {
    // The height of a line as in the style of cues, whose largest size matters only where the controls are far lower than a cue.
    const lines = Math.ceil(height / this.#size / Math.max(21.6, 0.035 * Math.min(innerWidth, innerHeight)));
    for (const track of this.video.textTracks) {
      let isChanged = false;
      for (const each of track.cues ?? []) {
        const line = -1 - lines - each.text.split('\n').length;
        if (!each.isFree || each.line === line) continue;
        each.line = line;
        isChanged = true;
      }
      // Chromium lays out a visible cue again only when its track is shown again.
      if (isChanged && track.mode === 'showing') {
        track.mode = 'hidden';
        track.mode = 'showing';
      }
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
      for (const rendition of this.#renditions.values()) await rendition.fill(this.video.currentTime - this.#delay);
    } catch {
      // Fetched again at the next `timeupdate`: the engine may be restarting.
    } finally {
      this.#isFilling = false;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Plays a session in a <video> as the engine commands, and reports where it is. Every client's commands arrive here, those
// of this page too, so that all of them see the same session.

import { EngineFailure, pause } from './api.js';
import { Feeder } from './feeder.js';
import { microseconds, seconds } from './time.js';

export const rendererName = 'web page';

export class Renderer extends EventTarget {
  /** @type {Feeder | null} */
  feeder = null;
  #attachment = 0;
  #lastCommand = 0;
  #seek = { id: 0, landed: 0 };
  #isReporting = false;
  #isStale = false;
  /** @type {AbortController | null} */
  #stop = null;
  /** @type {number | null} */
  #audio = null;

  /** @param {import('./api.js').API} api @param {HTMLVideoElement} video */
  constructor(api, video) {
    super();
    this.api = api;
    this.video = video;
    for (const name of ['play', 'pause', 'seeking', 'waiting', 'playing', 'ended', 'ratechange']) {
      video.addEventListener(name, () => this.#report());
    }
    video.addEventListener('seeked', () => {
      this.#seek.landed = this.#seek.id;
      this.#report();
    });
    setInterval(() => { if (!video.paused || video.seeking) this.#report(); }, 400);
  }

  get isAttached() { return this.#stop !== null; }

  /**
   * Plays a session until it ends, another renderer takes over, or `detach`.
   * @param {string} session
   * @param {{replace?: boolean, audio?: number | null}} options
   */
  async run(session, { replace = false, audio = null } = {}) {
    this.detach();
    const stop = this.#stop = new AbortController();
    this.#audio = audio;
    try {
      while (!stop.signal.aborted) {
        try {
          const attach = { session_id: session, name: rendererName, replace };
          await this.api.follow('Render', { attach }, event => this.#perform(event), stop.signal);
        } catch (error) {
          if (stop.signal.aborted) return;
          if (!(error instanceof EngineFailure) || !error.isPassing || error.code !== 'unavailable') throw error;
        }
        this.#attachment = 0;
        if (this.#isOver) return;
        await pause(500);
      }
    } catch (error) {
      if (this.#stop === stop) this.#fail(error);
    } finally {
      if (this.#stop === stop) this.#stop = null;
    }
  }

  #isOver = false;

  detach() {
    this.#stop?.abort();
    this.#stop = null;
    this.#attachment = 0;
    this.#isOver = false;
    this.#close();
    this.video.pause();
    this.video.removeAttribute('src');
    this.video.load();
  }

  /** @param {number | null} stream */
  selectAudio(stream) {
    if (stream === this.#audio) return;
    this.#audio = stream;
    this.feeder?.switchAudio(stream).catch(error => this.#fail(error));
  }

  /** @param {any} event */
  #perform(event) {
    if (event.event === 'attached') {
      this.#attachment = event.attachment;
      this.#seek = { id: 0, landed: 0 };
      return;
    }
    const { video } = this;
    if (event.load) this.#load(event.load);
    else if (event.play) video.play().catch(error => this.#blocked(error));
    else if (event.pause) video.pause();
    else if (event.seek) this.#seekTo(event.seek);
    else if (event.rate !== undefined) video.defaultPlaybackRate = video.playbackRate = event.rate || 1;
    else if (event.volume !== undefined) video.volume = Math.min(1, event.volume);
    else if (event.muted !== undefined) video.muted = event.muted;
    else if (event.stop) this.#isOver = true;
    this.#lastCommand = event.number;
    this.#report();
  }

  /** @param {{url: string, position_us: number}} load */
  async #load({ url, position_us }) {
    const { pathname, search } = new URL(url);
    const own = new URL(pathname + search, location.origin);
    const position = seconds(position_us);
    // After a restart of the engine everything is where it was.
    if (this.feeder?.url.href === own.href && !this.video.error) {
      if (Math.abs(this.video.currentTime - position) > 2) this.video.currentTime = position;
      return;
    }
    this.#close();
    const feeder = this.feeder = new Feeder(this.video, own);
    feeder.addEventListener('failed', event => this.#fail(/** @type {CustomEvent} */ (event).detail));
    feeder.addEventListener('waiting', () => this.dispatchEvent(new Event('waiting')));
    feeder.addEventListener('buffered', () => this.dispatchEvent(new Event('buffered')));
    try {
      await feeder.open(position, this.#audio);
      this.dispatchEvent(new Event('loaded'));
      this.#report();
    } catch (error) {
      if (this.feeder === feeder) this.#fail(error);
    }
  }

  /** @param {{id: number, position_us: number}} seek */
  #seekTo({ id, position_us }) {
    this.#seek.id = id;
    const target = seconds(position_us);
    if (Math.abs(this.video.currentTime - target) < 0.001 && !this.video.seeking) this.#seek.landed = id;
    else this.video.currentTime = target;
  }

  #close() {
    this.feeder?.close();
    this.feeder = null;
  }

  /** @param {any} error */
  #blocked(error) {
    if (error.name === 'NotAllowedError') this.dispatchEvent(new Event('blocked'));
  }

  /** @param {any} error */
  #fail(error) { this.dispatchEvent(new CustomEvent('failed', { detail: error })); }

  /** Sends the state as it is when the last report has arrived. */
  async #report() {
    this.#isStale = true;
    if (this.#isReporting) return;
    this.#isReporting = true;
    while (this.#isStale && this.#attachment) {
      this.#isStale = false;
      try {
        await this.api.call('RenderReport', { attachment: this.#attachment, report: this.#status });
      } catch {
        // The attachment has ended; its stream reports that too.
        this.#attachment = 0;
      }
    }
    this.#isReporting = false;
  }

  get #status() {
    const { video } = this, { buffered } = video;
    const isBuffering = !video.paused && !video.ended && (video.readyState < 3 || video.seeking);
    const ranges = Array.from({ length: Math.min(64, buffered.length) }, (_, index) => ({
      start_us: Math.max(0, microseconds(buffered.start(index))), end_us: Math.max(0, microseconds(buffered.end(index))),
    }));
    return {
      position_us: microseconds(video.currentTime),
      rate: video.paused || video.ended || isBuffering ? 0 : video.playbackRate,
      buffering: isBuffering, ended: video.ended, seek_id: this.#seek.landed, buffered: ranges,
      dropped_frames: video.getVideoPlaybackQuality?.().droppedVideoFrames ?? 0, last_command: this.#lastCommand,
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
// Plays a session in a <video> as the engine commands, and reports where it is. Every client's commands arrive here, those
// of this page too, so that all of them see the same session.

import { pause } from './api.js';
import { Emitter, listen } from './dom.js';
import { Feeder } from './feeder.js';
import { local } from './playlist.js';
import { microseconds, now, pairs, seconds } from './time.js';

/** Tells this tab from others, so that two pages do not take a session from each other. A reload keeps it. */
export const rendererName = `web page ${sessionStorage.page ??= Date.now() % 1000}`;

export class Renderer extends Emitter {
  /** @type {Feeder | null} */
  feeder = null;
  #attachment = 0;
  #lastCommand = 0;
  #seek = { id: 0, landed: 0 };
  /** Whether playback is wanted: a <video> forgets that when it gets another source. */
  plays = false;
  #isReporting = false;
  #isStale = false;
  /** When the engine last answered a report. */
  #heard = 0;
  /** @type {AbortController | null} */
  #stop = null;
  /** @type {number | null} */
  #audio = null;
  /** @type {number | null} the variant that the user of this page chose */
  variant = null;

  /** @param {import('./api.js').API} api @param {HTMLVideoElement} video */
  constructor(api, video) {
    super();
    this.api = api;
    this.video = video;
    const report = () => this.#report();
    listen(video, {
      play: () => { this.plays = true; report(); }, pause: () => { this.plays = false; report(); },
      seeking: report, waiting: report, playing: report, ended: report, ratechange: report,
      seeked: () => {
        this.#seek.landed = this.#seek.id;
        report();
      },
    });
    setInterval(() => { if (this.plays || video.seeking) this.#report(); }, 400);
  }

  get isAttached() { return this.#stop !== null; }

  /**
   * Plays a session until it ends, another renderer takes over, or `detach`.
   * @param {string} session
   * @param {number | null} audio the index of the stream
   */
  async run(session, audio) {
    this.detach();
    const stop = this.#stop = new AbortController();
    this.#audio = audio;
    try {
      while (!stop.signal.aborted) {
        try {
          const attach = { session, name: rendererName, replace: true };
          await this.api.follow('Render', { attach }, event => this.#perform(event), stop.signal);
        } catch (error) {
          if (stop.signal.aborted) return;
          const { isPassing, code } = /** @type {import('./api.js').EngineFailure} */ (error);
          if (!isPassing || code !== 'unavailable') throw error;
        }
        this.#attachment = 0;
        if (this.#isOver) return;
        await pause(500);
      }
    } catch (error) {
      // `cancelled`: another renderer has taken the session over; the page says which one.
      if (this.#stop === stop && error.code !== 'cancelled') this.#fail(error);
    } finally {
      if (this.#stop === stop) this.detach();
    }
  }

  #isOver = false;

  detach() {
    this.#stop?.abort();
    this.#stop = null;
    this.#attachment = 0;
    this.#isOver = false;
    this.#close();
    this.#pause();
    this.video.removeAttribute('src');
    this.video.load();
  }

  /** @param {number | null} stream */
  selectAudio(stream) {
    if (stream === this.#audio) return;
    this.#audio = stream;
    this.feeder?.switchAudio(stream);
  }

  /** @param {number | null} variant */
  selectVariant(variant) {
    this.variant = variant;
    this.feeder?.switchVariant(variant).catch(error => this.#fail(error));
  }

  /** @param {any} event */
  #perform(event) {
    if (event.event === 'attached') {
      this.#attachment = event.attachment;
      // The numbers of commands start again.
      this.#lastCommand = 0;
      this.#seek = { id: 0, landed: 0 };
      return;
    }
    const { video } = this;
    if (event.load) this.#load(event.load);
    else if (event.play) this.#play();
    else if (event.pause) this.#pause();
    else if (event.seek) this.#seekTo(event.seek);
    else if (event.rate !== undefined) video.defaultPlaybackRate = video.playbackRate = event.rate || 1;
    else if (event.volume !== undefined) video.volume = Math.min(1, event.volume);
    else if (event.muted !== undefined) video.muted = event.muted;
    else if (event.stop) {
      // The attachment ends with the session.
      this.#isOver = true;
      this.#attachment = 0;
    }
    this.#lastCommand = event.number;
    this.#report();
  }

  /** @param {{url: string, position_us: number}} load */
  async #load({ url, position_us }) {
    const own = local(url);
    // Subtitles are delayed by the page itself.
    own.searchParams.delete('subtitle-delay');
    if (own.search === '?audio-delay=0') own.search = '';
    const position = seconds(position_us);
    // After a restart of the engine everything is where it was, or as far behind as the page has played since, at twice the speed at most.
    if (this.feeder?.url.href === own.href && !this.video.error) {
      const lead = this.video.currentTime - position;
      if (lead < -2 || lead > 2 + (now() - this.#heard) / 500) this.feeder.seek(position);
      return;
    }
    if (this.feeder?.url.pathname !== own.pathname) this.variant = null;
    this.#close();
    const feeder = this.feeder = new Feeder(this.video, own);
    feeder.position = position;
    const pass = event => this.emit(event.type);
    listen(feeder, { failed: event => this.#fail(event.detail), waiting: pass, buffered: pass });
    try {
      await feeder.open(this.#audio, this.variant);
      if (this.plays) this.#play();
      this.emit('loaded');
      this.#report();
    } catch (error) {
      if (this.feeder === feeder) this.#fail(error);
    }
  }

  /** @param {{id: number, position_us: number}} seek */
  #seekTo({ id, position_us }) {
    this.#seek.id = id;
    const target = seconds(position_us);
    if (Math.abs(this.video.currentTime - target) < 0.001 && !this.video.seeking && this.feeder?.isOpen) this.#seek.landed = id;
    else this.feeder?.seek(target);
  }

  #close() {
    this.feeder?.close();
    this.feeder = null;
  }

  #pause() {
    this.plays = false;
    this.video.pause();
  }

  #play() {
    this.plays = true;
    this.video.play().catch(error => { if (error.name === 'NotAllowedError') this.emit('blocked'); });
  }

  /** @param {any} error */
  #fail(error) { this.emit('failed', error); }

  /** Reports the state now, or as soon as the report that is under way has been answered. */
  async #report() {
    this.#isStale = true;
    if (this.#isReporting) return;
    this.#isReporting = true;
    while (this.#isStale && this.#attachment) {
      this.#isStale = false;
      try {
        await this.api.call('RenderReport', { attachment: this.#attachment, report: this.#status });
        this.#heard = now();
      } catch {
        // The attachment has ended; its stream reports that too.
        this.#attachment = 0;
      }
    }
    this.#isReporting = false;
  }

  get #status() {
    const { video } = this;
    const isBuffering = this.plays && !video.ended && (video.paused || video.readyState < 3 || video.seeking);
    const buffered = pairs(video.buffered).slice(0, 64).map(range => range.map(time => Math.max(0, microseconds(time))));
    return {
      position_us: microseconds(video.currentTime),
      rate: video.paused || video.ended || isBuffering ? 0 : video.playbackRate,
      buffering: isBuffering, ended: video.ended, seek_id: this.#seek.landed, buffered: buffered.map(([start_us, end_us]) => ({ start_us, end_us })),
      dropped_frames: video.getVideoPlaybackQuality().droppedVideoFrames, last_command: this.#lastCommand,
    };
  }
}

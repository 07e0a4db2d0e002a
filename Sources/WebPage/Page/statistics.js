// SPDX-License-Identifier: Apache-2.0
// Figures of the session and of the player, over the picture.

import { element } from './dom.js';
import { text } from './strings.js';
import { bytes, pairs } from './time.js';

export class Statistics {
  node = element('dl.statistics', { hidden: true });

  toggle() { this.node.hidden = !this.node.hidden; }

  /**
   * @param {import('./sessions.js').State | undefined} state
   * @param {HTMLVideoElement} video
   * @param {string} codings
   */
  show(state, video, codings) {
    if (this.node.hidden || !state) return;
    const quality = video.getVideoPlaybackQuality(), time = video.currentTime;
    const ahead = (pairs(video.buffered).findLast(([start]) => start <= time + 0.1)?.[1] ?? time) - time;
    const figures = [
      `${video.videoWidth}×${video.videoHeight} ${state.video_format ?? ''}`, codings, `${Math.max(0, ahead).toFixed(1)} s`,
      text.share(quality.droppedVideoFrames, quality.totalVideoFrames), `${video.playbackRate}×`, state.phase,
      state.statistics?.segments_served ?? '–', bytes(state.statistics?.resident_bytes ?? 0),
    ];
    this.node.replaceChildren(...text.figures.flatMap((name, at) => [element('dt', name), element('dd', `${figures[at]}`)]));
  }
}

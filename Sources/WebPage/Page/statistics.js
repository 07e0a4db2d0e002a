// SPDX-License-Identifier: Apache-2.0
// Figures of the session and of the player, over the picture.

import { element } from './dom.js';
import { text } from './strings.js';
import { bytes } from './time.js';

export class Statistics {
  node = element('dl', { class: 'statistics', hidden: true });

  toggle() { this.node.hidden = !this.node.hidden; }

  /**
   * @param {import('./sessions.js').State | undefined} state
   * @param {HTMLVideoElement} video
   * @param {string} codecs
   */
  show(state, video, codecs) {
    if (this.node.hidden || !state) return;
    const quality = video.getVideoPlaybackQuality?.(), { buffered } = video;
    let ahead = 0;
    for (let index = 0; index < buffered.length; index += 1) {
      if (buffered.start(index) <= video.currentTime + 0.1) ahead = Math.max(0, buffered.end(index) - video.currentTime);
    }
    const names = text.stat;
    const rows = [
      [names.size, `${video.videoWidth}×${video.videoHeight} ${state.video_format ?? ''}`], [names.codecs, codecs],
      [names.buffer, `${ahead.toFixed(1)} s`],
      [names.frames, quality ? `${quality.totalVideoFrames}, ${quality.droppedVideoFrames}` : '–'],
      [names.rate, `${video.playbackRate}×`], [names.phase, state.phase],
      [names.served, String(state.statistics?.segments_served ?? '–')],
      [names.resident, bytes(state.statistics?.resident_bytes ?? 0)],
    ];
    this.node.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }
}

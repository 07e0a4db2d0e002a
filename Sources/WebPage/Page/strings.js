// SPDX-License-Identifier: Apache-2.0
// All text of the page. A translation replaces this module.

export const text = {
  play: 'Play', pause: 'Pause', back: 'Back 10 seconds', forward: 'Forward 10 seconds',
  mute: 'Mute', unmute: 'Unmute', volume: 'Volume', position: 'Position',
  audio: 'Audio', subtitles: 'Subtitles', speed: 'Speed', chapters: 'Chapters', statistics: 'Statistics',
  picture: 'Picture in picture', full: 'Full screen', window: 'Leave full screen',
  sessions: 'Sessions and files', close: 'Close', keys: 'Keys', live: 'LIVE', goLive: 'Go to what is live',
  none: 'Off', noTitle: 'Nothing is loaded', untitled: 'Untitled', chapter: n => `Chapter ${n}`, track: n => `Track ${n}`,
  bitmap: 'pictures, not shown here', dropped: 'dropped file',
  open: 'Open', openLabel: 'File or URL', openHint: '/films/film.mkv or https://…',
  noSessions: 'No session is open.', stop: 'Stop', playHere: 'Play here', remote: name => `Playing on ${name}`,
  start: 'Start playback', waiting: 'Waiting for media…', reconnecting: 'The engine does not answer. Trying again…',
  dropHere: 'Drop a subtitle file (SRT or WebVTT)', badDrop: 'That is not an SRT or WebVTT file.',
  added: name => `Subtitles of ${name} are shown.`,
  noToken: 'This page has no permission. Run “enginectl web” and open the link that it prints.',
  usedLink: 'This link was used or has expired. Run “enginectl web” again.',
  cannotDecode: 'This browser cannot decode the video. The engine can: run “enginectl play” with a sink, or a front-end that takes frames.',
  failed: 'It did not work',
  advice: {
    source_not_found: 'Check the path or the URL.', source_access_denied: 'The engine may not read it. Check its permissions.',
    source_unreachable: 'Check the network, then try again.',
    source_not_media: 'The file is not media, or is damaged.', renderer_conflict: 'Another player has taken over. Choose “Play here” to play on.',
    session_not_found: 'The session has ended. Open the file again.',
    path_conflict: 'Only the engine itself can decode this video: run “enginectl play”.',
  },
  help: [
    ['Space, K', 'play or pause'], ['J, L', '10 seconds back, forward'], ['← →', '5 seconds back, forward'],
    ['0–9', 'to a tenth of the film'], ['Page ↑ ↓', 'previous, next chapter'], ['< >', 'slower, faster'],
    [', .', 'one frame back, forward'], ['↑ ↓', 'louder, quieter'], ['M', 'mute'], ['C', 'subtitles'],
    ['F', 'full screen'], ['I', 'statistics'], ['O', 'sessions and files'], ['?', 'this sheet'],
  ],
  stat: {
    size: 'Video', codecs: 'Formats', buffer: 'Buffered', frames: 'Frames, dropped', rate: 'Rate', phase: 'Phase',
    served: 'Segments served', resident: 'Engine memory',
  },
};

// SPDX-License-Identifier: Apache-2.0
// All text of the page. A translation replaces this module.

export const text = {
  play: 'Play', pause: 'Pause', back: 'Back 10 seconds', forward: 'Forward 10 seconds',
  mute: 'Mute', unmute: 'Unmute', volume: 'Volume', position: 'Position',
  audio: 'Audio', subtitles: 'Subtitles', speed: 'Speed', chapters: 'Chapters', statistics: 'Statistics',
  picture: 'Picture in picture', full: 'Full screen', window: 'Leave full screen',
  sessions: 'Sessions and files', close: 'Close', keys: 'Keys', live: 'LIVE', goLive: 'Go to what is live',
  behind: time => `${time} behind what is live`, chapter: n => `Chapter ${n}`, track: n => `Track ${n}`,
  titles: 'Titles', title: n => `Title ${n}`, main: 'main title', programs: 'Programs', program: n => `Program ${n}`, variants: 'Quality',
  size: 'Size', smaller: 'Smaller text', larger: 'Larger text', delay: 'Delay', earlier: 'Subtitles earlier', later: 'Subtitles later',
  lag: n => `${n > 0 ? '+' : ''}${Number(n.toFixed(2))} s`, delayed: n => `Subtitle delay: ${text.lag(n)}`,
  none: 'Off', noTitle: 'Nothing is loaded', bitmap: 'pictures',
  open: 'Open', openLabel: 'File or URL', openHint: '/films/film.mkv or https://…',
  noSessions: 'No session is open.', stop: name => `Stop ${name}`, playHere: 'Play here', remote: name => `Playing on ${name}`,
  start: 'Start playback', waiting: 'Waiting for media…', reconnecting: 'The engine does not answer…',
  dropHere: 'Drop a subtitle file (SRT, WebVTT, ASS or SSA)', badDrop: 'That is not an SRT, WebVTT, ASS or SSA file.',
  added: name => `Subtitles of ${name} are shown.`,
  noToken: 'This page has no permission. Open the link that “enginectl web” prints.',
  usedLink: 'This link was used or has expired. Run “enginectl web” again.',
  cannotDecode: 'This browser cannot decode the video. The engine can: run “enginectl play”.',
  playsItself: 'The engine plays this itself.',
  failed: message => `It did not work: ${message}.`,
  advice: {
    source_not_found: 'Check the path or the URL.', renderer_conflict: 'Another player has taken over.',
  },
  notices: { 'live.behind_window': 'That part is no longer kept.' },
  help: [
    ['Space, K', 'play or pause'], ['J, L', '10 seconds back, forward'], ['← →', '5 seconds back, forward'],
    ['0–9', 'to a tenth of the film'], ['Home, End', 'to the start, to the end'], ['Page ↑ ↓', 'previous, next chapter'],
    ['< >', 'slower, faster'], [', .', 'one frame back, forward'], ['↑ ↓', 'louder, quieter'], ['M, C', 'mute, subtitles'],
    ['Z, Shift Z', 'subtitles earlier, later'], ['F, I', 'full screen, statistics'], ['O, ?', 'sessions and files, this sheet'],
  ],
  figures: ['Video', 'Formats', 'Buffered', 'Frames, dropped', 'Rate', 'Phase', 'Segments served', 'Engine memory'],
};

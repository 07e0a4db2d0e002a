// SPDX-License-Identifier: Apache-2.0
// The engine's HLS playlists (RFC 8216).

/**
 * @typedef {{index: number, start: number, duration: number, url: URL, map: URL | null}} Segment
 * @typedef {{segments: Segment[], ended: boolean, target: number, end: number}} MediaPlaylist
 * @typedef {{codecs: string[], video: URL | null, audio: Map<number, URL>, defaultAudio: number | null}} MasterPlaylist
 */

/** @param {string} line @returns {Record<string, string>} */
const attributes = line => Object.fromEntries(
  [...line.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)].map(match => [match[1], match[2].replaceAll('"', '')]));

export const isVideo = codec => /^(avc|hvc|hev|dvh|dav|av01|vp09)/.test(codec);

/**
 * @param {URL} url
 * @param {AbortSignal} [signal]
 */
export async function load(url, signal) {
  const answer = await fetch(url, { signal, cache: 'no-store' });
  if (answer.ok) return answer;
  throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
}

/** @param {URL} url @returns {Promise<MasterPlaylist>} */
export async function loadMaster(url) {
  const lines = (await (await load(url)).text()).split('\n');
  const place = lines.findIndex(line => line.startsWith('#EXT-X-STREAM-INF'));
  const codecs = (attributes(lines[place]).CODECS ?? '').split(',').filter(Boolean);
  const tracks = lines.filter(line => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO')).map(attributes);
  const number = name => Number(/audio-(\d+)/.exec(name)?.[1] ?? 0);
  const audio = new Map(tracks.filter(each => each.URI).map(each => [number(each.URI), new URL(each.URI, url)]));
  const main = new URL(lines[place + 1], url);
  const hasVideo = codecs.some(isVideo);
  if (!hasVideo && audio.size === 0) audio.set(number(lines[place + 1]), main);
  const chosen = tracks.find(track => track.DEFAULT === 'YES');
  const defaultAudio = chosen?.URI ? number(chosen.URI) : [...audio.keys()][0] ?? null;
  return { codecs, video: hasVideo ? main : null, audio, defaultAudio };
}

/** @param {URL} url @param {string} text @returns {MediaPlaylist} */
export function parseMedia(url, text) {
  /** @type {MediaPlaylist} */
  const list = { segments: [], ended: false, target: 4, end: 0 };
  let index = 0, start = 0, duration = 0;
  /** @type {URL | null} */
  let map = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXTINF:')) duration = parseFloat(line.slice(8));
    else if (line.startsWith('#EXT-X-MEDIA-SEQUENCE:')) index = Number(line.slice(22));
    else if (line.startsWith('#EXT-X-TARGETDURATION:')) list.target = Number(line.slice(22));
    else if (line.startsWith('#EXT-X-MAP:')) map = new URL(attributes(line).URI, url);
    else if (line === '#EXT-X-ENDLIST') list.ended = true;
    else if (line && !line.startsWith('#')) {
      list.segments.push({ index: index++, start, duration, url: new URL(line, url), map });
      start += duration;
    }
  }
  list.end = start;
  return list;
}

/**
 * The segment that contains a time, or the nearest one.
 * @param {MediaPlaylist} list
 * @param {number} time
 */
export function segmentAt(list, time) {
  let [low, high] = [0, list.segments.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list.segments[middle].start <= time) low = middle; else high = middle - 1;
  }
  return low;
}

// SPDX-License-Identifier: Apache-2.0
// The engine's HLS playlists (RFC 8216).

/**
 * @typedef {{start: number, duration: number, url: URL}} Part
 * @typedef {{index: number, start: number, duration: number, url: URL | null, map: URL | null, parts: Part[], isOpen: boolean}} Segment
 *   an open one is still arriving: only its parts can be fetched
 * @typedef {{segments: Segment[], ended: boolean, end: number, isPlaced: boolean}} MediaPlaylist
 * @typedef {{codings: string[], variants: number[], video: URL | null, audio: Map<number, URL>, defaultAudio: number | null}} MasterPlaylist
 */

/** @param {string} line @returns {Record<string, string>} */
const attributes = line => Object.fromEntries(
  [...line.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)].map(match => [match[1], match[2].replaceAll('"', '')]));

/** A URL of the engine, by the address at which this page reaches it. @param {string} url */
export const local = url => {
  const { pathname, search } = new URL(url);
  return new URL(pathname + search, location.origin);
};

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

/**
 * @param {URL} url
 * @param {number | null} [variant] the variant of the source, by its index; if it is not offered, the session's own
 * @returns {Promise<MasterPlaylist>}
 */
export async function loadMaster(url, variant) {
  const lines = (await (await load(url)).text()).split('\n');
  const streams = lines.flatMap((line, at) => {
    const uri = lines[at + 1];
    if (!line.startsWith('#EXT-X-STREAM-INF')) return [];
    return [{ ...attributes(line), uri, index: Number(/variant-(\d+)/.exec(uri)?.[1] ?? -1) }];
  });
  const stream = streams.find(each => each.index === variant) ?? streams[0];
  const codings = (stream.CODECS ?? '').split(',').filter(Boolean);
  const tracks = lines.filter(line => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO')).map(attributes)
    .filter(each => each['GROUP-ID'] === stream.AUDIO);
  const number = name => Number(/audio-(\d+)/.exec(name)?.[1] ?? 0);
  const audio = new Map(tracks.filter(each => each.URI).map(each => [number(each.URI), new URL(each.URI, url)]));
  const main = new URL(stream.uri, url);
  const hasVideo = codings.some(isVideo);
  if (!hasVideo && audio.size === 0) audio.set(number(stream.uri), main);
  const chosen = tracks.find(each => each.DEFAULT === 'YES');
  const defaultAudio = chosen?.URI ? number(chosen.URI) : [...audio.keys()][0] ?? null;
  return { codings, variants: streams.map(each => each.index), video: hasVideo ? main : null, audio, defaultAudio };
}

/**
 * @param {URL} url
 * @param {string} text
 * @param {(index: number) => {start: number, duration?: number} | undefined} spanOf where a segment lies, if that is known. Playlists
 *   say how long segments are, but not where those of a window lie on the timeline
 * @returns {MediaPlaylist}
 */
export function parseMedia(url, text, spanOf) {
  /** @type {MediaPlaylist} */
  const list = { segments: [], ended: false, end: 0, isPlaced: true };
  let index = 0, duration = 0, hasParts = false;
  /** @type {{duration: number, url: URL}[]} */
  let parts = [];
  /** @type {URL | null} */
  let map = null;
  /** @param {URL | null} address */
  const add = address => {
    const known = spanOf(index);
    if (list.segments.length === 0) list.isPlaced = index === 0 || Boolean(known);
    const segment = { index: index++, start: list.end, duration, url: address, map, parts: [], isOpen: !address, ...known };
    list.end = segment.start;
    for (const part of parts) {
      segment.parts.push({ start: list.end, ...part });
      list.end += part.duration;
    }
    if (segment.isOpen) segment.duration = list.end - segment.start;
    list.end = segment.start + segment.duration;
    list.segments.push(segment);
    parts = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXTINF:')) duration = parseFloat(line.slice(8));
    else if (line.startsWith('#EXT-X-MEDIA-SEQUENCE:')) index = Number(line.slice(22));
    else if (line.startsWith('#EXT-X-MAP:')) map = new URL(attributes(line).URI, url);
    else if (line.startsWith('#EXT-X-PART-INF:')) hasParts = true;
    else if (line.startsWith('#EXT-X-PART:')) {
      const { URI, DURATION } = attributes(line);
      parts.push({ duration: Number(DURATION), url: new URL(URI, url) });
    }
    else if (line === '#EXT-X-ENDLIST') list.ended = true;
    else if (line && !line.startsWith('#')) add(new URL(line, url));
  }
  if (hasParts && !list.ended) add(null);
  return list;
}

/**
 * The place in a list of the last segment that begins at or before a time; 0 if none does.
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

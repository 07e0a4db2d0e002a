// SPDX-License-Identifier: Apache-2.0

// The formats that this browser plays, as a profile for a load.

import { isSupported } from './feeder.js';

/** Formats by the name that a profile has for them, with the codec string to ask the browser for. */
const formats = {
  avc1: 'avc1.640028', hvc1: 'hvc1.1.6.L120.90', av01: 'av01.0.08M.08',
  vp09: 'vp09.00.40.08', 'mp4a.40.2': 'mp4a.40.2', 'mp4a.40.5': 'mp4a.40.5', 'ac-3': 'ac-3',
  'ec-3': 'ec-3', fLaC: 'flac', Opus: 'opus', alac: 'alac',
};
/** Codec strings for 10 bits per sample. A format whose string is not supported is limited to 8 bits. */
const deep = { avc1: 'avc1.6e0028', hvc1: 'hvc1.2.4.L120.b0', av01: 'av01.0.08M.10', vp09: 'vp09.02.40.10' };

/** @returns {object} a `PlayerProfile` of the contract */
export function profile() {
  const supported = Object.keys(formats).filter(name => isSupported(formats[name]));
  const bit_depths = Object.entries(deep)
    .filter(([name, codec]) => supported.includes(name) && !isSupported(codec))
    .map(([format]) => ({ format, bits: 8 }));
  const bridges = [['flac', 'fLaC'], ['aac', 'mp4a.40.2']].filter(([, format]) => supported.includes(format)).map(([name]) => name);
  return { formats: supported, bit_depths, progressive_only: true, stereo_bridges: bridges, surround_bridges: [...bridges].reverse() };
}

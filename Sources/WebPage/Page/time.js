// SPDX-License-Identifier: Apache-2.0
// Times and other figures as text. The engine counts microseconds, the page seconds.

/**
 * `1:02:03`, or `2:03`.
 * @param {number} seconds
 */
export function clock(seconds) {
  if (!Number.isFinite(seconds)) return '–:––';
  const whole = Math.floor(Math.abs(seconds)), pad = number => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `${seconds < 0 ? '-' : ''}${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(whole % 60)}`;
}

/** @param {number} microseconds */
export const seconds = microseconds => microseconds / 1e6;

/** @param {number} value @returns {number} */
export const microseconds = value => Math.round(value * 1e6);

/** @param {number} bytes */
export const bytes = bytes => bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Ranges of a media element or of a buffer, in seconds.
 * @param {TimeRanges} ranges
 * @returns {[number, number][]}
 */
export const pairs = ranges => Array.from(ranges, (_, index) => [ranges.start(index), ranges.end(index)]);

/** Milliseconds by a clock that is never set. */
export const now = () => performance.now();

/** The parts that are not empty, in one line. @param {...any} parts */
export const joined = (...parts) => parts.filter(Boolean).join(' · ');

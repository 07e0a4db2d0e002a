// SPDX-License-Identifier: Apache-2.0
// The program guide of a live transport stream: what is broadcast now, and what comes next.

import { joined } from './time.js';

/**
 * @typedef {{title: string, text: string, details: string, start_unix_us: number | null}} Broadcast
 * @typedef {{present?: Broadcast | null, following?: Broadcast | null}} Guide
 */

/**
 * The events of a program; empty if the source states none.
 * @param {import('./sessions.js').State | undefined} state
 * @param {number | undefined} program
 * @returns {Guide}
 */
export const eventsOf = (state, program) => state?.guide?.find(each => each.program === program) ?? {};

/**
 * An event in one line, such as `Now 20:00 · News · Headlines`.
 * @param {string} label
 * @param {Broadcast | null} [event]
 */
export function eventLine(label, event) {
  const start = event?.start_unix_us;
  return event && joined(start ? `${label} ${new Date(start / 1e3).toLocaleTimeString([], { timeStyle: 'short' })}` : label, event.title, event.text);
}

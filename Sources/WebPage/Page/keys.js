// SPDX-License-Identifier: Apache-2.0
// Keys, as mpv and the large video sites have them.

/**
 * @param {Record<string, () => void>} actions by name
 * @param {(tenth: number) => void} jump
 */
export function listenForKeys(actions, jump) {
  const names = {
    ' ': 'toggle', k: 'toggle', j: 'back', l: 'forward', ArrowLeft: 'stepBack', ArrowRight: 'stepForward', ArrowUp: 'louder',
    ArrowDown: 'quieter', m: 'mute', c: 'subtitles', f: 'full', '<': 'slower', '>': 'faster', ',': 'frameBack', '.': 'frameForward',
    PageUp: 'previousChapter', PageDown: 'nextChapter', '?': 'help', i: 'statistics', o: 'sessions', Escape: 'escape',
  };
  document.addEventListener('keydown', event => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, textarea, dialog *')) return;
    // A button reacts to the space bar itself.
    if (target.matches('button') && (event.key === ' ' || event.key === 'Enter')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[0-9]$/.test(key)) jump(Number(key));
    else if (names[key]) actions[names[key]]();
    else return;
    event.preventDefault();
  });
}

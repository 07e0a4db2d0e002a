// SPDX-License-Identifier: Apache-2.0
// Keys, as mpv and the large video sites have them.

/**
 * @param {Record<string, () => void>} actions by key; a lower-case letter also stands for the upper-case one, unless that has its own action
 * @param {(tenth: number) => void} jump
 */
export function listenForKeys(actions, jump) {
  document.addEventListener('keydown', event => {
    const target = /** @type {HTMLElement} */ (event.target);
    // After a dialog has closed, its button may keep the focus for a moment.
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('dialog[open] *')) return;
    // The slider reacts to arrows and the like itself.
    if (target.matches('input') && event.key.length > 1) return;
    // A button reacts to the space bar itself.
    if (target.matches('button') && (event.key === ' ' || event.key === 'Enter')) return;
    const key = actions[event.key] || event.key.length > 1 ? event.key : event.key.toLowerCase();
    if (/^[0-9]$/.test(key)) jump(Number(key));
    else if (actions[key]) actions[key]();
    else return;
    event.preventDefault();
  });
}

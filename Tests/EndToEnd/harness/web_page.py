# SPDX-License-Identifier: Apache-2.0
"""The engine's page in headless Chromium and Firefox, as a person uses it."""

from .browser import Marionette, chromium, firefox
from .engine import eventually

# Collects console messages and violations of the policy, starting before the page's own modules run.
LISTEN = """
window.complaints ??= [];
addEventListener('error', event => complaints.push(String(event.message || event.target.src || 'error')), true);
addEventListener('unhandledrejection', event => complaints.push(String(event.reason)));
addEventListener('securitypolicyviolation', event => complaints.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
const say = console.error;
console.error = (...words) => { complaints.push(words.join(' ')); say(...words); };
"""
LOOK = """
const video = document.querySelector('video'), message = document.querySelector('.message');
const ranges = Array.from({ length: video.buffered.length }, (_, index) => [video.buffered.start(index), video.buffered.end(index)]);
return {
    time: video.currentTime, paused: video.paused, ready: video.readyState, seeking: video.seeking, width: video.videoWidth,
    rate: video.playbackRate, error: video.error && video.error.message, ranges,
    message: message.hidden ? '' : message.textContent, title: document.querySelector('h1').textContent, address: location.href,
    cues: [...video.textTracks].filter(track => track.mode === 'showing').map(track => [...track.cues].map(cue => cue.text)),
    complaints: window.complaints ?? ['no listener'],
};
"""
PRESS = """
const [key] = arguments;
document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
"""
CHOOSE = """
const [menu, label] = arguments;
document.querySelector(`[title="${menu}"]`).click();
const items = [...document.querySelectorAll('.menu:not([hidden]) button:not(:disabled)')];
const item = items.find(each => each.textContent.includes(label));
if (item) item.click(); else document.querySelector(`[title="${menu}"]`).click();
return items.map(each => each.textContent);
"""
# Names, roles and focus of every control: what a screen reader depends on.
CHECK = """
const found = [];
for (const node of document.querySelectorAll('button, input, [role=slider], [role=menu], dialog')) {
    const name = node.getAttribute('aria-label') || node.textContent.trim() || node.title;
    if (!name) found.push(`no name: ${node.outerHTML.slice(0, 80)}`);
    if (node.matches('[role=slider]') && !node.getAttribute('aria-valuetext')) found.push('slider without a value');
    if (node.matches('[role=slider]') && node.tabIndex !== 0) found.push('slider out of the focus order');
}
if (!document.documentElement.lang) found.push('no language');
if (document.querySelectorAll('main').length !== 1) found.push('no main landmark');
if (document.querySelectorAll('h1').length !== 1) found.push('not one heading');
if (!document.querySelector('[role=status][aria-live]')) found.push('no live region');
for (const button of document.querySelectorAll('[aria-haspopup]')) if (!button.hasAttribute('aria-expanded')) found.push('popup without state');
return found;
"""


class WebPage:
    def __init__(self, driver):
        self.driver = driver

    def open(self, url):
        self.driver.get(url)
        self.driver.execute_script(LISTEN)
        eventually(lambda: self.look()["ready"] >= 2, "the page to show the first frame")

    def look(self):
        return self.driver.execute_script(LOOK)

    def press(self, key):
        self.driver.execute_script(PRESS, key)

    def choose(self, menu, label):
        return self.driver.execute_script(CHOOSE, menu, label)

    def problems(self):
        return self.driver.execute_script(CHECK)

    def console(self):
        """The errors that Chromium's console has shown so far; Firefox has no such list."""
        if isinstance(self.driver, Marionette):
            return []
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


__all__ = ["WebPage", "chromium", "firefox"]

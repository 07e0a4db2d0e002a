# SPDX-License-Identifier: Apache-2.0
"""The engine's page in headless Chromium and Firefox, as a person uses it."""

import base64
import subprocess

import numpy

from .browser import Marionette, chromium, firefox
from .contract import web_pb2
from .engine import PATIENCE, eventually
from .page_files import through

# Collects errors and violations of the policy: in Chromium from before the page's own modules run, in Firefox from when
# the page is open. What Firefox reports before that is on its console.
LISTEN = """
if (!window.complaints) {
    window.complaints = [];
    addEventListener('error', event => complaints.push(String(event.message || event.target.src || 'error')), true);
    addEventListener('unhandledrejection', event => complaints.push(String(event.reason)));
    addEventListener('securitypolicyviolation', event => complaints.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    const say = console.error;
    console.error = (...words) => { complaints.push(words.join(' ')); say(...words); };
}
"""
LOOK = """
const video = document.querySelector('video'), message = document.querySelector('.message');
const live = document.querySelector('.live');
const showing = [...video.textTracks].filter(track => track.mode === 'showing');
const ranges = Array.from({ length: video.buffered.length }, (_, index) => [video.buffered.start(index), video.buffered.end(index)]);
return {
    time: video.currentTime, paused: video.paused, ready: video.readyState, seeking: video.seeking, width: video.videoWidth,
    rate: video.playbackRate, error: video.error && video.error.message, ranges,
    message: message.textContent, title: document.querySelector('h1').textContent, address: location.href,
    live: live.hidden ? null : live.title, clock: document.querySelector('.time').textContent,
    slider: document.querySelector('[role=slider]').getAttribute('aria-valuetext'),
    thumb: parseFloat(document.querySelector('.thumb').style.left),
    menus: [...document.querySelectorAll('.anchor:not([hidden]) > button')].map(button => button.title),
    size: getComputedStyle(video).getPropertyValue('--cue'),
    cues: showing.map(track => [...track.cues].map(cue => cue.text)), times: showing.map(track => [...track.cues].map(cue => cue.startTime)),
    guide: document.querySelector('.guide').textContent, details: document.querySelector('.guide').title,
    announced: navigator.mediaSession?.metadata?.title,
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
const items = [...document.querySelectorAll('.menu:not([hidden]) [aria-checked]:not(:disabled)')];
const item = items.find(each => each.textContent.includes(label));
if (item) item.click(); else document.querySelector(`[title="${menu}"]`).click();
return items.map(each => each.textContent);
"""
OPEN = """
document.querySelector('[title="Sessions and files"]').click();
const field = document.querySelector('dialog[open] input');
field.value = arguments[0];
field.form.requestSubmit();
return document.querySelector('.message').textContent;
"""
# Starts to record the samples that the video plays.
RECORD = """
const context = new AudioContext(), recorder = context.createScriptProcessor(2048, 1, 1);
window.recorded = [];
recorder.onaudioprocess = event => recorded.push(event.inputBuffer.getChannelData(0).slice());
context.createMediaElementSource(document.querySelector('video')).connect(recorder);
recorder.connect(context.destination);
context.resume();
window.audio = context;
return context.sampleRate;
"""
RECORDED = """
return recorded.splice(0).map(block => btoa(String.fromCharCode(...new Uint8Array(block.buffer))));
"""
# Problems with names, roles and focus of controls, on which screen readers depend.
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


# Hides what the page draws over the video.
ALONE = "document.styleSheets[0].insertRule('video ~ * { visibility: hidden !important; }')"
# The part of the window that the frames of the video fill.
PLACE = """
const video = document.querySelector('video'), box = video.getBoundingClientRect();
const scale = Math.min(box.width / video.videoWidth, box.height / video.videoHeight);
const [width, height] = [video.videoWidth * scale, video.videoHeight * scale];
return [box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height].map(each => each * devicePixelRatio);
"""


def link(engine):
    """The URL of the page, which can be opened only once."""
    return through(engine.stub.OpenWebControl(web_pb2.OpenWebControlRequest(), timeout=PATIENCE).url)


# Drops a file on the page.
DROP = """
const [name, text] = arguments, dataTransfer = new DataTransfer();
dataTransfer.items.add(new File([text], name));
document.body.firstElementChild.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
"""
TAB_ORDER = """
const all = [...document.querySelectorAll('main button, main input, main [tabindex]')].filter(node => node.checkVisibility() && node.tabIndex >= 0);
return all.map(node => node.getAttribute('aria-label') || node.textContent);
"""
FOCUSED = """
const node = document.activeElement, style = getComputedStyle(node);
return { name: node.getAttribute('aria-label') || node.textContent, role: node.getAttribute('role'), ring: style.outlineStyle };
"""


def token(url):
    """The first part of the path of a URL; `None` without a URL. URLs are compared by this part, because the port
    differs if the page's files come from a folder."""
    return url.split("/")[3] if url.startswith("http") else None


class WebPage:
    def __init__(self, driver):
        self.driver = driver
        if not isinstance(driver, Marionette):
            self.prepare(LISTEN)

    def prepare(self, script):
        """Has Chromium run a script in each document before the document's own scripts."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def open(self, url):
        self.driver.get(url)
        self.driver.execute_script(LISTEN)
        eventually(lambda: self.look()["ready"] >= 2, "the page to show the first frame")

    def load(self, source):
        """Opens a source in a new session, as a person does. Returns the message that the page shows meanwhile."""
        return self.driver.execute_script(OPEN, str(source))

    def look(self):
        return self.driver.execute_script(LOOK)

    def until(self, condition, what):
        """Waits until `condition(look)` is true for what the page shows, and returns that look."""
        return eventually(lambda: condition(look := self.look()) and look, lambda: f"{what}, on {self.look()}")

    def plays(self, least=0.4):
        """Waits until the playhead has moved on."""
        start = self.look()["time"]
        self.until(lambda look: look["time"] > start + least, "the page to play on")

    def record(self):
        """Starts to record what is heard, and returns the sampling rate."""
        return int(self.driver.execute_script(RECORD))

    def recorded(self):
        """The samples that were heard since the last call, from -1 to 1."""
        blocks = self.driver.execute_script(RECORDED)
        return numpy.frombuffer(b"".join(map(base64.b64decode, blocks)), numpy.float32)

    def click(self, selector):
        self.driver.execute_script("document.querySelector(arguments[0]).click()", selector)

    def press(self, key):
        self.driver.execute_script(PRESS, key)

    def press_there(self, key):
        """Presses a key where the focus is."""
        self.driver.execute_script(PRESS.replace("document.body", "document.activeElement"), key)

    def tab_order(self):
        return self.driver.execute_script(TAB_ORDER)

    def focused(self):
        return self.driver.execute_script(FOCUSED)

    def source(self):
        """The URL that the video plays; each load changes it."""
        return self.driver.execute_script("return document.querySelector('video').src")

    def choose(self, menu, label):
        return self.driver.execute_script(CHOOSE, menu, label)

    def drop(self, name, text):
        """Drops a file of text on the page."""
        self.driver.execute_script(DROP, name, text)

    def show_video_alone(self):
        """Hides what the page draws over the video."""
        self.driver.execute_script(ALONE)

    def video_on_screen(self, width, height):
        """What a screenshot shows of the video, in this size, one byte per pixel."""
        left, top, wide, high = map(round, self.driver.execute_script(PLACE))
        done = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "png_pipe", "-i", "pipe:0", "-vf",
             f"crop={wide}:{high}:{left}:{top}:exact=1,scale={width}:{height}:flags=area", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
            input=self.driver.get_screenshot_as_png(), capture_output=True, check=True)
        return done.stdout

    def problems(self):
        return self.driver.execute_script(CHECK)

    def console(self, replaced=()):
        """The errors that the browser's console has shown since the last call. `replaced`: the URLs of master playlists that loads
        have replaced. Errors of requests below them are left out, because the page may have sent these requests before it
        learned of the load."""
        if isinstance(self.driver, Marionette):
            errors = self.driver.errors()
        else:
            errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        gone = [token(url) for url in replaced]
        return [each for each in errors if token(each) not in gone]


# Samples of the number that the pictures of `harness.live.numbered_picture` show.
NUMBER = """
const video = document.querySelector('video'), canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [320, 192];
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0, 320, 192);
const grey = context.getImageData(0, 0, 192, 96).data;
return Array.from({ length: 12 }, (_, bit) => [grey[(24 * 192 + bit * 16 + 8) * 4], grey[(72 * 192 + bit * 16 + 8) * 4]]);
"""


def shown_number(page):
    """The number of the picture that the page shows; `None` if it cannot be read."""
    number = 0
    for high, low in page.driver.execute_script(NUMBER):
        if abs(high - low) < 60:
            return None
        number = number << 1 | (high > low)
    return number


__all__ = ["WebPage", "chromium", "firefox", "link", "shown_number"]

# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium with one <video>, on a page whose origin differs from the engine's."""

import contextlib
import functools
import http.server
import pathlib
import shutil
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required",
    "--disable-dev-shm-usage", "--mute-audio", "--no-first-run", "--disable-background-networking",
)
PAGE = "<!doctype html><title>player</title><video id=v muted playsinline></video>"

LOAD = """
const [url, done] = arguments, video = document.getElementById('v');
window.events = [];
for (const name of ['loadedmetadata', 'seeked', 'ended', 'error', 'stalled', 'waiting', 'playing'])
    video.addEventListener(name, () => events.push(name));
video.src = url;
const timer = setTimeout(() => done('nothing within 30 s'), 30000);
video.onloadedmetadata = () => { clearTimeout(timer); video.play().then(() => done('ok'), e => done(String(e))); };
video.onerror = () => { clearTimeout(timer); done(`error ${video.error.code}: ${video.error.message}`); };
"""
# Waits until currentTime has moved by `least` seconds from `from` (or from where it is).
ADVANCE = """
const [start, least, done] = arguments, video = document.getElementById('v');
const from = start ?? video.currentTime, began = performance.now();
const timer = setInterval(() => {
    const late = performance.now() - began > 30000;
    if (video.currentTime >= from + least || video.ended || video.error || late) {
        clearInterval(timer);
        done({ time: video.currentTime, from, ended: video.ended, error: video.error && video.error.message,
               ready: video.readyState, late, events });
    }
}, 50);
"""
SEEK = """
const [target, done] = arguments, video = document.getElementById('v');
const fail = () => done({ landed: null, error: video.error && video.error.message, events });
const timer = setTimeout(fail, 30000);
video.addEventListener('error', fail, { once: true });
video.addEventListener('seeked', () => {
    clearTimeout(timer); done({ landed: video.currentTime, error: null, events });
}, { once: true });
video.currentTime = target;
if (video.paused) video.play();
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser:
    def __init__(self, driver, page):
        self.driver, self.page = driver, page

    def open(self, url):
        self.driver.get(self.page)
        return self.driver.execute_async_script(LOAD, url)

    def advance(self, least=0.5, start=None):
        return self.driver.execute_async_script(ADVANCE, start, least)

    def seek(self, target):
        return self.driver.execute_async_script(SEEK, target)

    def value(self, name):
        return self.driver.execute_script(f"return document.getElementById('v').{name}")

    def close(self):
        self.driver.get("about:blank")


@contextlib.contextmanager
def chromium():
    work = pathlib.Path(tempfile.mkdtemp(prefix="engine-chromium-"))
    (work / "index.html").write_text(PAGE)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(work)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={work / 'profile'}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    try:
        yield Browser(driver, f"http://127.0.0.1:{server.server_address[1]}/index.html")
    finally:
        driver.quit()
        server.shutdown()
        shutil.rmtree(work, ignore_errors=True)

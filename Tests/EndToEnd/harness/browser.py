# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium and Firefox with one <video>, on a page whose origin differs from the engine's."""

import base64
import contextlib
import functools
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from .engine import PATIENCE, eventually
from .ports import free_port

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required",
    "--disable-dev-shm-usage", "--mute-audio", "--no-first-run", "--disable-background-networking",
)
PAGE = "<!doctype html><title>player</title><video id=v muted playsinline></video>"

# The limits of a page's wait for an event (milliseconds) and of a script (seconds). The script's limit is longer, so
# that the page reports the failure itself.
LIMIT, SCRIPT_SECONDS = int(PATIENCE * 1000), int(PATIENCE * 1.5)

LOAD = """
const [url, done] = arguments, video = document.getElementById('v');
window.events = [];
for (const name of ['loadedmetadata', 'seeked', 'ended', 'error', 'stalled', 'waiting', 'playing'])
    video.addEventListener(name, () => events.push(name));
video.src = url;
const timer = setTimeout(() => done('nothing in time'), LIMIT);
video.onloadedmetadata = () => { clearTimeout(timer); video.play().then(() => done('ok'), e => done(String(e))); };
video.onerror = () => { clearTimeout(timer); done(`error ${video.error.code}: ${video.error.message}`); };
"""
# Waits until currentTime is `least` seconds beyond `from` (default: its present value).
ADVANCE = """
const [start, least, done] = arguments, video = document.getElementById('v');
const from = start ?? video.currentTime, began = performance.now();
const timer = setInterval(() => {
    const late = performance.now() - began > LIMIT;
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
const timer = setTimeout(fail, LIMIT);
video.addEventListener('error', fail, { once: true });
video.addEventListener('seeked', () => {
    clearTimeout(timer); done({ landed: video.currentTime, error: null, events });
}, { once: true });
video.currentTime = target;
if (video.paused) video.play();
"""
# Firefox does not play HLS itself. This script feeds it as hls.js does: the variant's formats must be supported, there
# is one source buffer for video and one for audio, and `change(language)` switches to another rendition.
FEED = """
const [url, done] = arguments, video = document.getElementById('v');
const fetched = async (address, kind) => {
    const answer = await fetch(address);
    if (!answer.ok) throw Error(`${answer.status} for ${address}`);
    return answer[kind]();
};
const attributes = line => Object.fromEntries(
    [...line.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)].map(each => [each[1], each[2].replaceAll('"', '')]));
const media = async address => {
    const text = await fetched(address, 'text'), lines = text.split('\\n');
    const names = [text.match(/EXT-X-MAP:URI="([^"]*)"/)[1], ...lines.filter(line => line && !line.startsWith('#'))];
    return names.map(name => new URL(name, address));
};
const append = async (buffer, address) => {
    const bytes = await fetched(address, 'arrayBuffer');
    await new Promise((resolve, reject) => {
        buffer.onupdateend = resolve;
        buffer.onerror = () => reject(Error(`${address} was refused`));
        buffer.appendBuffer(bytes);
    });
};
const isVideo = codec => /^(avc|hvc|hev|av01|vp09)/.test(codec);
const type = codec => `${isVideo(codec) ? 'video' : 'audio'}/mp4; codecs="${codec}"`;
const load = async () => {
    const lines = (await fetched(url, 'text')).split('\\n');
    const place = lines.findIndex(line => line.startsWith('#EXT-X-STREAM-INF'));
    const codecs = attributes(lines[place]).CODECS.split(',');
    const refused = codecs.filter(codec => !MediaSource.isTypeSupported(type(codec)));
    if (refused.length) throw Error(`no support for ${refused}`);
    const tracks = lines.filter(line => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO')).map(attributes);
    const source = new MediaSource();
    video.src = URL.createObjectURL(source);
    await new Promise(resolve => { source.onsourceopen = resolve; });
    const sound = codecs.filter(codec => !isVideo(codec));
    if (sound.length !== 1) throw Error(`${sound.length} audio formats`);
    const [pictures, audio] = [codecs.find(isVideo), sound[0]].map(codec => source.addSourceBuffer(type(codec)));
    for (const part of await media(new URL(lines[place + 1], url))) await append(pictures, part);
    const chosen = tracks.find(track => track.DEFAULT === 'YES');
    for (const part of await media(new URL(chosen.URI, url))) await append(audio, part);
    window.change = async language => {
        const other = tracks.find(track => track.LANGUAGE === language);
        await new Promise(resolve => { audio.onupdateend = resolve; audio.remove(video.currentTime + 1, Infinity); });
        for (const part of await media(new URL(other.URI, url))) await append(audio, part);
        return audio.buffered.length;
    };
    await video.play();
};
window.events = [];
video.onerror = () => done(`error ${video.error.code}: ${video.error.message}`);
load().then(() => done('ok'), error => done(String(error)));
"""

# Plays a live playlist as hls.js does: reloads it repeatedly, begins three segments before its end, and appends each
# new segment after the init segment that applies to it.
FOLLOW = """
const [url, done] = arguments, video = document.getElementById('v');
const attributes = line => Object.fromEntries(
    [...line.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)/g)].map(each => [each[1], each[2].replaceAll('"', '')]));
const append = async (buffer, address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw Error(`${answer.status} for ${address}`);
    const bytes = await answer.arrayBuffer();
    await new Promise((resolve, reject) => {
        buffer.onupdateend = resolve;
        buffer.onerror = () => reject(Error(`${address} was refused`));
        buffer.appendBuffer(bytes);
    });
};
const load = async list => {
    const text = await (await fetch(list.url)).text();
    let number = Number(text.match(/MEDIA-SEQUENCE:([0-9]+)/)[1]), map = null;
    const found = [];
    for (const line of text.split('\\n')) {
        if (line.startsWith('#EXT-X-MAP')) map = attributes(line).URI;
        if (line && !line.startsWith('#')) found.push({ number: number++, map, name: line });
    }
    list.next ??= Math.max(found[0].number, number - 3);
    for (const part of found.filter(part => part.number >= list.next)) {
        if (part.map !== list.map) await append(list.buffer, new URL(part.map, list.url));
        await append(list.buffer, new URL(part.name, list.url));
        [list.map, list.next] = [part.map, part.number + 1];
    }
    return { ended: text.includes('#EXT-X-ENDLIST'), target: Number(text.match(/TARGETDURATION:([0-9]+)/)[1]) };
};
const begin = async () => {
    const lines = (await (await fetch(url)).text()).split('\\n');
    const place = lines.findIndex(line => line.startsWith('#EXT-X-STREAM-INF'));
    const source = new MediaSource();
    video.src = URL.createObjectURL(source);
    await new Promise(resolve => { source.onsourceopen = resolve; });
    const codecs = attributes(lines[place]).CODECS.split(',');
    const pictures = codecs.find(codec => /^(avc|hvc|hev|av01|vp09)/.test(codec)), sound = codecs.find(codec => codec !== pictures);
    const audio = attributes(lines.find(line => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO')));
    const lists = [
        { url: new URL(lines[place + 1], url), buffer: source.addSourceBuffer(`video/mp4; codecs="${pictures}"`) },
        { url: new URL(audio.URI, url), buffer: source.addSourceBuffer(`audio/mp4; codecs="${sound}"`) },
    ];
    for (const list of lists) await load(list);
    video.currentTime = video.buffered.start(0) + 0.05;
    await video.play();
    const again = async () => {
        let last;
        for (const list of lists) last = await load(list);
        if (last.ended) source.endOfStream(); else setTimeout(repeat, last.target * 500);
    };
    const repeat = () => again().catch(error => { window.events.push(String(error)); setTimeout(repeat, 1000); });
    repeat();
};
window.events = [];
for (const name of ['ended', 'error', 'waiting', 'stalled']) video.addEventListener(name, () => events.push(name));
begin().then(() => done('ok'), error => done(String(error)));
"""

# The errors on Firefox's console that come from pages; neither warnings nor messages of the browser's own parts.
ERRORS = """
const found = Services.console.getMessageArray().filter(each => each instanceof Ci.nsIScriptError);
Services.console.reset();
return found.filter(each => !(each.flags & Ci.nsIScriptError.warningFlag) && each.sourceName.startsWith('http'))
    .map(each => `${each.sourceName} ${each.errorMessage}`);
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser:
    def __init__(self, driver, page):
        self.driver, self.page = driver, page

    def open(self, url):
        self.driver.get(self.page)
        return self.driver.execute_async_script(f"const LIMIT = {LIMIT};" + LOAD, url)

    def advance(self, least=0.5, start=None):
        return self.driver.execute_async_script(f"const LIMIT = {LIMIT};" + ADVANCE, start, least)

    def seek(self, target):
        return self.driver.execute_async_script(f"const LIMIT = {LIMIT};" + SEEK, target)

    def value(self, name):
        return self.driver.execute_script(f"return document.getElementById('v').{name}")

    def assert_plays_and_seeks(self, url):
        """Plays the beginning, then seeks to five positions; playback must continue after each seek."""
        assert self.open(url) == "ok"
        played = self.advance(0.7)
        assert played["error"] is None and played["time"] > played["from"], played
        duration = self.value("duration")
        targets = [duration * part for part in (0.8, 0.3, 0.55, 0.1, 0.7)] if duration else [15, 7, 12, 2, 10]
        for target in targets:
            landed = self.seek(target)
            assert landed["landed"] is not None and abs(landed["landed"] - target) < 0.5, (target, landed)
            moved = self.advance(0.3, start=target)
            assert moved["error"] is None and not moved["late"], (target, moved)
        self.close()

    def close(self):
        self.driver.get("about:blank")


class Marionette:
    """A client of Firefox's own protocol, with the methods of a WebDriver that `Browser` calls. Debian has no
    geckodriver."""

    def __init__(self, port):
        def connected():
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", port), timeout=2 * PATIENCE)
            return None
        self.connection = eventually(connected, "Firefox to listen")
        self.stream, self.number = self.connection.makefile("rb"), 0
        self._receive()
        self._call("WebDriver:NewSession", {})
        self._call("WebDriver:SetTimeouts", {"script": SCRIPT_SECONDS * 1000})

    def _receive(self):
        length = iter(lambda: self.stream.read(1), b":")
        return json.loads(self.stream.read(int(b"".join(length))))

    def _call(self, name, arguments):
        self.number += 1
        request = json.dumps([0, self.number, name, arguments]).encode()
        self.connection.sendall(b"%d:%s" % (len(request), request))
        _, _, error, result = self._receive()
        assert error is None, error
        return (result or {}).get("value") if isinstance(result, dict) else result

    def get(self, url):
        self._call("WebDriver:Navigate", {"url": url})

    def execute_script(self, script, *arguments):
        return self._call("WebDriver:ExecuteScript", {"script": script, "args": arguments, "sandbox": None})

    def execute_async_script(self, script, *arguments):
        return self._call("WebDriver:ExecuteAsyncScript", {"script": script, "args": arguments, "sandbox": None})

    def get_screenshot_as_png(self):
        return base64.b64decode(self._call("WebDriver:TakeScreenshot", {"full": False}))

    def errors(self):
        """The errors of scripts and of policies that the browser's console has shown since the last call, each with its
        source."""
        self._call("Marionette:SetContext", {"value": "chrome"})
        try:
            return self._call("WebDriver:ExecuteScript", {"script": ERRORS, "args": [], "sandbox": "system"})
        finally:
            self._call("Marionette:SetContext", {"value": "content"})


class Feeding(Browser):
    """A browser whose page fetches the segments and feeds the <video> itself, with FEED."""

    def open(self, url):
        self.driver.get(self.page)
        return self.driver.execute_async_script(FEED, url)

    def change(self, language):
        return self.driver.execute_async_script(
            "const [language, done] = arguments; change(language).then(done, error => done(String(error)))", language)


class Following(Browser):
    """Chromium with FOLLOW, which plays a live playlist."""

    def open(self, url):
        self.driver.get(self.page)
        return self.driver.execute_async_script(FOLLOW, url)

    def events(self):
        return self.driver.execute_script("return window.events")


@contextlib.contextmanager
def page(name):
    """A folder for a browser, and the URL of the page in it."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"engine-{name}-"))
    (work / "index.html").write_text(PAGE)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(work)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield work, f"http://127.0.0.1:{server.server_address[1]}/index.html"
    finally:
        server.shutdown()
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def firefox(environment=None):
    """Firefox. `environment`: additional environment variables, such as the sound server that Web Audio needs."""
    with page("firefox") as (work, address):
        port = free_port()
        (work / "profile").mkdir()
        preferences = {"marionette.port": port, "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0,
                       "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
                       "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False}
        (work / "profile" / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", work / "profile"],
            env=dict(os.environ) | (environment or {}) | {"HOME": str(work)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            yield Feeding(Marionette(port), address)
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def chromium(kind=Browser, flags=()):
    with page("chromium") as (work, address):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, *flags, f"--user-data-dir={work / 'profile'}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        driver.set_script_timeout(SCRIPT_SECONDS)
        try:
            yield kind(driver, address)
        finally:
            driver.quit()

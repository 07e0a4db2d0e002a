# SPDX-License-Identifier: Apache-2.0
"""Subtitle files: texts, servers for them, and how the engine and ffmpeg read them."""

import contextlib
import http.server
import re
import subprocess
import threading

from .contract import engine_pb2, http_pb2, subtitles_pb2
from .engine import PATIENCE, Session

RUSSIAN = ["Здравствуйте, как поживаете?", "Я не знаю, что сказать.", "Мы должны идти домой сейчас.", "Он говорит, что всё хорошо."]
CHINESE = ["你好，你今天怎么样？", "我不知道该说什么。", "我们现在必须回家了。", "他说一切都会好起来的。"]
TAIWANESE = ["你好，你今天怎麼樣？", "我不知道該說什麼。", "我們現在必須回家了。", "他說一切都會好起來的。"]
JAPANESE = ["こんにちは、お元気ですか？", "何を言えばいいのか分からない。", "今すぐ家に帰らなければならない。", "すべてうまくいくと彼は言っている。"]
KOREAN = ["안녕하세요, 오늘 어떠세요?", "무슨 말을 해야 할지 모르겠어요.", "지금 집에 가야 합니다.", "그는 모든 것이 잘 될 거라고 말합니다."]
FRENCH = ["Où êtes-vous allé hier soir ?", "Ça va très bien, merci à tous.", "Le garçon a été blessé.", "Il était déjà là, près de moi."]
POLISH = ["Dzień dobry, jak się państwo mają?", "Nie wiem, co powiedzieć, proszę.", "Musimy już iść, późno.", "Książka leży, żółta łódź."]
GREEK = ["Καλημέρα, πώς είστε σήμερα;", "Δεν ξέρω τι να πω για αυτό.", "Πρέπει να πάμε στο σπίτι τώρα.", "Λέει ότι όλα θα πάνε καλά."]
HEBREW = ["שלום, מה שלומך היום?", "אני לא יודע מה להגיד.", "אנחנו צריכים ללכת הביתה.", "הוא אומר שהכל יהיה בסדר."]
ARABIC = ["مرحبا، كيف حالك اليوم؟", "لا أعرف ماذا أقول لك.", "يجب أن نذهب إلى البيت الآن.", "يقول إن كل شيء سيكون على ما يرام."]
THAI = ["สวัสดีครับ คุณสบายดีไหม", "ผมไม่รู้จะพูดอะไร", "เราต้องกลับบ้านเดี๋ยวนี้", "เขาบอกว่าทุกอย่างจะดี"]

TIMING = re.compile(r"(\d+):(\d+):(\d+)[,.](\d+) --> (\d+):(\d+):(\d+)[,.](\d+)")


def lines_of(text):
    """Removes everything that players do not show: markup, spaces at the ends of lines, and empty lines at the ends."""
    text = re.sub(r"<[^>]*>|\{\\[^}]*\}", "", text).replace("\r", "")
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def parse(srt):
    """(start in ms, end in ms, text) of each cue of a SubRip text."""
    cues = []
    for block in re.split(r"\n\s*\n(?=\d+\n\d+:)", srt.replace("\r\n", "\n").strip()):
        lines = block.split("\n")
        place = next((number for number, line in enumerate(lines) if TIMING.search(line)), None)
        if place is None:
            continue
        times = [int(each) for each in TIMING.search(lines[place]).groups()]
        start, end = (((times[at] * 60 + times[at + 1]) * 60 + times[at + 2]) * 1000 + times[at + 3] for at in (0, 4))
        cues.append((start, end, lines_of("\n".join(lines[place + 1:]))))
    return cues


def by_ffmpeg(path, *options):
    """A subtitle file as ffmpeg reads it."""
    run = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", *options, "-i", str(path), "-map", "0:s:0", "-f", "srt", "-"],
        check=True, capture_output=True)
    return parse(run.stdout.decode("utf-8", "replace"))


def read(engine, **request):
    """The tracks and all cues of one GetCues call, whose progress must rise to 1."""
    tracks, cues, progress = [], [], []
    for message in engine.stub.GetCues(subtitles_pb2.GetCuesRequest(**request), timeout=PATIENCE):
        tracks += message.tracks
        cues += message.cues
        progress.append(message.progress)
    assert progress == sorted(progress)
    assert progress[-1] == 1
    return tracks, cues


def shown(cues):
    """In the form that `parse` returns."""
    return [(round(cue.start_us / 1000), round(cue.end_us / 1000), lines_of(cue.text.plain)) for cue in cues]


def srt(lines, separator="\r\n\r\n"):
    def time_of(second, millisecond):
        return f"00:{second // 60:02}:{second % 60:02},{millisecond:03}"
    return separator.join(
        f"{number + 1}\r\n{time_of(number, 100)} --> {time_of(number, 900)}\r\n{line}" for number, line in enumerate(lines)) + "\r\n"


def plain(cues):
    return [text for _, _, text in shown(cues)]


def expected(lines):
    return [(number * 1000 + 100, number * 1000 + 900, line) for number, line in enumerate(lines)]


def field_of(error):
    """The invalid field that an error names in its details."""
    return dict(error.trailing_metadata()).get("engine-error-field", "")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        status, headers, body = self.server.pages.get(self.path, (404, {}, b"nothing"))
        if status == 0:
            # Announces a body, and sends nothing.
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.server.released.wait(PATIENCE)
            self.close_connection = True
            return
        if status < 0:
            # Does not speak HTTP.
            self.wfile.write(body)
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if callable(body):
            self.end_headers()
            with contextlib.suppress(OSError):
                body(self.wfile)
            self.close_connection = True
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving(pages):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.pages, server.seen, server.released = pages, [], threading.Event()
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()


def headers(**fields):
    return [http_pb2.HttpHeader(name=name.replace("_", "-"), value=value) for name, value in fields.items()]


def add(engine, path, session_id="", **fields):
    request = subtitles_pb2.AddSubtitlesRequest(
        session_id=session_id, file=subtitles_pb2.SubtitleFile(path=str(path), **fields))
    return engine.stub.AddSubtitles(request, timeout=PATIENCE)


def load(engine, path, files, options=None, fields=()):
    request = engine_pb2.LoadRequest(
        source=str(path), subtitle_files=files, options=options or engine_pb2.LoadOptions(), http_headers=fields)
    return Session(engine, engine.stub.Load(request, timeout=PATIENCE))

# SPDX-License-Identifier: Apache-2.0
"""Servers for films: a real nginx, and one that misbehaves as a test requests."""

import contextlib
import dataclasses
import gzip
import http.server
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

from .engine import eventually
from .ports import free_port


@dataclasses.dataclass
class Request:
    path: str
    headers: dict
    # First and last byte; `None` without a Range header field.
    range: tuple | None


class Nginx:
    """A server of the files below a folder."""

    def __init__(self, url, log):
        self.url = url
        self._log = log

    def requests(self):
        """For each request so far: status, path, and (in one string) the range and the number of bytes in the body."""
        return [line.split(" ", 2) for line in self._log.read_text().splitlines()]

    def bytes_sent(self):
        return sum(int(line.rsplit(" ", 1)[1]) for line in self._log.read_text().splitlines())


@contextlib.contextmanager
def nginx(root, address="127.0.0.1", namespace=None):
    """nginx with the files below `root`, in a network namespace if one is given."""
    through = namespace.through() if namespace else []
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    with tempfile.TemporaryDirectory(prefix="nginx-", ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        port = free_port()
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(f"""
            {user} daemon off; worker_processes 1; error_log {folder}/error.log; pid {folder}/pid;
            events {{}}
            http {{
                access_log off; sendfile on; keepalive_requests 100000;
                client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
                uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
                log_format short '$status $request_uri $http_range $body_bytes_sent';
                server {{
                    listen {address}:{port}; root {root}; access_log {folder}/access.log short;
                }}
            }}
        """)
        process = subprocess.Popen(
            [*through, program, "-c", folder / "nginx.conf", "-p", folder, "-e", folder / "error.log"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            inside = namespace.do if namespace else lambda work: work()

            def listens():
                assert process.poll() is None, (folder / "error.log").read_text()
                return inside(lambda: answers(port, address))
            eventually(listens, "nginx to listen")
            yield Nginx(f"http://{address}:{port}", folder / "access.log")
        finally:
            process.terminate()
            process.wait()


def answers(port, address="127.0.0.1"):
    with contextlib.suppress(OSError), socket.create_connection((address, port), 1):
        return True
    return False


def is_busy(process):
    """Whether a thread of a process, apart from the calling one, is running or about to run."""
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            if state not in "SI" and int(task.name) != threading.get_native_id():
                return True
    return False


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_):
        pass

    def do_GET(self):
        origin = self.server.origin
        field = self.headers.get("Range")
        span = None
        if field:
            first, last = field.removeprefix("bytes=").split("-")
            span = (int(first), int(last) if last else len(origin.film) - 1)
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, span)
        with origin.lock:
            origin.requests.append(request)
        with contextlib.suppress(OSError):
            origin.respond(self, request)

    def answer(self, status, fields=(), body=b""):
        self.send_response(status)
        fields = dict(fields)
        fields.setdefault("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self):
        """Resets the connection."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close_connection = True
        self.connection.close()


class Origin:
    """A film on a server. Tests may replace `respond(handler, request)`; by default the server behaves correctly."""

    def __init__(self, film, url):
        self.film = film
        self.url = f"{url}/film.mkv"
        self.base = url
        self.etag = '"one"'
        self.requests = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.respond = self.serve

    def part(self, request):
        first, last = request.range or (0, len(self.film) - 1)
        last = min(last, len(self.film) - 1)
        return first, last

    @contextlib.contextmanager
    def waves(self, engine):
        """Holds all responses until the engine does nothing but wait for them, then sends them together. Yields a list
        of the waves, each the list of the requested ranges: every request after the first wave depends on a
        response."""
        respond, lock, over, waves, held = self.respond, threading.Lock(), threading.Event(), [], []

        def hold(handler, request):
            answer = threading.Event()
            with lock:
                held.append((request.range, answer))
                if over.is_set():
                    answer.set()
            answer.wait()
            respond(handler, request)

        def send():
            # Requests may be on their way as long as a thread of either process can run.
            quiet, count = 0, 0
            while not over.wait(0.02):
                is_new, count = len(held) != count, len(held)
                quiet = 0 if is_new or not held or is_busy(engine.pid) or is_busy(os.getpid()) else quiet + 1
                if quiet == 5:
                    release()
                    quiet = 0

        def release():
            with lock:
                waves.extend([[span for span, _ in held]] if held else [])
                for _, answer in held:
                    answer.set()
                held.clear()

        self.respond = hold
        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield waves
        finally:
            self.respond = respond
            over.set()
            thread.join()
            release()

    def serve(self, handler, request):
        """Answers with the requested range, or with the whole film without `Range` or if `If-Range` does not match."""
        first, last = self.part(request)
        if request.range is None:
            return handler.answer(200, {"ETag": self.etag, "Accept-Ranges": "bytes"}, self.film)
        if request.headers.get("if-range", self.etag) != self.etag:
            return handler.answer(200, {"ETag": self.etag}, self.film)
        fields = {"ETag": self.etag, "Content-Range": f"bytes {first}-{last}/{len(self.film)}"}
        return handler.answer(206, fields, self.film[first:last + 1])

    def serve_cut(self, handler, request, limit):
        """Answers with the requested range, but resets the connection after `limit` bytes of it."""
        first, last = self.part(request)
        handler.send_response(206)
        handler.send_header("ETag", self.etag)
        handler.send_header("Content-Range", f"bytes {first}-{last}/{len(self.film)}")
        handler.send_header("Content-Length", str(last + 1 - first))
        handler.end_headers()
        handler.wfile.write(self.film[first:last + 1][:limit])
        handler.wfile.flush()
        if last + 1 - first > limit:
            handler.drop()

    def serve_compressed(self, handler, request):
        handler.answer(200, {"Content-Encoding": "gzip", "ETag": self.etag}, gzip.compress(self.film, 1))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    tls = None

    def finish_request(self, request, client_address):
        # On the connection's thread, not the accepting one, because a handshake may take long, or fail.
        with contextlib.suppress(ssl.SSLError):
            if self.tls:
                request = self.tls.wrap_socket(request, server_side=True)
            super().finish_request(request, client_address)


@contextlib.contextmanager
def origin(film, tls=None, host="127.0.0.1", bind="127.0.0.1"):
    """A server of the file `film`; over TLS if there is an `ssl.SSLContext`."""
    server = Server((bind, 0), Handler)
    server.tls = tls
    scheme = "https" if tls else "http"
    server.origin = Origin(pathlib.Path(film).read_bytes(), f"{scheme}://{host}:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.origin
    finally:
        server.origin.released.set()
        server.shutdown()
        server.server_close()

# SPDX-License-Identifier: Apache-2.0
"""The page from a folder instead of from the program: `PAGE_FILES=Sources/WebPage/Page` tries changes without a build.

A proxy in front of the engine answers requests for the page with the folder's files, under the engine's own headers,
and passes all other requests on. It sends the files as they are, so it cannot test the size of the page."""

import asyncio
import contextlib
import os
import pathlib
import re
import threading
import urllib.parse

FOLDER = os.environ.get("PAGE_FILES")
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}


class PageFiles:
    def __init__(self, engine_port):
        self.engine_port, self.loop = engine_port, asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        server = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.serve, "127.0.0.1", 0), self.loop).result()
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        """One request; the engine is asked to close the connection after it."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            head = head.replace(f"127.0.0.1:{self.port}", f"127.0.0.1:{self.engine_port}")
            head = re.sub(r"(?im)^connection:.*\r\n", "", head).replace("\r\n", "\r\nConnection: close\r\n", 1)
            file = self.file(path)
            if file:
                # Asks the engine for the page itself, whose headers are those of all its files.
                head = head.replace(path, "/web/", 1)
            answer, request = await asyncio.open_connection("127.0.0.1", self.engine_port)
            with contextlib.closing(request):
                request.write(head.encode("latin-1"))
                if file:
                    await self.replace(answer, writer, file)
                else:
                    copies = [asyncio.ensure_future(self.copy(*pair)) for pair in ((reader, request), (answer, writer))]
                    await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
                    for copy in copies:
                        copy.cancel()

    def file(self, path):
        if not path.startswith("/web/") or "/" in path[5:]:
            return None
        file = pathlib.Path(FOLDER, path[5:] or "index.html")
        return file if file.is_file() else None

    async def replace(self, answer, writer, file):
        head, body = (await answer.readuntil(b"\r\n\r\n")).decode("latin-1"), file.read_bytes()
        if " 200 " in head.split("\r\n")[0]:
            head = re.sub(r"(?i)(content-type: )text/html", r"\1" + TYPES[file.suffix], head)
            head = re.sub(r"(?i)(content-length: )\d+", rf"\g<1>{len(body)}", head)
        else:
            body = await answer.read()
        writer.write(head.encode("latin-1") + body)
        await writer.drain()

    @staticmethod
    async def copy(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()


def through(url):
    """The URL of a page, through a proxy if its files come from a folder. The proxy lasts as long as the tests."""
    if not FOLDER:
        return url
    port = urllib.parse.urlsplit(url).port
    return url.replace(f":{port}/", f":{PageFiles(port).port}/")

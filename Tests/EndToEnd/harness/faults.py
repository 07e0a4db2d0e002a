# SPDX-License-Identifier: Apache-2.0
"""Faulty servers: each function returns the `respond` method of an `origin.Origin`."""

import threading
import time

from .origin import Request


def resetting(film, limit):
    def respond(handler, request):
        film.serve_cut(handler, request, limit)
    return respond


def short(film):
    """Answers with at most 100,000 bytes at a time."""
    def respond(handler, request):
        first, last = film.part(request)
        film.serve(handler, Request(request.path, request.headers, (first, min(last, first + 99_999))))
    return respond


def busy(film):
    """Answers every second request with 503."""
    def respond(handler, request):
        if len(film.requests) % 2 == 1:
            return handler.answer(503, {"Retry-After": "0"})
        return film.serve(handler, request)
    return respond


def redirecting(film):
    def respond(handler, request):
        if "/moved/" not in request.path:
            return handler.answer(307, {"Location": f"/moved{request.path}"})
        return film.serve(handler, request)
    return respond


def limited(film):
    """Answers some requests with 429. A client that respects `Retry-After` repeats each of them once."""
    def respond(handler, request):
        if len(film.requests) in (2, 5):
            return handler.answer(429, {"Retry-After": "1"})
        return film.serve(handler, request)
    return respond


def one_at_a_time(film):
    """Answers a request with 503 if it arrives while another one is served."""
    busy = threading.Lock()

    def respond(handler, request):
        if not busy.acquire(blocking=False):
            return handler.answer(503)
        try:
            time.sleep(0.02)
            return film.serve(handler, request)
        finally:
            busy.release()
    return respond


def whole(film):
    """Answers every third request with the whole film."""
    def respond(handler, request):
        if len(film.requests) % 3 == 0:
            return handler.answer(200, {"ETag": film.etag}, film.film)
        return film.serve(handler, request)
    return respond


def portal(film):
    """Redirects some requests to a login page."""
    def respond(handler, request):
        if request.path.endswith("/login"):
            return handler.answer(200, {"Content-Type": "text/html"}, b"<html>Please log in</html>")
        if 3 <= len(film.requests) <= 8:
            return handler.answer(302, {"Location": "/login"})
        return film.serve(handler, request)
    return respond


def shifted(film):
    def respond(handler, request):
        first, last = film.part(request)
        fields = {"Content-Range": f"bytes {first + 1}-{last + 1}/{len(film.film)}", "ETag": film.etag}
        handler.answer(206, fields, film.film[first:last + 1])
    return respond

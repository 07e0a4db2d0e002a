# SPDX-License-Identifier: Apache-2.0
"""Compares the engine with another build of it, in the rows that a change of the architecture could make worse."""

import contextlib

import ipc
import media
import web
from compare import in_turns
from harness import hls

REMUX_ROUNDS = range(3)


def measure(table, engine, other, found, folder):
    peer = "the other build"

    def row(what, unit, of, rounds=None, factor=1.0, **options):
        both = [rounds] if rounds else []
        ours, theirs = in_turns(lambda index: of(engine, index), lambda index: of(other, index), *both)
        table.add(what, ours * factor, theirs * factor, unit, "≥ 0.95", peer, **options)

    for kind, path in found.items():
        name = kind.upper()
        for each in (engine, other):
            media.open_first(each, path)
        row(f"open → first segment, {name}", "ms", lambda each, _: media.open_first(each, path), factor=1e3)
        row(f"far seek → segment, {name}", "ms", lambda each, index: media.far_seek(each, path, index), factor=1e3)
        row(f"remux rate, {name}", "MB/s", lambda each, _: media.remux(each, path)[0], REMUX_ROUNDS, more_is_better=True)

    with contextlib.ExitStack() as stack:
        sessions = {each: stack.enter_context(each.session(found["mkv"])) for each in (engine, other)}
        urls = {each: hls.Media(session.master().variants[0][1]).segments[1].url for each, session in sessions.items()}
        for url in urls.values():
            hls.fetch(url)
        row("cached segment, 8 conn.", "MB/s", lambda each, _: web.wrk(urls[each], 8), more_is_better=True)
        program = ipc.build(folder)
        for what, asked, _, _ in ipc.PAIRS:
            row(f"round trip p50, {what}", "µs",
                lambda each, _: ipc.round_trip(program, "grpc-rtt", each.socket, each.pid, *asked)[0])
        row(f"one change → watcher {ipc.WATCHERS}, p50", "ms",
            lambda each, _: ipc.fan_out(program, "grpc-fan", each.pid, each.socket, ipc.WATCHERS)[0])

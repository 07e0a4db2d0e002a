# SPDX-License-Identifier: Apache-2.0
"""Commands sent while a source is being opened are answered immediately, and take effect when it is open. A load says why it
waits for its server."""

import contextlib
import itertools
import subprocess
import threading

import grpc
import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.origin import origin
from harness.places import clip
from test_control import Watcher

Request = engine_pb2.SessionRequest
OPENING = state_pb2.PHASE_OPENING
TARGETS = itertools.count(2_000_000, 1000)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Without an index: the file is scanned before it is ready."""
    path = tmp_path_factory.mktemp("film") / "film.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "49", "-i", clip("h264-aac.ts"), "-map", "0", "-c", "copy", path],
                   check=True)
    return path


@pytest.fixture(autouse=True)
def stop_leftover_sessions(engine):
    """Stops all sessions left by the previous test."""
    for state in engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions:
        engine.stub.Stop(Request(session_id=state.session_id), timeout=PATIENCE)


class Load:
    """A load in its own thread, of a session that other clients can already see. Each has its own segment length, so
    that no cached plan is used."""

    def __init__(self, engine, film, **fields):
        options = engine_pb2.LoadOptions(segment_target_us=next(TARGETS), **fields.pop("options", {}))
        self.watcher = Watcher(engine)
        self.call = engine.stub.Load.future(engine_pb2.LoadRequest(source=str(film), options=options, **fields), timeout=PATIENCE)
        first = self.watcher.wait(lambda each: each.WhichOneof("event") == "snapshot", "a snapshot").snapshot
        self.id = first.session_id

    def result(self):
        return self.call.result(PATIENCE)


@contextlib.contextmanager
def opening(engine, film, **fields):
    """A load whose server holds its responses until `open()`."""
    with origin(film) as films:
        def respond(handler, request):
            films.released.wait()
            films.serve(handler, request)

        films.respond = respond
        load = Load(engine, f"{films.base}/film.ts", **fields)
        load.open = films.released.set
        eventually(lambda: engine.state(load.id).phase == OPENING, "the load")
        yield load
        load.watcher.cancel()


def test_commands_sent_while_opening_take_effect(engine, film):
    stub = engine.stub
    with opening(engine, film, start_position_us=1_000_000) as load:
        mine = dict(session_id=load.id)
        stub.Seek(engine_pb2.SeekRequest(position_us=30_000_000, **mine))
        assert stub.Seek(engine_pb2.SeekRequest(position_us=2_000_000, relative=True, **mine)).seek_id == 2
        stub.Play(Request(**mine))
        stub.SetRate(engine_pb2.SetRateRequest(rate=1.5, **mine))
        stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.5, **mine))
        stub.SetMuted(engine_pb2.SetMutedRequest(muted=True, **mine))
        stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True, **mine))
        state = stub.SkipChapter(engine_pb2.SkipChapterRequest(step=engine_pb2.CHAPTER_STEP_NEXT, **mine)).state
        assert (state.phase, state.position.position_us, state.position.requested_rate) == (OPENING, 32_000_000, 1.5)
        assert (state.volume, state.muted, state.looping) == (0.5, True, True)
        load.open()
        load.result()
        state = eventually(lambda: (found := engine.state(load.id)).phase == state_pb2.PHASE_PLAYING and found, "it plays")
        assert 32_000_000 <= state.position.position_us and state.position.rate == 1.5
        assert (state.volume, state.muted, state.looping) == (0.5, True, True)
        load.watcher.wait(lambda each: each.WhichOneof("event") == "seek" and each.seek.stage == engine_pb2.SEEK_STAGE_LANDED, "landed")
        seeks = [(each.seek.id, each.seek.stage) for each in load.watcher.events if each.WhichOneof("event") == "seek"]
        assert seeks == [(1, engine_pb2.SEEK_STAGE_SUPERSEDED), (2, engine_pb2.SEEK_STAGE_BEGAN), (2, engine_pb2.SEEK_STAGE_LANDED)]


def test_a_pause_while_opening_cancels_autoplay(engine, film):
    with opening(engine, film, options=dict(autoplay=True)) as load:
        assert engine.stub.Pause(Request(session_id=load.id)).state.phase == OPENING
        load.open()
        assert load.result().state.phase == state_pb2.PHASE_READY


def test_a_stop_cancels_the_load(engine, film):
    with opening(engine, film) as load:
        engine.stub.Stop(Request(session_id=load.id))
        with pytest.raises(grpc.RpcError) as caught:
            load.result()
        assert caught.value.code() == grpc.StatusCode.CANCELLED
        assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions


@pytest.mark.long
def test_a_stop_ends_a_scan_that_waits_for_its_server(engine, tmp_path):
    path = tmp_path / "film.ts"
    # One keyframe: nothing can be published before the end has been scanned.
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25,noise=alls=40:allf=t,trim=duration=20",
                    "-c:v", "libx264", "-preset", "ultrafast", "-g", "9999", "-sc_threshold", "0", "-b:v", "4M", path], check=True)
    with origin(path) as films:
        held = threading.Event()
        silent = range(len(films.film) // 2, len(films.film) - 1_000_000)

        def respond(handler, request):
            first, last = films.part(request)
            if last < silent.start or first >= silent.stop:
                return films.serve(handler, request)
            handler.send_response(206)
            handler.send_header("ETag", films.etag)
            handler.send_header("Content-Range", f"bytes {first}-{last}/{len(films.film)}")
            handler.send_header("Content-Length", str(last + 1 - first))
            handler.end_headers()
            handler.wfile.write(films.film[first:silent.start])
            handler.wfile.flush()
            held.set()
            films.released.wait()

        films.respond = respond
        load = Load(engine, f"{films.base}/film.ts")
        assert held.wait(PATIENCE)
        eventually(lambda: "scan" in engine.thread_names(), "the scan")
        assert engine.state(load.id).phase == OPENING
        engine.stub.Stop(Request(session_id=load.id), timeout=PATIENCE)
        with pytest.raises(grpc.RpcError) as caught:
            load.result()
        assert caught.value.code() == grpc.StatusCode.CANCELLED
        load.watcher.cancel()
        eventually(lambda: "scan" not in engine.thread_names(), "the end of the scan")
        assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions


def test_audio_selected_while_opening_is_served(engine, tmp_path):
    path = tmp_path / "two.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "49", "-i", clip("h264-aac.ts"), "-map", "0:v", "-map", "0:a", "-map", "0:a",
                    "-c", "copy", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu", path], check=True)

    with opening(engine, path) as load:
        audio = engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=["de"]))
        request = engine_pb2.SelectAudioRequest(session_id=load.id, audio=audio)
        assert engine.stub.SelectAudio(request).state.phase == OPENING
        load.open()
        assert load.result().state.selected_audio.stream_index == 2


def test_commands_sent_during_a_reload_take_effect(engine, film):
    session = engine.load(clip("h264-aac.mkv"))
    with opening(engine, film, session_id=session.id) as load:
        assert load.id == session.id
        assert engine.stub.Play(Request(session_id=session.id)).state.phase == OPENING
        load.open()
        load.result()
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "play")


@pytest.mark.long
def test_concurrent_commands_and_loads_leave_the_session_usable(engine, film):
    session = engine.load(clip("h264-aac.mkv"))
    over = threading.Event()
    failures = []

    def command(number):
        calls = (lambda: engine.stub.Play(Request(session_id=session.id)), lambda: engine.stub.Pause(Request(session_id=session.id)),
                 lambda: engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, place=engine_pb2.SEEK_PLACE_END)),
                 lambda: engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=-(2**62), relative=True)))
        while not over.is_set():
            try:
                calls[number]()
            except grpc.RpcError as error:
                failures.append(error)

    threads = [threading.Thread(target=command, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for number in range(12):
        engine.stub.Load(engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv") if number % 2 else film), session_id=session.id),
                         timeout=PATIENCE)
    over.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert not failures, failures[0]
    engine.stub.Pause(Request(session_id=session.id))
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=1_000_000))
    engine.stub.Pause(Request(session_id=session.id))
    eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PAUSED, "it obeys")
    assert engine.state(session.id).position.position_us == 1_000_000
    session.stop()


@pytest.mark.parametrize("wait", ["retrying 503", "silent"])
def test_a_load_says_why_it_waits_for_its_server(start_engine, wait):
    engine = start_engine()
    with origin(clip("h264-aac.mkv")) as server:
        def respond(handler, request):
            if wait == "silent":
                server.released.wait(PATIENCE)
            return server.serve(handler, request) if server.released.is_set() else handler.answer(503)
        server.respond = respond
        load = Load(engine, server.url)

        def state():
            return engine.state(load.id)
        eventually(lambda: state().source_wait == wait, "the reason for the wait")
        assert state().phase == OPENING
        load.watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "source.waiting", "the notice")
        eventually(lambda: state().statistics.http_requests > 0, "the requests to be counted")
        if wait != "silent":
            eventually(lambda: state().statistics.http_retries > 1, "the retries to be counted")
        server.released.set()
        assert load.result().state.phase == state_pb2.PHASE_READY
        eventually(lambda: state().source_wait == "", "the end of the wait")
        load.watcher.cancel()

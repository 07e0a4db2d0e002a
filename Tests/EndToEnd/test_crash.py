# SPDX-License-Identifier: Apache-2.0
"""A killed engine loses nothing that it acknowledged: sessions, URLs, bytes and players are restored. A source that
crashes the engine is not opened again and again."""

import contextlib
import hashlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import grpc
import pytest
from harness import hls, journal
from harness.browser import chromium
from harness.contract import engine_pb2, http_pb2, media_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.origin import origin
from harness.places import ENGINECTL, clip
from harness.players import PlayingMpv
from harness.tiers import tiered

PLAYING, PAUSED = state_pb2.PHASE_PLAYING, state_pb2.PHASE_PAUSED


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Four minutes: longer than a player fetches ahead."""
    path = tmp_path_factory.mktemp("film") / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "9", "-i", clip("h264-aac.mkv"), "-map", "0", "-c", "copy",
                    path], check=True)
    return path


def fetch(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read()


def digests(url):
    """The digests of a master playlist and of everything below it, by URL."""
    master = hls.Master(url)
    return {each: hls.digest(each) for each in [url, *master.playlists(), *master.everything()]}


def listens(url):
    """Whether a server accepts connections at the address of a URL; sends no request."""
    place = urllib.parse.urlsplit(url)
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection((place.hostname, place.port), PATIENCE):
        return True
    return False


def assert_journaled(engine, *sessions):
    """Checks, without waiting, that the journal has exactly these sessions: what was acknowledged is in it."""
    assert [each["id"] for each in journal.kept(engine)] == [each.id for each in sessions]


def restart(start_engine, engine):
    """Kills the engine without warning, and starts another in the same directory."""
    engine.process.send_signal(signal.SIGKILL)
    engine.process.wait()
    return start_engine(directory=engine.directory)


def now(state):
    position = state.position
    return position.position_us / 1e6 + position.rate * (time.monotonic_ns() - position.monotonic_ns) / 1e9


@pytest.mark.parametrize("name", tiered(["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts", "vp9-opus.webm"], {"h264-aac.ts"}))
def test_urls_serve_the_same_bytes_after_a_kill(start_engine, name):
    engine = start_engine()
    session = engine.load(clip(name))
    before = digests(session.url)
    assert_journaled(engine, session)
    engine = restart(start_engine, engine)
    eventually(lambda: listens(session.url), "the port to be taken again")
    # The very first request to the new process.
    assert hashlib.sha256(fetch(session.url)).hexdigest() == before[session.url]
    assert digests(session.url) == before


def test_sessions_resume_at_their_positions_after_a_kill(start_engine, film):
    engine = start_engine()
    playing, paused = engine.load(film), engine.load(clip("several.mkv"), segment_target_us=2_000_000)
    stub = engine.stub
    stub.SetRate(engine_pb2.SetRateRequest(session_id=playing.id, rate=1.5), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=playing.id, position_us=60_000_000), timeout=PATIENCE)
    stub.Play(engine_pb2.SessionRequest(session_id=playing.id), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=paused.id, position_us=7_000_000), timeout=PATIENCE)
    eventually(lambda: engine.state(paused.id).phase == PAUSED, "the seek to land")
    eventually(lambda: engine.state(playing.id).phase == PLAYING, "play")
    revision = engine.state(playing.id).revision
    left, began = now(engine.state(playing.id)), time.monotonic()
    assert_journaled(engine, playing, paused)
    # While it plays, its position is written twice a second.
    slots = journal.folder(engine) / "sessions.players"
    for _ in range(2):
        before = slots.read_bytes()
        eventually(lambda: slots.read_bytes() != before, "the position to be written to the journal")
    engine = restart(start_engine, engine)
    state = eventually(lambda: (now_ := engine.state(playing.id)).phase == PLAYING and now_, "it plays again")
    assert left <= now(state) <= left + 1.5 * (time.monotonic() - began)
    assert state.position.rate == 1.5 and state.url == playing.url and state.revision > revision
    other = eventually(lambda: (each := engine.state(paused.id)).HasField("media") and each, "the other is open")
    assert other.position.position_us == 7_000_000 and other.position.rate == 0
    assert [each.session_id for each in engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions] == [playing.id, paused.id]
    # A new session gets neither id.
    assert engine.load(clip("h264-aac.mp4")).id not in (playing.id, paused.id)


def test_a_stopped_session_is_not_restored(start_engine):
    engine = start_engine()
    session = engine.load(clip("h264-aac.mkv"))
    assert_journaled(engine, session)
    session.stop()
    assert_journaled(engine)
    engine = restart(start_engine, engine)
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(session.url)


def test_a_session_with_a_missing_source_fails_until_the_source_returns(start_engine, tmp_path):
    path, hidden = tmp_path / "disk.mkv", tmp_path / "elsewhere.mkv"
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    engine = start_engine()
    lost, kept = engine.load(path), engine.load(clip("h264-aac.mkv"))
    engine.stub.Seek(engine_pb2.SeekRequest(session_id=lost.id, position_us=3_000_000), timeout=PATIENCE)
    assert_journaled(engine, lost, kept)
    path.rename(hidden)
    engine = restart(start_engine, engine)
    failed = eventually(lambda: (each := engine.state(lost.id)).phase == state_pb2.PHASE_ERROR and each, "it has failed")
    assert failed.error.code == "source_not_found" and failed.position.position_us == 3_000_000
    eventually(lambda: engine.state(kept.id).phase == state_pb2.PHASE_READY, "the other is there")
    with pytest.raises(urllib.error.HTTPError, match="410"):
        fetch(lost.url)
    hidden.rename(path)
    engine = restart(start_engine, engine)
    back = eventually(lambda: (each := engine.state(lost.id)).phase == PAUSED and each, "it is back")
    assert back.position.position_us == 3_000_000 and fetch(lost.url)


def test_settings_and_phase_survive_a_kill(start_engine, film):
    """Audio track, rate, volume, muting, looping, position and phase, of sessions that are ready, are paused, have
    ended or have failed."""
    engine = start_engine()
    stub = engine.stub
    chosen = engine_pb2.LoadRequest(source=str(clip("several.mkv")), http_headers=[http_pb2.HttpHeader(name="X-Key", value="1")])
    chosen = stub.Load(chosen, timeout=PATIENCE)
    tracks = [each.index for each in chosen.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO and each.route]
    other = next(each for each in tracks if each != chosen.state.selected_audio.stream_index)
    mine = dict(session_id=chosen.session_id)
    stub.SelectAudio(engine_pb2.SelectAudioRequest(audio=engine_pb2.AudioSelection(stream_index=other), **mine), timeout=PATIENCE)
    stub.SetRate(engine_pb2.SetRateRequest(rate=0.5, **mine), timeout=PATIENCE)
    stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.25, **mine), timeout=PATIENCE)
    stub.SetMuted(engine_pb2.SetMutedRequest(muted=True, **mine), timeout=PATIENCE)
    stub.SetLooping(engine_pb2.SetLoopingRequest(looping=True, **mine), timeout=PATIENCE)
    paused, ended, failing = engine.load(film), engine.load(film), engine.load(film)
    stub.Seek(engine_pb2.SeekRequest(session_id=paused.id, position_us=61_000_000), timeout=PATIENCE)
    stub.Seek(engine_pb2.SeekRequest(session_id=ended.id, place=engine_pb2.SEEK_PLACE_END, after=engine_pb2.AFTER_SEEK_PLAY),
              timeout=PATIENCE)
    with pytest.raises(grpc.RpcError):
        stub.Load(engine_pb2.LoadRequest(source="/nowhere.mkv", session_id=failing.id), timeout=PATIENCE)
    phases = {chosen.session_id: state_pb2.PHASE_READY, paused.id: PAUSED, ended.id: state_pb2.PHASE_ENDED,
              failing.id: state_pb2.PHASE_ERROR}
    eventually(lambda: {each: engine.state(each).phase for each in phases} == phases, "all are where they should be")
    before = {each: engine.state(each) for each in phases}
    # Twice: a restored session is written to the journal unchanged.
    for _ in range(2):
        engine = restart(start_engine, engine)
        eventually(lambda: {each: engine.state(each).phase for each in phases} == phases, "all are as they were")
        for each, old in before.items():
            new = engine.state(each)
            assert (new.position.position_us, new.position.requested_rate, new.volume, new.muted, new.looping) == (
                old.position.position_us, old.position.requested_rate, old.volume, old.muted, old.looping)
            assert new.selected_audio == old.selected_audio and new.error.code == old.error.code and new.url == old.url
        assert engine.state(chosen.session_id).selected_audio.stream_index == other
    assert {each.name.removeprefix("sessions.") for each in journal.folder(engine).iterdir()} <= {"db", "db-wal", "players", "lock"}
    entries = {each["id"]: each for each in journal.kept(engine)}
    assert entries[chosen.session_id]["httpHeaders"] == [{"name": "X-Key", "value": "1"}]


@pytest.mark.long
def test_a_session_killed_while_opening_is_restored(start_engine):
    engine = start_engine()
    with origin(clip("h264-aac.mkv")) as film:
        def respond(handler, request):
            film.released.wait()
            film.serve(handler, request)

        film.respond = respond
        call = engine.stub.Load.future(engine_pb2.LoadRequest(source=film.url, options=engine_pb2.LoadOptions(autoplay=True)))
        entry, = eventually(lambda: journal.kept(engine), "the journal")
        assert entry["isPlaying"] and engine.state(entry["id"]).phase == state_pb2.PHASE_OPENING
        engine = restart(start_engine, engine)
        assert isinstance(call.exception(PATIENCE), grpc.RpcError)
        film.released.set()
        eventually(lambda: engine.state(entry["id"]).phase == PLAYING, "it plays as the load has asked")


@pytest.mark.long
def test_chromium_keeps_playing_across_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    assert_journaled(engine, session)
    with chromium() as browser:
        assert browser.open(session.url) == "ok"
        assert browser.advance(1)["error"] is None
        engine = restart(start_engine, engine)
        # Beyond what was fetched before the kill.
        landed = browser.seek(200)
        if landed["error"] is not None:
            # If the kill interrupts a segment that Chromium reads slowly, Chromium gives up, and the page opens the URL
            # again.
            assert browser.open(session.url) == "ok"
            landed = browser.seek(200)
        assert landed["error"] is None and abs(landed["landed"] - 200) < 0.5, landed
        moved = browser.advance(1, start=200)
        assert moved["error"] is None and not moved["late"], moved


@pytest.mark.long
def test_mpv_keeps_playing_across_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    assert_journaled(engine, session)
    with PlayingMpv(session.url, engine.directory / "mpv.log", speed=4) as mpv:
        eventually(lambda: mpv.place() > 5, "it plays")
        engine = restart(start_engine, engine)
        killed_at = mpv.place()
        eventually(lambda: mpv.place() > killed_at + 20, lambda: f"it plays on from {killed_at} s: {mpv.log.read_bytes()[-2000:]}")
        assert mpv.process.poll() is None or mpv.process.returncode == 0


@pytest.mark.long
def test_watchers_reconnect_after_a_kill(start_engine, film):
    engine = start_engine()
    session = engine.load(film)
    engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
    out = engine.directory / "watch.log"
    with open(out, "wb") as log:
        watch = subprocess.Popen([ENGINECTL, "watch", "--json", "--socket", engine.socket], stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: b"time" in out.read_bytes(), "it watches")
        assert_journaled(engine, session)
        engine = restart(start_engine, engine)
        eventually(lambda: b'"playing"' in out.read_bytes().partition(b'"connected"')[2], "it sees the session play again")
    finally:
        watch.kill()
        watch.wait()

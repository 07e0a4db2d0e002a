# SPDX-License-Identifier: Apache-2.0
"""Nothing that was acknowledged is lost, whenever the engine is killed; and a source that repeatedly ends the engine is
no longer opened."""

import contextlib
import hashlib
import os
import random
import signal
import socket
import subprocess
import threading
import time

import grpc
import pytest
from harness import hls
from harness.contract import engine_pb2, filters_pb2, media_pb2, software_pb2, state_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.origin import origin
from harness.places import ENGINED, clip
from test_crash import digests, fetch, listens

PLAYING = state_pb2.PHASE_PLAYING
# A banned source is not tried within this time of its last crash. In whole seconds.
PAUSE = 10


class Witness:
    """Changes sessions continuously until the engine is killed, and records which changes were acknowledged."""

    def __init__(self, engine, sessions, seed):
        self.stub, self.sessions, self.random = engine.stub, sessions, random.Random(seed)
        # By session and field: the values that the field may have now. Only one if the last change was acknowledged;
        # None stands for the value before the first change.
        self.possible = {}
        self.acknowledged = 0
        self.thread = threading.Thread(target=self.change_until_killed)
        self.thread.start()

    def change_until_killed(self):
        with contextlib.suppress(grpc.RpcError):
            while True:
                self.change(self.random.choice(self.sessions))

    def change(self, session):
        number = self.random.randrange(1, 1000)
        calls = {
            "volume": lambda: self.stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session, volume=number / 1000)),
            "rate": lambda: self.stub.SetRate(engine_pb2.SetRateRequest(session_id=session, rate=1 + number / 1000)),
            "position": lambda: self.stub.Seek(engine_pb2.SeekRequest(session_id=session, position_us=number * 10_000)),
            "brightness": lambda: self.stub.SetAdjustments(
                filters_pb2.SetAdjustmentsRequest(session_id=session, adjustments=filters_pb2.PictureAdjustments(
                    brightness=filters_pb2.AdjustmentValue(value=number / 1000)))),
        }
        field = self.random.choice(sorted(calls))
        old = self.possible.get((session, field), {None})
        self.possible[session, field] = old | {number}
        calls[field]()
        self.possible[session, field] = {number}
        self.acknowledged += 1

    def check(self, engine):
        self.thread.join()
        for (session, field), numbers in self.possible.items():
            state = engine.state(session)
            found = {
                "volume": lambda s: round(s.volume * 1000), "rate": lambda s: round((s.position.requested_rate - 1) * 1000),
                "position": lambda s: s.position.position_us // 10_000,
                "brightness": lambda s: round(s.adjustments.brightness.value * 1000),
            }[field](state)
            assert found in numbers or None in numbers, (session, field, found, numbers)


class Traffic:
    """Loads and stops sessions of one source continuously until the engine is killed, and records which of them may exist
    afterwards."""

    MOST = 4

    def __init__(self, source):
        self.source = str(source)
        # The URLs of the sessions whose load was acknowledged and which nobody has asked to stop.
        self.there = {}
        self.stopped = set()
        # The call that the kill interrupts: the session that is being stopped, and whether one is being loaded.
        self.leaving, self.is_loading = None, False
        self.acknowledged = 0

    def begin(self, engine, seed):
        chance = random.Random(seed)

        def load_and_stop():
            with contextlib.suppress(grpc.RpcError):
                while True:
                    self.change(engine.stub, chance)

        self.thread = threading.Thread(target=load_and_stop)
        self.thread.start()

    def change(self, stub, chance):
        if self.there and (len(self.there) >= self.MOST or chance.random() < 0.5):
            self.leaving = chance.choice(sorted(self.there))
            del self.there[self.leaving]
            stub.Stop(engine_pb2.SessionRequest(session_id=self.leaving))
            self.stopped.add(self.leaving)
            self.leaving = None
        else:
            self.is_loading = True
            reply = stub.Load(engine_pb2.LoadRequest(source=self.source))
            self.there[reply.session_id] = reply.url
            self.is_loading = False
        self.acknowledged += 1

    def check(self, states):
        """Compares with the sessions of the next process. Returns those that are there although their load or stop was
        interrupted."""
        mine = {id: state for id, state in states.items() if state.source == self.source}
        assert self.there.items() <= {id: state.url for id, state in mine.items()}.items(), "an acknowledged load is lost"
        assert not self.stopped & states.keys(), "a stopped session is back"
        unsure = mine.keys() - self.there.keys()
        unknown = unsure - {self.leaving}
        assert len(unknown) <= self.is_loading, "a session that nobody has loaded"
        self.there.update({id: mine[id].url for id in unsure})
        self.leaving, self.is_loading = None, False
        # Their ids may be used again.
        self.stopped.clear()
        return unsure


def everything(url):
    """The digests of all segments below a master playlist, in order. All sessions of one source have the same."""
    return [hls.digest(each) for each in hls.Master(url).everything()]


def first_answer(start_engine, *options, **keywords):
    """Starts an engine. Returns it, its first answer, and the seconds from the start until then."""
    began = time.monotonic()
    engine = start_engine(*options, **keywords)
    reply = engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE)
    return engine, reply, time.monotonic() - began


def first_answer_of_peer(start_engine):
    """The seconds until the first answer of an engine that keeps nothing, which is the least that a start takes."""
    peer, _, seconds = first_answer(start_engine, "--journal", "off")
    peer.kill()
    return seconds


@pytest.mark.parametrize("kills, seed", [(4, 1), pytest.param(200, 2, marks=pytest.mark.long)])
def test_acknowledged_changes_survive_kills_at_any_moment(start_engine, tmp_path, kills, seed):
    # scripts/nightly draws another seed.
    seed = int(os.environ.get("KILLS_SEED", seed))
    print(f"seed {seed}")
    engine = start_engine()
    sessions = {}
    for name in ("h264-aac.mkv", "h264-aac.mp4", "several.mkv"):
        session = engine.load(clip(name))
        sessions[session.id] = (session.url, digests(session.url))
    traffic = []
    for name in ("coming.mp4", "going.mp4"):
        (tmp_path / name).symlink_to(clip("h264-aac.mp4"))
        traffic.append(Traffic(tmp_path / name))
    with engine.session(traffic[0].source) as session:
        content = everything(session.url)
    answers, peers, served, changes, interrupted, chance = [], [], [], 0, [0, 0], random.Random(seed)
    for number in range(kills):
        witnesses = [Witness(engine, [each], seed + 10 * number + place) for place, each in enumerate(sessions)]
        # Sessions come and go meanwhile, so the kill interrupts loads and stops too.
        for place, each in enumerate(traffic):
            each.begin(engine, seed + 10 * number + 5 + place)
        # The kill comes after some number of answers, at any moment between two of them.
        wanted = sum(each.acknowledged for each in traffic) + chance.randrange(1, 12)
        eventually(lambda: sum(each.acknowledged for each in traffic) >= wanted, "loads and stops")
        time.sleep(chance.uniform(0, 0.02))
        engine.process.send_signal(signal.SIGKILL)
        engine.process.wait()
        for each in traffic:
            each.thread.join()
        # Before some of the starts, so that a busy machine affects both alike.
        if number % max(1, kills // 20) == 0:
            peers.append(first_answer_of_peer(start_engine))
        began = time.monotonic()
        engine, reply, seconds = first_answer(start_engine, directory=engine.directory)
        answers.append(seconds)
        url, content_of_first = next(iter(sessions.values()))
        eventually(lambda: listens(url), "the port to be taken again")
        assert hashlib.sha256(fetch(url)).hexdigest() == content_of_first[url]
        served.append(time.monotonic() - began)
        states = {each.session_id: each for each in reply.sessions}
        for witness in witnesses:
            witness.check(engine)
            changes += witness.acknowledged
        for each in traffic:
            interrupted[0] += each.is_loading or each.leaving is not None
            unsure = each.check(states)
            interrupted[1] += len(unsure)
            # A session is never half there: it is opened and served like any other.
            for id in unsure | set(chance.sample(sorted(each.there), min(1, len(each.there)))):
                eventually(lambda: engine.state(id).phase != state_pb2.PHASE_OPENING, "the source to be opened")
                assert everything(each.there[id]) == content, f"kill {number}, session {id}"
        assert states.keys() == sessions.keys() | {id for each in traffic for id in each.there}, f"kill {number}"
        for url, before in sessions.values():
            assert digests(url) == before, f"kill {number}"
    changes += sum(each.acknowledged for each in traffic)
    print(f"{kills} kills, {changes} acknowledged changes ({sum(each.acknowledged for each in traffic)} of them loads and stops), none lost; "
          f"{interrupted[0]} loads and stops were interrupted, after which {interrupted[1]} sessions were there")
    for what, seconds in (("answers", answers), ("an engine without a journal answers", peers), ("serves a playlist", served)):
        seconds.sort()
        print(f"{what} {seconds[len(seconds) // 2]:.3f} s after the start, at most {seconds[-1]:.3f} s ({len(seconds)} starts)")
    assert changes > kills and all(each.acknowledged for each in traffic)
    # Compared with each other, because a busy machine delays both. The median of a few starts says little.
    assert len(peers) < 20 or answers[len(answers) // 2] - peers[len(peers) // 2] < 0.5, "the journal delays the first answer"


@pytest.mark.long
def test_what_a_command_changes_is_kept_when_the_kill_follows_its_answer(start_engine, tmp_path):
    engine = start_engine()
    session = engine.load(clip("several.mkv"))
    (tmp_path / "more.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    _, other = (each.index for each in session.state.media.streams if each.kind == media_pb2.STREAM_KIND_AUDIO)
    subtitles = [each.id for each in session.state.subtitle_tracks]
    overlay = filters_pb2.Overlay(name="logo", ass="m 0 0 l 100 0 100 50")

    def command(call, request, /, **fields):
        """A function that sends a command, and returns the state in its answer."""
        return lambda: getattr(engine.stub, call)(request(session_id=session.id, **fields), timeout=PATIENCE).state

    def choice(*ids):
        return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=ids))

    plain = engine_pb2.SessionRequest
    # Each command, and a view of what it changes in the state: the command's answer changes the view, and a kill does
    # not.
    for call, view in (
        (command("Play", plain), lambda state: state.phase in (PLAYING, state_pb2.PHASE_BUFFERING)),
        (command("Pause", plain), lambda state: state.phase),
        (command("Seek", engine_pb2.SeekRequest, position_us=7_000_000), lambda state: state.position.position_us),
        (command("SkipChapter", engine_pb2.SkipChapterRequest, step=engine_pb2.CHAPTER_STEP_NEXT), lambda state: state.position.position_us),
        (command("SetRate", engine_pb2.SetRateRequest, rate=1.5), lambda state: state.position.requested_rate),
        (command("SetVolume", engine_pb2.SetVolumeRequest, volume=0.25), lambda state: state.volume),
        (command("SetMuted", engine_pb2.SetMutedRequest, muted=True), lambda state: state.muted),
        (command("SetLooping", engine_pb2.SetLoopingRequest, looping=True), lambda state: state.looping),
        (command("SetLoopPoints", engine_pb2.SetLoopPointsRequest, loop_points=state_pb2.LoopPoints(start_us=1_000_000, end_us=9_000_000)),
         lambda state: str(state.loop_points)),
        (command("SetAudioDelay", engine_pb2.SetAudioDelayRequest, delay_us=120_000), lambda state: state.audio_delay_us),
        (command("SetSubtitleDelay", engine_pb2.SetSubtitleDelayRequest, delay_us=-80_000), lambda state: state.subtitle_delay_us),
        (command("SelectAudio", engine_pb2.SelectAudioRequest, audio=engine_pb2.AudioSelection(stream_index=other)),
         lambda state: state.selected_audio.stream_index),
        (command("SelectSubtitles", engine_pb2.SelectSubtitlesRequest, subtitles=choice(subtitles[-1])),
         lambda state: list(state.selected_subtitles)),
        (command("AddSubtitles", subtitles_pb2.AddSubtitlesRequest, file=subtitles_pb2.SubtitleFile(path=str(tmp_path / "more.srt"))),
         lambda state: len(state.subtitle_tracks)),
        (lambda: command("RemoveSubtitles", subtitles_pb2.RemoveSubtitlesRequest, track=max(
            each.id for each in engine.state(session.id).subtitle_tracks))(), lambda state: len(state.subtitle_tracks)),
        (command("SetAdjustments", filters_pb2.SetAdjustmentsRequest, adjustments=filters_pb2.PictureAdjustments(
            brightness=filters_pb2.AdjustmentValue(value=0.5))), lambda state: state.adjustments.brightness.value),
        (command("AddFilter", filters_pb2.AddFilterRequest, filter=filters_pb2.PictureFilter(name="hflip")), lambda state: str(state.filters)),
        (lambda: command("RemoveFilter", filters_pb2.RemoveFilterRequest, filter_id=engine.state(session.id).filters[0].filter_id)(),
         lambda state: len(state.filters)),
        (command("AddFilter", filters_pb2.AddFilterRequest, filter=filters_pb2.PictureFilter(name="vflip")), lambda state: str(state.filters)),
        (command("ClearFilters", plain), lambda state: len(state.filters)),
        (command("PutOverlay", filters_pb2.PutOverlayRequest, overlay=overlay), lambda state: str(state.overlays)),
        (command("RemoveOverlay", filters_pb2.RemoveOverlayRequest, name="logo"), lambda state: len(state.overlays)),
        (command("PutOverlay", filters_pb2.PutOverlayRequest, overlay=overlay), lambda state: str(state.overlays)),
        (command("ClearOverlays", plain), lambda state: len(state.overlays)),
        (command("SelectPath", software_pb2.SelectPathRequest, path=software_pb2.PLAYBACK_PATH_SOFTWARE), lambda state: state.path),
    ):
        eventually(lambda: engine.state(session.id).phase != state_pb2.PHASE_OPENING, "the source to be open again")
        before = view(engine.state(session.id))
        wanted = view(call())
        engine.kill()
        assert wanted != before
        engine = start_engine(directory=engine.directory)
        eventually(lambda: view(engine.state(session.id)) == wanted, f"{before} to be {wanted}")
    engine.stub.Stop(plain(session_id=session.id), timeout=PATIENCE)
    engine.kill()
    engine = start_engine(directory=engine.directory)
    assert not engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions


def load_again(engine, source, session):
    """Loads a banned source until the engine no longer refuses it."""
    def load():
        try:
            return engine.stub.Load(request, timeout=PATIENCE)
        except grpc.RpcError as error:
            if "not opened again yet" not in error.details():
                raise
            return None

    request = engine_pb2.LoadRequest(source=str(source), session_id=session.id, options=engine_pb2.LoadOptions(autoplay=True))
    return eventually(load, "the end of the pause")


@pytest.mark.long
@pytest.mark.parametrize("moment", ["opening", "reading", "serving"])
def test_a_crashing_source_is_given_up_and_others_keep_playing(start_engine, tmp_path, monkeypatch, moment):
    bad = tmp_path / "bad.mkv"
    bad.write_bytes(clip("h264-aac.mkv").read_bytes())
    engine = start_engine()
    good = [engine.load(clip("h264-aac.mp4")) for _ in range(10)]
    session = engine.load(bad)
    engine.stub.SetVolume(engine_pb2.SetVolumeRequest(session_id=session.id, volume=0.5), timeout=PATIENCE)
    for each in (*good, session):
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=each.id, looping=True), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=each.id), timeout=PATIENCE)
    engine.kill()
    monkeypatch.setenv("ENGINED_TEST_CRASH", f"{moment}:bad.mkv")
    # Printing a backtrace takes longer than the rest of the test.
    monkeypatch.setenv("SWIFT_BACKTRACE", "enable=no")

    def run():
        """Starts the engine, and restarts it whenever it crashes, as a service manager does. Returns the engine that survives,
        the number of starts, and the time of the last start, in whole seconds. The last crash was not noticed before that
        time."""
        for starts in range(1, 6):
            began = int(time.time())
            try:
                found = start_engine(directory=engine.directory)
            except AssertionError:
                continue
            with contextlib.suppress(grpc.RpcError):
                eventually(lambda: all(found.state(each.id).phase == PLAYING for each in good), "all others")
                if found.state(session.id).phase == state_pb2.PHASE_ERROR:
                    return found, starts, began
                if moment == "serving":
                    with contextlib.suppress(OSError):
                        fetch(session.url)
            found.process.wait(PATIENCE)
        raise AssertionError("it crashes again and again")

    engine, starts, began = run()
    assert starts == 3, "it was tried twice"
    state = engine.state(session.id)
    assert (state.error.code, state.volume, state.url) == ("source_crashed", 0.5, session.url)
    assert all(fetch(each.url) for each in good)
    # A load of the source gets one more try, but not at once.
    with pytest.raises((grpc.RpcError, OSError)):
        load_again(engine, bad, session)
        fetch(engine.state(session.id).url)
        engine.process.wait(PATIENCE)
        engine.state(session.id)
    engine.process.wait(PATIENCE)
    assert int(time.time()) - began >= PAUSE
    engine, starts, began = run()
    assert starts == 1 and engine.state(session.id).error.code == "source_crashed"
    # Once the cause is gone, the source plays again.
    engine.kill()
    monkeypatch.delenv("ENGINED_TEST_CRASH")
    engine = start_engine(directory=engine.directory)
    assert engine.state(session.id).error.code == "source_crashed"
    reply = load_again(engine, bad, session)
    assert int(time.time()) - began >= PAUSE
    assert reply.state.volume == 0.5 and fetch(reply.url)


@pytest.mark.long
def test_a_crash_outside_all_sessions_is_blamed_on_none(start_engine, tmp_path, monkeypatch):
    bad = tmp_path / "bad.mkv"
    bad.write_bytes(clip("h264-aac.mkv").read_bytes())
    monkeypatch.setenv("ENGINED_TEST_CRASH", "opening:bad.mkv")
    # Printing a backtrace takes longer than the rest of the test.
    monkeypatch.setenv("SWIFT_BACKTRACE", "enable=no")
    engine = start_engine()
    good = [engine.load(clip("h264-aac.mp4")) for _ in range(10)]
    for each in good:
        engine.stub.SetLooping(engine_pb2.SetLoopingRequest(session_id=each.id, looping=True), timeout=PATIENCE)
        engine.stub.Play(engine_pb2.SessionRequest(session_id=each.id), timeout=PATIENCE)
    for _ in range(2):
        eventually(lambda: all(engine.state(each.id).phase == PLAYING for each in good), "all to play")
        with pytest.raises(grpc.RpcError):
            engine.probe(bad)
        engine.process.wait(PATIENCE)
        assert engine.process.returncode == -signal.SIGSEGV
        engine = start_engine(directory=engine.directory)
    eventually(lambda: all(engine.state(each.id).phase == PLAYING for each in good), "all to play again")
    assert all(fetch(each.url) for each in good)


@pytest.mark.long
def test_a_start_that_fails_blames_no_source(start_engine):
    with origin(clip("h264-aac.mkv")) as film, socket.create_server(("127.0.0.1", 0)) as other:
        engine = start_engine()
        session = engine.load(film.url)
        engine.end()
        serve, film.respond = film.respond, lambda *_: film.released.wait()
        for _ in range(3):
            # The sessions have been restored when the port turns out to be taken.
            ended = subprocess.run(
                [ENGINED, "--socket", engine.socket, "--http-port", str(other.getsockname()[1])], env=engine.environment,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            assert ended.returncode > 0 and "cannot listen" in ended.stderr, ended
        film.respond = serve
        engine = start_engine(directory=engine.directory)
        eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_READY, "the source to be opened")

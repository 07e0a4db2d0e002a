# SPDX-License-Identifier: Apache-2.0
"""engined-mpris: playerctl and every other client of MPRIS drive the default session."""

import datetime
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

import pytest
from harness import transport
from harness.channels import channel, offset_at
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually, is_idle
from harness.places import PROGRAMS, clip
from harness.session_bus import NAME, PATH, PLAYER, ROOT, MediaPlayer, SessionBus
from harness.tiers import tiered
from test_live_transport import MARGIN
from test_program_guides import FILM, LONG_TEXT, NEWS, NEWS_TEXT, WEATHER, now, stream, tables  # noqa: F401, stream is a fixture

NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"


@pytest.fixture
def bus():
    bus = SessionBus()
    yield bus
    if bus.process.poll() is None:
        bus.end()


@pytest.fixture
def start_bridge(bus, tmp_path):
    """Starts bridges; each that is still running after the test is ended with SIGTERM and must exit cleanly."""
    bridges = []

    def start(socket, name=NAME):
        with open(tmp_path / "mpris.log", "ab") as log:
            process = subprocess.Popen([PROGRAMS / "engined-mpris", "--socket", socket], env=bus.environment,
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        bridges.append(process)
        name = name.format(pid=process.pid)
        eventually(lambda: name in bus.names(), f"{name} on the bus")
        return process, MediaPlayer(bus, name)

    yield start
    running = [each for each in bridges if each.poll() is None]
    for each in running:
        each.send_signal(signal.SIGTERM)
    assert [each.wait(PATIENCE) for each in running] == [0] * len(running)


@pytest.fixture
def player(start_bridge, engine):
    yield start_bridge(engine.socket)[1]
    # What a failed test has left would be the next test's session.
    for state in engine.stub.ListSessions(engine_pb2.ListSessionsRequest(), timeout=PATIENCE).sessions:
        engine.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)


def load_and_wait(engine, player, name="several.mkv"):
    """A session that the player already shows."""
    session = engine.load(clip(name))
    player.wait_until("CanPlay", True)
    return session


def test_the_interfaces_match_the_specification(player):
    described = {}
    for interface in xml.fromstring(player.introspect()).findall("interface"):
        described[interface.get("name")] = {each.get("name") for each in interface}
    assert described[ROOT] == {
        "Raise", "Quit", "CanQuit", "Fullscreen", "CanSetFullscreen", "CanRaise", "HasTrackList", "Identity",
        "SupportedUriSchemes", "SupportedMimeTypes"}
    assert described[PLAYER] == {
        "Next", "Previous", "Pause", "PlayPause", "Stop", "Play", "Seek", "SetPosition", "OpenUri", "Seeked",
        "PlaybackStatus", "LoopStatus", "Rate", "Shuffle", "Metadata", "Volume", "Position", "MinimumRate", "MaximumRate",
        "CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek", "CanControl"}
    # Each property can be read, and the parent objects are described as well.
    for interface in (ROOT, PLAYER):
        for each in xml.fromstring(player.introspect()).find(f"interface[@name='{interface}']").findall("property"):
            player.get(each.get("name"), interface)
    for path, child in (("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2")):
        assert [each.get("name") for each in xml.fromstring(player.introspect(path))] == [child]
    assert player.get("Identity", ROOT) == "engined"


def test_without_a_session_there_is_nothing_to_play(player):
    assert player.playerctl("status") == "Stopped"
    assert player.get("Metadata") == {"mpris:trackid": NO_TRACK}
    for name in ("CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"):
        assert player.get(name) is False, name
    assert player.call("Play") is None and player.call("Stop") is None, "no effect, and no error"
    assert "nothing is loaded" in player.call("PlayPause")
    assert "no session" in player.set("Volume", "d", 0.5)


def test_metadata_has_what_is_broadcast(engine, bus, player, stream):  # noqa: F811, fixture
    start = now()
    data = transport.with_tables(stream, tables(stream, start))

    def shows(event):
        return eventually(lambda: (found := player.get("Metadata")).get("xesam:title") == event[1] and found, lambda: player.get("Metadata"))

    with channel(data, offset_at(data, 6 + MARGIN)) as source, bus.signals() as signals:
        engine.load(source.url)
        found = shows(NEWS)
        assert found["xesam:url"] == source.url and found["xesam:comment"] == [NEWS_TEXT, LONG_TEXT], found
        assert found["engined:nextTitle"] == WEATHER[1]
        times = [datetime.datetime.fromisoformat(found[name]) for name in ("engined:start", "engined:nextStart")]
        assert times == [start - datetime.timedelta(minutes=10), start + datetime.timedelta(seconds=8)]
        source.send(offset_at(data, 16 + MARGIN))
        later = shows(WEATHER)
        assert later["mpris:trackid"] == found["mpris:trackid"] and later["engined:nextTitle"] == FILM[1]
        assert "xesam:comment" not in later and later["engined:start"] == found["engined:nextStart"]

        def announced():
            return [change["Metadata"].get("xesam:title") for change in signals.changed() if "Metadata" in change]

        eventually(lambda: announced()[-1:] == [WEATHER[1]], announced)
        assert NEWS[1] in announced()


def test_playerctl_reads_and_drives_the_session(engine, player):
    session = load_and_wait(engine, player)
    assert player.playerctl("status") == "Paused"
    assert player.playerctl("metadata", "xesam:title") == "Several of each"
    assert player.playerctl("metadata", "xesam:url") == clip("several.mkv").as_uri()
    assert player.playerctl("metadata", "mpris:artUrl") == engine.state().cover_art_url
    assert int(player.playerctl("metadata", "mpris:length")) == session.state.duration_us
    # However late the next command is, playback has not ended.
    player.playerctl("loop", "Track")
    player.playerctl("play")
    player.wait_until("PlaybackStatus", "Playing")
    eventually(lambda: player.get("Position") > 300_000, "the playhead to move")
    player.playerctl("play-pause")
    player.wait_until("PlaybackStatus", "Paused")
    resting = player.get("Position")
    assert resting == player.get("Position") == engine.state().position.position_us
    player.playerctl("play-pause")
    player.wait_until("PlaybackStatus", "Playing")
    player.playerctl("pause")
    player.playerctl("position", "1")
    player.playerctl("next")
    assert player.get("Position") == session.state.media.chapters[1].start_us
    player.wait_until("CanGoNext", False)
    player.playerctl("previous")
    assert player.get("Position") == 0
    player.wait_until("CanGoNext", True)
    player.playerctl("volume", "0.25")
    state = engine.state()
    assert state.volume == 0.25 and state.looping
    assert player.playerctl("volume") == "0.250000" and player.playerctl("loop") == "Track"
    session.stop()
    player.wait_until("Metadata", {"mpris:trackid": NO_TRACK})


def test_a_stopped_player_plays_from_the_beginning(engine, player):
    session = load_and_wait(engine, player)
    player.call("Play")
    player.wait_until("PlaybackStatus", "Playing")
    eventually(lambda: player.get("Position") > 300_000, "the playhead to move")
    player.playerctl("stop")
    assert player.playerctl("status") == "Stopped" and player.get("Position") == 0
    assert player.get("CanPlay") and player.get("Metadata")["xesam:title"] == "Several of each"
    state = engine.state(session.id)
    assert state.phase in (state_pb2.PHASE_PAUSED, state_pb2.PHASE_SEEKING) and state.position.position_us == 0
    began = time.monotonic()
    player.playerctl("play")
    player.wait_until("PlaybackStatus", "Playing")
    assert player.get("Position") < (time.monotonic() - began) * 1e6
    player.playerctl("pause")
    player.wait_until("PlaybackStatus", "Paused")
    player.playerctl("stop")
    player.wait_until("PlaybackStatus", "Stopped")
    # When another client plays the session again, the player on the bus is playing, too.
    engine.stub.Play(engine_pb2.SessionRequest())
    player.wait_until("PlaybackStatus", "Playing")
    session.stop()


def test_position_changes_are_not_signalled_during_playback(engine, player):
    session = load_and_wait(engine, player)
    with player.bus.signals() as signals:
        player.call("Play")
        eventually(lambda: player.get("Position") > 1_000_000, "the playhead to move")
        player.call("Pause")
        eventually(lambda: {"PlaybackStatus": "Paused"} in signals.changed(), "the change to be signalled")
        assert signals.all() == [("PropertiesChanged", [PLAYER, {"PlaybackStatus": status}, []]) for status in ("Playing", "Paused")]
    session.stop()


def test_every_discontinuity_is_signalled(engine, player):
    session = load_and_wait(engine, player)
    with player.bus.signals() as signals:
        track = player.get("Metadata")["mpris:trackid"]
        assert player.call("SetPosition", "ox", track, 5_000_000) is None
        eventually(lambda: signals.seeked() == [5_000_000], "Seeked")
        player.call("Seek", "x", 2_000_000)
        eventually(lambda: signals.seeked() == [5_000_000, 7_000_000], "Seeked")
        # Too small to be noticed from the position alone.
        player.call("SetPosition", "ox", track, 6_900_000)
        eventually(lambda: signals.seeked()[2:] == [6_900_000], "Seeked")
        # A seek by another client counts as well.
        engine.stub.Seek(engine_pb2.SeekRequest(position_us=1_000_000))
        eventually(lambda: signals.seeked()[3:] == [1_000_000], "Seeked")
        for ignored in ((track + "0", 3_000_000), (NO_TRACK, 3_000_000), (track, 3_600_000_000)):
            assert player.call("SetPosition", "ox", *ignored) is None
        assert engine.state().position.position_us == 1_000_000
        assert len(signals.seeked()) == 4
    session.stop()


def test_changes_by_other_clients_are_signalled_exactly(engine, player):
    session = load_and_wait(engine, player)
    with player.bus.signals() as signals:
        engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=0.5))
        engine.stub.SetMuted(engine_pb2.SetMutedRequest(muted=True))
        eventually(lambda: {"Volume": 0} in signals.changed(), "muting")
        assert player.set("Volume", "d", 0.75) is None
        engine.stub.SetRate(engine_pb2.SetRateRequest(rate=1.5))
        eventually(lambda: {"Rate": 1.5} in signals.changed(), "the rate")
        assert set().union(*signals.changed()) == {"Volume", "Rate"}
    state = engine.state()
    assert state.volume == 0.75 and not state.muted
    session.stop()


def test_the_rate_range_of_the_session_is_published(engine, player):
    session = engine.load(clip("several.mkv"), rate_range={"min": 0.5, "max": 4})
    player.wait_until("MaximumRate", 4)
    assert player.get("MinimumRate") == 0.5
    assert player.set("Rate", "d", 9) is None and player.get("Rate") == 4
    session.stop()


def test_a_file_is_opened_and_played(engine, player):
    # The player's name may be on the bus before the player has found the engine.
    eventually(lambda: player.call("OpenUri", "s", clip("h264-aac.mkv").as_uri()) != "Call failed: no engine is running", "the engine")
    player.wait_until("PlaybackStatus", "Playing")
    first = player.get("Metadata")
    assert first["xesam:title"] == "h264-aac.mkv"
    assert player.call("OpenUri", "s", clip("several.mkv").as_uri()) is None
    eventually(lambda: player.get("Metadata")["mpris:trackid"] != first["mpris:trackid"], "another track")
    player.wait_until("PlaybackStatus", "Playing")
    assert len(engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions) == 1, "in the same session"
    for uri in ("gopher://example/film", "h264-aac.mkv", "file:///absent/film.mkv"):
        assert player.call("OpenUri", "s", uri), uri
    engine.stub.Stop(engine_pb2.SessionRequest())


@pytest.mark.parametrize("name", tiered(["absent", "not-a-film", "directory"], {"not-a-film"}))
def test_a_failed_open_does_not_stop_playback(engine, player, tmp_path, name):
    (tmp_path / "directory").mkdir()
    (tmp_path / "not-a-film").write_text("words\n" * 1000)
    session = load_and_wait(engine, player)
    player.call("Play")
    player.wait_until("PlaybackStatus", "Playing")
    before = player.get("Metadata")
    answer = player.call("OpenUri", "s", (tmp_path / name).as_uri())
    assert answer and name in answer
    assert player.get("PlaybackStatus") == "Playing" and player.get("Metadata") == before
    assert engine.state(session.id).phase in (state_pb2.PHASE_PLAYING, state_pb2.PHASE_BUFFERING)
    session.stop()


@pytest.mark.parametrize("call", [pytest.param(call, marks=[] if call[0] in ("Dance", "Seek") else pytest.mark.long) for call in [
    ("Dance",), ("Seek", "s", "far"), ("SetPosition", "x", 1), ("Play", "aas", 1, 1, "x"), ("Play", "i", 1)]])
def test_invalid_calls_are_refused(player, call):
    assert player.call(*call)
    assert player.call("Play", interface="org.example.Player")
    assert player.call("Play", path="/org/mpris/Elsewhere")
    assert player.playerctl("status") == "Stopped", "it goes on"


def test_text_that_the_bus_rejects_is_sanitized(engine, player, tmp_path):
    film = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-t", "1", "-i", clip("h264-aac.mkv"), "-c", "copy", "-metadata",
                    "title=a\ufffeb\ufdd0", film], check=True)
    session = engine.load(film)
    player.wait_until("CanPlay", True)
    assert player.get("Metadata")["xesam:title"] == "a\ufffdb\ufffd"
    session.stop()
    assert "\ufffd" in player.call("OpenUri", "s", "file:///%EF%BF%BE.mkv")


@pytest.mark.long
def test_a_flood_of_calls_is_answered(bus, player):
    script = f"for i in $(seq 40); do gdbus call --session --dest {NAME} --object-path {PATH} --method {PLAYER}.Next & done; wait"
    clients = [subprocess.Popen(["sh", "-c", script], env=bus.environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert player.playerctl("status") == "Stopped"
    assert [client.communicate(timeout=PATIENCE)[0].count("()") for client in clients] == [40, 40, 40]


def test_the_bridge_survives_an_engine_restart(start_engine, start_bridge):
    engine = start_engine()
    player = start_bridge(engine.socket)[1]
    session = load_and_wait(engine, player)
    player.call("SetPosition", "ox", player.get("Metadata")["mpris:trackid"], 5_000_000)
    before = player.get("Metadata")
    with player.bus.signals() as signals:
        engine.process.kill()
        engine.process.wait()
        eventually(lambda: any(each.get("Metadata") == {"mpris:trackid": NO_TRACK} for each in signals.changed()), "the loss")
        assert player.call("OpenUri", "s", clip("several.mkv").as_uri()), "nobody is there to open it"
        engine = start_engine(directory=engine.directory)
        eventually(lambda: any(each.get("Metadata") == before for each in signals.changed()), "the same track again")
        assert player.get("Position") == 5_000_000
        eventually(lambda: signals.seeked()[-1:] == [5_000_000], "where it is")
    assert engine.state().session_id == session.id


def test_the_bridge_waits_for_the_first_engine(start_engine, start_bridge, tmp_path):
    engine = start_engine()
    directory, socket = engine.directory, engine.socket
    engine.end()
    process, player = start_bridge(socket)
    assert player.playerctl("status") == "Stopped" and process.poll() is None
    engine = start_engine(directory=directory)
    load_and_wait(engine, player)


def test_a_second_instance_has_its_own_bus_name(engine, start_bridge, player):
    second = start_bridge(engine.socket, NAME + ".instance{pid}")[1]
    session = load_and_wait(engine, second)
    player.wait_until("CanPlay", True)
    assert second.get("Metadata") == player.get("Metadata")
    session.stop()


def test_the_bridge_exits_with_an_error_without_a_bus(engine, bus, start_bridge, tmp_path):
    process, _ = start_bridge(engine.socket)
    bus.end()
    assert process.wait(PATIENCE) == 1
    environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=f"unix:path={tmp_path}/none")
    alone = subprocess.run([PROGRAMS / "engined-mpris", "--socket", engine.socket], env=environment, timeout=PATIENCE)
    assert alone.returncode == 1
    bad = subprocess.run([PROGRAMS / "engined-mpris", "--socket", "relative"], timeout=PATIENCE, capture_output=True)
    assert bad.returncode == 64


@pytest.mark.long
def test_the_bridge_uses_no_cpu_when_idle(engine, start_bridge):
    process, player = start_bridge(engine.socket)
    session = load_and_wait(engine, player)
    player.call("Play")
    assert PATH in player.bus.busctl("--list", "tree", NAME).stdout
    eventually(lambda: is_idle(process.pid), "a second without work")
    session.stop()

# SPDX-License-Identifier: Apache-2.0
"""A thousand watches on separate connections: each gets the events it should, and costs nothing while nothing
happens."""

import resource

import pytest
from harness.contract import engine_pb2, state_pb2
from harness.engine import PATIENCE, eventually, is_idle
from harness.http2 import DATA, HEADERS, call, frame
from harness.places import clip
from harness.watchers import RawWatch, opening, read_until

COUNT = 1000


@pytest.fixture
def engine(fresh_engine):
    """An engine with a session; the test's own descriptor limit is raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with fresh_engine.session(clip("h264-aac.mkv")):
        yield fresh_engine
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def settings():
    """Volume and the other settings, without time events, so that only changes arrive."""
    return engine_pb2.WatchRequest(time_interval_us=-1, fields=[state_pb2.STATE_FIELD_SETTINGS])


def set_volume(engine, volume):
    return engine.stub.SetVolume(engine_pb2.SetVolumeRequest(volume=volume), timeout=PATIENCE).revision


def watch_all(engine):
    watches = [RawWatch(engine, settings()) for _ in range(COUNT)]
    read_until(watches, lambda watch: watch.events, "the snapshot")
    return watches


def volume(watch):
    event = watch.events[-1]
    return (event.delta.state if event.HasField("delta") else event.snapshot).volume


def test_a_thousand_watches_receive_every_change(engine):
    watches = watch_all(engine)
    silent = RawWatch(engine, settings())
    # One disconnects in the middle of its request, one in the middle of an event sent to it.
    half = engine.raw()
    half.sendall(opening(settings())[:-3])
    going = RawWatch(engine, settings())
    going.socket.recv(20)

    heard = []
    for step in range(1, 11):
        revision = set_volume(engine, step / 100)
        read_until(watches, lambda watch: watch.revision >= revision, f"revision {revision}")
        heard.append(revision)
        if step == 3:
            half.close()
        if step == 6:
            going.socket.close()
    for watch in watches:
        assert [event.revision for event in watch.events[1:]] == heard
        assert [round(event.delta.state.volume, 2) for event in watch.events[1:]] == [step / 100 for step in range(1, 11)]

    # The silent watch gets what its socket held, in order, and finally the current state.
    read_until([silent], lambda watch: watch.revision >= heard[-1], "the last revision")
    assert volume(silent) == pytest.approx(0.1)


@pytest.mark.long
def test_all_watches_receive_the_latest_state_after_a_burst(engine):
    watches = watch_all(engine)
    for step in range(40):
        last = set_volume(engine, (step % 10 + 1) / 20)
    read_until(watches, lambda watch: watch.revision >= last, f"revision {last}")
    for watch in watches:
        revisions = [event.revision for event in watch.events]
        assert revisions == sorted(set(revisions)), "a revision came twice, or went back"
        # Background work, such as a finished segment, may have changed the state again.
        assert revisions[-1] >= last and volume(watch) == pytest.approx(0.5)


def test_closed_watches_leave_no_descriptors(engine):
    # Some files are opened only after a load.
    eventually(lambda: is_idle(engine.pid), "a second without work")
    before = engine.descriptors()
    for watch in watch_all(engine):
        watch.socket.close()
    broken = [engine.raw() for _ in range(50)]
    for connection in broken:
        connection.sendall(opening(settings()) + frame(HEADERS, 4, 3, call("/engine.v1.Engine/Play")) + frame(DATA, 0, 3, b"\0"))
        connection.close()
    set_volume(engine, 0.5)
    eventually(lambda: engine.descriptors() <= before, f"descriptors to be {before} again")


def test_idle_watches_of_an_idle_engine_use_no_cpu(engine):
    watches = watch_all(engine)
    engine.stub.Play(engine_pb2.SessionRequest(), timeout=PATIENCE)
    last = engine.stub.Pause(engine_pb2.SessionRequest(), timeout=PATIENCE).state
    assert last.phase == state_pb2.PHASE_PAUSED
    # Work that playback has started, such as reading ahead, ends by itself.
    eventually(lambda: is_idle(engine.pid), "a second without work")
    assert all(not watch.is_over for watch in watches)

# SPDX-License-Identifier: Apache-2.0
"""Input that is not media, or stops being media, gives a typed error; the engine survives and leaks nothing."""

import os
import subprocess
import zipfile

import grpc
import pytest
from harness.contract import engine_pb2, stills_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.places import FIXTURES, clip
from harness.tiers import tiered

READABLE = "FAILED_PRECONDITION"
EXPECTED = {
    "bad/missing.mkv": ("NOT_FOUND", {"source_not_found"}),
    "bad/empty.mkv": (READABLE, {"source_empty"}),
    "bad/directory": (READABLE, {"source_not_readable"}),
    "bad/fifo.mkv": (READABLE, {"source_not_readable"}),
    "bad/zeros.mp4": (READABLE, {"source_not_media"}),
    "bad/random.mkv": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/text.mp4": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/header-only.mkv": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/header-only.mp4": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/no-moov.mp4": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/terabytes.mp4": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/terabytes.mkv": (READABLE, {"source_not_media", "no_playable_stream"}),
    "bad/no-streams.mkv": (READABLE, {"source_not_media", "no_playable_stream"}),
    "software/unknown.mkv": (READABLE, {"no_playable_stream"}),
}


def failure(engine, path):
    with pytest.raises(grpc.RpcError) as failed:
        engine.load(path)
    return failed.value.code().name, failed.value.details()


@pytest.mark.parametrize("name", EXPECTED)
def test_unusable_files_give_typed_errors(engine, name):
    code, details = failure(engine, FIXTURES / name)
    expected, words = EXPECTED[name]
    assert code == expected and details.split(":")[0] in words, (code, details)
    assert os.path.basename(name) in details, f"the message does not say on what: {details}"
    assert engine.is_alive() and not engine.stub.ListSessions(
        engine_pb2.ListSessionsRequest()).sessions


@pytest.mark.parametrize("name", ["a PNG image", "a ZIP archive", "a text"])
def test_a_refusal_says_what_the_file_is(engine, tmp_path, name):
    path = tmp_path / "file"
    if name == "a PNG image":
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc", "-frames:v", "1", "-f", "image2",
                        "-c:v", "png", path], check=True)
    elif name == "a ZIP archive":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("film.mkv", b"none")
    else:
        path.write_text("hello, this is not a film\n")
    code, details = failure(engine, path)
    assert code == READABLE and details.startswith("source_not_media") and f"it is {name}; avformat_open_input" in details, details


def test_encrypted_samples_are_refused(engine, tmp_path):
    """A load and a snapshot of an encrypted file are refused. A probe describes the file."""
    path = tmp_path / "cenc.mp4"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("h264-aac.mkv"), "-c", "copy", "-t", "5",
                    "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "00112233445566778899aabbccddeeff",
                    "-encryption_kid", "112233445566778899aabbccddeeff00", path], check=True)
    code, details = failure(engine, path)
    assert code == READABLE and details.startswith("source_encrypted") and "cenc" in details, (code, details)
    streams = engine.stub.Probe(engine_pb2.ProbeRequest(source=str(path))).streams
    assert {each.protection.key_id for each in streams} == {"112233445566778899aabbccddeeff00"}
    assert {each.route for each in streams} == {"none"}
    with pytest.raises(grpc.RpcError) as failed:
        engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=stills_pb2.StillSource(source=str(path))))
    assert failed.value.details().startswith("source_encrypted"), failed.value.details()


def test_unencrypted_tracks_beside_an_encrypted_one_are_played(engine, tmp_path):
    path = tmp_path / "half.mp4"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", clip("h264-aac.mkv"), "-c", "copy", "-t", "5", path], check=True)
    data = bytearray(path.read_bytes())
    entry = data.index(b"mp4a", data.index(b"moov"))
    data[entry:entry + 4] = b"enca"
    path.write_bytes(data)
    with engine.session(path) as session:
        assert [each.route for each in session.state.media.streams] == ["remux", "none"]
        assert session.state.media.streams[1].HasField("protection")
        assert "mp4a" not in session.master().text


def test_special_files_give_typed_errors(engine, tmp_path):
    import socket

    assert failure(engine, "/dev/zero")[1].startswith("source_not_readable")
    assert failure(engine, "/dev/null")[1].startswith("source_not_readable")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s.mkv"))
        # A socket cannot be opened at all.
        assert failure(engine, tmp_path / "s.mkv")[1].startswith(("source_not_readable", "source_read_failed"))
    loop = tmp_path / "loop.mkv"
    loop.symlink_to(loop)
    assert failure(engine, loop)[0] in ("NOT_FOUND", "FAILED_PRECONDITION", "UNAVAILABLE")
    assert failure(engine, clip("h264-aac.mkv") / "below")[0] in ("NOT_FOUND", "FAILED_PRECONDITION")
    assert failure(engine, "/" + "x" * 5000)[0] in ("NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION")


# The capabilities that let root read everything.
DROPPED = "-dac_override,-dac_read_search"
WITHOUT_PRIVILEGE = ("setpriv", "--bounding-set", DROPPED, "--inh-caps", DROPPED) if os.geteuid() == 0 else ()


def test_unreadable_files_are_reported_as_permission_denied(start_engine, tmp_path):
    engine = start_engine(through=WITHOUT_PRIVILEGE)
    path = tmp_path / "closed.mkv"
    path.write_bytes(clip("h264-aac.mkv").read_bytes())
    path.chmod(0)
    code, details = failure(engine, path)
    assert code == "PERMISSION_DENIED" and details.startswith("source_access_denied")


@pytest.mark.parametrize("entry", ["file:///etc/hostname", "/etc/hostname", "../../../../../../../etc/hostname", "%2e%2e/x.ts"])
def test_a_playlist_cannot_reference_files_outside_its_folder(engine, tmp_path, entry):
    path = tmp_path / "list.mkv"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{entry}\n#EXT-X-ENDLIST\n")
    details = failure(engine, path)[1]
    assert details.startswith("source_not_readable") and "outside the folder" in details, details


@pytest.mark.parametrize("text", [
    "ffconcat version 1.0\nfile '/etc/hostname'\n",
    "<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'></MPD>",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
    "[playlist]\nFile1=/etc/hostname\n",
])
def test_a_source_cannot_reference_other_files(engine, tmp_path, text):
    path = tmp_path / "list.mkv"
    path.write_text(text)
    assert failure(engine, path)[1].split(":")[0] in ("source_not_media", "no_playable_stream")


# test_playback.py has the Matroska file.
@pytest.mark.parametrize("name", tiered(["truncated.mkv", "truncated.mp4", "truncated.ts"], {"truncated.mp4", "truncated.ts"}))
def test_truncated_files_are_played_as_far_as_they_go(engine, name):
    with engine.session(clip(name)) as session:
        done = subprocess.run(["ffmpeg", "-nostdin", "-v", "fatal", "-i", session.url, "-map", "0:v", "-c", "copy",
                               "-f", "framemd5", "-"], capture_output=True, text=True, timeout=PATIENCE)
        pictures = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
        assert 300 < len(pictures) < 600 and engine.is_alive(), (len(pictures), done.stderr[-300:])


def test_a_file_may_shrink_while_it_is_served(fresh_engine, tmp_path):
    from harness.hls import Media, request

    # Long enough that reading ahead does not reach the end of the file first.
    path = tmp_path / "shrinks.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "39", "-i", clip("anamorphic.mkv"), "-c", "copy", path],
                   check=True)
    with fresh_engine.session(path) as session:
        playlist = Media(session.master().variants[0][1])
        os.truncate(path, path.stat().st_size // 2)
        statuses = [request(each.url).status for each in playlist.segments[::-4]]
        assert set(statuses) <= {200, 404, 500, 503} and fresh_engine.is_alive()
        assert any(status != 200 for status in statuses), "bytes that are not there were served"


@pytest.mark.parametrize("rounds", tiered([3, 20], {3}))
def test_failed_loads_leak_no_descriptors_or_threads(fresh_engine, rounds):
    """Descriptors and threads return to their initial numbers after several rounds of every kind of failure."""
    engine = fresh_engine
    with engine.session(clip("h264-aac.mkv")), engine.session(clip("h264-aac.ts")):
        pass
    before = settled(engine.resource_counts)
    for _ in range(rounds):
        for name in EXPECTED:
            failure(engine, FIXTURES / name)
    eventually(lambda: engine.descriptors() <= before[0], f"descriptors to be {before[0]} again")
    eventually(lambda: engine.threads() <= before[1] + 1, f"threads to be {before[1]} again")
    assert not engine.open_files() & {os.path.realpath(FIXTURES / name) for name in EXPECTED}


@pytest.mark.parametrize("rounds", tiered([5, 15], {5}))
def test_sessions_leak_no_descriptors_or_threads(fresh_engine, rounds):
    engine = fresh_engine
    from harness.hls import Media, fetch

    def once():
        for name in ("h264-aac.mkv", "h264-aac.ts", "several.mkv"):
            with engine.session(clip(name)) as session:
                fetch(Media(session.master().variants[0][1]).segments[0].url)

    once()
    before = settled(engine.resource_counts)
    for _ in range(rounds):
        once()
    eventually(lambda: engine.descriptors() <= before[0] + 1, f"descriptors to be {before[0]} again")
    eventually(lambda: engine.threads() <= before[1] + 1, f"threads to be {before[1]} again")

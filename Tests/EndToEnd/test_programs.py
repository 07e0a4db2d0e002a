# SPDX-License-Identifier: Apache-2.0
"""Transport streams with several programs: what is listed, which is played, and that everything else follows it."""

import json
import subprocess

import grpc
import pytest
from harness import hls, transport
from harness.contract import engine_pb2, programs_pb2, stills_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, SAMPLES
from harness.tiers import tiered

Selection = programs_pb2.ProgramSelection
SECONDS = 9
# Number, coded name, and the name as people read it: ISO 6937 (no prefix), 8859-5 by one byte, 8859-9 by three bytes,
# and UTF-8. Control codes mark the short form of a name (ETSI EN 300 468, A.1), or a new line.
SERVICES = [
    (900, b"\x86Radio\x87\x8aCaf\xc2e", "Radio Café"), (7, b"\x01\x86\xbd\xde\xd2\xde\x87\xe1\xe2\xd8", "Новости"),
    (3, b"\x10\x00\x09\xddstanbul", "İstanbul"), (12, b"\x15Gr\xc3\xb6\xc3\x9fe \xe2\x82\xac", "Größe €"),
]


@pytest.fixture(scope="module")
def multiplex(tmp_path_factory):
    """Radio; a film of 640x360; news of 320x240 in two languages; a film of 176x144, whose PIDs are the lowest. Each audio
    track is a tone of its own."""
    folder = tmp_path_factory.mktemp("programs")
    plain = folder / "plain.ts"
    inputs = [f"testsrc=s=320x240:r=25:d={SECONDS}", f"testsrc2=s=640x360:r=25:d={SECONDS}", f"smptebars=s=176x144:r=25:d={SECONDS}"]
    inputs += [f"sine={tone}:d={SECONDS}" for tone in (300, 440, 600, 880, 1000)]
    maps = ["2:v", "7:a", "3:a", "1:v", "4:a", "0:v", "5:a", "6:a"]
    languages = ["spa", "fra", "deu", "eng", "ita"]
    subprocess.run(
        ["ffmpeg", "-v", "error", *[word for each in inputs for word in ("-f", "lavfi", "-i", each)],
         *[word for each in maps for word in ("-map", each)],
         "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast", "-g", "25", "-c:a", "aac", "-b:a", "64k",
         *[word for place, each in enumerate(languages) for word in (f"-metadata:s:a:{place}", f"language={each}")],
         "-program", "program_num=900:title=a:st=2", "-program", "program_num=7:title=b:st=3:st=4",
         "-program", "program_num=3:title=c:st=5:st=6:st=7", "-program", "program_num=12:title=d:st=0:st=1",
         "-f", "mpegts", plain], check=True, timeout=PATIENCE)
    return transport.with_services(
        plain, folder / "multiplex.ts", [(number, b"Provider", name) for number, name, _ in SERVICES])


def by_ffprobe(path):
    output = subprocess.run(["ffprobe", "-v", "error", "-show_programs", "-of", "json", path], check=True,
                          capture_output=True, timeout=PATIENCE)
    return [
        (each["program_num"], each["pmt_pid"], each["pcr_pid"] if 0 < each["pcr_pid"] < 0x1FFF else 0,
         [(stream["index"], int(stream["id"], 16)) for stream in each["streams"]])
        for each in json.loads(output.stdout)["programs"]
    ]


def by_engine(media):
    return [
        (each.number, each.map_pid, each.clock_pid, [(stream, media.streams[stream].pid) for stream in each.streams])
        for each in media.programs
    ]


def played(state):
    return [stream.index for stream in state.media.streams if stream.route != "none"]


def refusal(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value.code(), caught.value.details()


def ctl(engine, *arguments):
    return subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True, text=True, timeout=PATIENCE)


def test_programs_match_ffprobe_and_names_are_decoded(engine, multiplex):
    media = engine.probe(multiplex)
    assert by_engine(media) == by_ffprobe(multiplex) and len(media.programs) == 4
    assert [(each.number, each.name) for each in media.programs] == [(number, name) for number, _, name in SERVICES]
    assert {each.provider for each in media.programs} == {"Provider"}
    assert media.program == 7, "the first with pictures, in the order of the program association table"


@pytest.mark.long
def test_programs_of_samples_match_ffprobe(engine):
    if not SAMPLES.exists():
        pytest.skip(f"{SAMPLES} is missing")
    found = sorted(SAMPLES.rglob("*.ts"))
    assert len(found) > 10
    for path in found:
        try:
            media = engine.probe(path)
        except grpc.RpcError as error:
            assert "hls-sample-aes" in str(path), (path, error.details())
            continue
        assert by_engine(media) == by_ffprobe(path), path


@pytest.mark.parametrize(("wanted", "number", "streams"), tiered([
    ({}, 7, [1, 2]), ({"number": 3}, 3, [3, 4, 5]), ({"name": "Новости"}, 7, [1, 2]), ({"name": "größe €"}, 12, [6, 7]),
    ({"number": 900}, 900, [0]),
], lambda case: case[1] in (3, 12)))
def test_only_the_streams_of_the_chosen_program_are_tracks(engine, multiplex, wanted, number, streams):
    with engine.session(multiplex, program=Selection(**wanted)) as session:
        media = session.state.media
        assert media.program == number and played(session.state) == streams
        audio_streams = [stream for stream in streams if media.streams[stream].kind == 2]
        lines = hls.fetch(session.url).decode().splitlines()
        renditions = [hls.attributes(line.partition(":")[2]) for line in lines if "TYPE=AUDIO" in line]
        if number != 900:
            assert [each["URI"] for each in renditions] == [f"audio-{place + 1}.m3u8" for place in range(len(audio_streams))]
        other = next(stream for stream in media.streams if stream.index not in streams)
        assert f"program {number} is played" in other.route_reason
        # Every packet of the program, and none of another, as ffmpeg reads it.
        tracks = subprocess.run(
            ["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets,width", "-of", "json",
             session.url], check=True, capture_output=True, timeout=PATIENCE)
        original = subprocess.run(
            ["ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=index,codec_type,nb_read_packets,width", "-of", "json",
             multiplex], check=True, capture_output=True, timeout=PATIENCE)
        by_index = {each["index"]: each for each in json.loads(original.stdout)["streams"]}

        def facts(each):
            return each["codec_type"], each.get("width", 0), each["nb_read_packets"]

        assert sorted(map(facts, json.loads(tracks.stdout)["streams"])) == sorted(facts(by_index[each]) for each in streams)
    assert abs(media.duration_us - SECONDS * 1_000_000) < 100_000


def test_an_unknown_program_is_refused_with_the_available_ones(engine, multiplex):
    code, text = refusal(lambda: engine.load(multiplex, program=Selection(number=5)))
    assert code == grpc.StatusCode.NOT_FOUND
    assert text == f"program_not_found: {multiplex} has no program 5 " \
        "(its programs: 900 (Radio Café), 7 (Новости), 3 (İstanbul), 12 (Größe €))"
    assert refusal(lambda: engine.load(multiplex, program=Selection(name="Sport")))[0] == grpc.StatusCode.NOT_FOUND
    assert refusal(lambda: engine.load(multiplex, program=Selection(number=70_000)))[0] == grpc.StatusCode.INVALID_ARGUMENT
    failed = ctl(engine, "probe", multiplex, "--program", "Sport")
    assert failed.returncode == 1 and "7 (Новости)" in failed.stderr


def test_selecting_a_program_reloads_the_session(engine, multiplex):
    with engine.session(multiplex) as session:
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=4_000_000), timeout=PATIENCE)
        eventually(lambda: engine.state(session.id).position.position_us == 4_000_000, "the seek")
        request = engine_pb2.SelectProgramRequest(session_id=session.id, program=Selection(number=5))
        assert refusal(lambda: engine.stub.SelectProgram(request, timeout=PATIENCE))[0] == grpc.StatusCode.NOT_FOUND
        assert engine.state(session.id).url == session.url, "the session plays on"
        request.program.number = 3
        state = engine.stub.SelectProgram(request, timeout=PATIENCE).state
        assert state.session_id == session.id and state.url != session.url
        assert state.media.program == 3 and played(state) == [3, 4, 5]
        assert state.position.position_us == 4_000_000
        assert hls.fetch(state.url).count(b"TYPE=AUDIO") == 2
        again = engine.stub.SelectProgram(request, timeout=PATIENCE).state
        assert again.url == state.url, "the program is already played"
        listed = ctl(engine, "programs", "--session", session.id, "--select", "größe €", "--json")
        assert listed.returncode == 0, listed.stderr
        assert json.loads(listed.stdout)["program"] == 12


def test_the_selected_program_survives_a_kill(start_engine, multiplex, tmp_path):
    engine = start_engine(directory=tmp_path / "one", state_home=tmp_path / "state")
    session = engine.load(multiplex, program=Selection(name="İstanbul"))
    engine.kill()
    restored = start_engine(directory=tmp_path / "one", state_home=tmp_path / "state")
    state = eventually(lambda: restored.state(session.id), "the session")
    eventually(lambda: restored.state(session.id).media.program == 3, "the program")
    assert played(restored.state(session.id)) == [3, 4, 5], state


def test_stills_follow_the_program(engine, multiplex):
    for number, size in ((7, (640, 360)), (3, (320, 240)), (12, (176, 144))):
        of = stills_pb2.StillSource(source=str(multiplex), program=Selection(number=number))
        still = engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=of, time_us=2_000_000), timeout=PATIENCE)
        assert (still.width, still.height) == size
        with engine.session(multiplex, program=Selection(number=number)) as session:
            of = stills_pb2.StillSource(session_id=session.id)
            still = engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=of, time_us=2_000_000), timeout=PATIENCE)
            assert (still.width, still.height) == size
    radio = stills_pb2.StillSource(source=str(multiplex), program=Selection(number=900))
    assert refusal(lambda: engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=radio), timeout=PATIENCE))[1].startswith("no_playable_stream")


def test_enginectl_lists_programs_with_their_streams(engine, multiplex):
    text = ctl(engine, "programs", multiplex).stdout
    assert '* program 7 "Новости" of Provider: clock PID 259, map PID 4097' in text
    assert text.count("PID ") == 4 * 2 + 8
    output = json.loads(ctl(engine, "programs", multiplex, "--json").stdout)
    assert [each["number"] for each in output["programs"] if each["is_played"]] == [7]
    assert json.loads(ctl(engine, "probe", multiplex, "--json", "--program", "3").stdout)["program"] == 3
    checked = ctl(engine, "validate", multiplex, "--program", "3")
    assert checked.returncode == 0 and "no problems" in checked.stdout, checked.stdout + checked.stderr

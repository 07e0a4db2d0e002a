# SPDX-License-Identifier: Apache-2.0
"""A contact sheet has a different frame from each part of the source, and its progress is reported."""

import subprocess

import grpc
import pytest
from harness import numbered, origin
from harness.contract import stills_pb2
from harness.engine import PATIENCE
from harness.stills import PNG, source, thumbnail


def test_a_contact_sheet_shows_a_frame_of_each_part(engine):
    path = numbered.film("h264.mkv")
    request = stills_pb2.ContactSheetRequest(of=source(path), style=PNG, columns=3, rows=2)
    messages = list(engine.stub.ContactSheet(request, timeout=PATIENCE))
    assert [each.total for each in messages] == [6] * len(messages)
    done = [each.done for each in messages]
    assert done == sorted(done) and done[-1] == 6
    assert [bool(each.sheet.data) for each in messages] == [False] * (len(messages) - 1) + [True]
    sheet = messages[-1].sheet
    assert (sheet.width, sheet.height) == (3 * 192 + 4 * 4, 2 * 96 + 3 * 4)
    grey = numbered.greys([sheet.data], "png")
    length = 10
    found, wanted = [], []
    for index in range(6):
        left, top = 4 + index % 3 * 196, 4 + index // 3 * 100
        found.append(numbered.read(grey, sheet.width, left, top, lower=False))
        keyframe = numbered.keyframe(path, length * (2 * index + 1) / 12)
        # The keyframe at or before the middle of the part is shown or, if it belongs to an earlier part, the frame
        # exactly in the middle.
        wanted.append(int((keyframe if keyframe >= length * index / 6 else length * (2 * index + 1) / 12) * 25 + 1e-6))
        plain = numbered.greys([thumbnail(engine, source(path), int(length * (2 * index + 1) / 12 * 1e6)).data], "png")
        corner = b"".join(grey[(top + y) * sheet.width + left:][:60] for y in range(76, 96))
        assert corner != b"".join(plain[y * 192:][:60] for y in range(76, 96)), "the time is written on it"
    assert found == wanted


@pytest.mark.long
def test_a_video_with_one_keyframe_fills_a_contact_sheet(engine, tmp_path):
    path = tmp_path / "long-group.mkv"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", numbered.film("h264.mkv"), "-map", "0:v", "-c:v", "libx264", "-preset",
                    "ultrafast", "-crf", "10", "-g", "1000", "-keyint_min", "1000", "-sc_threshold", "0", path], check=True)
    request = stills_pb2.ContactSheetRequest(of=source(path), style=PNG, columns=5, rows=2)
    sheet = list(engine.stub.ContactSheet(request, timeout=PATIENCE))[-1].sheet
    grey = numbered.greys([sheet.data], "png")
    found = [numbered.read(grey, sheet.width, 4 + index % 5 * 196, 4 + index // 5 * 100, lower=False) for index in range(10)]
    assert found == [12 + 25 * index if index else 0 for index in range(10)]


@pytest.mark.long
def test_a_contact_sheet_of_a_transport_stream_on_a_server_does_not_fetch_all_of_it(fresh_engine, tmp_path):
    """The length of the source follows from its end, and the frames are found by their times."""
    path = tmp_path / "padded.ts"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "23", "-i", numbered.film("h264.mkv"), "-map", "0:v", "-c", "copy",
                    "-muxrate", "2M", path], check=True)
    request = stills_pb2.ContactSheetRequest(style=PNG, columns=2, rows=2)
    sheets = []
    with origin.nginx(tmp_path) as films:
        for place in (str(path), f"{films.url}/{path.name}"):
            request.of.CopyFrom(source(place))
            sheets.append(list(fresh_engine.stub.ContactSheet(request, timeout=PATIENCE))[-1].sheet.data)
        assert sheets[0] == sheets[1]
        assert films.bytes_sent() < path.stat().st_size / 3


@pytest.mark.parametrize("values, field", [
    ({"columns": 21}, "columns"), ({"rows": 21}, "rows"), ({"cell_width": 31}, "cell_width"),
    ({"columns": 20, "cell_width": 1920}, "cell_width"),
])
def test_invalid_contact_sheet_requests_are_refused(engine, values, field):
    with pytest.raises(grpc.RpcError) as failed:
        list(engine.stub.ContactSheet(stills_pb2.ContactSheetRequest(
            of=source(numbered.film("h264.mkv")), **values), timeout=PATIENCE))
    assert dict(failed.value.trailing_metadata())["engine-error-field"] == field

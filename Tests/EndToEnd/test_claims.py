# SPDX-License-Identifier: Apache-2.0
"""A container that mislabels its audio: the bitstream is believed, and a notice reports the contradiction."""

import struct

import pytest
from harness import payloads, pictures
from harness.engine import eventually
from harness.hls import fetch
from harness.places import SAMPLES

SAMPLE = SAMPLES / "androidx+media/mp4/sample_eac3.mp4"


def claiming_objects(folder):
    """E-AC-3 without objects, in a file whose `dec3` claims joint object coding of complexity 16."""
    plain, path = folder / "plain.mp4", folder / "claim.mp4"
    payloads.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(SAMPLE), "-map", "0:a:0", "-c", "copy",
                 "-movflags", "frag_keyframe+empty_moov+default_base_moof+delay_moov", str(plain))
    data = bytearray(plain.read_bytes())
    at = data.index(b"dec3")
    size = struct.unpack_from(">I", data, at - 4)[0]
    payload = bytes(data[at + 4:at - 4 + size]) + b"\x01\x10"
    data[at:at + 4] = b"free"
    path.write_bytes(pictures.with_entry_box(bytes(data), struct.pack(">I4s", 8 + len(payload), b"dec3") + payload))
    return path


@pytest.mark.skipif(not SAMPLE.exists(), reason="there are no real samples in ../shared/media or $ENGINE_MEDIA")
def test_audio_objects_claimed_only_by_the_container_are_not_announced(engine, tmp_path):
    with engine.session(claiming_objects(tmp_path)) as session:
        sound = session.state.media.streams[0].audio
        assert not sound.is_atmos and sound.objects == ""
        assert "JOC" not in session.master().text
        init = fetch(f"{session.url.rpartition('/')[0]}/audio-0/init.mp4")
        at = init.index(b"dec3")
        assert struct.unpack_from(">I", init, at - 4)[0] == 8 + 5

        def is_reported():
            lines = [line for line in engine.log.read_text().splitlines() if f"session {session.id}: " in line]
            return any("Dolby Atmos of complexity 16" in line and "audio.container_contradicted" in line for line in lines)

        eventually(is_reported, "the log to say what the sound is")

# SPDX-License-Identifier: Apache-2.0
"""HLS presentations with encrypted segments or samples are served like the same presentation in the clear."""

import base64
import shutil
import subprocess

import pytest
from harness import origin, sample_aes
from harness.bundles import FILM, concatenate, decoded, digests, encrypt, ffmpeg, package, refusal, rotate_keys, served, validate
from harness.places import SAMPLES, clip
from harness.tiers import tiered


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encrypted")
    package(folder, "ts")
    encrypt(folder)
    rotate_keys(folder)
    return folder


@pytest.fixture(scope="module")
def server(bundles):
    with origin.nginx(bundles) as server:
        yield server


@pytest.mark.parametrize("name", tiered(["keys", "numbered", "iv", "rotated"], {"rotated"}))
def test_encrypted_segments_are_decrypted(engine, server, bundles, name):
    with engine.session(bundles / "ts" / "film.m3u8") as plain, engine.session(f"{server.url}/{name}/film.m3u8") as session:
        assert digests(session) == digests(plain)


def test_wrong_keys_and_drm_systems_give_typed_errors(engine, bundles):
    shutil.copytree(bundles / "iv", bundles / "wrong-key")
    (bundles / "wrong-key" / "key.bin").write_bytes(bytes(16))
    wrong = refusal(lambda: engine.probe(bundles / "wrong-key" / "film.m3u8"))
    assert wrong.startswith("segment_failed") and "key.bin" in wrong and "no valid padding" in wrong
    (bundles / "wrong-key" / "key.bin").unlink()
    missing = refusal(lambda: engine.probe(bundles / "wrong-key" / "film.m3u8"))
    assert missing.startswith("source_not_found") and "its key cannot be fetched" in missing
    (bundles / "wrong-key" / "drm.m3u8").write_text(
        '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",'
        'KEYFORMAT="com.apple.streamingkeydelivery"\n#EXTINF:2,\n000.ts\n#EXT-X-ENDLIST\n')
    system = refusal(lambda: engine.probe(bundles / "wrong-key" / "drm.m3u8"))
    assert system.startswith("source_encrypted") and "FairPlay" in system


@pytest.mark.parametrize("audio", tiered(["copy", "ac3", "eac3"], {"ac3"}))
def test_encrypted_samples_of_transport_streams_are_decrypted(engine, bundles, audio):
    plain = package(bundles, f"samples-{audio}", "-t", "6", "-c:a", audio).parent
    folder = bundles / f"encrypted-{audio}"
    folder.mkdir()
    key, iv = bytes(range(16)), bytes(range(16, 32))
    for path in plain.glob("*.ts"):
        data = sample_aes.encrypted(path.read_bytes(), key, iv)
        (folder / path.name).write_bytes(data)
        assert decoded(data, "v") != decoded(path.read_bytes(), "v"), "ffmpeg takes no key"
    uri = f"data:text/plain;base64,{base64.b64encode(key).decode()}" if audio == "ac3" else "key.bin"
    (folder / "key.bin").write_bytes(key)
    line = f'#EXT-X-KEY:METHOD=SAMPLE-AES,URI="{uri}",IV=0x{iv.hex()}\n#EXTINF'
    (folder / "film.m3u8").write_text((plain / "film.m3u8").read_text().replace("#EXTINF", line, 1))
    with engine.session(plain / "film.m3u8") as clear, engine.session(folder / "film.m3u8") as session:
        assert engine.state(session.id).media.streams[0].video == engine.state(clear.id).media.streams[0].video
        master = session.master()
        assert decoded(served(master.variants[0][1]), "v") == decoded(concatenate(plain / "film.m3u8"), "v")
        assert decoded(served(master.renditions[0][1]), "a") == decoded(concatenate(plain / "film.m3u8"), "a")
        assert digests(session) == digests(clear)
        validate(engine, session.url)
    (folder / "key.bin").write_bytes(bytes(15))
    if audio == "copy":
        short = refusal(lambda: engine.probe(folder / "film.m3u8"))
        assert short.startswith("segment_failed") and "has 15 bytes, not 16" in short


def test_encrypted_samples_of_fmp4_are_decrypted(engine):
    path = SAMPLES / "shaka-project+shaka-player/test/test/assets/hls-sample-aes/index.m3u8"
    if not path.exists():
        pytest.skip("the samples are not here")
    key = base64.b64decode("q7onHovPVSu9LoakNKml2Q==").hex()
    with engine.session(path) as session:
        own = subprocess.run(
            ["ffmpeg", "-v", "error", "-decryption_key", key, "-i", path.parent / "video.mp4", "-map", "0:v", "-f", "framemd5", "-"],
            capture_output=True, check=True).stdout
        frames = [line.rsplit(b",", 1)[1] for line in own.splitlines() if not line.startswith(b"#")]
        assert decoded(served(session.master().variants[0][1]), "v") == frames and len(frames) > 1000
        validate(engine, session.url)


def test_fully_encrypted_samples_of_fmp4_are_decrypted(engine, bundles):
    plain = bundles / "fmp4-audio"
    plain.mkdir()
    ffmpeg("-i", clip(FILM), "-map", "0:a", "-c", "copy", "-f", "hls", "-hls_time", 2, "-hls_playlist_type", "vod",
           "-hls_segment_type", "fmp4", "-hls_segment_filename", "%03d.m4s", "film.m3u8", cwd=plain)
    folder = bundles / "cbcs"
    folder.mkdir()
    key, iv = bytes(range(16)), bytes(range(16, 32))
    (folder / "key.bin").write_bytes(key)
    (folder / "init.mp4").write_bytes(sample_aes.protected_init((plain / "init.mp4").read_bytes(), iv))
    for path in plain.glob("*.m4s"):
        (folder / path.name).write_bytes(sample_aes.protected_segment(path.read_bytes(), key, iv))
    line = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="key.bin"\n#EXTINF'
    (folder / "film.m3u8").write_text((plain / "film.m3u8").read_text().replace("#EXTINF", line, 1))
    with engine.session(plain / "film.m3u8") as clear, engine.session(folder / "film.m3u8") as session:
        assert digests(session) == digests(clear)

# SPDX-License-Identifier: Apache-2.0
"""Films on WebDAV servers and behind presigned URLs of object stores."""

import subprocess
import time
import urllib.parse

import grpc
import pytest
from harness import beside, hls, shares
from harness.contract import engine_pb2, http_pb2, state_pb2
from harness.engine import PATIENCE, eventually, settled
from harness.hls import digest
from harness.places import FIXTURES, clip
from harness.sidecars import FRENCH, add, expected, read, shown

FILMS = ["h264-aac.mkv", "h264-aac.mp4", "h264-aac.ts"]


def digests(session):
    return {url.split("/", 4)[4]: digest(url) for url in session.master().everything()}


def same(engine, url, name):
    with engine.session(clip(name)) as disk, engine.session(url) as session:
        assert digests(session) == digests(disk), name


def refusal(engine, url):
    with pytest.raises(grpc.RpcError) as failure:
        engine.probe(url)
    return failure.value.details()


def test_films_on_a_webdav_server_equal_the_files(engine):
    user, password = "me", "se cret"
    login = f"{user}:{urllib.parse.quote(password)}"
    with shares.wsgidav(FIXTURES, {user: password}) as server:
        for name in FILMS:
            same(engine, server.url(name, login), name)
        aliased = server.url(FILMS[0], login).replace("dav://", "webdav://")
        assert engine.probe(aliased).source == f"http://127.0.0.1:{server.port}/{FILMS[0]}"
        assert "401" in refusal(engine, server.url(FILMS[0]))
        assert "source_not_found" in refusal(engine, server.url("none.mkv", login))


def test_subtitles_beside_a_film_on_a_webdav_server_are_found(fresh_engine, tmp_path):
    beside.put(tmp_path / "a b")
    with shares.wsgidav(tmp_path, {"me": "secret"}) as server:
        url = server.url(f"a b/{beside.FILM}", "me:secret")
        beside.check(fresh_engine, lambda **options: fresh_engine.load(url, **options))
        # Under an HTTP URL, the same server counts as any HTTP server, whose folders are not listed.
        before = server.log().count("PROPFIND")
        assert before > 0
        with fresh_engine.session(url.replace("dav://", "http://")) as session:
            assert not settled(lambda: beside.found(fresh_engine.state(session.id)))
        assert server.log().count("PROPFIND") == before


def test_subtitle_files_on_a_webdav_server_can_be_named(fresh_engine, tmp_path):
    beside.put(tmp_path / "a b")
    with shares.wsgidav(tmp_path, {"me": "secret"}) as server:
        film = server.url(f"a b/{beside.STEM}.srt")
        basic = http_pb2.HttpBasicCredentials(user="me", password="secret")
        login = http_pb2.HttpConnectionOptions(basic=basic)
        assert shown(read(fresh_engine, source=film, http_connection=login)[1]) == expected(FRENCH)
        with fresh_engine.session(clip(FILMS[0])) as session:
            url = server.url(f"a b/{beside.STEM}.srt", "me:secret")
            assert list(add(fresh_engine, url, session.id).added_subtitles) == [100000]


@pytest.mark.long
def test_a_presigned_url_is_only_read_by_get_and_never_written(start_engine):
    engine = start_engine("--log-level", "trace")
    with shares.object_store([clip(name) for name in FILMS]) as server:
        for name in FILMS:
            same(engine, server.presigned(name), name)
        assert "GET /films/" in server.log() and "HEAD /films/" not in server.log()
        url = server.presigned(FILMS[1])
        with engine.session(url) as session:
            assert session.state.source == url.split("?")[0]
        signature = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["Signature"][0]
        reply = engine.stub.GetSourceCache(engine_pb2.GetSourceCacheRequest(), timeout=PATIENCE)
        for written in (engine.log.read_text(), str(reply)):
            assert signature not in written and urllib.parse.quote(signature, safe="") not in written


def refresh(engine, session, url):
    return engine.stub.RefreshSource(engine_pb2.RefreshSourceRequest(session_id=session.id, url=url), timeout=PATIENCE).state


def last_segment(session):
    return hls.Media.complete(session.master().playlists()[0]).segments[-1].url


@pytest.mark.long
def test_a_session_continues_with_a_new_url_after_its_presigned_url_has_expired(start_engine, tmp_path):
    film, valid = tmp_path / "film.mkv", 15
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "9", "-i", clip(FILMS[0]), "-map", "0", "-c", "copy", film], check=True)
    engine = start_engine("--cache-disk-bytes", "off", "--log-level", "trace")
    with engine.session(film) as disk:
        wanted = digest(last_segment(disk))
    with shares.object_store([film]) as server:
        end = time.monotonic() + valid
        old = {version: server.presigned(film.name, valid, version) for version in ("s3", "s3v4")}
        sessions = {version: engine.load(url, find_subtitles=beside.OFF) for version, url in old.items()}
        lasts = {version: last_segment(session) for version, session in sessions.items()}
        time.sleep(max(0, end + 1 - time.monotonic()))
        engine.stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        for version, session in sessions.items():
            answer = hls.request(lasts[version])
            assert answer.status == 500 and b"source_refused" in answer.body, answer.body
            engine.stub.Play(engine_pb2.SessionRequest(session_id=session.id), timeout=PATIENCE)
            engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=50_000_000), timeout=PATIENCE)
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_ERROR, "the session to fail")
            assert "the signed URL has expired" in engine.state(session.id).error.message
            said = refusal(engine, old[version])
            assert "source_refused" in said and "the signed URL has expired" in said, said
            # An expired URL is no better than the one before.
            with pytest.raises(grpc.RpcError) as failure:
                refresh(engine, session, old[version])
            assert "the signed URL has expired" in failure.value.details()
            state = refresh(engine, session, server.presigned(film.name, version=version))
            assert state.session_id == session.id and state.phase != state_pb2.PHASE_ERROR
            eventually(lambda: engine.state(session.id).phase == state_pb2.PHASE_PLAYING, "playback to continue")
            assert engine.state(session.id).position.position_us >= 50_000_000
            assert digest(lasts[version]) == wanted
        for word in ("Signature=", "secret"):
            assert word not in engine.log.read_text()

# SPDX-License-Identifier: Apache-2.0
"""How a source on a server is requested: every call that takes a source uses the credentials, user agent, cookies, proxy and
certificates of the request or the settings, and errors state why a server could not be reached."""

import contextlib
import json
import os
import re
import shutil
import ssl
import subprocess
import types
import urllib.parse

import grpc
import pytest
from harness import hls, origin, proxies
from harness.bundles import encrypt
from harness.contract import engine_pb2, http_pb2, state_pb2, stills_pb2, subtitles_pb2
from harness.engine import PATIENCE, Session, eventually
from harness.hls import digest
from harness.places import ENGINECTL, clip
from harness.ports import free_port
from harness.sidecars import serving
from harness.tiers import tiered

FILM = "h264-aac.mkv"


def options(**fields):
    return http_pb2.HttpConnectionOptions(**fields)


def probe(engine, url, connection):
    return engine.stub.Probe(engine_pb2.ProbeRequest(source=url, http_connection=connection), timeout=PATIENCE)


def refusal(engine, url, connection=None):
    with pytest.raises(grpc.RpcError) as failure:
        probe(engine, url, connection)
    return failure.value.details()


@contextlib.contextmanager
def playing(engine, url, connection):
    request = engine_pb2.LoadRequest(source=url, http_connection=connection)
    session = Session(engine, engine.stub.Load(request, timeout=PATIENCE))
    try:
        yield session
    finally:
        session.stop()


def everything(engine, url, connection):
    """What a load, a probe and a snapshot of a source return. Also prewarms its stills."""
    with playing(engine, url, connection) as session:
        digests = [digest(each) for each in session.master().everything()]
    media = probe(engine, url, connection)
    of = stills_pb2.StillSource(source=url, http_connection=connection)
    still = engine.stub.Snapshot(stills_pb2.SnapshotRequest(of=of, time_us=1_000_000), timeout=PATIENCE)
    engine.stub.PrewarmStills(stills_pb2.PrewarmRequest(of=of), timeout=PATIENCE)
    media.source = ""
    return digests, media, still


@pytest.mark.parametrize("connection, field", [
    (options(basic={"user": "Zoë", "password": "a:b"}), "Basic Wm/DqzphOmI="),
    (options(bearer_token="abc.def"), "Bearer abc.def"),
])
def test_every_call_sends_the_credentials_and_the_user_agent(engine, connection, field):
    connection.user_agent = "player/1"
    plain = everything(engine, str(clip(FILM)), None)
    with origin.origin(clip(FILM)) as film:
        def guarded(handler, request):
            if request.headers.get("authorization") != field:
                return handler.answer(401, {"WWW-Authenticate": "Basic"})
            return film.serve(handler, request)

        film.respond = guarded
        assert "401" in refusal(engine, film.url)
        del film.requests[:]
        assert everything(engine, film.url, connection) == plain
        assert {request.headers["user-agent"] for request in film.requests} == {"player/1"}


def test_cues_of_a_source_and_of_a_file_are_fetched_with_the_options(engine, tmp_path):
    srt = tmp_path / "film.srt"
    srt.write_text("1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    for path, text in ((clip("subs-srt.mkv"), None), (srt, "hello")):
        with origin.origin(path) as film:
            connection = options(user_agent="reader/2", bearer_token="t")
            request = subtitles_pb2.GetCuesRequest(source=film.url, http_connection=connection)
            cues = [cue for batch in engine.stub.GetCues(request, timeout=PATIENCE) for cue in batch.cues]
            assert cues and (text is None or cues[0].text.plain == text)
            assert {request.headers["user-agent"] for request in film.requests} == {"reader/2"}


def test_cookies_are_sent_only_to_the_source_that_set_them(engine):
    with origin.origin(clip(FILM)) as film:
        def sets(handler, request):
            if "cookie" not in request.headers and len(film.requests) == 1:
                return handler.answer(302, {"Location": film.url + "?again", "Set-Cookie": "ticket=1; Path=/"})
            return film.serve(handler, request)

        film.respond = sets
        with playing(engine, film.url, None):
            assert {request.headers.get("cookie") for request in film.requests[1:]} == {"ticket=1"}
        before = len(film.requests)
        with playing(engine, film.url + "?another", None):
            assert all("cookie" not in request.headers for request in film.requests[before:])


def test_a_host_name_may_be_in_any_script(engine):
    with origin.origin(clip(FILM)) as film, engine.session(film.url.replace("127.0.0.1", "müller.localhost")) as session:
        assert session.master().variants
        assert {request.headers["host"].split(":")[0] for request in film.requests} == {"xn--mller-kva.localhost"}


def request_headers(engine, connection):
    """The headers of the requests of one probe, to a server of its own: requests of earlier probes may arrive late."""
    with origin.origin(clip(FILM)) as film:
        probe(engine, film.url, connection)
        assert film.requests
        return [request.headers for request in film.requests]


def test_a_proxy_is_used_only_when_configured(engine, start_engine):
    plain = everything(engine, str(clip(FILM)), None)
    with origin.origin(clip(FILM)) as film, proxies.http_proxy() as (port, log):
        connection = options(proxy=f"http://127.0.0.1:{port}")
        assert everything(engine, film.url, connection) == plain
        assert "via" in film.requests[0].headers
        surrounded = start_engine(through=["env", f"http_proxy=http://127.0.0.1:{port}"])
        assert not any("via" in headers for headers in request_headers(surrounded, None))
        assert all("via" in headers for headers in request_headers(surrounded, options(proxy="environment")))
        configured = start_engine("--http-proxy", f"http://127.0.0.1:{port}", "--http-user-agent", "own/3")
        assert all("via" in headers and headers["user-agent"] == "own/3" for headers in request_headers(configured, None))
        assert not any("via" in headers for headers in request_headers(configured, options(proxy="none")))


def test_proxy_authentication_is_supported(engine):
    with origin.origin(clip(FILM)) as film, proxies.http_proxy("me", "secret") as (port, _):
        output = refusal(engine, film.url, options(proxy=f"http://127.0.0.1:{port}"))
        assert "407" in output or "proxy" in output, output
        assert probe(engine, film.url, options(proxy=f"http://me:secret@127.0.0.1:{port}")).streams
        assert "proxy-authorization" not in film.requests[-1].headers


@pytest.mark.parametrize("url", tiered(["http://me:sec#ret@127.0.0.1:1", "http://me:sec/ret@127.0.0.1:1", "http://me:sec-ret@127.0.0.1:99999"], lambda url: "sec#ret" in url))
def test_a_malformed_proxy_is_refused_without_its_password(start_engine, url):
    engine = start_engine()
    with origin.origin(clip(FILM)) as film:
        output = refusal(engine, film.url, options(proxy=url))
        assert "proxy" in output and "sec" not in output, output
    assert "sec#" not in engine.log.read_text() and "ret@" not in engine.log.read_text()


@pytest.mark.parametrize("scheme", tiered(["socks5", "socks5h", "socks4"], {"socks5h"}))
def test_socks_proxies_are_supported(engine, scheme):
    with origin.origin(clip(FILM)) as film, proxies.socks_proxy() as (port, log):
        assert probe(engine, film.url, options(proxy=f"{scheme}://127.0.0.1:{port}")).streams
        eventually(lambda: "pass(1)" in log.read_text(), "the proxy to say so")


def test_a_proxy_that_fails_for_a_moment_is_asked_again(engine, tmp_path):
    """The proxy fails to open a tunnel to a server with TLS; libcurl reports only that there is no tunnel."""
    authority = proxies.Authority(tmp_path)
    busy = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
    login = b"HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
    with origin.origin(clip(FILM), tls(*authority.certificate("127.0.0.1"))) as film:
        with proxies.failing_tunnel(busy, b"") as (port, left):
            assert probe(engine, film.url, options(proxy=f"http://127.0.0.1:{port}", ca_file=str(authority.file))).streams
            assert not left
        with proxies.failing_tunnel(login, login) as (port, left):
            output = refusal(engine, film.url + "?other", options(proxy=f"http://127.0.0.1:{port}", ca_file=str(authority.file)))
            assert "login (status 407)" in output and len(left) == 1, output


@pytest.mark.long
def test_an_unreachable_proxy_is_reported(engine):
    with origin.origin(clip(FILM)) as film:
        connection = options(proxy=f"http://127.0.0.1:{free_port()}", connect_timeout_us=2_000_000)
        output = refusal(engine, film.url, connection)
        assert "proxy" in output or "connect" in output, output
        assert not film.requests


def tls(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def test_certificates_are_verified_and_failures_explained(engine, tmp_path):
    authority = proxies.Authority(tmp_path)
    good, elsewhere = authority.certificate("127.0.0.1"), authority.certificate("elsewhere.test")
    trusting = options(ca_file=str(authority.file))
    with origin.origin(clip(FILM), tls(*good)) as film:
        assert "issuer" in refusal(engine, film.url)
        plain = everything(engine, str(clip(FILM)), None)
        assert everything(engine, film.url, trusting) == plain
    with origin.origin(clip(FILM), tls(*elsewhere)) as film:
        assert "another host" in refusal(engine, film.url, trusting)
    with origin.origin(clip(FILM), tls(*proxies.self_signed(tmp_path))) as film:
        assert "self-signed" in refusal(engine, film.url)
    with origin.origin(clip(FILM), tls(*authority.certificate("127.0.0.1", days=-1))) as film:
        assert "expired" in refusal(engine, film.url, trusting)


@pytest.mark.long
def test_client_certificates_are_supported(engine, tmp_path):
    authority = proxies.Authority(tmp_path)
    context = tls(*authority.certificate("127.0.0.1"))
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.file)
    certificate, key = authority.certificate("player.test")
    # An encrypted key needs its passphrase.
    locked = tmp_path / "locked.pem"
    subprocess.run(["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:open", "-out", locked], check=True,
                   stderr=subprocess.DEVNULL)
    with origin.origin(clip(FILM), context) as film:
        own = {"ca_file": str(authority.file), "client_certificate": str(certificate)}
        assert probe(engine, film.url, options(**own, client_key=str(key))).streams
        assert probe(engine, film.url + "?2", options(**own, client_key=str(locked), client_key_passphrase="open")).streams
        assert refusal(engine, film.url + "?3", options(ca_file=str(authority.file)))
        # Names of files are bytes.
        names = [os.fsencode(tmp_path) + name for name in (b"/ca\xe9.pem", b"/own\xff.pem", b"/key\xfe.pem")]
        for file, name in zip((authority.file, certificate, key), names):
            shutil.copy(file, name)
        ca, shown, private = names
        done = subprocess.run([ENGINECTL, "probe", film.url + "?5", "--ca-file", ca, "--client-certificate", shown, "--client-key", private,
                               "--socket", engine.socket], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        own["client_certificate"] = str(tmp_path / "none.pem")
        missing = refusal(engine, film.url + "?4", options(**own))
        assert "certificate" in missing or "key" in missing, missing


def test_invalid_connection_options_are_refused(engine):
    for connection, field in [
            (options(user_agent="a\r\nX: y"), "user_agent"), (options(proxy="ftp://a"), "proxy"),
            (options(ca_file="own.pem"), "ca_file"), (options(client_key="/k"), "client_certificate"),
            (options(connect_timeout_us=-1), "connect_timeout_us")]:
        assert f"http_connection.{field}" in refusal(engine, "http://127.0.0.1:9/film.mkv", connection)


def test_enginectl_passes_connection_options(engine, tmp_path):
    (tmp_path / "login").write_text("me:secret\n")
    with origin.origin(clip(FILM)) as film:
        def run(*arguments):
            return subprocess.run([ENGINECTL, *arguments, "--socket", engine.socket], capture_output=True,
                                  text=True, cwd=tmp_path)
        ended = run("probe", film.url, "--user", "@login", "--user-agent", "ctl/1", "--header", "X-Own: 1")
        assert ended.returncode == 0, ended.stderr
        assert film.requests[0].headers["authorization"] == "Basic bWU6c2VjcmV0"
        assert (film.requests[0].headers["user-agent"], film.requests[0].headers["x-own"]) == ("ctl/1", "1")
        for wrong in (["--user", "me"], ["--proxy", "x"], ["--client-key", "k"], ["--connect-timeout", "0"],
                      ["--user", "a:b", "--bearer-token", "c"]):
            assert run("probe", film.url, *wrong).returncode == 64
        assert run("probe", film.url, "--ca-file", "none.pem").returncode == 0
        secure = film.url.replace("http:", "https:")
        assert "none.pem" in run("probe", secure, "--ca-file", "none.pem").stderr


def cmcd_values(request, transport):
    """The CMCD values of a request, as a dictionary."""
    if transport == "query":
        arguments = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        text = arguments.get("CMCD", [""])[0]
    else:
        names = ("cmcd-request", "cmcd-object", "cmcd-status", "cmcd-session")
        text = ",".join(request.headers[name] for name in names if name in request.headers)
    return dict((part.split("=", 1) + [""])[:2] for part in text.split(",")) if text else {}


@pytest.mark.parametrize("transport", tiered(["header", "query"], {"header"}))
def test_cmcd_is_sent_if_a_load_requests_it(fresh_engine, tmp_path, transport):
    """Common Media Client Data, with values from the session's state."""
    path = tmp_path / "long.mkv"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-stream_loop", "20", "-i", clip(FILM), "-map", "0", "-c", "copy", path], check=True)
    with origin.origin(path) as film:
        with playing(fresh_engine, f"{film.url}?quiet", None) as session:
            digest(list(session.master().everything())[-1])
            assert not any(cmcd_values(request, "header") or cmcd_values(request, "query") for request in film.requests)
        arguments = ["--cmcd", transport, "--cmcd-version", "2", "--cmcd-content", "film-1"]
        count = len(film.requests)
        loaded = subprocess.run(
            [ENGINECTL, "--socket", fresh_engine.socket, "load", f"{film.url}?sig=1", *arguments, "--json"],
            check=True, capture_output=True, text=True)
        session = json.loads(loaded.stdout)["session"]
        stub = fresh_engine.stub
        first = cmcd_values(film.requests[count], transport)
        assert first["sid"] and first["cid"] == '"film-1"' and first["v"] == "2" and first["sta"] == "s" and "su" in first
        assert "sig=1" in film.requests[count].path
        request = engine_pb2.SessionRequest(session_id=session)
        stub.Play(request, timeout=PATIENCE)
        eventually(
            lambda: fresh_engine.state(session).phase == state_pb2.PHASE_PLAYING, "playback")
        stub.ClearSourceCache(engine_pb2.ClearSourceCacheRequest(), timeout=PATIENCE)
        state = fresh_engine.state(session)
        before = len(film.requests)
        url = state.url
        names = list(hls.Master(url).everything())
        digest(names[len(names) // 3])
        playing_now = [cmcd_values(request, transport) for request in film.requests[before:]]
        assert playing_now and all(each["sid"] == first["sid"] for each in playing_now)
        assert any(each["sta"] == "p" and "su" not in each for each in playing_now), playing_now
        assert all(each["st"] == "v" for each in playing_now)
        # The last request is for media, when the bit rate of the source is known.
        assert int(playing_now[-1]["br"].strip("()")) > 0
        numbers = [int(cmcd_values(request, transport)["sn"]) for request in film.requests[count:]]
        assert len(set(numbers)) == len(numbers)
        stub.Stop(request, timeout=PATIENCE)


def test_cmcd_tells_what_each_resource_of_a_presentation_is(fresh_engine, tmp_path):
    """Object types (`ot`) and durations (`d`) of CTA-5004."""
    encrypt(tmp_path)
    target = tmp_path / "groups"
    target.mkdir()
    subprocess.run(
        ["ffmpeg", "-v", "error", "-i", clip(FILM), "-map", "0:v:0", "-map", "0:a:0", "-c:v", "copy", "-c:a", "aac",
         "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "init-%v.mp4",
         "-hls_segment_filename", "%v-%03d.m4s", "-master_pl_name", "film.m3u8", "-var_stream_map",
         "v:0,agroup:a a:0,agroup:a,default:yes", "%v.m3u8"], check=True, cwd=target)
    pages = {f"/{each.relative_to(tmp_path)}": (200, {}, each.read_bytes()) for each in tmp_path.rglob("*.*") if each.is_file()}
    with serving(pages) as server:
        for name in ("groups", "keys"):
            cmcd = http_pb2.CmcdOptions(transport=http_pb2.CMCD_TRANSPORT_HEADER)
            with playing(fresh_engine, f"{server.url}/{name}/film.m3u8", options(cmcd=cmcd)) as session:
                for each in session.master().everything():
                    digest(each)
        found = {}
        for path, fields in server.seen:
            values = cmcd_values(types.SimpleNamespace(headers=fields), "header")
            assert values["sf"] == "h", path
            name = re.sub(r"-[0-9]{3}|[0-9]{3}", "", path)
            found.setdefault(name, set()).add((values["ot"], "d" in values))
    assert found == {
        "/groups/film.m3u8": {("m", False)}, "/groups/0.m3u8": {("m", False)}, "/groups/1.m3u8": {("m", False)},
        "/groups/init-0.mp4": {("i", False)}, "/groups/init-1.mp4": {("i", False)},
        "/groups/0.m4s": {("v", True)}, "/groups/1.m4s": {("a", True)},
        "/keys/film.m3u8": {("m", False)}, "/keys/key.bin": {("k", False)}, "/keys/.ts": {("av", True)},
    }


def test_cmcd_options_are_validated(engine):
    for field, value in (("content_id", "x" * 65), ("session_id", "a\nb")):
        cmcd = http_pb2.CmcdOptions(**{field: value})
        text = refusal(engine, "http://127.0.0.1:1/film.mkv", options(cmcd=cmcd))
        assert f"http_connection.cmcd.{field}" in text
    assert "cmcd.version" in refusal(engine, "http://127.0.0.1:1/a", options(cmcd=http_pb2.CmcdOptions(version=3)))

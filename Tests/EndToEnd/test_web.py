# SPDX-License-Identifier: Apache-2.0
"""Control over HTTP does what the socket does, and refuses everyone without a token of this engine."""

import http.client
import json
import os
import re
import socket
import subprocess
import urllib.parse

import pytest
from harness.contract import engine_pb2, web_pb2
from harness.engine import PATIENCE, eventually
from harness.places import ENGINECTL, clip


class Web:
    """A client of control over HTTP, like a script that knows no gRPC."""

    def __init__(self, engine):
        self.engine = engine
        self.grant = engine.stub.OpenWebControl(web_pb2.OpenWebControlRequest(), timeout=PATIENCE)
        self.place = urllib.parse.urlsplit(self.grant.url)
        self.ticket = self.place.fragment

    def request(self, method, path, body=None, token=None, **headers):
        """Status, headers and body; `token` defaults to that of the grant, and "" sends none."""
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=PATIENCE)
        fields = {"Content-Type": "application/json"} if method == "POST" else {}
        token = self.grant.token if token is None else token
        if token:
            fields["Authorization"] = f"Bearer {token}"
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.request(method, path, body if isinstance(body, (bytes, type(None))) else json.dumps(body), fields)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def call(self, method, request=None):
        status, _, body = self.request("POST", f"/web/api/{method}", request or {})
        return status, json.loads(body)

    def follow(self, method, request=None):
        """The events of a stream, and its response, which holds the connection."""
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=PATIENCE)
        connection.request("POST", f"/web/api/{method}", json.dumps(request or {}), {
            "Content-Type": "application/json", "Authorization": f"Bearer {self.grant.token}"})
        answer = connection.getresponse()
        assert answer.status == 200 and answer.headers["content-type"] == "text/event-stream", answer.read()
        return (json.loads(line[6:]) for line in answer if line.startswith(b"data: ")), answer


@pytest.fixture
def web(engine):
    web = Web(engine)
    yield web
    engine.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)


def printed(engine, *arguments):
    command = [ENGINECTL, "--socket", engine.socket, *arguments]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout)


def without_motion(state):
    """A state without what changes by itself."""
    return {name: value for name, value in state.items() if name not in ("revision", "statistics", "production", "buffered")}


def test_off_until_it_is_opened(fresh_engine):
    port = urllib.parse.urlsplit(fresh_engine.load(clip("h264-aac.mkv")).url).port
    for path in ("/web", "/web/", "/web/app.js", "/web/api/Pause", "/web/openapi.json"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", path)
        assert connection.getresponse().status == 404, path
    web = Web(fresh_engine)
    assert web.request("GET", "/web/")[0] == 200
    assert fresh_engine.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE).revoked == 1
    assert web.request("GET", "/web/")[0] == 404
    assert web.call("ListSessions")[0] == 404


def test_answers_are_those_of_enginectl(engine, web):
    with engine.session(clip("h264-aac.mkv")) as session:
        status, state = web.call("GetState", {"session": session.id})
        assert status == 200
        assert without_motion(state) == without_motion(printed(engine, "status", "--json", "--session", session.id))
        assert [each["session"] for each in web.call("ListSessions")[1]["sessions"]] == [session.id]
        assert web.call("Probe", {"source": str(clip("h264-aac.mkv"))})[1] == printed(engine, "probe", "--json", str(clip("h264-aac.mkv")))
        status, answer = web.call("Seek", {"session": session.id, "position_us": 10**12, "after": "pause"})
        assert status == 200 and answer["clamped"] is True and answer["position"]["position_us"] == answer["duration_us"]
        assert web.call("SetVolume", {"session_id": session.id, "volume": 0.5})[1]["volume"] == 0.5
        assert engine.state(session.id).volume == 0.5
        for number in range(2):
            request = {"session": session.id, "looping": bool(number), "request_id": "same"}
            assert web.call("SetLooping", request)[1]["looping"] is False


def test_a_source_is_loaded_and_stopped(engine, web):
    status, state = web.call("Load", {"source": str(clip("h264-aac.mkv")), "options": {
        "autoplay": True, "custom_profile": {"formats": ["avc1", "mp4a.40.2"], "progressive_only": True}}})
    assert status == 200 and state["profile"] == "custom" and state["url"].startswith("http://127.0.0.1:")
    assert web.call("Stop", {"session": state["session"]})[0] == 200
    status, answer = web.call("GetState", {"session": state["session"]})
    assert status == 404 and answer["error"]["code"] == "session_not_found"


def test_events_are_the_lines_of_watch(engine, web):
    with engine.session(clip("h264-aac.mkv")) as session:
        events, answer = web.follow("Watch", {"session": session.id, "time_interval_us": -1})
        first = next(events)
        assert first["event"] == "snapshot" and first["state"]["session"] == session.id
        engine.stub.SetMuted(engine_pb2.SetMutedRequest(session_id=session.id, muted=True), timeout=PATIENCE)
        assert next(event for event in events if event["event"] == "delta" and event["state"].get("muted"))
    assert [event["event"] for event in events][-1] == "closed"
    answer.close()


def test_a_page_is_a_renderer(engine, web):
    with engine.session(clip("h264-aac.mkv")) as session:
        commands, answer = web.follow("Render", {"attach": {"session": session.id, "name": "test"}})
        attachment = next(commands)["attachment"]
        loaded = next(commands)
        assert loaded["load"]["url"] == session.url
        engine.stub.Seek(engine_pb2.SeekRequest(session_id=session.id, position_us=2_000_000), timeout=PATIENCE)
        seek = next(command for command in commands if "seek" in command)
        report = {"position_us": 2_000_000, "rate": 0, "seek_id": seek["seek"]["id"], "last_command": seek["number"]}
        assert web.call("RenderReport", {"attachment": attachment, "report": report}) == (200, {})
        eventually(lambda: engine.state(session.id).position.position_us == 2_000_000, "the report to arrive")
        assert engine.state(session.id).renderer.name == "test"
        status, refusal = web.call("RenderReport", {"attachment": attachment, "report": {"rate": "fast"}})
        assert status == 400 and refusal["error"]["field"] == "report.rate"
        answer.close()
        eventually(lambda: not engine.state(session.id).HasField("renderer"), "the renderer to be detached")
        assert web.call("RenderReport", {"attachment": attachment, "report": report})[0] == 404


def test_the_document_describes_the_calls(web):
    status, headers, body = web.request("GET", "/web/openapi.json", token="")
    document = json.loads(body)
    assert status == 200 and document["openapi"] == "3.1.0"
    seek = document["components"]["schemas"]["engine.v1.SeekRequest"]["properties"]
    assert seek["position_us"] == {"type": "integer", "format": "int64"} and "keyframe" in seek["mode"]["enum"]
    for path in ("/Load", "/Watch", "/Render", "/GetCues", "/Thumbnail"):
        assert path in document["paths"]


def test_errors_name_their_field(web):
    for method, request, field in [("Seek", {"position": 1}, "position"), ("Seek", {"mode": "now"}, "mode"),
                                   ("SetRate", {"rate": -1}, "rate"), ("Load", {"options": {"segment_target_us": 1}}, None)]:
        status, answer = web.call(method, request)
        assert status in (400, 404) and answer["error"]["code"], method
        if field and answer["error"]["code"] == "invalid_argument":
            assert answer["error"]["field"] == field
    for body in (b"", b"{", b"[]", b"\xff", b"{}{}", b'{"a":1,"a":2}', b"[" * 60000):
        status, _, answer = web.request("POST", "/web/api/Seek", body)
        assert status == 400 and json.loads(answer)["error"]["code"] == "invalid_argument", body[:10]
    for method in ("OpenWebControl", "CloseWebControl", "AttachFrames", "RegisterSource", "SetSoundOutput", "StartRecording", "Nothing",
                   "../Seek"):
        assert web.call(method)[0] == 404, method


def test_who_may_not(engine, web):
    """Pages of other origins, rebound names, forms, and requests without a token; each is refused before its body is read."""
    own = f"http://{web.place.netloc}"
    page = {"Origin": own, "Sec_Fetch_Site": "same-origin"}
    assert web.request("POST", "/web/api/ListSessions", {}, **page)[0] == 200
    for status, headers in [
        (403, {"Host": f"evil.example:{web.place.port}"}), (403, {"Host": "127.0.0.1"}),
        (403, {"Origin": "http://evil.example"}), (403, {"Origin": "null"}), (403, {"Origin": own + "1"}),
        (403, {"Origin": own, "Sec_Fetch_Site": "cross-site"}), (403, {"Sec_Fetch_Site": "same-site"}),
        (415, {"Content_Type": "text/plain"}), (415, {"Content_Type": "application/json; charset=utf-8"}),
        (415, {"Content_Type": "application/x-www-form-urlencoded"}),
    ]:
        answer = web.request("POST", "/web/api/ListSessions", {}, **headers)
        assert answer[0] == status, headers
        assert "access-control-allow-origin" not in answer[1]
    for token in ("", "0" * 40, web.grant.token[:-1], web.grant.token + "0", web.ticket):
        assert web.request("POST", "/web/api/ListSessions", {}, token=token)[0] == 401, token
    assert web.request("OPTIONS", "/web/api/ListSessions", Origin="http://evil.example")[0] == 403
    assert web.request("GET", "/web/api/ListSessions")[0] == 405
    media = engine.load(clip("h264-aac.mkv"))
    assert web.request("POST", "/web/api/ListSessions", {}, token=media.url.split("/")[3])[0] == 401
    media.stop()


def test_a_ticket_is_good_once(web):
    exchange = lambda ticket: web.request("POST", "/web/ticket", {"ticket": ticket}, token="")  # noqa: E731
    assert exchange("0" * 40)[0] == 401
    status, _, body = exchange(web.ticket)
    assert status == 200 and json.loads(body)["token"] == web.grant.token
    assert exchange(web.ticket)[0] == 401
    assert web.request("POST", "/web/ticket", {"ticket": web.ticket}, token="", Origin="http://evil.example")[0] == 403


def test_the_page_without_its_slash(web):
    status, headers, _ = web.request("GET", "/web", token="")
    assert status == 308 and headers["location"] == "/web/" and headers["cache-control"] == "no-store"
    assert headers["content-security-policy"].startswith("default-src 'none';")
    for expected, fields in [(403, {"Host": f"evil.example:{web.place.port}"}), (403, {"Origin": "http://evil.example"}),
                             (403, {"Sec_Fetch_Site": "cross-site"})]:
        assert web.request("GET", "/web", token="", **fields)[0] == expected, fields
    assert web.request("POST", "/web", {})[0] == 405


def test_pages_are_protected(web):
    status, headers, body = web.request("GET", "/web/", token="")
    assert status == 200 and headers["content-type"].startswith("text/html")
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none';") and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers
    assert b"onclick" not in body and b"style=" not in body


def test_the_page_is_complete_and_small(web):
    """Every file that the page names is there, with its type; all of them together have less than 60,000 bytes."""
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    size, waiting, known = 0, [""], {""}
    while waiting:
        name = waiting.pop()
        status, headers, body = web.request("GET", f"/web/{name}", token="")
        assert status == 200 and headers["content-type"].startswith(types.get(name.split(".")[-1], "text/html")), name
        size += len(body)
        for found in re.findall(r"""(?:from ?'\./|src="|href=")([^'"]+)""", body.decode()):
            if found not in known:
                known.add(found)
                waiting.append(found)
    assert len(known) > 10 and size < 60_000, size
    assert web.request("GET", "/web/nothing.js", token="")[0] == 404


def test_large_and_slow_bodies(engine, web):
    status, _, _ = web.request("POST", "/web/api/Seek", b"{" + b" " * 70_000)
    assert status == 413
    with socket.create_connection((web.place.hostname, web.place.port), timeout=PATIENCE) as connection:
        head = (f"POST /web/api/Seek HTTP/1.1\r\nHost: {web.place.netloc}\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {web.grant.token}\r\nContent-Length: 10000000\r\n\r\n")
        connection.sendall(head.encode())
        assert connection.recv(64).startswith(b"HTTP/1.1 413")
    with socket.create_connection((web.place.hostname, web.place.port), timeout=PATIENCE) as connection:
        connection.sendall(head.replace("10000000", "2").replace("/Seek", "/ListSessions").encode() + b"{")
        connection.sendall(b"}")
        assert connection.recv(64).startswith(b"HTTP/1.1 200")
    with socket.create_connection((web.place.hostname, web.place.port), timeout=PATIENCE) as connection:
        connection.sendall(head.replace("Content-Length: 10000000", "Transfer-Encoding: chunked").encode() + b"0\r\n\r\n")
        assert connection.recv(64).startswith(b"HTTP/1.1 411")
    before = engine.own_bytes()
    for _ in range(20):
        assert web.request("POST", "/web/api/Seek", b" " * 60_000)[0] == 400
    assert engine.own_bytes() < before + 16 * 2**20


@pytest.mark.long
def test_a_thousand_event_streams(engine, web):
    """Only a few may be open at a time; the others are refused, and no stream is left over."""
    with engine.session(clip("h264-aac.mkv")) as session:
        head = (f"POST /web/api/Watch HTTP/1.1\r\nHost: {web.place.netloc}\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {web.grant.token}\r\nContent-Length: 2\r\n\r\n{{}}").encode()
        # The engine starts its event loops, which have descriptors, with their first connections.
        for _ in range(8):
            assert web.request("POST", "/web/api/GetState", {})[0] == 200
        before, opened, told = engine.descriptors(), [], 0
        for _ in range(1000):
            connection = socket.create_connection((web.place.hostname, web.place.port), timeout=PATIENCE)
            connection.sendall(head)
            answer = connection.recv(12)
            if answer == b"HTTP/1.1 200":
                opened.append(connection)
            else:
                assert answer == b"HTTP/1.1 429"
                told += 1
                connection.close()
        assert len(opened) == 32 and told == 968
        assert engine.state(session.id).session_id == session.id
        for connection in opened:
            connection.close()
        # A place is free again as soon as the engine has noticed.
        eventually(lambda: web.request("POST", "/web/api/GetState", {})[0] == 200, "the engine to answer")
        eventually(lambda: engine.descriptors() <= before + 4, "the connections to be closed")
        events, answer = web.follow("Watch")
        assert next(events)["event"] == "snapshot"
        answer.close()


def test_revoked_tokens_end_what_they_opened(engine, web):
    with engine.session(clip("h264-aac.mkv")):
        events, _ = web.follow("Watch")
        assert next(events)["event"] == "snapshot"
        other = Web(engine)
        assert printed(engine, "web", "--revoke", "--json") == {"revoked": 2}
        assert not [event for event in events if "event" in event and event["event"] == "snapshot"]
        fresh = Web(engine)
        for token in (web.grant.token, other.grant.token):
            assert fresh.request("POST", "/web/api/ListSessions", {}, token=token)[0] == 401
        assert fresh.call("ListSessions")[0] == 200


def test_tokens_survive_the_process_and_the_others_do_not(start_engine, tmp_path):
    first = start_engine(state_home=tmp_path)
    session = first.load(clip("h264-aac.mkv"))
    web = Web(first)
    assert web.call("ListSessions")[0] == 200
    kept = tmp_path / "engined" / "web-tokens.json"
    assert kept.stat().st_mode & 0o777 == 0o600 and web.ticket not in kept.read_text()
    first.kill()
    second = start_engine(state_home=tmp_path, directory=first.directory)
    # The socket accepts connections before HTTP is served; an answer comes after that.
    assert second.state(session.id).session_id == session.id
    status, answer = web.call("ListSessions")
    assert status == 200 and [state["session"] for state in answer["sessions"]] == [session.id]
    second.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)
    assert not kept.exists()


def test_enginectl_web_prints_a_url(engine):
    film = str(clip("h264-aac.mkv"))
    command = [ENGINECTL, "--socket", engine.socket, "web", film]
    url = subprocess.run(command, capture_output=True, check=True, text=True, timeout=PATIENCE).stdout.strip()
    assert urllib.parse.urlsplit(url).path == "/web/" and len(urllib.parse.urlsplit(url).fragment) == 40
    state = engine.state()
    assert state.source == film
    engine.stub.Stop(engine_pb2.SessionRequest(session_id=state.session_id), timeout=PATIENCE)
    grant = printed(engine, "web", "--json", "--lifetime", "60")
    assert set(grant) == {"url", "api_url", "token", "expires_unix_us"}
    assert printed(engine, "web", "--revoke", "--json")["revoked"] == 2


def test_a_browser_is_opened_through_a_private_file(engine, tmp_path):
    """The arguments of a process are visible to every user, so xdg-open gets a file that only this user can read."""
    for name in ("bin", "run"):
        (tmp_path / name).mkdir(mode=0o700)
    opener = tmp_path / "bin" / "xdg-open"
    opener.write_text(f'#!/bin/sh\nstat -c %a "$1" > {tmp_path}/mode\ncp "$1" {tmp_path}/page\necho "$@" > {tmp_path}/words\n')
    opener.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    old = tmp_path / "run" / "enginectl-web-old.html"
    old.write_text("a page whose ticket has expired")
    os.utime(old, (0, 0))
    command = [ENGINECTL, "--socket", engine.socket, "web", "--browser"]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=PATIENCE, env=environment)
    words = eventually(lambda: (tmp_path / "words").exists() and (tmp_path / "words").read_text(), "xdg-open to be started").split()
    ticket = urllib.parse.urlsplit(done.stdout.strip()).fragment
    assert len(words) == 1 and words[0].startswith(f"{tmp_path}/run/") and ticket not in words[0]
    assert (tmp_path / "mode").read_text().strip() == "600" and f"url={done.stdout.strip()}" in (tmp_path / "page").read_text()
    assert [str(each) for each in (tmp_path / "run").iterdir()] == words, "old pages are removed"
    # Without a terminal, nothing is opened unless it is requested.
    (tmp_path / "words").unlink()
    subprocess.run(command[:-1], capture_output=True, check=True, timeout=PATIENCE, env=environment | {"DISPLAY": ":9"})
    assert len(list((tmp_path / "run").iterdir())) == 1 and not (tmp_path / "words").exists()
    engine.stub.CloseWebControl(web_pb2.CloseWebControlRequest(), timeout=PATIENCE)

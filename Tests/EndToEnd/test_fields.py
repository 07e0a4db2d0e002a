# SPDX-License-Identifier: Apache-2.0
"""Invalid values in every field of every request: a typed status names the field, and nothing is left behind."""

import random
import threading

import grpc
import pytest
from google.protobuf import descriptor
from harness.contract import engine_pb2, http_pb2, state_pb2, subtitles_pb2
from harness.engine import PATIENCE, eventually
from harness.places import clip
from harness.tiers import tiered

INVALID, NOT_FOUND = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND
UNARY = {
    "Load": engine_pb2.LoadRequest, "Play": engine_pb2.SessionRequest, "Pause": engine_pb2.SessionRequest,
    "Seek": engine_pb2.SeekRequest, "SetRate": engine_pb2.SetRateRequest, "SetVolume": engine_pb2.SetVolumeRequest,
    "SetMuted": engine_pb2.SetMutedRequest, "SetLooping": engine_pb2.SetLoopingRequest,
    "SkipChapter": engine_pb2.SkipChapterRequest, "SelectAudio": engine_pb2.SelectAudioRequest,
    "SelectSubtitles": engine_pb2.SelectSubtitlesRequest,
    "Stop": engine_pb2.SessionRequest, "GetState": engine_pb2.SessionRequest,
    "ListSessions": engine_pb2.ListSessionsRequest, "Probe": engine_pb2.ProbeRequest,
}
COMMANDS = [name for name in UNARY if name not in ("Load", "ListSessions", "Probe")]
NAN, INF, HUGE = float("nan"), float("inf"), 2**63 - 1


def call(engine, method, request):
    return getattr(engine.stub, method)(request, timeout=PATIENCE)


def refused(engine, method, request):
    """The status and the name of the invalid field."""
    with pytest.raises(grpc.RpcError) as caught:
        answer = call(engine, method, request)
        if method in ("Watch", "GetCues", "GetScript", "GetAttachment"):
            next(answer)
    trailers = dict(caught.value.trailing_metadata())
    field = trailers.get("engine-error-field", "")
    assert not field or field in caught.value.details()
    return caught.value.code(), field


def load(**options):
    return engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")), options=engine_pb2.LoadOptions(**options))


def timeout(phase, microseconds):
    return load(timeouts=[engine_pb2.PhaseTimeout(phase=phase, timeout_us=microseconds)])


def headers(*pairs):
    return engine_pb2.LoadRequest(source=str(clip("h264-aac.mkv")),
                                  http_headers=[http_pb2.HttpHeader(name=name, value=value) for name, value in pairs])


def tracks(*ids):
    return engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=ids))


PROFILE = engine_pb2.PlayerProfile(formats=["avc1"])
REFUSED = [
    ("Load", lambda: engine_pb2.LoadRequest(), "source"),
    ("Load", lambda: engine_pb2.LoadRequest(source="film.mkv"), "source"),
    ("Load", lambda: engine_pb2.LoadRequest(source="gopher://example.org/film.mkv"), "source"),
    ("Load", lambda: engine_pb2.LoadRequest(source="/" + "a" * 5000), "source"),
    ("Load", lambda: engine_pb2.LoadRequest(source="/a\0b"), "source"),
    ("Load", lambda: engine_pb2.LoadRequest(source="/a", start_position_us=-1), "start_position_us"),
    ("Load", lambda: engine_pb2.LoadRequest(source="/a", request_id="x" * 129), "request_id"),
    ("Load", lambda: headers(("a b", "v")), "http_headers.name"),
    ("Load", lambda: headers(("a", "v\r\nb: c")), "http_headers.value"),
    ("Load", lambda: headers(*[("a", "v")] * 65), "http_headers"),
    ("Load", lambda: load(segment_target_us=-1), "options.segment_target_us"),
    ("Load", lambda: load(segment_target_us=1), "options.segment_target_us"),
    ("Load", lambda: load(segment_target_us=HUGE), "options.segment_target_us"),
    ("Load", lambda: load(profile="toaster"), "options.profile"),
    ("Load", lambda: load(profile="apple", custom_profile=PROFILE), "options.profile"),
    ("Load", lambda: load(custom_profile=engine_pb2.PlayerProfile()), "options.custom_profile.formats"),
    ("Load", lambda: load(custom_profile=engine_pb2.PlayerProfile(formats=["xyz1"])), "options.custom_profile.formats"),
    ("Load", lambda: load(bridge_mode=99), "options.bridge_mode"),
    ("Load", lambda: load(video_bridge_codec="hevc"), "options.video_bridge_codec"),
    ("Load", lambda: load(video_bridge_lines=47), "options.video_bridge_lines"),
    ("Load", lambda: load(custom_profile=engine_pb2.PlayerProfile(formats=["avc1"], video_bridges=["hevc"])),
     "options.custom_profile.video_bridges"),
    ("Load", lambda: load(audio=engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=["de"] * 101))),
     "options.audio.languages"),
    ("SelectAudio", lambda: engine_pb2.SelectAudioRequest(
        audio=engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=["de"] * 101))), "audio.languages"),
    ("Load", lambda: load(custom_profile=engine_pb2.PlayerProfile(formats=["a\0b"])), "options.custom_profile.formats"),
    ("Load", lambda: headers(("a", "b\0c")), "http_headers.value"),
    ("Load", lambda: load(variants=engine_pb2.VariantSelection(name="a" * 257)), "options.variants.name"),
    ("Load", lambda: load(variants=engine_pb2.VariantSelection(max_bandwidth=-1)), "options.variants.max_bandwidth"),
    ("Probe", lambda: engine_pb2.ProbeRequest(source="/a", options=engine_pb2.LoadOptions(profile="toaster")),
     "options.profile"),
    ("Load", lambda: timeout(state_pb2.PHASE_PLAYING, 1), "options.timeouts.phase"),
    ("Load", lambda: timeout(77, 1), "options.timeouts.phase"),
    ("Load", lambda: timeout(state_pb2.PHASE_READY, -1), "options.timeouts.timeout_us"),
    ("Load", lambda: timeout(state_pb2.PHASE_READY, HUGE), "options.timeouts.timeout_us"),
    *[("Load", lambda low=low, high=high: load(rate_range=state_pb2.RateRange(min=low, max=high)), "options.rate_range")
      for low, high in ((NAN, 2), (0, NAN), (2, 1), (-1, 2), (0, INF), (0, 17), (1.5, 2), (0, 0.5))],
    ("Seek", lambda: engine_pb2.SeekRequest(mode=9), "mode"),
    ("Seek", lambda: engine_pb2.SeekRequest(after=9), "after"),
    ("Seek", lambda: engine_pb2.SeekRequest(place=9), "place"),
    ("Seek", lambda: engine_pb2.SeekRequest(place=engine_pb2.SEEK_PLACE_END, position_us=1), "place"),
    ("Seek", lambda: engine_pb2.SeekRequest(place=engine_pb2.SEEK_PLACE_END, relative=True), "place"),
    ("SetRate", lambda: engine_pb2.SetRateRequest(rate=NAN), "rate"),
    ("SetVolume", lambda: engine_pb2.SetVolumeRequest(volume=NAN), "volume"),
    ("SkipChapter", lambda: engine_pb2.SkipChapterRequest(), "step"),
    ("SkipChapter", lambda: engine_pb2.SkipChapterRequest(step=9), "step"),
    ("Probe", lambda: engine_pb2.ProbeRequest(), "source"),
    ("Load", lambda: load(subtitles=tracks(*range(9))), "options.subtitles.tracks"),
    ("Load", lambda: load(subtitles=engine_pb2.SubtitleSelection(languages=engine_pb2.LanguageList(languages=["de"] * 101))),
     "options.subtitles.languages"),
    ("SelectSubtitles", lambda: engine_pb2.SelectSubtitlesRequest(subtitles=tracks(*range(9))), "subtitles.tracks"),
    ("GetCues", lambda: subtitles_pb2.GetCuesRequest(source=""), "source"),
    ("GetCues", lambda: subtitles_pb2.GetCuesRequest(source="film.mkv"), "source"),
    ("GetCues", lambda: subtitles_pb2.GetCuesRequest(range=subtitles_pb2.CueRange(start_us=2, end_us=1)), "range.end_us"),
    ("GetScript", lambda: subtitles_pb2.GetScriptRequest(source="/a\0b"), "source"),
    ("GetAttachment", lambda: subtitles_pb2.GetAttachmentRequest(source="gopher://a/b"), "source"),
    ("Watch", lambda: engine_pb2.WatchRequest(cue_lead_us=-1), "cue_lead_us"),
    ("Watch", lambda: engine_pb2.WatchRequest(time_interval_us=-2), "time_interval_us"),
    ("Watch", lambda: engine_pb2.WatchRequest(batch_interval_us=-1), "batch_interval_us"),
    ("Watch", lambda: engine_pb2.WatchRequest(fields=[99]), "fields"),
    ("Watch", lambda: engine_pb2.WatchRequest(session_id="1", all_sessions=True), "session_id"),
]


@pytest.mark.parametrize("method, request_of, field", REFUSED)
def test_invalid_values_are_refused_by_field_name(engine, method, request_of, field):
    with engine.session(clip("h264-aac.mkv")) as session:
        assert refused(engine, method, request_of()) == (INVALID, field)
        assert engine.state(session.id).phase == state_pb2.PHASE_READY
        assert len(engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions) == 1


def test_an_empty_segment_is_refused(engine):
    with pytest.raises(grpc.RpcError) as caught:
        engine.stub.InspectSegment(iter([]), timeout=PATIENCE)
    assert caught.value.code() == INVALID
    assert ("engine-error-field", "data") in [tuple(each) for each in caught.value.trailing_metadata()]


@pytest.mark.parametrize("method", COMMANDS)
def test_every_command_checks_its_session_and_revision(engine, method):
    request = UNARY[method]
    extra = dict(step=engine_pb2.CHAPTER_STEP_NEXT) if method == "SkipChapter" else {}
    assert refused(engine, method, request(**extra))[0] == NOT_FOUND, "no session at all"
    with engine.session(clip("h264-aac.mkv")) as session:
        assert refused(engine, method, request(session_id="nobody", **extra))[0] == NOT_FOUND
        assert refused(engine, method, request(session_id=session.id, if_revision=2**64 - 1, **extra))[0] == (
            grpc.StatusCode.ABORTED)
        assert refused(engine, method, request(session_id=session.id, request_id="x" * 129, **extra)) == (
            INVALID, "request_id")
        gone = session.id
    assert refused(engine, method, request(session_id=gone, **extra))[0] == NOT_FOUND, "after stop"


@pytest.mark.parametrize("method, fields, position", [
    ("Seek", dict(position_us=HUGE), "end"), ("Seek", dict(position_us=-HUGE - 1), 0),
    ("Seek", dict(position_us=HUGE, relative=True), "end"), ("Seek", dict(position_us=-HUGE - 1, relative=True), 0),
    ("Seek", dict(position_us=HUGE, mode=engine_pb2.SEEK_MODE_KEYFRAME), None),
])
def test_seeks_out_of_range_are_clamped_and_reported(engine, method, fields, position):
    with engine.session(clip("h264-aac.mkv")) as session:
        answer = call(engine, method, UNARY[method](**fields))
        assert answer.clamped
        if position is not None:
            assert answer.state.position.position_us == (session.state.duration_us if position == "end" else position)


@pytest.mark.parametrize("languages", [[], [""], ["", ""]])
def test_empty_languages_change_nothing(engine, languages):
    wanted = engine_pb2.AudioSelection(languages=engine_pb2.LanguageList(languages=languages))
    with engine.session(clip("languages.mkv")) as session:
        before = session.state.selected_audio.stream_index
        answer = call(engine, "SelectAudio", engine_pb2.SelectAudioRequest(audio=wanted))
        assert answer.state.selected_audio.stream_index == before
    eventually(lambda: f"session {session.id} ended" in engine.log.read_text(), "the log to be written")
    assert f"session {session.id}: no audio track matches" not in engine.log.read_text()


@pytest.mark.parametrize("start, end", [(-1, 5), (-HUGE - 1, -HUGE), (5, 4), (0, -1)])
def test_invalid_buffered_ranges_of_a_renderer_are_refused(engine, start, end):
    with engine.session(clip("h264-aac.mkv")) as session:
        attach = engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer(session_id=session.id, name="screen"))
        report = engine_pb2.RenderRequest(report=engine_pb2.RendererReport(
            buffered=[state_pb2.TimeRange(start_us=start, end_us=end)]))
        with pytest.raises(grpc.RpcError) as caught:
            for _ in engine.stub.Render(iter([attach, report]), timeout=PATIENCE):
                pass
        assert caught.value.code() == INVALID and "report.buffered" in caught.value.details()
        assert not engine.state(session.id).buffered or engine.state(session.id).buffered[0].start_us >= 0


@pytest.mark.parametrize("rate", [INF, -INF, 1e308, -1e-308, 5e-324])
def test_extreme_rates_and_volumes_are_clamped(engine, rate):
    with engine.session(clip("h264-aac.mkv"), autoplay=True) as session:
        assert 0 <= call(engine, "SetRate", engine_pb2.SetRateRequest(rate=rate)).state.position.requested_rate <= 2
        assert 0 <= call(engine, "SetVolume", engine_pb2.SetVolumeRequest(volume=rate)).state.volume <= 1
        assert engine.state(session.id).phase != state_pb2.PHASE_ERROR


def value(field, generator):
    """An unusual value that a field of this type can hold on the wire."""
    kinds = descriptor.FieldDescriptor
    if field.type == kinds.TYPE_STRING:
        return generator.choice(["", "1", "2", "x" * 200, "/", str(clip("h264-aac.mkv")), "ü\n\r\t", "a" * 70_000])
    if field.type == kinds.TYPE_BOOL:
        return generator.random() < 0.5
    if field.type == kinds.TYPE_DOUBLE:
        return generator.choice([NAN, INF, -INF, 0.0, -0.0, 1.0, 1e308, 5e-324, -1.0])
    if field.type == kinds.TYPE_ENUM:
        return generator.choice([0, 1, 2, 3, 17, 2**31 - 1, -1])
    if field.type == kinds.TYPE_BYTES:
        return generator.randbytes(generator.randrange(40))
    signed = field.type in (kinds.TYPE_INT32, kinds.TYPE_INT64)
    bits = 31 if field.type == kinds.TYPE_INT32 else 32 if field.type == kinds.TYPE_UINT32 else 63 if signed else 64
    return generator.choice([0, 1, 500_000, 2**bits - 1] + ([-1, -2**bits] if signed else []))


def fill(message, generator, depth=0):
    for field in message.DESCRIPTOR.fields:
        if generator.random() < 0.5 or depth > 3:
            continue
        is_message = field.type == descriptor.FieldDescriptor.TYPE_MESSAGE
        if field.is_repeated:
            for _ in range(generator.choice([1, 2, 70])):
                if is_message:
                    fill(getattr(message, field.name).add(), generator, depth + 1)
                else:
                    getattr(message, field.name).append(value(field, generator))
        elif is_message:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), generator, depth + 1)
        else:
            setattr(message, field.name, value(field, generator))
    return message


KNOWN = {grpc.StatusCode.OK, INVALID, NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED,
         grpc.StatusCode.CANCELLED, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.RESOURCE_EXHAUSTED}


@pytest.mark.parametrize("rounds", tiered([20, 60], {20}))
def test_random_values_in_every_field_only_give_errors(start_engine, rounds):
    engine = start_engine()
    engine.load(clip("h264-aac.mkv"))
    threads, descriptors = engine.threads(), engine.descriptors()
    generator = random.Random(4)
    seen = set()
    for _ in range(rounds):
        for method, request in UNARY.items():
            try:
                call(engine, method, fill(request(), generator))
                seen.add(grpc.StatusCode.OK)
            except grpc.RpcError as error:
                seen.add(error.code())
                assert error.code() in KNOWN, (method, error.details())
        for stream, messages in (("Watch", engine_pb2.WatchRequest), ("Render", engine_pb2.RenderRequest)):
            requests = [fill(messages(), generator) for _ in range(3)]
            # A valid watch waits for a session.
            answer = (engine.stub.Watch(requests[0], timeout=0.1) if stream == "Watch"
                      else engine.stub.Render(iter(requests), timeout=PATIENCE))
            try:
                next(answer)
            except (grpc.RpcError, StopIteration) as error:
                code = error.code() if isinstance(error, grpc.RpcError) else grpc.StatusCode.OK
                seen.add(code)
                assert code in KNOWN or (stream, code) == ("Watch", grpc.StatusCode.DEADLINE_EXCEEDED), (stream, error)
            answer.cancel()
    assert {grpc.StatusCode.OK, INVALID, NOT_FOUND} <= seen
    # Every session can still be stopped, and then nothing is left.
    for state in engine.stub.ListSessions(engine_pb2.ListSessionsRequest()).sessions:
        call(engine, "Stop", engine_pb2.SessionRequest(session_id=state.session_id))
    with engine.session(clip("h264-aac.mkv")):
        eventually(lambda: engine.threads() <= threads + 4 and engine.descriptors() <= descriptors + 4,
                   "nothing to be left")


def test_the_number_of_streaming_calls_per_client_is_limited(start_engine):
    engine = start_engine()
    with engine.session(clip("h264-aac.mkv")) as session:
        renders = []
        attach = engine_pb2.RenderRequest(attach=engine_pb2.AttachRenderer(
            session_id=session.id, name="x", replace=True))
        over = threading.Event()

        def requests():
            yield attach
            over.wait(PATIENCE)
        watches = [engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id)) for _ in range(112)]
        for watch in watches:
            next(watch)
        with pytest.raises(grpc.RpcError) as caught:
            next(engine.stub.Watch(engine_pb2.WatchRequest(session_id=session.id)))
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED and "112" in caught.value.details()
        # Other calls of the client, and other clients, are still served.
        assert engine.stub.GetState(engine_pb2.SessionRequest()).session_id == session.id
        for watch in watches:
            watch.cancel()
        renders.append(engine.stub.Render(requests()))
        assert next(renders[0]).WhichOneof("command") == "load"
        over.set()

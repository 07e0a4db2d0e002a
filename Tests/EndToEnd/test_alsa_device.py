# SPDX-License-Identifier: Apache-2.0
"""A device of ALSA hears the film, its clock leads, and playback outlives it; without hardware."""

import array
import signal
import subprocess
import time

import grpc
import pytest
from harness.alsa import Devices
from harness.contract import engine_pb2, software_pb2, state_pb2
from harness.engine import PATIENCE, eventually
from harness.places import clip
from harness.sound import goertzel, tones
from test_control import Watcher
from test_sound_device import ask, hear, now, reaches, stands

RATE = 48000


@pytest.fixture
def devices(tmp_path, monkeypatch):
    devices = Devices(tmp_path)
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(devices.configuration))
    # Nobody answers there.
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nobody")
    return devices


def written(path, samples, *options):
    """A WAVE file of 32-bit floats, both channels alike."""
    raw = array.array("f", [sample for sample in samples for _ in range(2)]).tobytes()
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "f32le", "-ar", str(RATE), "-ac", "2", "-i", "-", "-c:a", "pcm_f32le",
                    *options, path], input=raw, check=True, timeout=PATIENCE)
    return path, raw


@pytest.fixture
def ramp(tmp_path):
    """Five seconds in which every sample is its number, counted from 1, of 2^19."""
    return written(tmp_path / "ramp.wav", [number / 2**19 for number in range(1, 5 * RATE + 1)])


def numbers(devices, name):
    """Of the samples that were heard, without silence."""
    return [round(value * 2**19) for value in devices.channel(name, 0, 2) if value]


def pieces(heard):
    """Samples that follow each other: the first and the last of each run."""
    found = []
    for number in heard:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [tuple(each) for each in found]


def is_silent(data):
    return not any(data)


@pytest.mark.parametrize("chosen", ["card", "pausing", "void", "as the default", "by the settings", "the default by the settings"])
def test_every_sample_is_heard_once(devices, start_engine, ramp, chosen):
    path, expected = ramp
    options = {"by the settings": ["--sound-device", "alsa:pausing"], "the default by the settings": ["--sound-device", "default"]}
    device = {"by the settings": "pausing", "void": "unknown", "pausing": "pausing"}.get(chosen, "card")
    engine = start_engine(*options.get(chosen, []))
    with engine.session(path) as session:
        if chosen in options:
            engine.stub.SelectPath(software_pb2.SelectPathRequest(
                session_id=session.id, path=software_pb2.PLAYBACK_PATH_SOFTWARE), timeout=PATIENCE)
            eventually(lambda: devices.has_samples(device), "the device of the settings to be opened")
        else:
            hear(engine, session, "" if chosen == "as the default" else f"alsa:{device}")
        ask(engine, session, "Play")
        reaches(engine, session, state_pb2.PHASE_ENDED)
        assert abs(engine.state(session.id).position.position_us - 5_000_000) < 30
        # The last of it is written down when the device is next asked.
        heard = eventually(lambda: (data := devices.heard(device))[:len(expected)] == expected and data, "all of it to be heard", 5)
        assert heard[:len(expected)] == expected and is_silent(heard[len(expected):])
    eventually(lambda: "sound-alsa" not in engine.thread_names(), "the device to be closed")


@pytest.mark.parametrize("device", ["card", "pausing"])
def test_a_pause_loses_nothing_and_a_seek_everything_that_was_not_heard(devices, start_engine, ramp, device):
    path, _ = ramp
    engine = start_engine()
    with engine.session(path) as session:
        hear(engine, session, f"alsa:{device}")
        ask(engine, session, "Play")
        for _ in range(3):
            place = now(engine, session)
            eventually(lambda: now(engine, session) > place + 300_000, "some of it to be heard")
            ask(engine, session, "Pause")
            reaches(engine, session, state_pb2.PHASE_PAUSED)
            place, count = now(engine, session), len(numbers(devices, device))
            time.sleep(0.3)
            assert (now(engine, session), len(numbers(devices, device))) == (place, count)
            assert abs(count / RATE - place / 1e6) < 0.02, "the playhead is where the device stands"
            ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > place + 300_000, "it to go on")
        runs = pieces(numbers(devices, device))
        # A device that cannot pause may play on for a moment between the question and the order.
        assert all(abs(after[0] - before[1] - 1) < RATE / 100 for before, after in zip(runs, runs[1:])), runs
        assert len(runs) == 1 or device == "card" and len(runs) <= 4
        ask(engine, session, "Seek", position_us=4_000_000)
        reaches(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: numbers(devices, device)[-1] == 5 * RATE, "the last sample to be written down", 5)
        runs = pieces(numbers(devices, device))
        assert runs[-1] == (4 * RATE + 1, 5 * RATE), runs
        assert runs[-2][1] < 4 * RATE


@pytest.mark.parametrize("channels, source, order", [
    ("FL,FR,RL,RR,FC,LFE", "formats/flac.mkv", "FL FR BL BR FC LFE"),
    ("FL,FR,FC,LFE,SL,SR", "formats/flac.mkv", "FL FR FC LFE BL BR"),
    ("FC,LFE,FR,FL,RR,RL", "formats/flac.mkv", "FC LFE FR FL BR BL"),
    (None, "formats/flac.mkv", "FL FR BL BR FC LFE"),
    ("FL,FR,RL,RR,FC,LFE,SL,SR", "formats/opus-7.1.mkv", "FL FR BL BR FC LFE SL SR"),
    (None, "formats/opus-7.1.mkv", "FL FR BL BR FC LFE SL SR"),
    (None, "formats/pcm_quad.wav", "FL FR BL BR"),
    ("FL,FR,RC,FC,LFE,SL,SR", "six-one", "FL FR BC FC LFE SL SR"),
], ids=lambda value: str(value).replace(",", "-").replace(" ", "-").replace("/", "-"))
def test_channels_are_where_the_device_has_them(devices, start_engine, tmp_path, channels, source, order):
    order = order.split()
    layout = {4: "quad", 6: "5.1", 7: "6.1", 8: "7.1"}[len(order)]
    wanted = tones(layout)
    if source == "six-one":
        path = tmp_path / "six-one.flac"
        inputs = [word for tone in wanted.values() for word in ("-f", "lavfi", "-i", f"sine=f={tone}:r=48000:d=4")]
        merged = "".join(f"[{each}]" for each in range(7)) + (
            "join=inputs=7:channel_layout=6.1:map=" + "|".join(f"{number}.0-{each}" for number, each in enumerate(wanted)))
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *inputs, "-filter_complex", merged, path], check=True,
                       stdin=subprocess.DEVNULL, timeout=PATIENCE)
    else:
        path = clip(source)
    if channels:
        devices.add_map("mapped", channels)
    name = "mapped" if channels else "unknown"
    engine = start_engine()
    with engine.session(path) as session:
        hear(engine, session, f"alsa:{name}")
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        eventually(lambda: len(devices.heard(name)) > 2 * RATE * 4 * len(order), "two seconds of it")
        for number, place in enumerate(order):
            samples = [value * 2**31 for value in devices.channel(name, number, len(order))[RATE // 2:RATE * 3 // 2]]
            levels = {each: goertzel(samples, tone, RATE) for each, tone in wanted.items()}
            assert max(levels, key=levels.get) == place and levels[place] > 0.005, (place, levels)
            assert all(level < levels[place] / 10 for each, level in levels.items() if each != place), (place, levels)


@pytest.mark.parametrize("device, codec, rate", [("short", "s16le", 44100), ("long", "s32le", 48000)])
def test_the_device_is_given_samples_as_it_takes_them(devices, start_engine, tmp_path, device, codec, rate):
    path = tmp_path / "noise.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                    f"anoisesrc=r={rate}:d=2:a=0.5:seed=1,aformat=channel_layouts=stereo", "-c:a", "pcm_s16le", path],
                   check=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    expected = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", codec, "-"], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE).stdout
    engine = start_engine()
    with engine.session(path) as session:
        hear(engine, session, f"alsa:{device}")
        ask(engine, session, "Play")
        reaches(engine, session, state_pb2.PHASE_ENDED)
        # The last of it is written down when the device is next asked.
        heard = eventually(lambda: (data := devices.heard(device))[:len(expected)] == expected and data, "all of it to be heard", 5)
        assert heard[:len(expected)] == expected and is_silent(heard[len(expected):])


def test_a_source_of_another_rate_is_fitted_to_the_device(devices, start_engine):
    engine = start_engine()
    with engine.session(clip("audio.flac")) as session:
        hear(engine, session, "alsa:short")
        ask(engine, session, "Play")
        eventually(lambda: len(devices.heard("short")) > 44100 * 4, "a second to be heard")
        place = now(engine, session) / 1e6
        assert abs(len(devices.heard("short")) / 44100 / 4 - place) < 0.2


def test_what_does_not_fit_is_mixed_here(devices, start_engine):
    """A plug device would leave out the middle."""
    engine = start_engine()
    wanted = tones("5.1")
    with engine.session(clip("formats/flac.mkv")) as session:
        hear(engine, session, "alsa:plugged")
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        eventually(lambda: len(devices.heard("card")) > 2 * RATE * 8, "two seconds of it")
        for number, own in enumerate(("FL", "FR")):
            samples = [value * 2**31 for value in devices.channel("card", number, 2)[RATE // 2:RATE * 3 // 2]]
            levels = {each: goertzel(samples, tone, RATE) for each, tone in wanted.items()}
            back = "B" + own[1]
            assert abs(levels["FC"] / levels[own] - 0.707) < 0.02 and abs(levels[back] / levels[own] - 0.707) < 0.02, levels


def test_a_device_with_more_channels_than_have_names(devices, start_engine, ramp):
    path, _ = ramp
    engine = start_engine()
    with engine.session(path) as session:
        hear(engine, session, "alsa:wide")
        ask(engine, session, "Play")
        eventually(lambda: len(devices.heard("studio")) > RATE * 40, "a second of it")
        left, right, third = (devices.channel("studio", number, 10)[:RATE] for number in range(3))
        # The plugin counts in 16 bits.
        assert all(abs(value - number / 2**19) < 2**-14 for number, value in enumerate(left, 1))
        assert left == right and not any(third)


def test_volume_and_rate(devices, start_engine, ramp):
    path, _ = ramp
    engine = start_engine()
    with engine.session(path) as session:
        ask(engine, session, "SetVolume", volume=0.5)
        hear(engine, session, "alsa:card")
        ask(engine, session, "SetRate", rate=2)
        ask(engine, session, "Play")
        reaches(engine, session, state_pb2.PHASE_ENDED)
        heard = devices.channel("card", 0, 2)
        # Half as long, and half as loud as the end of the ramp.
        assert abs(sum(1 for value in heard if value) / RATE - 2.5) < 0.1
        assert 0.2 < max(heard) < 5 * RATE / 2**19 / 2 + 0.02


def test_the_clock_of_the_device_leads(devices, start_engine):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        hear(engine, session, "alsa:fast")
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "it to play")
        # It plays a hundredth faster than time passes, and the playhead is where it is.
        eventually(lambda: now(engine, session) > 8_000_000, "eight seconds to be heard")
        apart = now(engine, session) / 1e6 - len(devices.heard("fast")) / RATE / 8
        assert abs(apart) < 0.06
        devices.happens("stuck")
        eventually(lambda: stands(engine, session), "the playhead to stand")
        place = now(engine, session)
        devices.passes("stuck")
        eventually(lambda: now(engine, session) > place + 1_000_000, "it to go on")


def test_what_keeps_no_time_does_not_run_away(devices, start_engine):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        hear(engine, session, "alsa:unknown")
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > 500_000, "it to play")
        place, begin = now(engine, session), time.monotonic()
        time.sleep(4)
        passed = time.monotonic() - begin
        assert 0.5 < (now(engine, session) - place) / 1e6 / passed < 1.03
        # What it took is bounded by what was heard.
        assert len(devices.heard("unknown")) / RATE / 8 < now(engine, session) / 1e6 + 1
    eventually(lambda: "it keeps no time" in engine.log.read_text(), "the log to tell")


def test_a_device_that_runs_dry(devices, start_engine, ramp):
    path, expected = ramp
    engine = start_engine()
    with engine.session(path) as session:
        hear(engine, session, "alsa:card")
        ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > 1_000_000, "a second to be heard")
        # The device plays on what it has.
        engine.process.send_signal(signal.SIGSTOP)
        time.sleep(0.8)
        engine.process.send_signal(signal.SIGCONT)
        reaches(engine, session, state_pb2.PHASE_ENDED)
        heard = eventually(lambda: (data := devices.heard("card"))[:len(expected)] == expected and data, "all of it to be heard", 5)
        assert heard[:len(expected)] == expected and is_silent(heard[len(expected):])
    eventually(lambda: "a device is left: underruns: " in engine.log.read_text(), "the log to tell")


@pytest.mark.parametrize("forgets", [False, True])
def test_a_machine_that_slept(devices, start_engine, ramp, forgets):
    path, _ = ramp
    engine = start_engine()
    if forgets:
        devices.happens("forgetful")
    with engine.session(path) as session:
        hear(engine, session, "alsa:card")
        ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > 1_000_000, "a second to be heard")
        devices.happens("asleep")
        eventually(lambda: stands(engine, session), "the playhead to stand")
        devices.passes("asleep")
        reaches(engine, session, state_pb2.PHASE_ENDED)
        eventually(lambda: numbers(devices, "card")[-1] == 5 * RATE, "the last sample to be written down", 5)
        runs = pieces(numbers(devices, "card"))
        assert runs[0][0] == 1 and runs[-1][1] == 5 * RATE and len(runs) <= 1 + forgets
        assert all(abs(after[0] - before[1] - 1) < RATE / 100 for before, after in zip(runs, runs[1:])), runs


@pytest.mark.parametrize("loss", ["gone", "stuck"])
def test_playback_outlives_the_device(devices, start_engine, loss):
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session:
        watcher = Watcher(engine, session_id=session.id)
        hear(engine, session, "alsa:card")
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        eventually(lambda: now(engine, session) > 1_000_000, "a second to be heard")
        devices.happens(loss)
        watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.lost", "sound.lost")
        place = now(engine, session)
        eventually(lambda: now(engine, session) > place + 1_000_000, "playback to go on")
        assert engine.state(session.id).phase == state_pb2.PHASE_PLAYING
        # It is there again.
        devices.passes(loss)
        count = len(devices.heard("card"))
        hear(engine, session, "alsa:card")
        eventually(lambda: len(devices.heard("card")) > count + RATE * 8, "a second more to be heard")
        watcher.cancel()


def test_a_device_that_only_one_may_have(devices, start_engine):
    devices.happens("exclusive")
    engine = start_engine()
    with engine.session(clip("software/sync-25.mkv")) as session, engine.session(clip("audio.flac")) as other:
        ask(engine, session, "SetLooping", looping=True)
        ask(engine, session, "Play")
        for _ in range(3):
            hear(engine, session, "alsa:card")
            # It has it already.
            hear(engine, session, "alsa:card")
            with pytest.raises(grpc.RpcError) as refused:
                hear(engine, other, "alsa:card")
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE and "busy" in refused.value.details()
            engine.stub.SetSoundOutput(software_pb2.SetSoundOutputRequest(
                session_id=session.id, kind=software_pb2.SOUND_OUTPUT_KIND_NULL), timeout=PATIENCE)


def test_another_source_may_want_the_device_otherwise(devices, start_engine):
    """What has six channels is heard in six, and what has two in two, one after the other in one session."""
    engine = start_engine()
    with engine.session(clip("formats/flac.mkv")) as session:
        hear(engine, session, "alsa:unknown")
        ask(engine, session, "Play")
        eventually(lambda: len(devices.heard("unknown")) > RATE * 4 * 6, "a second to be heard")
        ask(engine, session, "Pause")
        reaches(engine, session, state_pb2.PHASE_PAUSED)
        count = len(devices.heard("unknown"))
        engine.stub.Load(engine_pb2.LoadRequest(session_id=session.id, source=str(clip("software/sync-25.mkv"))), timeout=PATIENCE)
        ask(engine, session, "Play")
        reached = eventually(lambda: now(engine, session) > 2_000_000 and now(engine, session), "two seconds to be heard")
        assert abs((len(devices.heard("unknown")) - count) / RATE / 8 - reached / 1e6) < 0.6


def test_devices_that_are_not_there(devices, start_engine, tmp_path):
    engine = start_engine("--sound-device", "alsa:nobody")
    with engine.session(clip("software/mpeg2.ts")) as session:
        watcher = Watcher(engine, session_id=session.id)
        with pytest.raises(grpc.RpcError) as refused:
            hear(engine, session, "alsa:nothing")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "alsa:nothing" in refused.value.details() and "snd_pcm_open" in refused.value.details()
        with pytest.raises(grpc.RpcError) as refused:
            hear(engine, session, "alsa:odd")
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE and "plughw" in refused.value.details()
        engine.stub.Load(engine_pb2.LoadRequest(session_id=session.id, source=str(clip("software/xvid.avi"))), timeout=PATIENCE)
        notice = watcher.wait(lambda each: each.WhichOneof("event") == "notice" and each.notice.code == "sound.unavailable",
                              "sound.unavailable")
        assert "alsa:nobody" in notice.notice.message
        watcher.cancel()
    # Nothing of alsa-lib's own talk is in the log.
    assert "ALSA lib" not in engine.log.read_text()


def test_all_that_was_tried_is_told(devices, start_engine):
    devices.configuration.write_text("")
    engine = start_engine()
    with engine.session(clip("software/mpeg2.ts")) as session:
        with pytest.raises(grpc.RpcError) as refused:
            hear(engine, session)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "PulseAudio" in refused.value.details() and "ALSA device default" in refused.value.details()


@pytest.mark.parametrize("name", ["file:'|touch {}',raw", "file:{}", "tee:card,{},raw", "plug:SLAVE=file:x", "{{ type null }}"])
def test_a_name_is_no_program(devices, start_engine, tmp_path, name):
    engine = start_engine()
    target = tmp_path / "touched"
    with engine.session(clip("software/mpeg2.ts")) as session:
        with pytest.raises(grpc.RpcError) as refused:
            hear(engine, session, "alsa:" + name.format(target))
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert not target.exists()

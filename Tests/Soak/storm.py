# SPDX-License-Identifier: Apache-2.0
"""Sends random commands to a session, faster than a user would."""

import contextlib
import time

from front_end import AudioPlayer, Display
from harness.contract import engine_pb2, filters_pb2, software_pb2, state_pb2, stills_pb2
from harness.engine import PATIENCE
from mirror import place

RATES = [0.25, 0.5, 0.75, 1, 1, 1, 1.25, 1.5, 2, 4]
FILTERS = [
    ("hue", {"h": "30"}), ("unsharp", {"luma_amount": "0.5"}), ("hqdn3d", {}), ("gblur", {"sigma": "0.6"}), ("vignette", {}),
    ("colortemperature", {"temperature": "5000"}), ("noise", {"alls": "4"}),
]
DRAWING = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'
           '<circle cx="50" cy="50" r="{radius}" fill="#{color:06x}"/></svg>')
# Rectangles that leave the number in the frame visible.
CORNERS = [dict(x=0.0, y=0.40, width=0.1, height=0.2), dict(x=0.5, y=0.4, width=0.25, height=0.2)]


class Storm:
    """The commands of one session. `chances` has the weight of each of its methods."""

    def __init__(self, engine, mirror, draw, chances):
        self.engine, self.mirror, self.draw = engine, mirror, draw
        self.names, self.weights = zip(*chances.items())
        self.given = {name: 0 for name in self.names}
        self.failures = []
        self.audio_player = None
        self.last_still = 0.0

    @property
    def id(self):
        return self.mirror.id

    def ask(self, name, request):
        """Sends a command, whose result the watch must report, too."""
        return self.mirror.answered(getattr(self.engine.stub, name)(request, timeout=PATIENCE))

    def session(self):
        return engine_pb2.SessionRequest(session_id=self.id)

    def step(self):
        name = self.draw.choices(self.names, self.weights)[0]
        self.given[name] += 1
        getattr(self, name)()

    # Playing.

    def seek(self, **fields):
        fields = fields or self.draw.choice([
            dict(position_us=self.anywhere()), dict(position_us=self.anywhere(), mode=engine_pb2.SEEK_MODE_KEYFRAME),
            dict(position_us=self.draw.randint(-20, 20) * 1_000_000, relative=True),
            dict(position_us=self.anywhere(), after=engine_pb2.AFTER_SEEK_PLAY),
            dict(position_us=self.anywhere(), after=engine_pb2.AFTER_SEEK_PAUSE),
        ])
        return self.ask("Seek", engine_pb2.SeekRequest(session_id=self.id, **fields)).seek_id

    def anywhere(self):
        return self.draw.randrange(self.mirror.state.duration_us - 2_000_000)

    def seeks(self):
        """Sends several seeks, before any of them can land."""
        for _ in range(self.draw.randint(2, 8)):
            self.seek(position_us=self.anywhere())

    def play(self):
        self.ask("Play", self.session())

    def pause(self):
        self.ask("Pause", self.session())

    def rate(self, rate=None):
        rate = rate or self.draw.choice(RATES)
        self.ask("SetRate", engine_pb2.SetRateRequest(session_id=self.id, rate=rate))

    def volume(self, volume=None):
        volume = self.draw.choice([0.2, 0.5, 1]) if volume is None else volume
        self.ask("SetVolume", engine_pb2.SetVolumeRequest(session_id=self.id, volume=volume))

    def mute(self, muted=None):
        muted = self.draw.random() < 0.3 if muted is None else muted
        self.ask("SetMuted", engine_pb2.SetMutedRequest(session_id=self.id, muted=muted))

    def loop(self):
        """Loops from the end to the start."""
        self.rate(1)
        self.ask("SetLooping", engine_pb2.SetLoopingRequest(session_id=self.id, looping=True))
        self.near_the_end()
        self.mirror.wait(lambda: place(self.mirror.state.position) < 5_000_000, "the loop to go on at the start")
        self.ask("SetLooping", engine_pb2.SetLoopingRequest(session_id=self.id, looping=False))

    def end(self):
        self.rate(2)
        self.near_the_end()
        state = self.mirror.wait_for_phase(state_pb2.PHASE_ENDED)
        # The duration is the end of the longest track, which need not be one that is played.
        assert 0 <= state.duration_us - state.position.position_us <= 40_000, f"ended at {state.position}, not {state.duration_us}"
        self.play()

    def near_the_end(self):
        self.mirror.over(self.seek(
            position_us=self.mirror.state.duration_us - 1_200_000, after=engine_pb2.AFTER_SEEK_PLAY))

    # Tracks and paths.

    def audio(self):
        track = self.draw.choice([each.index for each in self.mirror.state.media.streams if each.codec in ("aac", "ac3", "mp2")])
        self.ask("SelectAudio", engine_pb2.SelectAudioRequest(
            session_id=self.id, audio=engine_pb2.AudioSelection(stream_index=track)))

    def subtitles(self):
        tracks = [each.id for each in self.mirror.state.subtitle_tracks if self.draw.random() < 0.5]
        self.ask("SelectSubtitles", engine_pb2.SelectSubtitlesRequest(
            session_id=self.id, subtitles=engine_pb2.SubtitleSelection(tracks=engine_pb2.SubtitleTrackList(ids=tracks))))

    def path(self, path=None):
        path = self.draw.choice([0, 1, 2, 2]) if path is None else path
        self.ask("SelectPath", software_pb2.SelectPathRequest(session_id=self.id, path=path))

    # Pictures.

    def filters(self):
        name, options = self.draw.choice(FILTERS)
        applied = self.mirror.state.filters
        if len(applied) > 3:
            self.ask("RemoveFilter", filters_pb2.RemoveFilterRequest(session_id=self.id, filter_id=applied[1].filter_id))
            self.mirror.settle()
        else:
            options = [filters_pb2.FilterOption(name=each, value=value) for each, value in options.items()]
            self.ask("AddFilter", filters_pb2.AddFilterRequest(
                session_id=self.id, filter=filters_pb2.PictureFilter(name=name, options=options)))

    def clear(self):
        self.ask("ClearFilters", self.session())
        self.ask("ClearOverlays", self.session())
        self.ask("SetAdjustments", filters_pb2.SetAdjustmentsRequest(session_id=self.id, reset=True))

    def adjustments(self):
        value = filters_pb2.AdjustmentValue
        self.ask("SetAdjustments", filters_pb2.SetAdjustmentsRequest(
            session_id=self.id, adjustments=filters_pb2.PictureAdjustments(
                brightness=value(value=self.draw.uniform(-0.1, 0.1)), contrast=value(value=self.draw.uniform(0.8, 1.3)),
                saturation=value(value=self.draw.uniform(0, 2)), gamma=value(value=self.draw.uniform(0.8, 1.2)))))

    def overlay(self):
        number = self.draw.randrange(len(CORNERS))
        drawing = DRAWING.format(radius=self.draw.randint(10, 50), color=self.draw.randrange(1 << 24))
        self.ask("PutOverlay", filters_pb2.PutOverlayRequest(session_id=self.id, overlay=filters_pb2.Overlay(
            name=f"overlay {number}", svg=drawing, rectangle=filters_pb2.OverlayRectangle(**CORNERS[number]))))

    # Front-ends that come and go.

    def other_display(self):
        with contextlib.closing(Display(self.engine, self.id, format=5, max_width=self.draw.choice([64, 128]), slots=4)) as display:
            time.sleep(self.draw.uniform(0.2, 1.5))
        self.failures += [f"another display: {each}" for each in [*display.faults, *([display.failure] if display.failure else [])]]

    def other_audio_player(self):
        with contextlib.closing(AudioPlayer(self.engine, self.id)) as audio_player:
            time.sleep(self.draw.uniform(0.2, 1.5))
        if audio_player.failure:
            self.failures.append(f"another device: {audio_player.failure}")

    def new_audio_player(self):
        """Replaces the audio player, as if its device were unplugged and plugged in again."""
        self.audio_player.close()
        time.sleep(self.draw.uniform(0, 1))
        self.audio_player = AudioPlayer(self.engine, self.id)

    # Stills.

    def snapshot(self):
        wanted = self.anywhere()
        request = stills_pb2.SnapshotRequest(of=stills_pb2.StillSource(session_id=self.id), time_us=wanted, waits_its_turn=True)
        still = self.engine.stub.Snapshot(request, timeout=PATIENCE)
        self.last_still = time.monotonic()
        if not still.time_us <= wanted < still.time_us + 40_000 or not still.data:
            self.failures.append(f"the picture shown at {wanted} µs is said to be that of {still.time_us} µs")

    def thumbnail(self):
        request = stills_pb2.ThumbnailRequest(
            of=stills_pb2.StillSource(session_id=self.id), time_us=self.anywhere(), waits_its_turn=True)
        if not self.engine.stub.Thumbnail(request, timeout=PATIENCE).data:
            self.failures.append("an empty thumbnail")
        self.last_still = time.monotonic()

    # Rest.

    def calm(self, path=None):
        """Restores the picture, the rate and the volume to those at the start, and plays from a random place."""
        self.clear()
        if path is not None:
            self.path(path)
        self.rate(1)
        self.volume(1)
        self.mute(False)
        self.mirror.over(self.seek(
            position_us=self.draw.randrange(self.mirror.state.duration_us * 2 // 3), after=engine_pb2.AFTER_SEEK_PLAY))
        self.mirror.wait_for_phase(state_pb2.PHASE_PLAYING)
        self.mirror.settle()

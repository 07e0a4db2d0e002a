#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays two sessions for a long time while random commands of many kinds are sent, and looks for leaks, drift, lost
events and obsolete frames. scripts/soak runs it; docs/testing.md lists what it requires of the engine."""

import argparse
import contextlib
import pathlib
import random
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from front_end import AudioPlayer, Display  # noqa: E402
from harness.engine import Engine, eventually  # noqa: E402
from measures import Figures, Report, slope  # noqa: E402
from mirror import Mirror  # noqa: E402
from reader import Reader  # noqa: E402
from storm import Storm  # noqa: E402
from witness import Line, Witness  # noqa: E402

DECODED = dict(seek=20, seeks=6, play=10, pause=8, rate=10, volume=3, mute=3, loop=1, end=1, audio=10, subtitles=6, filters=8,
               clear=2, adjustments=5, overlay=6, other_display=4, other_audio_player=3, new_audio_player=3, snapshot=4, thumbnail=2)
FETCHED = dict(seek=20, seeks=6, play=10, pause=6, rate=8, loop=1, end=1, audio=10, subtitles=6, path=10, filters=3,
               adjustments=2, overlay=2, other_display=4, other_audio_player=3, snapshot=4, thumbnail=2)
LIMIT_MS = 10
# Descriptors and threads may increase by this many: connections and pools of clients are created when they are needed.
SLACK = 4
EXPECTED_NOTICES = {"sound.lost"}
# The properties that an engine restores exactly after a kill. Positions are not compared, because playback goes on.
KEPT = ("session_id", "source", "url", "volume", "muted", "looping", "rate_range", "selected_audio", "selected_subtitles",
        "adjustments", "filters", "overlays")


class Soak:
    """The life of one process of the engine.

    sessions: those that a killed process has left; if there are none, new ones are loaded.
    digests: of segments fetched earlier, which must still have the same bytes.
    """

    def __init__(self, engine, films, seed, sessions=(), digests=None):
        self.engine = engine
        if not sessions:
            sessions = [engine.load(films / name, rate_range=dict(min=0, max=4)).id for name in ("soak-mpeg2.mkv", "soak-h264.mkv")]
        self.decoded, self.fetched = self.mirrors = [Mirror(engine, each) for each in sessions]
        for mirror in self.mirrors:
            mirror.wait(lambda: mirror.state.url and mirror.state.media.streams, "the source to be open")
        self.reader = Reader(self.fetched.state.url, random.Random(f"{seed} reader"), digests)
        self.display = Display(engine, self.decoded.id)
        self.display.context = self.treatment
        self.storms = [Storm(engine, self.decoded, random.Random(f"{seed} decoded"), DECODED),
                       Storm(engine, self.fetched, random.Random(f"{seed} fetched"), FETCHED)]
        self.storms[0].audio_player = AudioPlayer(engine, self.decoded.id)
        self.draw = random.Random(f"{seed} rest")
        self.witness, self.line = Witness(self.decoded), Line(self.fetched)
        self.figures, self.failures = [], []

    def treatment(self):
        """Describes how frames are processed before they are shown."""
        state = self.decoded.state
        return (f"filters {[each.filter.name for each in state.filters]}, {len(state.overlays)} overlays, "
                f"dropped {state.statistics.dropped_frames}")

    @property
    def audio_player(self):
        return self.storms[0].audio_player

    def rage(self, seconds):
        """Sends random commands to each session, with a pause of 0.4 s on average after each."""
        end = time.monotonic() + seconds

        def run(storm):
            try:
                while time.monotonic() < end:
                    storm.step()
                    time.sleep(storm.draw.expovariate(1 / 0.4))
                storm.mirror.settle()
            except Exception:
                self.failures.append(f"session {storm.id}: {traceback.format_exc()}")

        threads = [threading.Thread(target=run, args=(each,)) for each in self.storms]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def rest(self, seconds):
        """Compares what is published, shown and heard while no commands are sent."""
        self.storms[0].calm()
        self.storms[1].calm(path=0)
        end = time.monotonic() + seconds
        self.line.start = None
        time.sleep(1.5)
        while time.monotonic() < end:
            self.witness.compare(self.display, self.audio_player)
            self.line.look()
            time.sleep(self.draw.uniform(0.1, 0.5))
        self.witness.listen(self.audio_player)
        for mirror in self.mirrors:
            mirror.settle()

    def measure(self):
        """Measures the engine, once it has closed the descriptors and threads that it no longer needs."""
        try:
            eventually(lambda: self.fits(Figures(self.engine)), "descriptors and threads to close", seconds=30)
        except AssertionError:
            now = Figures(self.engine)
            self.failures.append(f"{now.descriptors} descriptors, threads that were not there: {now.names - self.base.names}")
        self.figures.append(Figures(self.engine))

    @property
    def base(self):
        """The figures after the first round of commands, with which later ones are compared."""
        return self.figures[min(1, len(self.figures) - 1)]

    def fits(self, now):
        return len(self.figures) < 2 or (
            now.descriptors <= self.base.descriptors + SLACK and now.threads <= self.base.threads + SLACK)

    def is_healthy(self):
        for each in (self.display, self.audio_player):
            if each.failure:
                self.failures.append(f"an attachment is over: {each.failure!r}")
        return not self.failures and self.engine.is_alive()

    def run(self, seconds):
        """Runs rounds of a minute, or three shorter ones if the time is short."""
        start = time.monotonic()
        length = min(60.0, seconds / 3)
        rest = min(15.0, length / 2)
        try:
            self.rest(4)
            self.measure()
            while time.monotonic() < start + seconds - rest and self.is_healthy():
                self.rage(length - rest)
                self.rest(rest)
                self.measure()
                self.print_progress(time.monotonic() - start)
        except Exception:
            self.failures.append(traceback.format_exc())
        self.is_healthy()

    def kill(self):
        """Kills the engine while it plays, and returns the last state that it has reported, by session."""
        self.reader.close()
        for mirror in self.mirrors:
            mirror.settle()
            mirror.is_closing = True
        time.sleep(self.draw.uniform(0, 0.5))
        acknowledged = {mirror.id: mirror.state for mirror in self.mirrors}
        self.engine.kill()
        for each in (self.display, self.audio_player, *self.mirrors):
            with contextlib.suppress(Exception):
                each.close()
        return acknowledged

    def print_progress(self, seconds):
        now, commands = self.figures[-1], sum(each.commands for each in self.mirrors)
        print(f"{seconds / 60:5.1f} min  {now.own:7.1f} MiB  {now.descriptors:3} descriptors  {now.threads:3} threads  "
              f"{now.cpu:7.1f} s CPU  {commands:5} commands  {sum(len(each.seeks) for each in self.mirrors):5} seeks  "
              f"{sum(each.events for each in self.mirrors):6} events  {self.display.pictures:6} pictures  "
              f"{self.reader.fetched:5} segments  off by {max(each.worst for each in self.witness.all):4.1f} ms",
              flush=True)

    def close(self):
        self.reader.close()
        self.display.close()
        self.audio_player.close()
        for each in self.mirrors:
            each.close()

    def report(self):
        report = Report()
        report.none("what went wrong", self.failures)
        for mirror, storm, name in zip(self.mirrors, self.storms, ("decoded", "fetched")):
            report.none(f"{name}: events that were lost or do not fit", mirror.faults)
            report.none(f"{name}: answers that do not fit", storm.failures)
            report.none(f"{name}: notices that nobody expects",
                        [f"{code}: {mirror.words[code]}" for code in mirror.notices if code not in EXPECTED_NOTICES])
            report.at_least(f"{name}: states compared with those of the watch", mirror.compared, 2)
            report.note(f"{name}: commands, events, seeks", f"{mirror.commands}, {mirror.events}, {len(mirror.seeks)}")
            report.note(f"{name}: slowest result in the watch", f"{mirror.slowest * 1000:.0f} ms")
            report.note(f"{name}: revisions sent together with a later one", mirror.skipped_revisions)
        report.none("pictures of another generation, or not of their time", self.display.faults)
        report.at_least("pictures shown", self.display.pictures, 10)
        report.none("sound of another track", self.witness.faults)
        for each in self.witness.all:
            report.at_most(each.name, each.worst, LIMIT_MS, "ms")
        report.at_most(self.line.drift.name, self.line.drift.worst, LIMIT_MS, "ms")
        report.at_most(self.witness.beeps.name, self.witness.beeps.worst, LIMIT_MS, "ms")
        report.at_most(f"{self.witness.late.name} (median)", self.witness.late.median, LIMIT_MS, "ms")
        report.at_least("moments compared", len(self.witness.pictures.values), 5)
        report.at_least("beeps compared", len(self.witness.beeps.values), 1)
        report.note("moments without sound or picture to compare", self.witness.unseen)
        report.none("segments", self.reader.faults)
        report.at_least("segments fetched", self.reader.fetched, 10)
        self.report_figures(report)
        return report

    def report_figures(self, report):
        first, last = self.figures[0], self.figures[-1]
        report.at_most("descriptors at the end", last.descriptors, self.base.descriptors + SLACK)
        report.at_most("threads at the end", last.threads, self.base.threads + SLACK)
        # In the first fifth, caches and pools fill.
        warm = self.figures[max(1, len(self.figures) // 5):]
        if len(warm) < 8:
            report.at_most("memory at the end over that at the start", last.own - first.own, 64, "MiB")
            return
        report.at_most("memory at the end over that after the first part", last.own - warm[0].own, 16, "MiB")
        points = [((each.moment - warm[0].moment) / 60, each.own) for each in warm]
        report.at_most("memory: slope after the first part", slope(points), 0.5, "MiB a minute")
        report.note("memory after the first part: least, most", f"{min(y for _, y in points):.1f}, {max(y for _, y in points):.1f} MiB")


def differences(before, engine):
    """Lists the settings that a restarted engine has not restored. `before` holds the last state of each session."""
    found = []
    for session, old in before.items():
        new = engine.state(session)
        found += [f"session {session}: {name} is {getattr(new, name)}, not {getattr(old, name)}"
                  for name in KEPT if getattr(new, name) != getattr(old, name)]
        if new.position.requested_rate != old.position.requested_rate:
            found.append(f"session {session}: the rate is {new.position.requested_rate}, not {old.position.requested_rate}")
    return found


def live(chosen, seed, directory):
    """Runs one engine for the whole time, or with --kills one after another, each of which is killed after about a
    minute while it plays. Yields each life with its report and the settings that were not restored after the kill."""
    draw, end = random.Random(f"{seed} lives"), time.monotonic() + chosen.minutes * 60
    sessions, digests, before, life = (), {}, {}, 0
    # A life of less than 20 s has too little to compare.
    while end - time.monotonic() > 20 or life == 0:
        life += 1
        engine = Engine(directory, "--cache-bytes", "8M")
        try:
            soak = Soak(engine, chosen.films.resolve(), f"{seed} {life}", sessions, digests)
            # The sources are open now, so tracks can be selected.
            lost = differences(before, engine)
            left = end - time.monotonic()
            soak.run(min(left, draw.uniform(20, 90)) if chosen.kills else left)
            report = soak.report()
            report.none("not restored after the kill", lost)
            yield soak, report, lost
            if not chosen.kills:
                soak.close()
                engine.end()
                return
            sessions, before = [each.id for each in soak.mirrors], soak.kill()
        except BaseException:
            print(engine.log.read_text()[-4000:], file=sys.stderr)
            raise
        finally:
            if engine.is_alive():
                engine.kill()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("films", type=pathlib.Path, help="the folder that scripts/fixtures-soak has made")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--kills", action="store_true", help="kill the engine every minute or so, and go on with the next")
    chosen = options.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"SEED={seed}, {chosen.minutes:g} minutes{', with kills' if chosen.kills else ''}", flush=True)
    lives, is_good = 0, True
    with tempfile.TemporaryDirectory(prefix="soak-") as directory:
        for soak, report, lost in live(chosen, seed, directory):
            lives += 1
            if not chosen.kills or not report.is_good:
                print(report)
            is_good = is_good and report.is_good
            for fault in [*lost, *soak.failures, *soak.display.faults, *soak.witness.faults, *soak.reader.faults]:
                print(fault, file=sys.stderr)
    print(f"SEED={seed}: {lives} {'life' if lives == 1 else 'lives'}: {'all lines hold' if is_good else 'FAILED'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())

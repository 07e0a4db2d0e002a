// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

// The virtual clock, and the media it needs.
extension PlaybackSession {
    /// How long before the end of the available media the clock requests more.
    private static let refillNanoseconds: Int64 = 1_500_000_000

    /// What a change of the player means for the virtual clock.
    enum ClockEffect {
        /// The clock is not concerned, or sees the change when it wakes.
        case none
        /// The playhead has not moved: a sleeping clock that will wake in time is left alone. A clock that is no longer
        /// needed ends on its own.
        case continues
        /// The playhead may have been moved or started.
        case restarts
    }

    /// The entry for changes of the player: publishes whatever `body` has changed, sets the alarm, and has the virtual
    /// clock follow.
    func change(_ body: () -> ClockEffect) {
        let effect = body()
        publishEffects()
        publishClock()
        showCues()
        rearm()
        switch effect {
        case .none: break
        case .continues:
            let isEnding = clock.isAsleep && !player.machine.needsMedia
            if isStopped || !(isEnding || clock.wakes(before: player.machine.arrival)) { restartClock() }
        case .restarts: restartClock()
        }
    }

    /// The plan has grown. A clock that waited for it goes on.
    func planHasGrown() { if clock.awaitsPlan { restartClock() } }

    private func restartClock() {
        // Ends on its own, or when the clock is restarted or stopped.
        clock.restart(player.machine.needsMedia && !isStopped ? Task { await self.runClock() } : nil)
    }

    /// Requests media for as long as the playhead needs it, as a player at the same position would.
    private func runClock() async {
        while !Task.isCancelled, player.machine.needsMedia, let media = media.opened {
            let index = segment(at: player.machine.playhead(at: monotonicNanoseconds()))
            do throws(EngineError) {
                try await media.producer.ensure(index)
            } catch {
                if !Task.isCancelled { fail(error) }
                return
            }
            // A segment that was fetched counts as available, even if the cache is too small to keep it.
            let end = max(index + 1, media.producer.contiguousEnd(from: index))
            let isLast = end >= media.plan.segmentCount && media.plan.isComplete
            // Request the next segment too, so that it is available before the playhead reaches it.
            if end < media.plan.segmentCount, end - index < 2 { fetch(end, from: media.producer) }
            if isLast, player.machine.isLooping { await prepareLoop(media) }
            guard !Task.isCancelled else { return }
            let now = monotonicNanoseconds()
            change {
                player.machine.mediaAvailable(to: endTime(ofSegment: end - 1), at: now)
                player.machine.tick(at: now)
                return .none
            }
            publishBuffered()
            guard player.machine.needsMedia, !Task.isCancelled else { return }
            guard let deadline = player.machine.arrival else {
                // At rate 0 nothing happens until the next command. Otherwise the scan has not reached the playhead
                // yet.
                if case .playing = player.machine.phase { return }
                clock.awaitPlan()
                return
            }
            let lead = isLast ? 0 : Self.refillNanoseconds
            let sleep = SessionClock.Sleep(wake: isLast ? deadline : max(now + 20_000_000, deadline - lead), lead: lead)
            clock.begin(sleep)
            do {
                try await Task.sleep(for: .nanoseconds(max(0, sleep.wake - monotonicNanoseconds())))
            } catch {
                return
            }
            guard !Task.isCancelled else { return }
            clock.endSleep()
            change {
                player.machine.tick(at: monotonicNanoseconds())
                return .none
            }
        }
    }

    private func fetch(_ index: Int, from producer: SegmentProducer) {
        Task {
            do throws(EngineError) { try await producer.ensure(index) } catch {
                // If playback gets there, the clock requests the segment again and sees the error.
            }
        }
    }

    /// Fetches the start before the playhead reaches the end, so that looping leaves no gap.
    private func prepareLoop(_ media: OpenedMedia) async {
        do throws(EngineError) {
            for index in 0..<min(2, media.plan.segmentCount) { try await media.producer.ensure(index) }
        } catch {
            // The loop then begins with buffering, and the clock reports the error.
            return
        }
        let end = media.producer.contiguousEnd(from: 0)
        player.machine.mediaAvailableAtStart(to: end > 0 ? endTime(ofSegment: end - 1) : .zero)
    }

    private func fail(_ error: EngineError) {
        change {
            player.machine.failed(error, at: monotonicNanoseconds())
            return .none
        }
    }

    var duration: MediaTime? { media.opened?.duration }

    func segment(at position: MediaTime) -> Int { media.opened?.segment(at: position) ?? 0 }

    func endTime(ofSegment index: Int) -> MediaTime { media.opened?.endTime(ofSegment: index) ?? .zero }

    func publishBuffered() {
        guard let buffered = bufferedRanges() else { return }
        hub.update(id) { $0.buffered = buffered }
    }

    /// The media around the playhead that a player can fetch without waiting. `nil` while a renderer reports its own.
    func bufferedRanges() -> [MediaTimeRange]? {
        guard player.renderer == nil else { return nil }
        return media.opened?.available(around: player.machine.playhead(at: monotonicNanoseconds())).map { [$0] } ?? []
    }

    // MARK: The alarm

    /// Sets the session's only timer. It fires only when something changes; nothing runs in between.
    func rearm() {
        guard !isStopped else { return clock.stopAlarm() }
        let now = monotonicNanoseconds()
        // Anything overdue has just been handled.
        guard let due = clock.expect(nextMoment.map { max($0, now + 1_000_000) }) else { return }
        let alarm = Task { [weak self] in
            do { try await Task.sleep(for: .nanoseconds(due - now)) } catch { return }
            await self?.ring(due)
        }
        clock.arm(alarm, for: due)
    }

    private func ring(_ wake: Int64) {
        guard !isStopped, clock.woke(at: wake) else { return }
        let now = monotonicNanoseconds()
        guard clock.isDue(at: now) else { return rearm() }
        dropSilentRenderer(at: now)
        change {
            let (before, place) = (player.machine.phase.name, player.machine.playhead(at: now))
            player.machine.tick(at: now)
            let hasJumped = player.machine.playhead(at: now) < place
            return player.machine.needsMedia && (hasJumped || player.machine.phase.name != before) ? .restarts : .none
        }
    }

    private var nextMoment: Int64? {
        [player.machine.deadline, chapterMoment, silenceMoment, cueMoment].compactMap(\.self).min()
    }

    /// When the playhead enters the next chapter.
    private var chapterMoment: Int64? {
        let anchor = player.machine.anchor(at: 0)
        guard anchor.rate > 0, let chapters = media.opened?.chapters, !chapters.isEmpty else { return nil }
        let place = player.machine.playhead(at: monotonicNanoseconds())
        guard let boundary = chapters.boundary(after: place) else { return nil }
        let wait = Double((boundary - anchor.position).microseconds) / anchor.rate * 1000
        return anchor.monotonicNanoseconds + Int64(min(wait, 86_400e9)) + 1000
    }
}

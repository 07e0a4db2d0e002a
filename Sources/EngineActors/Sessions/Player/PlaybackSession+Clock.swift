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

    struct ClockSleep {
        let wake: Int64
        /// How long before the playhead reaches the end of the available media the clock must wake, in nanoseconds.
        let lead: Int64
    }

    /// As `restartClock`, for changes that do not move the playhead: a sleeping clock that will wake in time is left
    /// alone. A clock that is no longer needed ends on its own.
    func continueClock() {
        guard let sleep = clockSleep, !isStopped else { return restartClock() }
        guard machine.needsMedia else { return }
        guard let arrival = machine.arrival, sleep.wake + sleep.lead <= arrival else { return restartClock() }
    }

    func restartClock() {
        clock?.cancel()
        clockSleep = nil
        awaitsPlan = false
        guard machine.needsMedia, !isStopped else {
            clock = nil
            return
        }
        clock = Task { await self.runClock() }
    }

    /// Requests media for as long as the playhead needs it, as a player at the same position would.
    private func runClock() async {
        while !Task.isCancelled, machine.needsMedia, let media = media.opened {
            let index = segment(at: machine.playhead(at: monotonicNanoseconds()))
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
            if isLast, machine.isLooping { await prepareLoop(media) }
            guard !Task.isCancelled else { return }
            let now = monotonicNanoseconds()
            machine.mediaAvailable(to: endTime(ofSegment: end - 1), at: now)
            machine.tick(at: now)
            publishChanges()
            publishBuffered()
            guard machine.needsMedia, !Task.isCancelled else { return }
            guard let deadline = machine.arrival else {
                // At rate 0 nothing happens until the next command. Otherwise the scan has not reached the playhead
                // yet.
                if case .playing = machine.phase { return }
                awaitsPlan = true
                return
            }
            let lead = isLast ? 0 : Self.refillNanoseconds
            let sleep = ClockSleep(wake: isLast ? deadline : max(now + 20_000_000, deadline - lead), lead: lead)
            clockSleep = sleep
            do {
                try await Task.sleep(for: .nanoseconds(max(0, sleep.wake - monotonicNanoseconds())))
            } catch {
                return
            }
            guard !Task.isCancelled else { return }
            clockSleep = nil
            machine.tick(at: monotonicNanoseconds())
            publishChanges()
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
        machine.mediaAvailableAtStart(to: end > 0 ? endTime(ofSegment: end - 1) : .zero)
    }

    private func fail(_ error: EngineError) {
        machine.failed(error, at: monotonicNanoseconds())
        publishChanges()
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
        guard renderer == nil else { return nil }
        return media.opened?.available(around: machine.playhead(at: monotonicNanoseconds())).map { [$0] } ?? []
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Makes segments: first those that are requested, then those that a reader will request next, and no others.
///
/// Carries out what `SegmentSchedule` decides, and keeps finished segments in a `SegmentStore`. Never blocks: reading,
/// bridging and packing happen on the threads of the demuxers, the bridges and the muxer. Owned by its session; called
/// by the loopback routes and by the session's clock.
package actor SegmentProducer {
    private typealias Waiter = CheckedContinuation<Result<ByteBody, EngineError>, Never>

    private nonisolated let source: OpenedSource
    private nonisolated let store: SegmentStore
    /// Behind a lock, so that a request for a segment in memory is noted without a hop to the producer.
    private nonisolated let schedule: Locked<SegmentSchedule>
    private var pipeline: SegmentPipeline
    private let onReport: @Sendable (Report) -> Void
    private var plan: SegmentPlan
    private var trackEnds: [MediaTime?]
    private var demuxers: SegmentDemuxers
    private var waiters: [SegmentSchedule.RequestID: Waiter] = [:]
    private var report = Report()
    /// The streams whose packets are harvested while segments are read, and the function that takes the packets.
    private var subtitles: (streams: Set<Int>, taker: @Sendable (HarvestedPackets) -> Void)?
    /// Raised while a request waits for a segment. Other readers of the source check it before they read.
    package nonisolated let pressure = PlaybackPressure()

    /// - Parameters:
    ///   - demuxers: the demuxers of the source. The first one's read position must be the start of segment 0.
    ///   - budget: the maximum number of bytes of finished segments.
    ///   - preferredTrack: an audio track that is made before it is requested.
    ///   - subtitles: the subtitles that are drawn into bridged video; see also `burn`.
    ///   - onReport: called on the producer's executor after a segment was made, or was served from memory, and after
    ///     the budget has changed.
    package init(
        source: OpenedSource,
        demuxers: SegmentDemuxers,
        plan: SegmentPlan,
        trackEnds: [MediaTime?],
        budget: Int,
        target: MediaTime,
        preferredTrack: Int? = nil,
        subtitles: (any SubtitlePictures)? = nil,
        onReport: @escaping @Sendable (Report) -> Void
    ) {
        self.source = source
        self.plan = plan
        self.trackEnds = trackEnds
        self.onReport = onReport
        var pipeline = SegmentPipeline(of: source)
        pipeline.subtitles = subtitles
        self.pipeline = pipeline
        store = SegmentStore(budget: budget)
        self.demuxers = demuxers
        let schedule = SegmentSchedule(
            segmentCount: plan.segmentCount,
            ahead: max(2, Int(24 / max(0.5, target.seconds))),
            bytesAhead: budget / 3,
            tracks: Set([0] + (preferredTrack.map { [$0] } ?? []))
        )
        self.schedule = Locked(schedule)
    }

    /// Replaces the plan with a longer one. Segments of the earlier plan keep their boundaries.
    package func extend(_ plan: SegmentPlan, trackEnds: [MediaTime?]) {
        self.plan = plan
        self.trackEnds = trackEnds
        schedule.withLock { $0.segmentCount = plan.segmentCount }
        startReading()
    }

    /// Returns one segment of one track: from memory without a hop to the producer, otherwise after it has been made.
    /// Cancelling the task stops the wait.
    package nonisolated func segment(_ index: Int, track: Int) async throws(EngineError) -> ByteBody {
        guard let body = try visit(index, track: track) else { return try await wait(for: index, track: track) }
        // The schedule has noted the visit already, so the rest may happen at any time.
        enqueue { $0.didServe() }
        return body
    }

    /// Waits until the leading track's segment at `index` is in memory, like a request from a reader at that position.
    package nonisolated func ensure(_ index: Int) async throws(EngineError) {
        guard try visit(index, track: 0) == nil else { return await startReading() }
        _ = try await wait(for: index, track: 0)
    }

    /// Notes that a reader is at a segment. Returns the segment if it is in memory.
    private nonisolated func visit(_ index: Int, track: Int) throws(EngineError) -> ByteBody? {
        let isAnnounced = schedule.withLock { schedule in
            guard index >= 0, index < schedule.segmentCount, source.tracks.indices.contains(track) else { return false }
            schedule.visit(index, track: track)
            return true
        }
        guard isAnnounced else {
            throw EngineError(.internal, "segment \(index) of track \(track) has not been announced")
        }
        return store.body(index, track: track)
    }

    /// From now on makes the track before it is requested. Starts at once with segment `index` and the two after it.
    package func prefer(track: Int, from index: Int) {
        schedule.withLock { schedule in
            schedule.prefer(track)
            for next in index..<max(index, min(schedule.segmentCount, index + 3))
            where store.body(next, track: track) == nil {
                // No caller waits for this request. If it fails, a later request for the segment reports the error.
                schedule.visit(next, track: track)
                _ = schedule.park(schedule.makeID(), next, track: track, at: monotonicNanoseconds())
            }
        }
        startReading()
    }

    /// The end of the contiguous segments in memory from `index` on: the index after the last one.
    package nonisolated func contiguousEnd(from index: Int) -> Int { store.contiguousEnd(from: index) }

    /// The index of the first of the contiguous segments in memory up to `index`.
    package nonisolated func contiguousStart(upTo index: Int) -> Int { store.contiguousStart(upTo: index) }

    /// Changes the maximum number of bytes of finished segments. If it grows, read-ahead may resume at once.
    package func setBudget(_ bytes: Int) {
        let heads = schedule.withLock { schedule in
            schedule.setBytesAhead(bytes / 3)
            return schedule.heads
        }
        let evicted = store.setBudget(bytes) { heads.cost(of: $0) }
        schedule.withLock { $0.didEvict(evicted) }
        didEvict(evicted.count)
        startReading()
    }

    /// From now on passes packets of these subtitle streams to `taker` when they are read along with segments: one
    /// segment at a time, with all packets of the segment.
    package func harvest(_ streams: Set<Int>, taker: @escaping @Sendable (HarvestedPackets) -> Void) {
        subtitles = streams.isEmpty ? nil : (streams, taker)
    }

    /// From now on draws subtitles into the frames of bridged video. No segment may have been made before.
    package func burn(_ subtitles: any SubtitlePictures) {
        assert(schedule.withLock(\.isUntouched), "a segment was made without subtitles")
        pipeline.subtitles = subtitles
    }

    /// The number of requests that wait for a segment.
    var waitingCount: Int { waiters.count }
    /// Whether no segment is being made.
    var isResting: Bool { schedule.withLock(\.isResting) }

    /// Ends production at once: nothing more is begun or kept, every waiting request fails with `cancelled`, and every
    /// blocked read returns. Safe from any thread.
    ///
    /// - Returns: the task that closes the demuxers. It ends when memory and files are released.
    @discardableResult
    package nonisolated func end() -> Task<Void, Never> {
        let waiting = schedule.withLock { $0.end() }
        // The task ends when the demuxers are closed. It interrupts them first.
        return Task { await self.close(failing: waiting) }
    }

    /// Ends production, and returns when memory and files are released.
    package nonisolated func stop() async { await end().value }

    /// Runs `work` on this actor, for callers that must not wait.
    private nonisolated func enqueue(_ work: @escaping @Sendable (isolated SegmentProducer) -> Void) {
        // As `work` is synchronous, the task waits for nothing but this actor, which never blocks.
        Task { await work(self) }
    }

    private func close(failing waiting: [SegmentSchedule.RequestID]) async {
        for demuxer in demuxers.opened { demuxer.interrupt() }
        for id in waiting { answer(id, .failure(.stopped)) }
        for demuxer in demuxers.opened { await demuxer.close() }
        store.removeAll()
    }

    // MARK: Waiting

    private func wait(for index: Int, track: Int) async throws(EngineError) -> ByteBody {
        // The segment may have been finished before this call ran.
        if let body = store.body(index, track: track) {
            didServe()
            return body
        }
        let id = schedule.withLock { $0.makeID() }
        let since = monotonicNanoseconds()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.requestCancelled)) }
                guard schedule.withLock({ $0.park(id, index, track: track, at: since) }) else {
                    return waiter.resume(returning: .failure(.stopped))
                }
                waiters[id] = waiter
                startReading()
            }
        } onCancel: {
            // A cancellation handler is synchronous, and only the actor may access the waiter.
            enqueue { $0.cancel(id) }
        }
        return try result.get()
    }

    private func cancel(_ id: SegmentSchedule.RequestID) {
        schedule.withLock { $0.cancel(id) }
        answer(id, .failure(.requestCancelled))
    }

    private func answer(_ id: SegmentSchedule.RequestID, _ result: Result<ByteBody, EngineError>) {
        notePressure()
        waiters.removeValue(forKey: id)?.resume(returning: result)
    }

    private func notePressure() { pressure.isUp = schedule.withLock(\.isAwaited) }

    // MARK: Making

    /// Starts all the work that the schedule allows now.
    private func startReading() {
        notePressure()
        let (plan, size) = (plan, source.file.byteCount)
        while let work = schedule.withLock({ schedule in
            schedule.next(
                isHeld: { store.has($0) },
                byteCount: { Int(plan.byteCount(of: $0, fileSize: size) ?? 0) }
            )
        }) {
            let demuxer = demuxers[work.demuxer]
            // The task ends when the segment is packed or has failed. `end` ends it early: the demuxer is interrupted,
            // the pipeline bridges no further track, and nothing is packed.
            Task { await self.make(work, with: demuxer) }
        }
    }

    private func make(_ work: SegmentSchedule.Work, with demuxer: any SegmentReading) async {
        let (plan, ends, streams) = (plan, trackEnds, subtitles?.streams ?? [])
        let start = monotonicNanoseconds()
        do throws(EngineError) {
            let material = try await demuxer.read(
                segment: work.index,
                of: plan,
                trackEnds: ends,
                active: work.tracks,
                subtitles: streams
            )
            schedule.withLock { $0.didRead(work) }
            try checkEnd()
            handOver(material, streams)
            // The reader is free, so it can read ahead while this segment is made.
            startReading()
            let bridged = try await bridge(material, by: plan, of: work)
            report.notices += source.takeFormatNotices()
            report.add(segment: work.index, of: plan, nanoseconds: monotonicNanoseconds() - start)
            try checkEnd()
            schedule.withLock { $0.willPack() }
            finish(await pipeline.pack(material, bridged, by: plan, ends: ends), work)
        } catch {
            for id in schedule.withLock({ $0.didFail(work) }) { answer(id, .failure(error)) }
            reportFormats()
        }
        startReading()
    }

    private func checkEnd() throws(EngineError) {
        if schedule.withLock(\.isEnded) { throw .stopped }
    }

    private func bridge(
        _ material: SegmentMaterial,
        by plan: SegmentPlan,
        of work: SegmentSchedule.Work
    ) async throws(EngineError) -> BridgedTracks {
        let schedule = schedule
        let (bridged, failure) = await pipeline.bridge(
            material,
            by: plan,
            awaitedSince: { schedule.withLock { $0.awaitedSince(work.index) } },
            unless: { schedule.withLock(\.isEnded) }
        )
        report.add(bridged)
        if let failure { throw failure }
        return bridged
    }

    /// Passes the harvested subtitles and captions to the function that takes them.
    private func handOver(_ material: SegmentMaterial, _ streams: Set<Int>) {
        let lead = source.lead.stream.index
        if let found = material.subtitles {
            let others = streams.subtracting([lead])
            subtitles?.taker(HarvestedPackets(segment: material.index, streams: others, packets: found))
        }
        if let found = material.captions {
            subtitles?.taker(HarvestedPackets(segment: material.index, streams: [lead], packets: found))
        }
    }

    private func finish(_ built: SegmentMuxer.Built, _ work: SegmentSchedule.Work) {
        report.add(built)
        let (answered, heads) = schedule.withLock { ($0.didPack(work, made: built.bodies.keys), $0.heads) }
        guard let answered else { return }
        let evicted = store.add(work.index, built.bodies) { heads.cost(of: $0) }
        schedule.withLock { $0.didEvict(evicted, for: answered.isEmpty ? work.index : nil) }
        for (id, track) in answered {
            if let body = built.bodies[track] { answer(id, .success(body)) }
        }
        didEvict(evicted.count)
    }

    private func didEvict(_ count: Int) {
        report.segmentsEvicted += UInt64(count)
        report.cachedBytes = UInt64(store.byteCount)
        onReport(report)
    }

    /// Reports what reading a segment has revealed about changes of formats, such as why the segment cannot be served.
    private func reportFormats() {
        let notices = source.takeFormatNotices()
        guard !notices.isEmpty else { return }
        report.notices += notices
        onReport(report)
    }

    /// Notes that a segment was served from memory. Its reader may have moved on, so more may be read.
    private func didServe() {
        report.cacheHits += 1
        onReport(report)
        startReading()
    }
}

extension EngineError {
    fileprivate static var stopped: EngineError { EngineError(.cancelled, "the session was stopped") }
    fileprivate static var requestCancelled: EngineError { EngineError(.cancelled, "the request was cancelled") }
}

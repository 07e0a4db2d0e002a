// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Makes segments: those that are requested first, then those that a reader will request next, and no more.
///
/// Never blocks: reading, bridging and packing happen on the threads of the demuxers, the bridges and the packer. Owned
/// by its session; called by the loopback routes and by the session's clock. Keeps up to three demuxers, so that
/// players at different positions do not compete for one.
package actor SegmentProducer {
    /// What has been made so far.
    package struct Report: Hashable, Sendable {
        package var segmentsProduced: UInt64 = 0
        package var segmentsEvicted: UInt64 = 0
        package var cachedBytes: UInt64 = 0
        package var bytesProduced: UInt64 = 0
        package var droppedPackets = 0
        /// Requests for segments that were already in memory.
        package var cacheHits: UInt64 = 0
        /// How long making segments took, and how much media they hold.
        package var makingNanoseconds: Int64 = 0
        package var madeMicroseconds: Int64 = 0
        /// How long decoding and re-encoding audio took.
        package var decodeNanoseconds: Int64 = 0
        /// Whether pictures turned out to carry dynamic metadata (HDR10+).
        package var hasDynamicMetadata = false
        /// Closed captions that pictures turned out to carry, by their INSTREAM-ID.
        package var captionChannels: Set<String> = []
        package var picturesWithoutMetadata = 0
        /// Packets of bridged tracks that could not be decoded.
        package var brokenSoundPackets = 0
        /// Bridged segments without audio although the source has packets there.
        package var silentSegments = 0
        /// Bridged segments in which the rate or layout differs from the start of the track.
        package var changedFormats = 0
    }

    private struct Cursor {
        let demuxer: Demuxer
        /// The segment it can read without seeking.
        var next: Int
        var isBusy = false
        var lastUse: UInt64 = 0
    }

    private struct Waiter {
        let track: Int
        let continuation: CheckedContinuation<Result<ByteBody, EngineError>, Never>
    }

    private static let cursorLimit = 3

    private let source: OpenedSource
    private let bridges: [AudioBridge]
    private let packer = SegmentPacker()
    private let cache: SegmentCache
    private nonisolated let inventory = SegmentInventory()
    private let onReport: @Sendable (Report) -> Void
    private var plan: SegmentPlan
    private var trackEnds: [MediaTime?]
    private var cursors: [Cursor]
    private var heads: ReaderHeads
    private var inFlight: Set<Int> = []
    /// How many segments the packer is working on. No read is started meanwhile, so that material does not pile up
    /// behind it.
    private var packing = 0
    private var waiters: [Int: [UInt64: Waiter]] = [:]
    private var active: Set<Int>
    private var uses: UInt64 = 0
    private var report = Report()
    private var isStopped = false
    private var aheadBytes: Int
    /// The streams whose packets are handed over as they are read, and the function that takes them.
    private var subtitles: (streams: Set<Int>, taker: @Sendable (HarvestedPackets) -> Void)?
    /// Whether a request waits for a segment. Other readers of the source check it.
    package nonisolated let pressure = PlaybackPressure()

    /// - Parameters:
    ///   - demuxer: the one that opened the source. Its read position is segment 0.
    ///   - budget: bytes that finished segments may take.
    ///   - preferredTrack: the audio track that is made before it is requested.
    ///   - onReport: called after every change of the report, from the producer's executor.
    package init(
        source: OpenedSource,
        demuxer: Demuxer,
        plan: SegmentPlan,
        trackEnds: [MediaTime?],
        budget: Int,
        target: MediaTime,
        preferredTrack: Int?,
        onReport: @escaping @Sendable (Report) -> Void
    ) {
        self.source = source
        let isBridged = source.tracks.contains { $0.bridge != nil }
        bridges = isBridged ? (1...2).map { AudioBridge(name: "bridge-\($0)") } : []
        self.plan = plan
        self.trackEnds = trackEnds
        self.onReport = onReport
        cache = SegmentCache(budget: budget)
        aheadBytes = budget / 3
        cursors = [Cursor(demuxer: demuxer, next: 0)]
        heads = ReaderHeads(ahead: max(2, Int(24 / max(0.5, target.seconds))))
        active = Set([0] + (preferredTrack.map { [$0] } ?? []))
    }

    /// Takes a longer plan. What an earlier plan announced stays as it was.
    package func extend(_ plan: SegmentPlan, trackEnds: [MediaTime?]) {
        self.plan = plan
        self.trackEnds = trackEnds
        pump()
    }

    /// Returns one segment of one track, and makes it if necessary. Cancelling the task stops waiting.
    package func segment(_ index: Int, track: Int) async throws(EngineError) -> ByteBody {
        guard index >= 0, index < plan.segmentCount, source.tracks.indices.contains(track) else {
            throw EngineError(.internal, "segment \(index) of track \(track) is not announced")
        }
        heads.note(index)
        active.insert(track)
        if let body = await resident(index, track: track) {
            report.cacheHits += 1
            onReport(report)
            pump()
            return body
        }
        return try await wait(for: index, track: track)
    }

    private func resident(_ index: Int, track: Int) async -> ByteBody? {
        guard inventory.has(index, track: track) else { return nil }
        return await cache.body(.init(index: index, track: track))
    }

    /// From now on makes a track before it is requested. Starts at once with the first segments that a reader of
    /// `index` will want.
    package func prefer(track: Int, from index: Int) {
        active.insert(track)
        for next in index..<min(plan.segmentCount, index + 3) where !inventory.has(next, track: track) {
            Task {
                do throws(EngineError) { _ = try await self.segment(next, track: track) } catch {
                    // A request for the segment reports the failure.
                }
            }
        }
    }

    /// Waits until the leading track's segment at `index` is in memory, as a request from a reader at that position
    /// would.
    package func ensure(_ index: Int) async throws(EngineError) {
        guard index >= 0, index < plan.segmentCount else {
            throw EngineError(.internal, "segment \(index) is not announced")
        }
        heads.note(index)
        if await resident(index, track: 0) != nil { return pump() }
        _ = try await wait(for: index, track: 0)
    }

    /// The index after the last segment that is in memory without a gap from `index` on.
    package nonisolated func contiguousEnd(from index: Int) -> Int { inventory.contiguousEnd(from: index) }

    /// The first segment that is in memory without a gap up to `index`.
    package nonisolated func contiguousStart(upTo index: Int) -> Int { inventory.contiguousStart(upTo: index) }

    /// Changes how many bytes finished segments may take.
    package func setBudget(_ bytes: Int) async {
        aheadBytes = bytes / 3
        let heads = heads
        forget(await cache.setBudget(bytes) { heads.cost(of: $0) })
    }

    /// Hands packets of these subtitle streams to `taker` when they are read along from now on: one segment at a time,
    /// with all packets that the segment has.
    package func harvest(_ streams: Set<Int>, taker: @escaping @Sendable (HarvestedPackets) -> Void) {
        subtitles = streams.isEmpty ? nil : (streams, taker)
    }

    /// Stops at once: every waiter gets an answer, and every blocked read returns.
    package func stop() async {
        isStopped = true
        for cursor in cursors { cursor.demuxer.interrupt() }
        for index in waiters.keys {
            answer(index) { _ in .failure(EngineError(.cancelled, "the session was stopped")) }
        }
        for cursor in cursors { await cursor.demuxer.close() }
        await cache.removeAll()
    }

    // MARK: Waiting

    private func wait(for index: Int, track: Int) async throws(EngineError) -> ByteBody {
        uses += 1
        let id = uses
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<ByteBody, EngineError>, Never>) in
                if isStopped || Task.isCancelled {
                    continuation.resume(returning: .failure(EngineError(.cancelled, "nobody waits any more")))
                    return
                }
                waiters[index, default: [:]][id] = Waiter(track: track, continuation: continuation)
                pressure.isUp = true
                pump()
            }
        } onCancel: {
            // A cancellation handler is synchronous; the waiter lives on the actor.
            Task { await self.giveUp(index, id) }
        }
        return try result.get()
    }

    private func giveUp(_ index: Int, _ id: UInt64) {
        guard let waiter = waiters[index]?.removeValue(forKey: id) else { return }
        if waiters[index]?.isEmpty == true { waiters[index] = nil }
        pressure.isUp = !waiters.isEmpty
        waiter.continuation.resume(returning: .failure(EngineError(.cancelled, "nobody waits any more")))
    }

    /// Answers the waiters of segment `index` for whose track `result` returns something.
    private func answer(_ index: Int, _ result: (Int) -> Result<ByteBody, EngineError>?) {
        for (id, waiter) in waiters[index] ?? [:] {
            guard let answer = result(waiter.track) else { continue }
            waiters[index]?[id] = nil
            waiter.continuation.resume(returning: answer)
        }
        if waiters[index]?.isEmpty == true { waiters[index] = nil }
        pressure.isUp = !waiters.isEmpty
    }

    // MARK: Making

    /// Starts as much work as there are free demuxers for.
    private func pump() {
        while !isStopped, packing == 0, let index = nextIndex(), let cursor = freeCursor(for: index) {
            cursors[cursor].isBusy = true
            uses += 1
            cursors[cursor].lastUse = uses
            inFlight.insert(index)
            let demuxer = cursors[cursor].demuxer
            Task { await self.make(index, with: demuxer) }
        }
    }

    /// The next segment to make: one that a request waits for, or otherwise one that a reader will soon want if there
    /// is room ahead.
    private func nextIndex() -> Int? {
        if let asked = waiters.keys.filter({ !inFlight.contains($0) }).min() { return asked }
        guard cursors.contains(where: { !$0.isBusy }) else { return nil }
        return heads.wanted(segmentCount: plan.segmentCount).first { index in
            !inFlight.contains(index) && !inventory.has(index) && aheadOf(index) < aheadBytes
        }
    }

    /// Bytes, according to the plan, from the closest reader at or before `index` through `index`.
    private func aheadOf(_ index: Int) -> Int {
        guard let place = heads.places.filter({ $0 <= index }).max() else { return 0 }
        return (place...index).reduce(0) { $0 + Int(plan.byteCount(of: $1, fileSize: source.file.byteCount) ?? 0) }
    }

    private func freeCursor(for index: Int) -> Int? {
        let free = cursors.indices.filter { !cursors[$0].isBusy }
        if let fitting = free.first(where: { cursors[$0].next == index }) { return fitting }
        // A demuxer is about to finish the segment before this one: continuing there is cheaper than a seek.
        if waiters[index] == nil, inFlight.contains(index - 1) { return nil }
        // Opening another demuxer takes longer than waiting for one, so only players that take turns get their own.
        if heads.hasSeveralReaders, cursors.count < min(Self.cursorLimit, heads.places.count) {
            cursors.append(Cursor(demuxer: Demuxer(name: "demux-\(cursors.count + 1)", source: source), next: -1))
            return cursors.count - 1
        }
        return free.min { cursors[$0].lastUse < cursors[$1].lastUse }
    }

    private func make(_ index: Int, with demuxer: Demuxer) async {
        let wanted = active
        let plan = plan
        let streams = subtitles?.streams ?? []
        let start = monotonicNanoseconds()
        do throws(EngineError) {
            let material = try await demuxer.read(
                segment: index,
                of: plan,
                trackEnds: trackEnds,
                active: wanted,
                subtitles: streams
            )
            release(demuxer, next: index + 1)
            let lead = source.lead.stream.index
            if let found = material.subtitles {
                let others = streams.subtracting([lead])
                subtitles?.taker(HarvestedPackets(segment: index, streams: others, packets: found))
            }
            if let found = material.captions {
                subtitles?.taker(HarvestedPackets(segment: index, streams: [lead], packets: found))
            }
            // The demuxer is free: let it read on while this segment is packed.
            pump()
            let sounds = try await bridged(material)
            noteMade(index, by: plan, since: start)
            packing += 1
            let built = await packer.build(material, sounds, of: source, by: plan, ends: trackEnds)
            packing -= 1
            await finish(built, index)
        } catch {
            release(demuxer, next: -1)
            inFlight.remove(index)
            answer(index) { _ in .failure(error) }
        }
        pump()
    }

    private func noteMade(_ index: Int, by plan: SegmentPlan, since start: Int64) {
        report.makingNanoseconds += monotonicNanoseconds() - start
        guard let end = plan.endTime(of: index),
            let begin = index == 0 ? plan.boundaries.first?.time : plan.endTime(of: index - 1)
        else { return }
        report.madeMicroseconds += max(0, plan.timeBase.microseconds(end &- begin))
    }

    /// Bridges the tracks that need it. Consecutive segments alternate between the bridges, so that two cores are used.
    private func bridged(_ material: SegmentMaterial) async throws(EngineError) -> [Int: BridgedSound] {
        var sounds: [Int: BridgedSound] = [:]
        for (place, part) in material.parts.enumerated() {
            guard let job = part?.sound, let plan = source.tracks[place].bridge, !isStopped else { continue }
            let start = monotonicNanoseconds()
            let sound = try await bridges[(material.index + place) % bridges.count].encode(job, with: plan)
            report.decodeNanoseconds += monotonicNanoseconds() - start
            report.brokenSoundPackets += sound.brokenPackets
            if sound.isSilent { report.silentSegments += 1 }
            if sound.hasChangedFormat { report.changedFormats += 1 }
            sounds[place] = sound
        }
        return sounds
    }

    private func release(_ demuxer: Demuxer, next: Int) {
        guard let place = cursors.firstIndex(where: { $0.demuxer === demuxer }) else { return }
        cursors[place].isBusy = false
        cursors[place].next = next
    }

    private func finish(_ built: SegmentBuilder.Built, _ index: Int) async {
        guard !isStopped else { return }
        inventory.add(index, tracks: built.bodies.keys)
        inFlight.remove(index)
        report.segmentsProduced += UInt64(built.bodies.count)
        report.bytesProduced += UInt64(built.bodies.values.reduce(0) { $0 + $1.byteCount })
        report.droppedPackets += built.droppedPackets
        report.hasDynamicMetadata = report.hasDynamicMetadata || built.hasDynamicMetadata
        report.captionChannels.formUnion(built.captionChannels)
        report.picturesWithoutMetadata += built.picturesWithoutMetadata
        answer(index) { track in built.bodies[track].map { .success($0) } }
        let heads = heads
        let stored = Dictionary(
            uniqueKeysWithValues: built.bodies.map { (SegmentCache.Key(index: index, track: $0), $1) }
        )
        forget(await cache.store(stored) { heads.cost(of: $0) })
    }

    private func forget(_ outcome: (evicted: [SegmentCache.Key], byteCount: Int)) {
        for key in outcome.evicted { inventory.remove(key.index, track: key.track) }
        report.segmentsEvicted += UInt64(outcome.evicted.count)
        report.cachedBytes = UInt64(outcome.byteCount)
        onReport(report)
    }
}

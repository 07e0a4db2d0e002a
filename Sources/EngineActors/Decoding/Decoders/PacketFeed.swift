// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Reads a source for its decoders: one pass over the source, a queue for each stream, many packets at a time.
///
/// Never decodes, and reads only when it is entered or when a decoder asks. If the two streams lie so far apart in the
/// file that the queue of one would grow too long, this stream is read separately. Owned by the code that decodes the
/// source.
package actor PacketFeed {
    private let executor = ThreadExecutor(name: "feed")
    private nonisolated let interruptFlag = InterruptFlag()
    /// Generation of the latest call of `enter`.
    private nonisolated let wanted = Locked<UInt64?>(nil)
    private let source: DecodingSource
    private var plan: SegmentPlan?
    private var streams: [FeedKind: Int]
    /// How much later audio is played than video with the same timestamp.
    private var audioDelay = MediaTime.zero
    private var description: FeedDescription?
    private var shared: FeedHead?
    private var lanes: [FeedKind: FeedLane] = [:]
    /// Overrides the default limit of a queue.
    private var limit: FeedQueue.Limit?
    private var variants: Variants

    /// The variants of the source that are read.
    private struct Variants {
        /// Receives the choices. `nil`: only one variant is read.
        let report: (@Sendable (VariantCourse.Report) -> Void)?
        /// Makes the choices, once the source is open. `nil`: only one variant is read.
        var course: VariantCourse?
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - video: the video stream to read, if any.
    ///   - audio: the audio stream to read, if any.
    ///   - plan: where the source can be entered, if known.
    ///   - onVariant: receives the variants that are chosen by the bandwidth; `nil`: only one variant of the source is
    ///     read.
    package init(
        _ source: DecodingSource,
        video: Int?,
        audio: Int?,
        plan: SegmentPlan? = nil,
        onVariant: (@Sendable (VariantCourse.Report) -> Void)? = nil
    ) {
        self.source = source
        variants = Variants(report: onVariant)
        self.plan = plan
        streams = [:]
        streams[.video] = video
        streams[.audio] = audio
    }

    /// Makes the running call and every later one fail at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Uses a longer plan of the same source.
    package func follow(_ plan: SegmentPlan) { self.plan = plan }

    /// Selects another audio stream, or none, from the next entry on. Audio is then read from `delay` before the time
    /// of the entry (after it if negative); its timestamps stay those of the source.
    package func choose(audio: Int?, delayedBy delay: MediaTime = .zero) {
        streams[.audio] = audio
        audioDelay = delay
    }

    /// Seeks to where decoding must begin so that video and audio at `time` can be output. Discards what was read
    /// before.
    ///
    /// - Parameter time: the time on the timeline. At or before 0, all packets from the start of the source are
    ///   delivered.
    /// - Throws: `cancelled` when a newer call arrives before this one is done.
    package nonisolated func enter(at time: MediaTime, generation: UInt64) async throws(EngineError) {
        wanted.withLock { $0 = generation }
        try await go(to: FeedEntry(generation: generation, time: time))
    }

    /// Reads another audio stream from `time` on, without entering the source again. `nil` reads none.
    ///
    /// - Parameter generation: the generation of the audio from here on; the video keeps its own. Must be greater than
    ///   all earlier ones.
    package func select(audio stream: Int?, from time: MediaTime, generation: UInt64) throws(EngineError) {
        streams[.audio] = stream
        guard let description else { return }
        lanes[.audio] = nil
        shared?.keep(only: Set(lanes.values.filter { $0.source.isShared }.map(\.facts.stream.index)))
        guard let stream else { return }
        guard let facts = description.facts[stream] else { throw missing(stream) }
        let entry = FeedEntry(generation: generation, time: time)
        var lane = FeedLane(facts, entry, limit: limit)
        lane.source = .parked(.at(time))
        lanes[.audio] = lane
    }

    /// Closes the file.
    package func close() {
        description = nil
        shared = nil
        lanes = [:]
        variants.course = nil
    }

    /// Sets the limit of every queue, from the next entry on.
    func bound(by limit: FeedQueue.Limit) { self.limit = limit }

    /// The facts about the stream that is being read for `kind`.
    func facts(_ kind: FeedKind) -> DecodingFacts? { lanes[kind]?.facts }

    private func missing(_ stream: Int) -> EngineError {
        EngineError(.trackNotFound, "\(source.file.path) has no decodable stream \(stream)")
    }
}

// MARK: Entering

extension PacketFeed {
    private func go(to entry: FeedEntry) throws(EngineError) {
        try source.file.verified { () throws(EngineError) in try find(entry) }
    }

    private func find(_ entry: FeedEntry) throws(EngineError) {
        lanes = [:]
        try stopIfSuperseded(entry)
        let description = try open()
        variants.course?.restart()
        var found: [FeedKind: FeedLane] = [:]
        for (kind, stream) in streams {
            guard let facts = description.facts[stream] else { throw missing(stream) }
            let own = FeedEntry(generation: entry.generation, time: entry.time - audioDelay)
            found[kind] = FeedLane(facts, kind == .audio ? own : entry, limit: limit)
        }
        // Delayed audio lies elsewhere in the file than the video played with it.
        let isAudioApart = audioDelay != .zero && streams[.video] != nil
        guard let leadKind = FeedKind.allCases.first(where: { found[$0] != nil }), let lead = found[leadKind]?.facts,
            let head = shared
        else {
            throw EngineError(.noPlayableStream, "no stream of \(source.file.path) is selected for decoding")
        }
        head.keep(only: Set(streams.filter { !isAudioApart || $0.key != .audio }.values))
        let start = found[leadKind]?.entry.time ?? entry.time
        let place = try head.find(start, lead, plan) { () throws(EngineError) in try stopIfSuperseded(entry) }
        for packet in place.run { found[leadKind]?.queue.append(packet) }
        found[leadKind]?.privateData = place.privateData
        for (kind, lane) in found where kind != leadKind {
            found[kind]?.queue = place.others[lane.facts.stream.index] ?? lane.queue
            if isAudioApart, kind == .audio { found[kind]?.source = .parked(.at(lane.entry.time)) }
        }
        lanes = found
        for (kind, lane) in lanes where place.full.contains(lane.facts.stream.index) { park(kind) }
    }

    private func open() throws(EngineError) -> FeedDescription {
        if let description { return description }
        let examiner = try source.examiner(interrupt: interruptFlag)
        let found = try FeedDescription.open(source, video: streams[.video], by: examiner)
        if let report = variants.report { variants.course = try VariantCourse(of: examiner.reader, report: report) }
        variants.course?.guide(examiner.reader)
        description = found
        shared = FeedHead(examiner.reader, found.facts, streams: Set(streams.values))
        return found
    }

    private func stopIfSuperseded(_ entry: FeedEntry) throws(EngineError) {
        guard wanted.withLock({ $0 == entry.generation }), !interruptFlag.isUp else {
            throw EngineError(.cancelled, "superseded by a newer seek in \(source.file.path)")
        }
    }
}

// MARK: Reading

extension PacketFeed {
    /// The next packets of a stream. The batch may be empty, so that callers waiting for this actor do not wait long.
    ///
    /// - Returns: `nil` when the source has been entered again since, or has no such stream.
    func next(_ kind: FeedKind, generation: UInt64) throws(EngineError) -> PacketBatch? {
        try source.file.verified { () throws(EngineError) in try read(kind, generation: generation) }
    }

    private func read(_ kind: FeedKind, generation: UInt64) throws(EngineError) -> PacketBatch? {
        guard let lane = lanes[kind], lane.entry.generation == generation else { return nil }
        // Queued packets go first: a separate head is opened only when they are gone.
        if case .parked = lane.source, !lane.queue.isEmpty { return lanes[kind]?.take(isAtEnd: false) }
        let head = try attach(kind, lane)
        var budget = FeedLane.readLimit
        while let lane = lanes[kind], lane.queue.count < FeedLane.batchCount, budget > 0, let packet = try head.read() {
            budget -= max(4096, packet.packet.byteCount)
            guard let taker = taker(of: packet) else { continue }
            lanes[taker]?.queue.append(packet)
            if taker != kind, lanes[taker]?.isFull == true { park(taker) }
        }
        return lanes[kind]?.take(isAtEnd: head.isAtEnd)
    }

    private func taker(of packet: FeedPacket) -> FeedKind? {
        FeedKind.allCases.first { lanes[$0]?.facts.stream.index == packet.packet.streamIndex }
    }

    /// Stops reading a stream through the shared head.
    private func park(_ kind: FeedKind) {
        guard let lane = lanes[kind], let last = lane.queue.last, let shared else { return }
        lanes[kind]?.source = .parked(.after(FeedHead.Mark(last.packet), lane.facts.time(last.time)))
        shared.keep(only: shared.streams.subtracting([lane.facts.stream.index]))
    }

    /// The head that reads the packets of a stream. Opens one if the stream is parked.
    private func attach(_ kind: FeedKind, _ lane: FeedLane) throws(EngineError) -> FeedHead {
        guard let description, let shared else {
            throw EngineError(.internal, "packets were requested before the feed was open")
        }
        switch lane.source {
        case .shared: return shared
        case .own(let head): return head
        case .parked(let place):
            let reader = try source.reader(interrupt: interruptFlag)
            variants.course?.guide(reader)
            let head = FeedHead(reader, description.facts, streams: [lane.facts.stream.index])
            let lead = lanes[.video]?.facts ?? lane.facts
            let packets = try head.resume(place, lane.facts, by: lead, plan) { () throws(EngineError) in
                if interruptFlag.isUp { throw EngineError(.cancelled, "reading \(source.file.path) was cancelled") }
            }
            for packet in packets { lanes[kind]?.queue.append(packet) }
            lanes[kind]?.source = .own(head)
            return head
        }
    }
}

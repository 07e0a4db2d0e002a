// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Decodes the video of a source on its own thread, and on the codec's threads.
///
/// Does not know the playhead, and decodes only on request. Fed by a `PacketFeed`; called and owned by the code that
/// shows the frames.
package actor SoftwareVideoDecoder {
    /// Packets after which decoding fails if the decoder has never output a frame.
    private static let silentPackets = 1000
    /// How many errors one packet may cause before the next packet is sent.
    private static let errorLimit = 64

    private let executor = ThreadExecutor(name: "video decoder")
    private let feed: PacketFeed
    private nonisolated let counted = Locked(DecodingCounters())
    private let devices: DecodingDevices?
    private let allocation: FrameAllocation?
    private var decoder: FallbackDecoder<VideoDecoder>?
    private var intake = PacketIntake()
    private var timeline: FrameTimeline?
    private var fields: FieldRepair
    private var batch = FrameBatch()
    private var finishing: FrameFinishing
    /// Frames of this and earlier generations are not wanted.
    private var unwanted: UInt64?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - deinterlacing: how interlaced frames are deinterlaced; `nil` leaves them as they are.
    ///   - usesDevices: whether hardware decoders may be used.
    ///   - treatment: the processing applied to frames before they are returned.
    ///   - rotation: how far frames are rotated clockwise for display, in degrees.
    ///   - aspect: the pixel aspect ratio, where a frame does not give one.
    ///   - allocation: provides the memory for frames that are returned as decoded.
    package init(
        feed: PacketFeed,
        deinterlacing: Deinterlacer.Rate? = nil,
        usesDevices: Bool = true,
        treatment: SharedTreatment? = nil,
        rotation: Int = 0,
        aspect: Ratio? = nil,
        allocation: FrameAllocation? = nil
    ) {
        self.feed = feed
        self.allocation = allocation
        devices = usesDevices ? .system : nil
        fields = FieldRepair(deinterlacing)
        finishing = FrameFinishing(treatment, rotation: rotation, aspect: aspect)
    }

    /// Takes effect from the next frame on.
    package func deinterlace(_ rate: Deinterlacer.Rate?) { fields.change(to: rate) }

    package nonisolated var counters: DecodingCounters { counted.withLock { $0 } }

    /// The backend in use, and why no device decodes.
    var choice: DecoderChoice? { decoder?.choice }

    /// The next frames: after an entry only the one shown at the requested time, then several at once.
    ///
    /// - Parameters:
    ///   - generation: the generation with which the feed was entered. Never less than in an earlier call.
    ///   - late: by how much the latest frame missed its time; 0 or less if it did not. Decides which frames are
    ///     skipped.
    /// - Throws: `noPlayableStream` when no frame can be decoded at all; otherwise the errors of reading.
    package func next(
        generation: UInt64,
        late: MediaTime = .zero
    ) async throws(EngineError) -> Decoded<TimedFrame> {
        intake.note(late: late)
        while true {
            guard isWanted(generation) else { return .superseded }
            if let timeline, timeline.entry.generation == generation {
                if intake.canContinue { try decode() }
                if !batch.isEmpty { return await finished(batch.take(), generation) }
                if intake.isOver { return .ended }
            }
            guard let packets = try await feed.next(.video, generation: generation),
                generation >= timeline?.entry.generation ?? 0, isWanted(generation)
            else { return .superseded }
            if timeline?.entry.generation != generation { try begin(packets) }
            intake.add(packets)
        }
    }

    /// Processes frames, once their subtitles are drawn or too late to wait for.
    private func finished(_ frames: [TimedFrame], _ generation: UInt64) async -> Decoded<TimedFrame> {
        guard let subtitles = finishing.subtitles, let size = frames.first.map({ finishing.size(of: $0.frame) }) else {
            return .some(finishing.apply(frames))
        }
        let images = await subtitles.images(at: frames.map(\.time), width: size.width, height: size.height)
        // Another entry may have begun in the meantime.
        guard isWanted(generation), timeline?.entry.generation == generation else { return .superseded }
        return .some(finishing.apply(frames, showing: images))
    }

    private func begin(_ packets: PacketBatch) throws(EngineError) {
        timeline = FrameTimeline(packets.entry, packets.facts)
        intake.begin(packets)
        batch = FrameBatch()
        finishing.flush()
        fields.reset()
        let first = packets.packets.first?.packet.format ?? 0
        if decoder?.format != first {
            try open(first, of: packets.facts)
        } else {
            decoder?.flush()
        }
    }

    private func open(_ format: Int, of facts: DecodingFacts) throws(EngineError) {
        decoder = nil
        guard let facts = facts.video(ofFormat: format) else {
            throw EngineError(.noPlayableStream, "the video cannot be decoded", cause: "its format is not known")
        }
        decoder = try .open(facts, devices: devices, allocation: allocation)
        decoder?.format = format
    }

    private func isWanted(_ generation: UInt64) -> Bool { unwanted.map { generation > $0 } ?? true }

    /// Stops decoding `generation` and earlier ones, whose frames are no longer wanted. Frees the decoder, unless it
    /// already decodes a later one.
    func stop(through generation: UInt64) {
        unwanted = max(generation, unwanted ?? 0)
        if timeline?.entry.generation ?? 0 <= generation { close() }
    }

    /// Frees the decoder with its memory and threads. A later `next` opens a new decoder.
    package func close() {
        decoder = nil
        timeline = nil
        intake.close()
        batch = FrameBatch()
    }

    // MARK: Decoding

    /// Decodes waiting packets until a batch is full.
    private func decode() throws(EngineError) {
        let start = monotonicNanoseconds()
        defer {
            let channels = intake.captionChannels
            counted.withLock { counters in
                counters.nanoseconds += UInt64(max(0, monotonicNanoseconds() - start))
                counters.captionChannels.formUnion(channels)
            }
        }
        allocation?.setOpen(!fields.isEngaged && finishing.isIdentity)
        while !batch.isFull, let next = intake.next() {
            if next.packet.format != decoder?.format, let facts = intake.facts {
                // A list continues in another codec. What the decoder still holds comes first.
                drain()
                try open(next.packet.format, of: facts)
            }
            timeline?.send(next.entry)
            do throws(FFmpegError) {
                try decoder?.send(next.packet, next.step, privateData: next.privateData)
            } catch {
                // The packet yields no frame; later packets may.
                counted.withLock { $0.errors += 1 }
            }
            receive()
        }
        if intake.isExhausted, !batch.isFull { finish() }
        let count = intake.count
        if batch.isEmpty, counters.frames == 0, count > 0, intake.isOver || count > Self.silentPackets {
            throw EngineError(
                .noPlayableStream,
                "no frame can be decoded",
                cause: "\(count) packets contain none, \(counters.errors) of them are damaged"
            )
        }
    }

    private func finish() {
        intake.end()
        drain()
        for (frame, moment) in fields.finish() { show(frame, moment) }
        if let last = timeline?.finish() { batch.add(last) }
    }

    /// Receives all frames that the decoder holds.
    private func drain() {
        do throws(FFmpegError) {
            try decoder?.drain()
        } catch {
            counted.withLock { $0.errors += 1 }
        }
        receive()
    }

    private func receive() {
        var errors = 0
        while errors < Self.errorLimit {
            do throws(FFmpegError) {
                guard case .frame(let frame) = try decoder?.receive() else { return }
                counted.withLock { counters in
                    counters.frames += 1
                    if frame.isDamaged { counters.damaged += 1 }
                }
                guard let moment = timeline?.moment(of: frame, depth: decoder?.reorderDepth ?? 0) else { continue }
                for (frame, moment) in fields.add(frame, moment) { show(frame, moment) }
            } catch {
                errors += 1
                counted.withLock { $0.errors += 1 }
            }
        }
    }

    private func show(_ frame: VideoFrame, _ moment: FrameTimeline.Moment) {
        if let timed = timeline?.add(frame, moment) { batch.add(timed) }
    }
}

/// The packets of one entry on their way to the decoder.
private struct PacketIntake {
    struct Next {
        let entry: FeedPacket
        /// The entry's packet, with the palette of the stream if it is the first.
        let packet: Packet
        let step: FrameDropPolicy.Step
        let privateData: [UInt8]?
    }

    /// Whether more packets follow, the last one has arrived, or all frames have been received too.
    private enum Stage { case feeding, lastFed, ended }

    /// How many packets were taken for the decoder, over all entries.
    private(set) var count = 0
    private var policy = FrameDropPolicy()
    private var gate = FrameDropGate(isLayered: false)
    private var stage = Stage.feeding
    private var waiting: ArraySlice<FeedPacket> = []
    /// `privateData` and `palette` apply from the next packet on.
    private var privateData: [UInt8]?
    private var palette: [UInt8]?
    /// Whether packet timestamps are presentation times.
    private var isShownTime = false
    private var captions: CaptionSurvey?
    /// The caption channels that were found in packets of other formats.
    private var earlierChannels: Set<String> = []
    /// The facts about the stream; `nil` before the first entry.
    private(set) var facts: DecodingFacts?
    /// `Packet.format` of the packets for which `gate` and `captions` are set up.
    private var format = 0

    /// The caption channels found so far.
    var captionChannels: Set<String> { earlierChannels.union(captions?.channels ?? []) }

    /// Whether packets wait to be decoded or frames to be received.
    var canContinue: Bool { stage != .ended && (!waiting.isEmpty || stage == .lastFed) }

    /// Whether all packets were taken. The decoder may still hold frames.
    var isExhausted: Bool { stage == .lastFed && waiting.isEmpty }

    /// Whether all frames have been received.
    var isOver: Bool { stage == .ended }

    /// - Parameter late: by how much the latest frame missed its time; 0 or less if it did not.
    mutating func note(late: MediaTime) { policy.note(late: late) }

    mutating func begin(_ batch: PacketBatch) {
        facts = batch.facts
        waiting = []
        stage = .feeding
        privateData = batch.privateData
        palette = batch.facts.palette
        isShownTime = batch.facts.timing == .shown
        change(toFormat: batch.packets.first?.packet.format ?? 0)
    }

    private mutating func change(toFormat next: Int) {
        guard let stream = (facts?.video(ofFormat: next) ?? facts)?.stream else { return }
        gate = FrameDropGate(isLayered: [.h264, .hevc].contains(stream.codec))
        if captions == nil || next != format {
            earlierChannels = captionChannels
            captions = CaptionSurvey(codec: stream.codec, extradata: stream.extradata)
        }
        format = next
    }

    mutating func add(_ batch: PacketBatch) {
        waiting += batch.packets
        if batch.isLast { stage = .lastFed }
    }

    mutating func next() -> Next? {
        guard let entry = waiting.popFirst() else { return nil }
        defer { (privateData, palette) = (nil, nil) }
        count += 1
        if entry.packet.format != format { change(toFormat: entry.packet.format) }
        entry.packet.withBytes { captions?.note(picture: $0) }
        let shown = isShownTime && !entry.isGuess ? entry.time : entry.shownTime
        let step = gate.step(policy.step, isKey: entry.packet.isKey, shown: shown)
        let packet = palette.map { entry.packet.palette == nil ? entry.packet.painted($0) : entry.packet }
        return Next(entry: entry, packet: packet ?? entry.packet, step: step, privateData: privateData)
    }

    /// All frames have been received.
    mutating func end() { stage = .ended }

    mutating func close() { waiting = [] }
}

/// Decoded frames that are returned together: only one after an entry, then several.
private struct FrameBatch {
    /// A batch ends after this many frames, or with the frame that reaches this many bytes.
    private static let count = 8
    private static let byteCount = 8 << 20

    private var frames: [TimedFrame] = []
    private var byteCount = 0
    private var limit = 1

    var isEmpty: Bool { frames.isEmpty }
    var isFull: Bool { frames.count >= limit || byteCount >= Self.byteCount }

    mutating func add(_ frame: TimedFrame) {
        frames.append(frame)
        byteCount += frame.frame.byteCount
    }

    mutating func take() -> [TimedFrame] {
        defer { (frames, byteCount, limit) = ([], 0, Self.count) }
        return frames
    }
}

/// The processing of decoded frames before they are returned.
private struct FrameFinishing: ~Copyable {
    private let sharedTreatment: SharedTreatment?
    private var filters: FrameFilters?
    private let rotation: Int
    private let aspect: Ratio?

    init(_ treatment: SharedTreatment?, rotation: Int, aspect: Ratio?) {
        sharedTreatment = treatment
        self.rotation = rotation
        self.aspect = aspect
        filters = treatment.map { FrameFilters($0, rotation: rotation, aspect: aspect) }
    }

    /// Whether frames are returned as they were decoded.
    var isIdentity: Bool { sharedTreatment?.isIdentity ?? true }

    var subtitles: (any FrameSubtitles)? { sharedTreatment?.subtitles }

    /// The size at which a frame is displayed, in pixels.
    func size(of frame: VideoFrame) -> (width: Int, height: Int) {
        var shape = frame.shape
        if !shape.declaresAspect, let aspect { shape.aspect = aspect }
        let bounds = OverlayLayout(.whole, on: shape, rotation: ((rotation % 360) + 360) % 360).bounds
        return (bounds.pictureWidth, bounds.pictureHeight)
    }

    mutating func flush() { filters?.flush() }

    mutating func apply(_ frames: [TimedFrame], showing images: [[CueImage]] = []) -> [TimedFrame] {
        (filters?.apply(frames, showing: images) ?? frames).map { $0.seen(turnedBy: rotation, aspect: aspect) }
    }
}

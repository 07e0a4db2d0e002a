// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Decodes the video of a source on its own thread, and on as many more as the codec uses.
///
/// Never looks at a clock, and decodes only on request. Fed by a `PacketFeed`; called and owned by the code that shows
/// the frames.
package actor SoftwareVideoDecoder {
    /// A batch ends after this many frames, or with the frame that makes it this large.
    private static let batchCount = 8
    private static let batchBytes = 8 << 20
    /// Packets after which decoding fails if the decoder has never output a frame.
    private static let silentPackets = 1000
    /// How many errors in a row one packet may cause before the next packet is sent.
    private static let errorLimit = 64

    private let executor = ThreadExecutor(name: "video decoder")
    private let feed: PacketFeed
    private nonisolated let counted = Locked(DecodingCounters())
    private var policy = LatePolicy()
    private var gate = LateGate(isLayered: false)
    private let devices: DecodingDevices?
    private let allocation: PictureAllocation?
    private var decoder: BackedDecoder<VideoDecoder>?
    private var fields: FieldRepair
    private var timeline: PictureTimeline?
    private var waiting: ArraySlice<FeedPacket> = []
    /// Both apply from the next packet on.
    private var privateData: [UInt8]?
    private var palette: [UInt8]?
    private var stage = Stage.feeding
    private var ready: [TimedPicture] = []
    private var readyBytes = 0
    private var hasGiven = false
    /// Packets sent to the decoder.
    private(set) var packetCount = 0
    /// Whether packet timestamps are presentation times.
    private var isShownTime = false
    private var captions: CaptionSurvey?
    private let look: PictureLook?
    private var filters: PictureFilters?
    private let rotation: Int
    private let aspect: Ratio?
    /// Nobody wants frames of this or earlier generations.
    private var unwanted: UInt64?

    private enum Stage { case feeding, lastFed, ended }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - deinterlacing: how interlaced frames are deinterlaced; `nil` leaves them as they are.
    ///   - usesDevices: whether hardware may decode, where there is any.
    ///   - look: the processing applied to frames before they are returned.
    ///   - rotation: how far frames are rotated clockwise for display, in degrees.
    ///   - aspect: the pixel aspect ratio, where a frame does not give one.
    ///   - allocation: provides the memory for frames that are returned as decoded.
    package init(
        feed: PacketFeed,
        deinterlacing: Deinterlacer.Rate? = nil,
        usesDevices: Bool = true,
        look: PictureLook? = nil,
        rotation: Int = 0,
        aspect: Ratio? = nil,
        allocation: PictureAllocation? = nil
    ) {
        self.feed = feed
        self.allocation = allocation
        devices = usesDevices ? .system : nil
        fields = FieldRepair(deinterlacing)
        self.look = look
        filters = look.map { PictureFilters($0, rotation: rotation, aspect: aspect) }
        self.rotation = rotation
        self.aspect = aspect
    }

    /// Takes effect from the next frame on.
    package func deinterlace(_ rate: Deinterlacer.Rate?) { fields.change(to: rate) }

    package nonisolated var counters: DecodingCounters { counted.withLock { $0 } }

    /// What decodes, and why no device does.
    var choice: DecoderChoice? { decoder?.choice }

    /// The next frames: after an entry only the one shown at the requested time, later several at once.
    ///
    /// - Parameters:
    ///   - generation: with which the feed was entered. Never less than in an earlier call.
    ///   - late: by how much the latest frame missed its time; 0 or less if it did not. Decides which frames are
    ///     skipped.
    /// - Throws: `noPlayableStream` when no frame can be decoded at all; otherwise the errors of reading.
    package func next(
        generation: UInt64,
        late: MediaTime = .zero
    ) async throws(EngineError) -> Decoded<TimedPicture> {
        policy.note(late: late)
        while true {
            guard isWanted(generation) else { return .superseded }
            if let timeline, timeline.entry.generation == generation {
                if stage != .ended, !waiting.isEmpty || stage == .lastFed { try decode() }
                if !ready.isEmpty { return .some(takeReady()) }
                if stage == .ended { return .ended }
            }
            guard let batch = try await feed.next(.video, generation: generation),
                generation >= timeline?.entry.generation ?? 0, isWanted(generation)
            else { return .superseded }
            if timeline?.entry.generation != generation { try begin(batch) }
            waiting += batch.packets
            if batch.isLast { stage = .lastFed }
        }
    }

    private func begin(_ batch: PacketBatch) throws(EngineError) {
        timeline = PictureTimeline(batch.entry, batch.facts)
        waiting = []
        privateData = batch.privateData
        palette = batch.facts.palette
        stage = .feeding
        ready = []
        hasGiven = false
        filters?.flush()
        fields.reset()
        gate = LateGate(isLayered: [.h264, .hevc].contains(batch.facts.stream.codec))
        isShownTime = batch.facts.timing == .shown
        if decoder == nil {
            decoder = try .open(batch.facts, devices: devices, allocation: allocation)
            captions = CaptionSurvey(codec: batch.facts.stream.codec, extradata: batch.facts.stream.extradata)
        } else {
            decoder?.flush()
        }
    }

    private func takeReady() -> [TimedPicture] {
        defer {
            ready = []
            readyBytes = 0
            hasGiven = true
        }
        return (filters?.apply(ready) ?? ready).map { $0.seen(turnedBy: rotation, aspect: aspect) }
    }

    private func isWanted(_ generation: UInt64) -> Bool { unwanted.map { generation > $0 } ?? true }

    /// Stops decoding generations up to `generation`, whose frames nobody wants any more, and frees what is held.
    func rest(_ generation: UInt64) {
        unwanted = max(generation, unwanted ?? 0)
        if timeline?.entry.generation ?? 0 <= generation { close() }
    }

    /// Frees the decoder's memory and threads. Nothing is decoded afterwards.
    package func close() {
        decoder = nil
        timeline = nil
        waiting = []
        ready = []
    }

    // MARK: Decoding

    private var isEnough: Bool {
        ready.count >= (hasGiven ? Self.batchCount : 1) || readyBytes >= Self.batchBytes
    }

    /// Decodes waiting packets until a batch is full.
    private func decode() throws(EngineError) {
        let start = monotonicNanoseconds()
        defer {
            let channels = captions?.channels ?? []
            counted.withLock { counters in
                counters.nanoseconds += UInt64(max(0, monotonicNanoseconds() - start))
                counters.captionChannels.formUnion(channels)
            }
        }
        allocation?.setOpen(!fields.isEngaged && look?.treatment.isIdentity ?? true)
        while !isEnough, let packet = waiting.popFirst() {
            timeline?.send(packet)
            packetCount += 1
            packet.packet.withBytes { captions?.note(picture: $0) }
            let shown = isShownTime && !packet.isGuess ? packet.time : packet.shownTime
            let step = gate.step(policy.step, isKey: packet.packet.isKey, shown: shown)
            do throws(FFmpegError) {
                try decoder?.send(painted(packet.packet), step, privateData: privateData)
            } catch {
                // A packet that cannot be decoded yields no frame; later ones may.
                counted.withLock { $0.errors += 1 }
            }
            privateData = nil
            receive()
        }
        if stage == .lastFed, waiting.isEmpty, !isEnough { finish() }
        if ready.isEmpty, counters.frames == 0, packetCount > 0, stage == .ended || packetCount > Self.silentPackets {
            throw EngineError(
                .noPlayableStream,
                "no frame can be decoded",
                cause: "\(packetCount) packets contain none, \(counters.errors) of them are damaged"
            )
        }
    }

    private func painted(_ packet: Packet) -> Packet {
        defer { palette = nil }
        guard let palette, packet.palette == nil else { return packet }
        return packet.painted(palette)
    }

    private func finish() {
        stage = .ended
        do throws(FFmpegError) {
            try decoder?.drain()
        } catch {
            counted.withLock { $0.errors += 1 }
        }
        receive()
        for (frame, moment) in fields.finish() { show(frame, moment) }
        if let last = timeline?.finish() { keep(last) }
    }

    private func receive() {
        var errors = 0
        while errors < Self.errorLimit {
            do throws(FFmpegError) {
                guard case .picture(let frame) = try decoder?.receive() else { return }
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

    private func show(_ frame: VideoFrame, _ moment: PictureTimeline.Moment) {
        if let picture = timeline?.add(frame, moment) { keep(picture) }
    }

    private func keep(_ picture: TimedPicture) {
        ready.append(picture)
        readyBytes += picture.frame.byteCount
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Reading

/// Decodes the audio of a source on its own thread, in the source's format, which may change midway.
///
/// Does not know the playhead, and decodes only on request. Fed by a `PacketFeed`; called and owned by the code that
/// plays the audio.
package actor SoftwareAudioDecoder {
    /// A batch ends with the frame that makes it this long.
    private static let batchLength = MediaTime.seconds(0.25)
    /// Packets after which decoding fails if the decoder has never output a sample.
    private static let silentPackets = 1000

    private let executor: ThreadExecutor
    private let feed: PacketFeed
    private nonisolated let counted = Locked(DecodingCounters())
    private var decoder: FormatDecoder?
    private var timeline: AudioTimeline?
    private var waiting: ArraySlice<FeedPacket> = []
    private var stage = Stage.feeding
    private var ready: [TimedAudio] = []
    /// The number of packets in the format of the track that were decoded.
    private var packetCount = 0
    private let sound: SharedSound?
    /// The filters of the stream; `nil` if its audio passes unchanged.
    private var filters: SoundStage?

    private enum Stage { case feeding, lastFed, ended }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - niceness: the nice value of its thread.
    ///   - sound: how the audio is changed; `nil`: not at all.
    package init(feed: PacketFeed, niceness: Int = 0, sound: SharedSound? = nil) {
        self.feed = feed
        self.sound = sound
        executor = ThreadExecutor(name: "audio decoder", niceness: niceness)
    }

    package nonisolated var counters: DecodingCounters { counted.withLock { $0 } }

    /// The next samples: a quarter of a second or more, or what is left.
    ///
    /// - Parameter generation: the generation with which the feed was entered or its audio selected. Never less than in
    ///   an earlier call.
    /// - Throws: `noPlayableStream` when nothing can be decoded at all; otherwise the errors of reading.
    package func next(generation: UInt64) async throws(EngineError) -> Decoded<TimedAudio> {
        while true {
            if let timeline, timeline.entry.generation == generation {
                if stage != .ended, !waiting.isEmpty || stage == .lastFed { try decode() }
                if isEnough || !ready.isEmpty && stage == .ended { return .some(takeReady()) }
                if stage == .ended { return .ended }
            }
            guard let batch = try await feed.next(.audio, generation: generation),
                generation >= timeline?.entry.generation ?? 0
            else { return .superseded }
            if timeline?.entry.generation != generation { try begin(batch) }
            waiting += batch.packets
            if batch.isLast { stage = .lastFed }
        }
    }

    private func begin(_ batch: PacketBatch) throws(EngineError) {
        timeline = AudioTimeline(batch.entry, batch.facts)
        waiting = []
        stage = .feeding
        ready = []
        filters = sound?.stage(for: batch.facts.stream.index)
        if decoder?.stream == batch.facts.stream.index {
            decoder?.flush()
        } else {
            decoder = try FormatDecoder.open(batch.facts)
        }
    }

    private func takeReady() -> [TimedAudio] {
        defer { ready = [] }
        return ready
    }

    /// Frees the decoder with its memory and threads. A later `next` opens a new decoder.
    package func close() {
        decoder = nil
        timeline = nil
        waiting = []
        ready = []
        filters = nil
    }

    // MARK: Decoding

    private var isEnough: Bool {
        guard let first = ready.first, let last = ready.last else { return false }
        return last.time - first.time >= Self.batchLength
    }

    /// Decodes waiting packets until a batch is full.
    private func decode() throws(EngineError) {
        let start = monotonicNanoseconds()
        defer { counted.withLock { $0.nanoseconds += UInt64(max(0, monotonicNanoseconds() - start)) } }
        while !isEnough, let packet = waiting.popFirst() {
            // Only packets in the format of the track count: audio that continues in a format that cannot be decoded is
            // reported instead, and ends at the next discontinuity.
            if packet.packet.format == 0 { packetCount += 1 }
            decode(packet.packet)
        }
        if stage == .lastFed, waiting.isEmpty, !isEnough {
            stage = .ended
            decode(nil)
        }
        if ready.isEmpty, counters.frames == 0, packetCount > 0, stage == .ended || packetCount > Self.silentPackets {
            throw EngineError(
                .noPlayableStream,
                "no audio can be decoded",
                cause: "\(packetCount) packets contain none, \(counters.errors) of them are damaged"
            )
        }
    }

    private func decode(_ packet: Packet?) {
        let output = decoder?.decode(packet) ?? FormatDecoder.Output()
        counted.withLock { counters in
            counters.errors += output.errors
            counters.frames += UInt64(output.frames.count)
            if let undecoded = output.undecoded { counters.note(undecoded) }
        }
        for frame in output.frames { add(timeline?.add(frame) ?? []) }
        if packet == nil {
            add(timeline?.finish() ?? [])
            ready += filters?.finish() ?? []
        }
    }

    private func add(_ pieces: [TimedAudio]) {
        for audio in pieces {
            if audio.isDiscontinuous { counted.withLock { $0.gaps += 1 } }
            // A frame may last minutes, and would otherwise be converted in one go.
            for piece in audio.pieces(of: audio.format.rate) { ready += filters?.apply(piece) ?? [piece] }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime
internal import Wire

/// Consecutive samples, read from an audio ring.
public struct AudioPiece: Hashable, Sendable {
    /// Interleaved samples of all channels.
    public let bytes: [UInt8]
    /// The index of the first sample, counted from the first sample that the engine wrote to the ring.
    public let firstSample: UInt64
    /// The number of samples per channel.
    public let sampleCount: Int
    /// The time of the first sample. `nil` when it is no longer known.
    public let time: MediaTime?
    /// Whether these samples do not continue those that were read before.
    public let isDiscontinuous: Bool
}

/// An audio ring of a session. While this front-end reports what it has played, its clock drives the session. Releasing
/// the ring, `close`, and the end of the process all end the attachment.
///
/// Thread-safety: safe.
public final class AttachedAudio: Sendable {
    private let link: HandoverClient
    private let memory: AudioMemory
    /// The read position: the next sample, and the generation that was read last.
    private let consumed = Locked<(sample: UInt64, generation: UInt64)>((0, 0))

    init(_ answer: AttachmentAnswer) async throws(EngineClientError) {
        let link = try await HandoverClient(answer)
        let given = Locked<AudioMemory?>(nil)
        try await link.begin { (ring, control) throws(EngineClientError) in
            let memory = try AudioMemory(ring: ring, control: control)
            given.withLock { $0 = memory }
        }
        guard let memory = given.withLock({ $0 }) else { throw .connectionLost }
        (self.link, self.memory) = (link, memory)
    }

    /// Ends the attachment.
    public func close() { link.close() }

    public var format: PCMFormat { memory.format }
    public var channelCount: Int { memory.channelCount }
    /// Samples per second.
    public var rate: Int { memory.rate }
    /// FFmpeg's name of the channel layout, such as `5.1(side)`.
    public var layout: String { memory.layout }
    /// Whether the audio should be playing now.
    public var isRunning: Bool { memory.isRunning }
    /// Whether no samples follow those in the ring.
    public var hasEnded: Bool { memory.generation != 0 && memory.endedGeneration == memory.generation }
    /// The current generation. When it changes, samples that were read but not played yet must be discarded.
    public var generation: UInt64 { memory.generation }

    /// The next samples of one block, at most `count` per channel; `nil` when none are available. Skips samples of
    /// older generations.
    public func read(_ count: Int) -> AudioPiece? {
        consumed.withLock { state in
            while true {
                let generation = memory.generation
                let first = max(state.sample, memory.generationStart)
                let available = Int(clamping: memory.written.subtractingReportingOverflow(first).partialValue)
                guard memory.written > first, count > 0 else { return nil }
                let block = memory.block(holding: first)
                let rest = block.map { Int(clamping: $0.first + $0.count - first) } ?? available
                let taken = min(count, available, rest)
                let bytes = memory.samples(taken, from: first)
                // If the generation has changed, these samples may have been overwritten.
                guard memory.generation == generation else { continue }
                let isNew = state.generation != generation
                state = (first + UInt64(taken), generation)
                memory.note(consumed: state.sample)
                return AudioPiece(
                    bytes: bytes,
                    firstSample: first,
                    sampleCount: taken,
                    time: block.map { $0.time + .seconds(Double(first - $0.first) / Double(memory.rate)) },
                    isDiscontinuous: isNew || block.map { $0.isDiscontinuous && $0.first == first } ?? false
                )
            }
        }
    }

    /// Reports that all samples before the index `played` had been heard at this time of CLOCK_MONOTONIC. Call it at
    /// least ten times a second during playback.
    public func report(played: UInt64, at monotonicNanoseconds: Int64) {
        memory.note(played: played, at: monotonicNanoseconds)
        link.ask()
    }

    /// Suspends until something changes: samples arrive, `isRunning` changes, or a new generation starts.
    ///
    /// - Throws: when the attachment has ended, or `cancelled`.
    public func change() async throws(EngineClientError) {
        let seen = link.signal.signalCount
        link.ask()
        try link.check()
        if Task.isCancelled { throw .cancelled }
        await link.signal.wait(after: seen, until: nil)
        try link.check()
    }
}

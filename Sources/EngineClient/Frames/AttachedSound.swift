// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime
internal import IPC

/// Samples that follow each other, as they were read from a ring of sound.
public struct SoundPiece: Hashable, Sendable {
    /// Samples of all channels side by side.
    public let bytes: [UInt8]
    /// Counted from the first that was ever written.
    public let firstSample: UInt64
    /// Of all channels.
    public let sampleCount: Int
    /// Of the first sample. `nil` when it is not known any more.
    public let time: MediaTime?
    /// Whether it does not follow what was read before.
    public let isDiscontinuous: Bool
}

/// A ring of sound of a session. While this front-end says what it has played, its clock leads the session. Letting go of it,
/// `close`, and the end of the process all end the attachment.
///
/// Thread-safety: safe.
public final class AttachedSound: Sendable {
    private let link: SideLink
    private let memory: SoundMemory
    /// What was read.
    private let consumed = Locked<(sample: UInt64, generation: UInt64)>((0, 0))

    init(_ answer: AttachmentAnswer) async throws(EngineClientError) {
        let link = try SideLink(answer)
        let given = Locked<SoundMemory?>(nil)
        try await link.begin { (ring, control) throws(EngineClientError) in
            let memory = try SoundMemory(ring: ring, control: control)
            given.withLock { $0 = memory }
        }
        guard let memory = given.withLock({ $0 }) else { throw .connectionLost }
        (self.link, self.memory) = (link, memory)
    }

    /// Ends the attachment.
    public func close() { link.close() }

    public var format: PCMFormat { memory.format }
    public var channelCount: Int { memory.channelCount }
    /// Samples a second.
    public var rate: Int { memory.rate }
    /// As FFmpeg names it, such as `5.1(side)`.
    public var layout: String { memory.layout }
    /// Whether it is to be heard now.
    public var isRunning: Bool { memory.isRunning }
    /// Whether nothing follows what is there.
    public var hasEnded: Bool { memory.generation != 0 && memory.endedGeneration == memory.generation }
    /// The generation that is heard. When it changes, what was read and is not heard yet is worth nothing.
    public var generation: UInt64 { memory.generation }

    /// The next samples, at most `count`, of one block each time; `nil` when there are none now. What is of an older generation
    /// is passed over.
    public func read(_ count: Int) -> SoundPiece? {
        consumed.withLock { state in
            while true {
                let generation = memory.generation
                let first = max(state.sample, memory.generationStart)
                let there = Int(clamping: memory.written.subtractingReportingOverflow(first).partialValue)
                guard memory.written > first, count > 0 else { return nil }
                let block = memory.block(holding: first)
                let rest = block.map { Int(clamping: $0.first + $0.count - first) } ?? there
                let taken = min(count, there, rest)
                let bytes = memory.samples(taken, from: first)
                // What was thrown away meanwhile may have been written over.
                guard memory.generation == generation else { continue }
                let isNew = state.generation != generation
                state = (first + UInt64(taken), generation)
                memory.note(consumed: state.sample)
                return SoundPiece(
                    bytes: bytes,
                    firstSample: first,
                    sampleCount: taken,
                    time: block.map { $0.time + .seconds(Double(first - $0.first) / Double(memory.rate)) },
                    isDiscontinuous: isNew || block.map { $0.isDiscontinuous && $0.first == first } ?? false
                )
            }
        }
    }

    /// Says that all samples before `played` had been heard at this moment of the monotonic clock: ten times a second or more
    /// while it plays.
    public func report(played: UInt64, at monotonicNanoseconds: Int64) {
        memory.note(played: played, at: monotonicNanoseconds)
        link.ask()
    }

    /// Suspends until something has changed: samples have come, it is to be heard or not, a generation has begun.
    ///
    /// - Throws: when the attachment is over.
    public func change() async throws(EngineClientError) {
        let visit = link.signal.visit
        link.ask()
        try link.check()
        if Task.isCancelled { throw .cancelled }
        await link.signal.wait(after: visit, until: nil)
        try link.check()
    }
}

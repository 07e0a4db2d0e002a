// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The contents of an audio ring, and how far its front-end has read: the decisions of an `AudioRing`.
struct AudioRingState {
    enum Decision: Sendable {
        /// This many samples may be written, at this position.
        case write(count: Int, at: UInt64)
        /// The caller asks again after a signal, or at this moment (`nil`: only after a signal).
        case wait(until: Int64?)
        /// The samples belong to an older generation and count as taken.
        case passed
        case over
    }

    /// How long a front-end that should play may consume nothing while the ring is full, in nanoseconds.
    static let patience: Int64 = 3_000_000_000
    /// How far from now the clock that the front-end reports may be, in nanoseconds.
    private static let clockReach: Int64 = 10_000_000_000

    private let memory: AudioMemory
    var handover = HandoverState()
    /// The renderer's generation. The ring counts its own in `epoch`, which never decreases.
    private var generation: UInt64?
    private var epoch: UInt64 = 0
    private var isRunning = false
    private var written: UInt64 = 0
    /// Position of the first sample of this generation.
    private var start: UInt64 = 0
    private(set) var consumed: UInt64 = 0
    /// When the front-end last consumed samples, or could first have done so.
    private var takenAt: Int64 = 0
    private var blockNumber: UInt64 = 0
    /// Blocks of this generation, starting with the first that may still be audible.
    private var blocks: [AudioBlock] = []

    init(_ memory: AudioMemory) { self.memory = memory }

    // MARK: Samples

    mutating func decide(_ generation: UInt64, at now: Int64) -> Decision {
        if handover.isOver { return .over }
        guard generation == self.generation else { return .passed }
        collect(at: now)
        let room = memory.capacity - Int(written - consumed)
        guard room > 0, blocks.count < AudioLayout.blockCount else {
            guard isRunning else { return .wait(until: nil) }
            let end = takenAt + Self.patience
            return now >= end ? .over : .wait(until: end)
        }
        return .write(count: room, at: written)
    }

    /// - Returns: whether the samples were published; samples of an older generation are not.
    mutating func publish(_ count: Int, time: MediaTime, isDiscontinuous: Bool, generation: UInt64) -> Bool {
        guard generation == self.generation else { return false }
        let block = AudioBlock(
            generation: epoch,
            first: written,
            count: count,
            time: time,
            isDiscontinuous: isDiscontinuous
        )
        blockNumber += 1
        memory.publish(block, number: blockNumber)
        written += UInt64(count)
        blocks.append(block)
        return true
    }

    /// Accepts the reported read position only if it is plausible: not less than before, not more than was written.
    private mutating func collect(at now: Int64) {
        let reported = memory.consumed
        guard reported > consumed, reported <= written else { return }
        consumed = reported
        takenAt = now
        // Samples may be audible until the front-end has consumed a whole ring of later samples.
        while blocks.count > 1, blocks[1].first + UInt64(memory.capacity) < consumed { blocks.removeFirst() }
    }

    // MARK: Time

    mutating func flush(to generation: UInt64, at now: Int64) {
        self.generation = generation
        epoch &+= 1
        start = written
        consumed = written
        takenAt = now
        blocks = []
        memory.write(generation: epoch, start: start)
    }

    mutating func setRunning(_ isRunning: Bool, at now: Int64) {
        self.isRunning = isRunning
        takenAt = now
        memory.write(isRunning: isRunning)
    }

    mutating func finish(_ generation: UInt64) {
        if generation == self.generation { memory.write(endedGeneration: epoch) }
    }

    /// The number of samples of this generation heard at `now`, according to the front-end's clock. `nil` when the
    /// clock is unknown or implausible, or when no sample has been heard.
    mutating func samplesHeard(at now: Int64) -> Int64? {
        collect(at: now)
        guard let clock = memory.clock, clock.played > start, clock.played <= written,
            clock.moment > now - Self.clockReach, clock.moment < now + Self.clockReach
        else { return nil }
        let heard = Int64(clock.played - start)
        guard isRunning, now > clock.moment else { return heard }
        let passed = Double(now - clock.moment) * Double(memory.format.rate) / 1e9
        return min(Int64(written - start), heard + Int64(passed))
    }

    /// Notifies the front-end that the ring has ended. Nothing is written afterwards.
    func retire() { memory.retire() }
}

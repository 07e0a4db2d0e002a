// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// What is in a ring of sound, and what its front-end makes of it: the decisions of a `SoundRing`.
struct SoundRingState {
    enum Decision: Sendable {
        /// So many samples may be written, at this place.
        case write(count: Int, at: UInt64)
        /// Asks again after a signal, or at this moment.
        case wait(until: Int64?)
        /// What is given is of an older generation: it counts as taken.
        case passed
        case over
    }

    /// How long a front-end that should play may take nothing.
    static let patience: Int64 = 3_000_000_000
    /// How far from now what it says of its clock may be.
    private static let clockReach: Int64 = 10_000_000_000

    private let memory: SoundMemory
    var link = HandoverLink()
    /// The renderer's; the ring counts its own, which never goes back.
    private var generation: UInt64?
    private var epoch: UInt64 = 0
    private var isRunning = false
    private var written: UInt64 = 0
    /// The first sample of this generation.
    private var start: UInt64 = 0
    private(set) var consumed: UInt64 = 0
    /// When the front-end last took something, or could have for the first time.
    private var takenAt: Int64 = 0
    private var blockNumber: UInt64 = 0
    /// Of this generation, from the one that is heard on.
    private var blocks: [SoundBlock] = []

    init(_ memory: SoundMemory) { self.memory = memory }

    // MARK: Samples

    mutating func decide(_ generation: UInt64, at now: Int64) -> Decision {
        if link.isOver { return .over }
        guard generation == self.generation else { return .passed }
        collect(at: now)
        let room = memory.capacity - Int(written - consumed)
        guard room > 0, blocks.count < SoundLayout.blockCount else {
            guard isRunning else { return .wait(until: nil) }
            let end = takenAt + Self.patience
            return now >= end ? .over : .wait(until: end)
        }
        return .write(count: room, at: written)
    }

    /// - Returns: whether it is in the ring; nothing is written of an older generation.
    mutating func publish(_ count: Int, time: MediaTime, isDiscontinuous: Bool, generation: UInt64) -> Bool {
        guard generation == self.generation else { return false }
        let block = SoundBlock(
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

    /// What the front-end says that it has read counts when it can be: not less than before, not more than there is.
    private mutating func collect(at now: Int64) {
        let said = memory.consumed
        guard said > consumed, said <= written else { return }
        consumed = said
        takenAt = now
        // The one before is kept: it may still be heard.
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

    /// How many samples of this generation have been heard at `now`, by what the front-end says of its clock. `nil` when that
    /// makes no sense, or nothing was heard.
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

    /// Nothing is written any more.
    func retire() { memory.retire() }
}

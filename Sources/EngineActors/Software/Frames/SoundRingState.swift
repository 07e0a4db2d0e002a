// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// What is in a ring of sound, and what its front-end makes of it: the decisions of a `SoundRing`.
struct SoundRingState {
    enum Life {
        /// Nobody has shown the ticket yet.
        case waiting
        case attached(any HandoverPeer)
        case over
    }

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
    private(set) var life = Life.waiting
    /// The renderer's; the ring counts its own, which never goes back.
    private var generation: UInt64?
    private var epoch: UInt64 = 0
    private var isRunning = false
    private var written: UInt64 = 0
    /// The first sample of this generation.
    private var start: UInt64 = 0
    private var consumed: UInt64 = 0
    /// When the front-end last took something, or could have for the first time.
    private var takenAt: Int64 = 0
    private var blockNumber: UInt64 = 0
    /// Of this generation, from the one that is heard on.
    private var blocks: [SoundBlock] = []
    private var isAsked = true
    private var hasNews = false

    init(_ memory: SoundMemory) { self.memory = memory }

    // MARK: Samples

    mutating func decide(_ generation: UInt64, at now: Int64) -> Decision {
        if case .over = life { return .over }
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

    /// What is heard at `now`, by what the front-end says of its clock. `nil` when that makes no sense, or nothing of this
    /// generation was heard.
    mutating func heard(at now: Int64) -> MediaTime? {
        collect(at: now)
        guard let clock = memory.clock, clock.played > start, clock.played <= written,
            abs(clock.moment.subtractingReportingOverflow(now).partialValue) <= Self.clockReach
        else { return nil }
        var sample = clock.played
        if isRunning, now > clock.moment {
            let passed = Double(now - clock.moment) * Double(memory.format.rate) / 1e9
            sample = min(written, sample + UInt64(passed))
        }
        guard let block = blocks.last(where: { $0.first <= sample }) ?? blocks.first else { return nil }
        let distance = Double(Int64(sample) - Int64(block.first))
        return block.time + .seconds(distance / Double(memory.format.rate))
    }

    // MARK: The front-end

    mutating func begin(_ peer: any HandoverPeer) -> Bool {
        guard case .waiting = life else { return false }
        life = .attached(peer)
        return true
    }

    /// - Returns: who has to be told that there is news, if anybody.
    mutating func news() -> (any HandoverPeer)? {
        hasNews = true
        return answer()
    }

    mutating func asked() -> (any HandoverPeer)? {
        isAsked = true
        return answer()
    }

    private mutating func answer() -> (any HandoverPeer)? {
        guard hasNews, isAsked, case .attached(let peer) = life else { return nil }
        (hasNews, isAsked) = (false, false)
        return peer
    }

    /// - Returns: who was attached.
    mutating func end() -> (any HandoverPeer)? {
        defer { life = .over }
        memory.retire()
        guard case .attached(let peer) = life else { return nil }
        return peer
    }
}

// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime
internal import IPC

/// A ring of pictures of a session. Letting go of it, `close`, and the end of the process all end the attachment; frames that
/// are held stay valid.
///
/// Thread-safety: safe.
public final class AttachedFrames: Sendable {
    private struct State {
        var memory: FrameMemory?
        /// Larger memory, which takes the place of the other once that has nothing new.
        var later: FrameMemory?
        /// Sequences of frames that somebody holds.
        var lent: Set<UInt64> = []
        /// The last one that was chosen, in this memory or the one before.
        var shown: Frame?
        /// The last one that `next` has given.
        var given: UInt64 = 0

        /// - Returns: whether there is other memory now.
        mutating func moveOn() -> Bool {
            guard let later else { return false }
            (memory, self.later, lent) = (later, nil, [])
            return true
        }
    }

    private let link: SideLink
    private let state: Locked<State>

    init(_ answer: AttachmentAnswer) async throws(EngineClientError) {
        let link = try SideLink(answer)
        let state = Locked(State())
        (self.link, self.state) = (link, state)
        try await link.begin { (ring, control) throws(EngineClientError) in
            let memory = try FrameMemory(ring: ring, control: control)
            state.withLock { state in
                if state.memory == nil { state.memory = memory } else { state.later = memory }
            }
        }
    }

    /// Ends the attachment.
    public func close() { link.close() }

    private var memory: FrameMemory? { state.withLock { $0.later ?? $0.memory } }

    /// Where the playhead is at a moment of the monotonic clock. `nil` while that is not known, as during a seek.
    public func playhead(at monotonicNanoseconds: Int64) -> MediaTime? {
        guard let memory, let clock = memory.clock, clock.generation == memory.generation else { return nil }
        return clock.anchor.position(at: monotonicNanoseconds)
    }

    /// Pictures that were left out because there was no room for them when they were due.
    public var droppedCount: UInt64 { memory?.dropped ?? 0 }

    /// The picture that is to be seen when the playhead is at `time`: the newest that is not behind it, else the first of its
    /// generation. What it takes the place of is let go of. Where there is none, as during a seek, the one that was there stays.
    public func newest(at time: MediaTime) -> Frame? {
        let (frame, old) = state.withLock { state -> (Frame?, Frame?) in
            _ = state.moveOn()
            guard let memory = state.memory else { return (nil, nil) }
            let old = state.shown
            if let slot = Self.newest(at: time, memory, state) { state.shown = lend(slot, of: memory, &state) ?? old }
            return (state.shown, old)
        }
        if let frame, frame !== old { frame.noteShown() }
        link.ask()
        return frame
    }

    /// Chooses, and lets go of all that comes before the chosen one or belongs to a generation that is over.
    ///
    /// - Returns: `nil` when the one that is there stays.
    private static func newest(at time: MediaTime, _ memory: FrameMemory, _ state: State) -> Int? {
        let generation = memory.generation
        var best: (slot: Int, sequence: UInt64)?
        for slot in 0..<memory.slotCount {
            guard let sequence = memory.held(slot), sequence > best?.sequence ?? 0,
                memory.generation(of: slot) == generation, memory.time(of: slot) <= time
            else { continue }
            best = (slot, sequence)
        }
        if best == nil, state.shown?.generation != generation { best = first(of: generation, memory) }
        for slot in 0..<memory.slotCount {
            guard let sequence = memory.held(slot), !state.lent.contains(sequence),
                isOver(slot, memory) || sequence < best?.sequence ?? 0
            else { continue }
            memory.release(slot, sequence)
        }
        guard let best, !state.lent.contains(best.sequence) else { return nil }
        return best.slot
    }

    /// Whether what a slot holds belongs to a generation that is over. The header is looked at behind the slot: since it was
    /// looked at before, the first pictures of the next generation may have come.
    private static func isOver(_ slot: Int, _ memory: FrameMemory) -> Bool {
        let generation = memory.generation(of: slot)
        return generation != memory.generation
    }

    private static func first(of generation: UInt64, _ memory: FrameMemory) -> (slot: Int, sequence: UInt64)? {
        (0..<memory.slotCount)
            .compactMap { slot in memory.held(slot).map { (slot: slot, sequence: $0) } }
            .filter { memory.generation(of: $0.slot) == generation }
            .min { $0.sequence < $1.sequence }
    }

    /// The next picture of a generation in order; `nil` at its end, after which a seek may bring more.
    ///
    /// For front-ends that attach with `FramePace.everyFrame`: playback waits for the room that frames which are let go of
    /// leave.
    ///
    /// - Throws: when the attachment is over.
    public func next() async throws(EngineClientError) -> Frame? {
        while true {
            let visit = link.signal.visit
            link.ask()
            try link.check()
            if Task.isCancelled { throw .cancelled }
            let (frame, isEnd) = state.withLock { state -> (Frame?, Bool) in
                repeat {
                    guard let memory = state.memory else { return (nil, false) }
                    let isEnded = memory.endedGeneration == memory.generation && memory.generation != 0
                    let isLast = isEnded && state.given >= memory.published && state.later == nil
                    if let slot = Self.next(memory, state) { return (lend(slot, of: memory, &state), false) }
                    if isLast { return (nil, true) }
                } while state.moveOn()
                return (nil, false)
            }
            if frame != nil || isEnd { return frame }
            await link.signal.wait(after: visit, until: nil)
        }
    }

    /// The first that was not given yet. A look at all slots may find one without the one that was published just before
    /// it; the next look finds that.
    private static func next(_ memory: FrameMemory, _ state: State) -> Int? {
        guard let found = first(behind: state.given, memory, state) else { return nil }
        return found.sequence == state.given + 1 ? found.slot : first(behind: state.given, memory, state)?.slot
    }

    private static func first(
        behind given: UInt64,
        _ memory: FrameMemory,
        _ state: State
    ) -> (slot: Int, sequence: UInt64)? {
        var best: (slot: Int, sequence: UInt64)?
        for slot in 0..<memory.slotCount {
            guard let sequence = memory.held(slot), !state.lent.contains(sequence) else { continue }
            if isOver(slot, memory) {
                memory.release(slot, sequence)
            } else if sequence > given, sequence < best?.sequence ?? .max {
                best = (slot, sequence)
            }
        }
        return best
    }

    private func lend(_ slot: Int, of memory: FrameMemory, _ state: inout State) -> Frame? {
        guard let sequence = memory.held(slot), let description = memory.description(of: slot) else { return nil }
        state.lent.insert(sequence)
        state.given = max(state.given, sequence)
        let shared = self.state
        // Frames are let go of outside the lock, and keep no attachment alive.
        return Frame(
            memory,
            slot: slot,
            sequence: sequence,
            generation: memory.generation(of: slot),
            description: description
        ) {
            [weak link, weak shared, weak memory] in
            shared?.withLock { if $0.memory === memory { $0.lent.remove(sequence) } }
            link?.ask()
        }
    }
}

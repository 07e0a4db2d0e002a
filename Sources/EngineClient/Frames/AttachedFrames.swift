// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime
internal import Wire

/// A frame ring of a session. Releasing it, `close`, and the end of the process all end the attachment; frames that are
/// held stay valid.
///
/// Thread-safety: safe.
public final class AttachedFrames: Sendable {
    private struct State {
        var memory: FrameMemory?
        /// A larger ring that replaces `memory`: at once in `newest(at:)`, and in `next` once `memory` has no new
        /// frames.
        var later: FrameMemory?
        /// Sequence numbers of frames that callers hold.
        var lent: Set<UInt64> = []
        /// The frame that `newest(at:)` chose last, in this ring or the previous one.
        var shown: Frame?
        /// The highest sequence number that was returned to a caller.
        var given: UInt64 = 0

        /// - Returns: whether the ring was replaced.
        mutating func switchRing() -> Bool {
            guard let later else { return false }
            (memory, self.later, lent) = (later, nil, [])
            return true
        }
    }

    private let link: HandoverClient
    private let state: Locked<State>

    init(_ answer: AttachmentAnswer) async throws(EngineClientError) {
        let link = try await HandoverClient(answer)
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

    /// The playhead at a time of CLOCK_MONOTONIC. `nil` while it is unknown, as during a seek.
    public func playhead(at monotonicNanoseconds: Int64) -> MediaTime? {
        guard let memory, let clock = memory.clock, clock.generation == memory.generation else { return nil }
        return clock.anchor.position(at: monotonicNanoseconds)
    }

    /// The number of frames that the engine dropped because no slot was free when they were due.
    public var droppedCount: UInt64 { memory?.dropped ?? 0 }

    /// The frame to show when the playhead is at `time`: the latest frame at or before it, or the first of a new
    /// generation. This object then drops its own reference to the frame returned before. If no frame fits, as during a
    /// seek, that frame is returned again.
    public func newest(at time: MediaTime) -> Frame? {
        let (frame, old) = state.withLock { state -> (Frame?, Frame?) in
            _ = state.switchRing()
            guard let memory = state.memory else { return (nil, nil) }
            let old = state.shown
            if let slot = Self.newest(at: time, memory, state) { state.shown = lend(slot, of: memory, &state) ?? old }
            return (state.shown, old)
        }
        if let frame, frame !== old { frame.noteShown() }
        link.ask()
        return frame
    }

    /// Chooses a slot, and releases every frame that is older than the chosen one or of an old generation.
    ///
    /// - Returns: `nil` when the previous frame stays.
    private static func newest(at time: MediaTime, _ memory: FrameMemory, _ state: State) -> Int? {
        let generation = memory.generation
        var best: (slot: Int, sequence: UInt64)?
        for slot in 0..<memory.slotCount {
            guard let sequence = memory.held(slot), sequence > best?.sequence ?? 0,
                memory.generation(of: slot) == generation, memory.time(of: slot) <= time
            else { continue }
            best = (slot, sequence)
        }
        // Scans twice, because a scan may miss a frame that is published while it runs, and find only the next one.
        if best == nil, state.shown?.generation != generation, first(of: generation, memory) != nil {
            best = first(of: generation, memory)
        }
        for slot in 0..<memory.slotCount {
            guard let sequence = memory.held(slot), !state.lent.contains(sequence),
                isOver(slot, memory) || sequence < best?.sequence ?? 0
            else { continue }
            memory.release(slot, sequence)
        }
        guard let best, !state.lent.contains(best.sequence) else { return nil }
        return best.slot
    }

    /// Whether a slot holds a frame of an old generation. Reads the slot's generation first: if the engine starts the
    /// next generation in between, its first frames must not appear to be old.
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

    /// The next frame of a generation, in order; `nil` at its end. After a seek, more frames may follow.
    ///
    /// For front-ends that attach with `FramePace.everyFrame`: playback waits until released frames make room.
    ///
    /// - Throws: when the attachment has ended, or `cancelled`.
    public func next() async throws(EngineClientError) -> Frame? {
        while true {
            let seen = link.signal.signalCount
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
                } while state.switchRing()
                return (nil, false)
            }
            if frame != nil || isEnd { return frame }
            await link.signal.wait(after: seen, until: nil)
        }
    }

    /// The first frame that was not returned yet. A scan of all slots may find a frame but miss its predecessor, if
    /// that is published during the scan; a second scan finds it.
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
        // The closure takes the lock, so the lock must not be held when a frame is released. The closure does not keep
        // the attachment alive.
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

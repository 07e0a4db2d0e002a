// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension FrameFinder {
    /// A run with more bytes than this is decoded while it is read.
    private static let runByteLimit = 96 << 20
    /// How many packets of such a run are kept in memory: more than any codec delays.
    private static let keptEntries = 64
    /// If indexed keyframes are farther apart than this, the index may be incomplete.
    private static let believableGap = MediaTime.seconds(12)

    /// Seeks to an entry.
    ///
    /// - Returns: `nil` when the container cannot seek to the entry.
    func enter(_ entry: EntrySearch.Entry) throws(EngineError) -> Entrance? {
        try stopIfCancelled()
        decoding.forget()
        return try entry.enter(reader, facts, plan, streams: [facts.stream.index])
    }

    /// Reads the packets needed for the frame at `target`.
    ///
    /// - Parameters:
    ///   - keyLimit: random access points at or after this time are ignored.
    ///   - entryLimit: the maximum number of packets, counted from the random access point.
    func gather(
        _ target: Int64,
        from entry: EntrySearch.Entry,
        _ entrance: Entrance,
        keyLimit: Int64,
        entryLimit: Int = .max
    ) throws(EngineError) -> PictureRun {
        var run = PictureRun(
            target: target,
            reorderLimit: facts.reorderLimit,
            keepsAll: entry == .start,
            keyLimit: keyLimit,
            entryLimit: entryLimit
        )
        var clock = PacketClock(facts.timing, from: entrance)
        while let packet = try nextPacket() {
            guard let timed = clock.timed(packet) else { continue }
            if packet.isKey, timed.time <= target, timed.time < keyLimit { decoding.forget() }
            if run.add(timed) == .complete { break }
            guard run.byteCount > Self.runByteLimit else { continue }
            for entry in run.takeAll(but: Self.keptEntries) {
                try stopIfCancelled()
                try decoding.feed(
                    entry,
                    until: target,
                    isOnlyForOthers: facts(of: entry.packet).canLeaveOut,
                    run.privateData
                )
            }
        }
        return run
    }

    /// Reads up to the last keyframe at or before the target. After a seek by index, that is the first keyframe read.
    ///
    /// - Returns: a time up to which no other keyframe follows; `nil` if unknown.
    func readKey(into run: inout PictureRun, _ entrance: Entrance) throws(EngineError) -> Int64? {
        let stream = facts.stream.index
        let next = facts.hasIndex ? reader.context.indexEntry(of: stream, after: run.target)?.timestamp : nil
        var clock = PacketClock(facts.timing, from: entrance)
        while let packet = try nextPacket() {
            guard let timed = clock.timed(packet) else { continue }
            if run.add(timed) == .complete { return timed.time }
            guard let key = run.key, facts.hasIndex else { continue }
            guard isTheLast(key, stream, before: run.target, next) else { continue }
            return next
        }
        return nil
    }

    /// Whether the index has no random access point between `key` and the target. In MP4, reading starts before the
    /// target by the source's longest presentation delay, so another one may follow.
    private func isTheLast(_ key: PictureRun.Entry, _ stream: Int, before target: Int64, _ next: Int64?) -> Bool {
        if facts.container.isMatroska { return isBelievable(key.time, next) }
        let follower = reader.context.indexEntry(of: stream, after: key.packet.dts ?? key.time)
        return follower.map { $0.timestamp > target } ?? true
    }

    private func isBelievable(_ key: Int64, _ next: Int64?) -> Bool {
        guard let next else { return false }
        return MediaTime(next &- key, in: facts.stream.timeBase) <= Self.believableGap
    }

    private func nextPacket() throws(EngineError) -> Packet? {
        try stopIfCancelled()
        while let packet = try reader.readPacket() {
            if packet.streamIndex == facts.stream.index { return packet }
            try stopIfCancelled()
        }
        return nil
    }
}

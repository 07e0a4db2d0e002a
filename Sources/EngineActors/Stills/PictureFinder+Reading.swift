// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension PictureFinder {
    /// A run that takes more memory than this is decoded while it is read.
    private static let runByteLimit = 96 << 20
    /// As many packets as are kept of it then: more than any codec holds back.
    private static let keptEntries = 64
    /// Keyframes that are farther apart than this in an index may not be all there are.
    private static let believableGap = MediaTime.seconds(12)

    /// Goes to a place. `nil` when the container has no way to it.
    ///
    /// - Returns: the time of the first packet there, where packets are counted.
    func enter(_ entry: EntrySearch.Entry) throws(EngineError) -> Int64? {
        try stopIfCancelled()
        decoding.forget()
        return try reader.enter(entry, facts, plan, streams: [facts.stream.index])
    }

    /// Reads what the picture at `target` takes.
    ///
    /// - Parameters:
    ///   - keyLimit: random access points from here on are not used.
    ///   - entryLimit: as many packets from the random access point on are enough.
    func gather(
        _ target: Int64,
        from entry: EntrySearch.Entry,
        base: Int64,
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
        var clock = PacketClock(facts.timing, base: base, isAtStart: entry == .start)
        while let packet = try nextPacket() {
            guard let timed = clock.timed(packet) else { continue }
            if packet.isKey, timed.time <= target, timed.time < keyLimit { decoding.forget() }
            if run.add(timed) == .complete { break }
            guard run.byteCount > Self.runByteLimit else { continue }
            for entry in run.takeAll(but: Self.keptEntries) {
                try stopIfCancelled()
                try decoding.feed(entry, until: target, isOnlyForOthers: facts.canLeaveOut, run.privateData)
            }
        }
        return run
    }

    /// Reads up to the last keyframe that is not behind the target: the first that comes, where an index has led there.
    ///
    /// - Returns: a time that the next keyframe does not precede.
    func readKey(
        into run: inout PictureRun,
        from entry: EntrySearch.Entry,
        base: Int64
    ) throws(EngineError) -> Int64? {
        let stream = facts.stream.index
        let next = facts.hasIndex ? reader.context.indexEntry(of: stream, after: run.target)?.timestamp : nil
        var clock = PacketClock(facts.timing, base: base, isAtStart: entry == .start)
        while let packet = try nextPacket() {
            guard let timed = clock.timed(packet) else { continue }
            if run.add(timed) == .complete { return timed.time }
            guard let key = run.key, facts.hasIndex else { continue }
            guard isTheLast(key, stream, before: run.target, next) else { continue }
            return next
        }
        return nil
    }

    /// Whether the index has no random access point between a key and the target. MP4 is entered early: by what a picture of
    /// the film may be shown behind its decoding at most, where that of the key may be shown at once.
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

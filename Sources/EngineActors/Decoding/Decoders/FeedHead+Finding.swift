// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

extension FeedHead {
    /// The packets that decoding from a given time needs.
    struct Found {
        /// Packets of the leading stream, starting at a random access point.
        var run: [FeedPacket] = []
        /// Codec private data that applies from the first packet of `run` on, where it differs from the stream's.
        var privateData: [UInt8]?
        /// Packets of the other streams that were read along the way, starting shortly before the time.
        var others: [Int: FeedQueue] = [:]
        /// Streams whose queue has exceeded its limit. Their later packets were dropped, so they must be read
        /// separately.
        var full: Set<Int> = []
    }

    /// How long before the requested time audio decoding starts, so that the samples at the requested time are the same
    /// as after decoding from the beginning.
    static let lead = MediaTime.seconds(0.3)
    /// Byte limit of a run. The rest of a longer run is read while it is decoded.
    private static let runByteLimit = 64 << 20
    /// How far past its time a marked packet is searched for, before the search tries an earlier entry.
    private static let searchLength = MediaTime.seconds(4)

    /// Seeks to where decoding must begin so that video and audio at `time` can be output.
    ///
    /// - Parameters:
    ///   - lead: the stream that is entered at a random access point.
    ///   - stopIfSuperseded: called for each packet; throws when the search must stop.
    func find(
        _ time: MediaTime,
        _ lead: DecodingFacts,
        _ plan: SegmentPlan?,
        _ stopIfSuperseded: () throws(EngineError) -> Void
    ) throws(EngineError) -> Found {
        guard time > .zero else {
            _ = try enter(.start, lead, plan)
            return Found()
        }
        var search = EntrySearch(target: lead.ticks(time - Self.lead), facts: lead, plan: plan)
        while let entry = search.next() {
            try stopIfSuperseded()
            guard try enter(entry, lead, plan) else { continue }
            let (run, found) = try gather(time, lead, isStart: entry == .start, stopIfSuperseded)
            if run.key != nil || entry == .start { return found }
            search.failed(run)
        }
        _ = try enter(.start, lead, plan)
        return Found()
    }

    private func gather(
        _ time: MediaTime,
        _ lead: DecodingFacts,
        isStart: Bool,
        _ stopIfSuperseded: () throws(EngineError) -> Void
    ) throws(EngineError) -> (PictureRun, Found) {
        var run = PictureRun(
            target: lead.ticks(time - earliness(of: lead)),
            reorderLimit: lead.stream.kind == .audio ? 0 : lead.reorderLimit,
            keepsAll: isStart
        )
        var found = Found()
        while run.byteCount < Self.runByteLimit, let packet = try read() {
            try stopIfSuperseded()
            let stream = packet.packet.streamIndex
            if stream == lead.stream.index {
                if run.add(packet) == .complete { break }
            } else if !found.full.contains(stream), let facts = facts[stream] {
                var queue = found.others[stream] ?? FeedQueue(base: facts.stream.timeBase)
                queue.append(packet)
                queue.forget(before: facts.ticks(time - Self.lead))
                if queue.isOver(FeedLane.limit(facts)) { found.full.insert(stream) }
                found.others[stream] = queue
            }
        }
        found.run = run.entries
        found.privateData = run.privateData
        return (run, found)
    }

    /// How long before the requested time decoding must begin. If only decode times are known, a frame may be shown
    /// later than its decode time, by up to the reorder depth.
    private func earliness(of lead: DecodingFacts) -> MediaTime {
        guard lead.stream.kind == .video else { return Self.lead }
        guard lead.timing != .shown else { return .zero }
        let rate = lead.video.frameRate ?? Ratio(25, 1)
        return .seconds(Double(lead.reorderLimit * max(1, rate.denominator)) / Double(max(1, rate.numerator)))
    }

    /// Seeks to where a single stream resumes. Other streams are not read.
    ///
    /// - Parameter lead: the stream whose random access points are used for seeking.
    /// - Returns: the first packets, possibly none.
    func resume(
        _ place: Resumption,
        _ stream: DecodingFacts,
        by lead: DecodingFacts,
        _ plan: SegmentPlan?,
        _ stopIfSuperseded: () throws(EngineError) -> Void
    ) throws(EngineError) -> [FeedPacket] {
        let time: MediaTime =
            switch place {
            case .at(let time): time - Self.lead;
            case .after(_, let time): time
            }
        guard time > .zero || !place.isAtTime else {
            _ = try enter(.start, lead, plan)
            return []
        }
        var search = EntrySearch(target: lead.ticks(time), facts: lead, plan: plan)
        while let entry = search.next() {
            try stopIfSuperseded()
            guard try enter(entry, lead, plan) else { continue }
            let first: [FeedPacket]?
            switch place {
            case .at: first = try packets(from: stream.ticks(time), isStart: entry == .start, stopIfSuperseded)
            case .after(let mark, let time):
                let limit = stream.ticks(time + Self.searchLength)
                first = try packets(behind: mark, limit, isStart: entry == .start, stopIfSuperseded)
            }
            if let first { return first }
            search.failed(PictureRun(target: lead.ticks(time), reorderLimit: 0, keepsAll: false))
        }
        return []
    }

    /// The packets starting at the last random access point at or before `ticks`; `nil` when reading began after it.
    private func packets(
        from ticks: Int64,
        isStart: Bool,
        _ stopIfSuperseded: () throws(EngineError) -> Void
    ) throws(EngineError) -> [FeedPacket]? {
        var run = PictureRun(target: ticks, reorderLimit: 0, keepsAll: isStart)
        while let packet = try read() {
            try stopIfSuperseded()
            if run.add(packet) == .complete { break }
        }
        return run.key == nil && !isStart ? nil : run.entries
    }

    /// Reads up to and including the marked packet, so that the next `read` returns the packet after it. Returns `nil`
    /// when the packet was not found by `limit`, unless reading began at the start of the source: then reading
    /// continues at `limit`.
    private func packets(
        behind mark: Mark,
        _ limit: Int64,
        isStart: Bool,
        _ stopIfSuperseded: () throws(EngineError) -> Void
    ) throws(EngineError) -> [FeedPacket]? {
        while let packet = try read() {
            try stopIfSuperseded()
            if Mark(packet.packet) == mark { return [] }
            if packet.time > limit { return isStart ? [packet] : nil }
        }
        return isStart ? [] : nil
    }
}

extension FeedHead.Resumption {
    fileprivate var isAtTime: Bool { if case .at = self { true } else { false } }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// A position in a source at which packets are read.
///
/// Not thread-safe: part of a `PacketFeed`.
final class FeedHead {
    /// Identifies a packet when its stream is read a second time.
    struct Mark: Hashable {
        private let pts: Int64?
        private let dts: Int64?
        private let position: Int64?
        private let byteCount: Int

        init(_ packet: Packet) {
            pts = packet.pts
            dts = packet.dts
            position = packet.position
            byteCount = packet.byteCount
        }
    }

    /// The position at which reading of a stream resumes.
    enum Resumption {
        /// After the marked packet, which has this time on the timeline.
        case after(Mark, MediaTime)
        case at(MediaTime)
    }

    let reader: SourceReader
    let facts: [Int: DecodingFacts]
    private(set) var streams: Set<Int>
    private var clocks: [Int: PacketClock] = [:]
    private var latest: [Int: Int64] = [:]
    private(set) var isAtEnd = false

    /// - Parameter streams: the streams to read.
    init(_ reader: SourceReader, _ facts: [Int: DecodingFacts], streams: Set<Int>) {
        self.reader = reader
        self.facts = facts
        self.streams = streams
    }

    /// Seeks to an entry. Returns `false` when the container cannot seek there.
    func enter(_ entry: EntrySearch.Entry, _ lead: DecodingFacts, _ plan: SegmentPlan?) throws(EngineError) -> Bool {
        isAtEnd = false
        guard let entrance = try entry.enter(reader, lead, plan, streams: streams) else { return false }
        reader.keep(only: streams)
        clocks = facts.mapValues { PacketClock($0.timing, from: entrance) }
        latest = [:]
        return true
    }

    func keep(only streams: Set<Int>) {
        self.streams = streams
        reader.keep(only: streams)
    }

    /// The next packet of the streams that are read; `nil` at the end. Skips packets without payload. Where timestamps
    /// are not presentation times, it also skips packets whose time is unknown, such as the rest of a frame whose
    /// beginning was not read.
    func read() throws(EngineError) -> FeedPacket? {
        while let packet = try reader.readPacket() {
            let stream = packet.streamIndex
            guard streams.contains(stream), let facts = facts[stream] else { continue }
            let timed = clocks[stream]?.timed(packet)
            // A packet without payload only advances the clock.
            guard packet.byteCount > 0 else { continue }
            if let timed {
                latest[stream] = timed.time
                return timed
            }
            if facts.timing == .shown { return FeedPacket(packet: packet, time: latest[stream] ?? 0, isGuess: true) }
        }
        isAtEnd = true
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// One place in a source at which packets are read.
///
/// Not thread-safe: part of a `PacketFeed`.
final class FeedHead {
    /// By what a packet is known again when its stream is read a second time.
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

    /// Where a stream is read on.
    enum Resumption {
        /// Behind a packet, which lies at a time on the timeline.
        case after(Mark, MediaTime)
        case at(MediaTime)
    }

    let reader: SourceReader
    let facts: [Int: FilmFacts]
    private(set) var streams: Set<Int>
    private var clocks: [Int: PacketClock] = [:]
    private var latest: [Int: Int64] = [:]
    private(set) var isAtEnd = false

    /// - Parameter streams: what is read.
    init(_ reader: SourceReader, _ facts: [Int: FilmFacts], streams: Set<Int>) {
        self.reader = reader
        self.facts = facts
        self.streams = streams
    }

    /// Goes to a place. `false` when the container has no way to it.
    func enter(_ entry: EntrySearch.Entry, _ lead: FilmFacts, _ plan: SegmentPlan?) throws(EngineError) -> Bool {
        isAtEnd = false
        guard let base = try reader.enter(entry, lead, plan, streams: streams) else { return false }
        reader.context.keep(only: streams)
        clocks = facts.mapValues { PacketClock($0.timing, base: base, isAtStart: entry == .start) }
        latest = [:]
        return true
    }

    func keep(only streams: Set<Int>) {
        self.streams = streams
        reader.context.keep(only: streams)
    }

    /// The next packet of a stream that is read; `nil` at the end. Packets without payload, and those of which reading has
    /// missed the beginning, are left out.
    func read() throws(EngineError) -> FeedPacket? {
        while let packet = try reader.readPacket() {
            let stream = packet.streamIndex
            guard streams.contains(stream), let facts = facts[stream] else { continue }
            let timed = clocks[stream]?.timed(packet)
            // One without payload only takes its time.
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

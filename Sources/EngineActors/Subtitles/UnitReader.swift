// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Reads subtitle packets one unit at a time, with its own demuxer. The result for a unit does not depend on what was
/// read before.
///
/// Not thread-safe: owned by one actor with its own thread.
final class UnitReader {
    /// Demuxers interleave streams: after a packet this far past the end of a unit, no packet of the unit follows.
    private static let disorder = MediaTime.seconds(2)

    let reader: SubtitleReader
    let streams: Set<Int>
    private let source: OpenedSource
    private let timeBases: [Int: TimeBase]
    /// The unit that the demuxer can read without a seek. `carry` has packets of this and later units that were read
    /// early.
    private var next: Int?
    private var carry: [Int: [Packet]] = [:]

    init(_ source: OpenedSource, streams: Set<Int>, interrupt: InterruptFlag) throws(EngineError) {
        self.source = source
        self.streams = streams
        reader = try SubtitleReader(
            source.file,
            edits: source.edits,
            streams: streams,
            lead: source.lead.stream.index,
            interrupt: interrupt
        )
        timeBases = Dictionary(
            uniqueKeysWithValues: reader.reader.streamInfos().map { ($0.index, $0.timeBase) }
        )
        next = 0
    }

    /// The packets of one unit, in source order.
    func packets(of unit: Int, _ units: SubtitleUnits) throws(EngineError) -> [Packet] {
        try source.file.verified { () throws(EngineError) in try read(unit, units) }
    }

    private func read(_ unit: Int, _ units: SubtitleUnits) throws(EngineError) -> [Packet] {
        reader.reader.follow(units.plan)
        reader.reader.limitText(to: units.endTime(of: unit) ?? units.start(of: unit))
        if next != unit { try enter(unit, units) }
        next = nil
        var found = carry.removeValue(forKey: unit) ?? []
        var isDone = false
        while !isDone {
            switch try reader.next() {
            case .ended:
                // The next unit requires a seek.
                next = nil
                return found
            case .lead(let packet): isDone = isPast(packet, end: unit, units)
            case .subtitle(let packet):
                let base = timeBases[packet.streamIndex] ?? .microseconds
                if let place = units.unit(of: packet, in: base) {
                    if place == unit { found.append(packet) }
                    if place > unit { carry[place, default: []].append(packet) }
                }
                isDone = isPast(packet, end: unit, units)
            }
        }
        next = unit + 1
        return found
    }

    /// Whether no packet of a unit can follow `packet`.
    private func isPast(_ packet: Packet, end unit: Int, _ units: SubtitleUnits) -> Bool {
        let base = timeBases[packet.streamIndex] ?? .microseconds
        if !units.isByTime, let position = packet.position {
            guard let end = units.end(of: unit), position >= end else { return false }
            // Matroska packets are in file order.
            if source.container.isMatroska { return true }
        }
        guard unit + 1 < units.plan.boundaries.count, let time = packet.dts ?? packet.pts else { return false }
        let end = units.plan.timeBase.rescale(units.plan.boundaries[unit + 1].time, to: base)
        return time >= end &+ Self.disorder.ticks(in: base)
    }

    private func enter(_ unit: Int, _ units: SubtitleUnits) throws(EngineError) {
        carry = [:]
        // A seek to the first keyframe would miss the packets before it.
        if unit > 0 {
            let boundary = units.plan.boundaries[unit]
            let isIndexed = units.plan.origin == .index
            if try reader.reader.enter(boundary, lead: source.lead.stream.index, isIndexed: isIndexed) { return }
        }
        try reader.reopen()
        reader.reader.follow(units.plan)
    }
}

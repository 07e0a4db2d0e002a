// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads the packets of subtitles a unit at a time, on its own demuxer. What it gives for a unit does not depend on what was
/// read before.
///
/// Not thread-safe: owned by one actor with a thread of its own.
final class UnitReader {
    /// Demuxers give streams in turns: this far behind the end of a unit nothing of it follows.
    private static let disorder = MediaTime.seconds(2)

    let reader: SubtitleReader
    let streams: Set<Int>
    private let source: OpenedSource
    private let timeBases: [Int: TimeBase]
    /// The unit that reading can go on with, and what came along of it and of later ones.
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
            uniqueKeysWithValues: reader.reader.context.streamInfos().map { ($0.index, $0.timeBase) }
        )
        next = 0
    }

    /// The packets of one unit, in the order of the source.
    func packets(of unit: Int, _ units: SubtitleUnits) throws(EngineError) -> [Packet] {
        reader.reader.follow(units.plan)
        if next != unit { try enter(unit, units) }
        next = nil
        var found = carry.removeValue(forKey: unit) ?? []
        var isDone = false
        while !isDone {
            switch try reader.next() {
            case .ended:
                // Whatever is asked for next has to be looked for.
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

    /// Whether nothing of a unit follows a packet.
    private func isPast(_ packet: Packet, end unit: Int, _ units: SubtitleUnits) -> Bool {
        let base = timeBases[packet.streamIndex] ?? .microseconds
        if !units.isByTime, let position = packet.position {
            guard let end = units.end(of: unit), position >= end else { return false }
            // Matroska gives what it has in the order of the file.
            if source.container.isMatroska { return true }
        }
        guard unit + 1 < units.plan.boundaries.count, let time = packet.dts ?? packet.pts else { return false }
        let end = units.plan.timeBase.rescale(units.plan.boundaries[unit + 1].time, to: base)
        return time >= end &+ Self.disorder.ticks(in: base)
    }

    private func enter(_ unit: Int, _ units: SubtitleUnits) throws(EngineError) {
        carry = [:]
        // A seek to the first keyframe would miss what lies before it.
        if unit > 0 {
            let boundary = units.plan.boundaries[unit]
            let isIndexed = units.plan.origin == .index
            if try reader.reader.enter(boundary, lead: source.lead.stream.index, isIndexed: isIndexed) { return }
        }
        try reader.reopen()
        reader.reader.follow(units.plan)
    }
}

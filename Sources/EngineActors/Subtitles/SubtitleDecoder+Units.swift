// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

// Decoding one unit of one track, always in the same way.
extension SubtitleDecoder {
    /// The last unit that decoding a unit of a track needs. `nil` while the plan does not reach that far.
    func lastUnit(for unit: Int, _ track: SubtitleTrack) -> Int? {
        let runOut = CueDecoderCatalog.runOut(of: track)
        guard runOut > .zero else { return unit }
        guard let end = units.endTime(of: unit) else { return units.plan.isComplete ? unit : nil }
        if let last = units.unit(at: end + runOut), units.endTime(of: last) != nil { return last }
        return units.plan.isComplete ? max(unit, units.count - 1) : nil
    }

    /// The units whose packets are needed to decode one unit: its run-up, itself and its run-out.
    func span(of unit: Int, _ track: SubtitleTrack) throws(EngineError) -> ClosedRange<Int> {
        guard let last = lastUnit(for: unit, track) else {
            throw EngineError(.unavailable, "the plan does not reach far enough past segment \(unit) yet")
        }
        let runUp = CueDecoderCatalog.runUp(of: track)
        let first = runUp == .zero ? unit : units.unit(at: units.start(of: unit) - runUp) ?? unit
        return min(first, unit)...last
    }

    /// Decodes one unit with a new decoder that sees only the unit, its run-up and its run-out.
    ///
    /// - Parameters:
    ///   - span: the units to decode, from `span(of:_:)`.
    ///   - given: the packets of the span; `nil` to read them here.
    func decode(
        _ unit: Int,
        _ track: SubtitleTrack,
        _ span: ClosedRange<Int>,
        _ given: [Int: [Packet]]? = nil
    ) throws(EngineError) {
        let decoder = try CueDecoderCatalog.decoder(for: try setting(track))
        var taken = LimitedCues(limit: Self.byteLimit)
        for place in span {
            let packets = if let given { given[place] ?? [] } else { try packets(of: place, track) }
            for packet in packets where !taken.isCut {
                if place < unit { decoder.pass(packet) } else { taken.add(decoder.cues(of: packet)) }
            }
        }
        if span.upperBound > unit || units.endTime(of: unit) == nil { taken.add(decoder.finish()) }
        let isCounted = CueDecoderCatalog.runOut(of: track) > .zero
        list.set(isCounted ? taken.cues.filter { units.starts($0, in: unit) } : taken.cues, track: track.id, unit: unit)
        list.shrink(to: Self.byteLimit, keepingNear: units.unit(at: playhead) ?? 0, butFor: (track.id, unit))
        if taken.isCut { cut[track.id, default: []].insert(unit) }
    }

    /// Throws `resourceExhausted` for a unit with more cues than the limit, where the caller needs all of them.
    func requireWhole(_ unit: Int, _ track: SubtitleTrack) throws(EngineError) {
        guard cut[track.id]?.contains(unit) ?? false else { return }
        throw .tooManyCues(in: "segment \(unit) of subtitle track \(track.id)")
    }

    private func packets(of unit: Int, _ track: SubtitleTrack) throws(EngineError) -> [Packet] {
        guard let stream = track.stream else { return [] }
        if let known = packets.packets(of: unit, stream: stream) { return known }
        let reader = try reader(of: stream)
        packets.set(try reader.packets(of: unit, units), of: unit, streams: reader.streams)
        return packets.packets(of: unit, stream: stream) ?? []
    }

    func reader(of stream: Int) throws(EngineError) -> UnitReader {
        if let reader, reader.streams.contains(stream) { return reader }
        reader = nil
        // Captions in playback's video have a demuxer of their own.
        let streams = Set(embedded(selected).filter { !isAlongside($0) }.compactMap(\.stream)).union([stream])
        let reader = try UnitReader(source, streams: streams, interrupt: interruptFlag)
        self.reader = reader
        return reader
    }

    /// A reader for questions about any stream, whichever streams it reads.
    func anyReader() throws(EngineError) -> UnitReader {
        if let reader { return reader }
        let streams = Set(embedded(selected).filter { !isAlongside($0) }.compactMap(\.stream))
        let reader = try UnitReader(source, streams: streams, interrupt: interruptFlag)
        self.reader = reader
        return reader
    }

    func setting(_ track: SubtitleTrack) throws(EngineError) -> CueSetting {
        let reader = isAlongside(track) ? try anyReader() : try reader(of: track.stream ?? source.lead.stream.index)
        return try reader.reader.setting(track, origin: source.origin, isRaw: true)
    }
}

/// Collects cues for the list, up to a limit in bytes.
private struct LimitedCues {
    let limit: Int
    private(set) var cues: [Cue] = []
    /// Whether cues were left out.
    private(set) var isCut = false
    private var byteCount = 0

    init(limit: Int) { self.limit = limit }

    mutating func add(_ more: [Cue]) {
        for cue in more {
            byteCount += cue.weight
            guard byteCount <= limit else {
                isCut = true
                return
            }
            cues.append(cue)
        }
    }
}

extension EngineError {
    static func tooManyCues(in place: String) -> EngineError {
        EngineError(
            .resourceExhausted,
            "\(place) has more than \(SubtitleDecoder.byteLimit >> 20) MiB of simultaneous cues"
        )
    }
}

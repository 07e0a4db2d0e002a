// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// One unit of one track: always decoded in the same way.
extension SubtitleDecoder {
    /// The last unit that one unit of a track takes to be decoded. `nil` while the plan does not reach that far.
    func lastUnit(for unit: Int, _ track: SubtitleTrack) -> Int? {
        let runOut = CueDecoderCatalog.runOut(of: track)
        guard runOut > .zero else { return unit }
        guard let end = units.endTime(of: unit) else { return units.plan.isComplete ? unit : nil }
        if let last = units.unit(at: end + runOut), units.endTime(of: last) != nil { return last }
        return units.plan.isComplete ? max(unit, units.count - 1) : nil
    }

    /// Decodes one unit with a decoder that has seen what its run-up and its run-out ask for, and nothing else.
    func decode(_ unit: Int, _ track: SubtitleTrack) throws(EngineError) {
        guard let last = lastUnit(for: unit, track) else {
            throw EngineError(.unavailable, "the plan does not reach far enough behind segment \(unit) yet")
        }
        let decoder = try CueDecoderCatalog.decoder(for: try setting(track))
        let runUp = CueDecoderCatalog.runUp(of: track)
        let first = runUp == .zero ? unit : units.unit(at: units.start(of: unit) - runUp) ?? unit
        for earlier in min(first, unit)..<unit {
            for packet in try packets(of: earlier, track) { decoder.pass(packet) }
        }
        var cues: [Cue] = []
        for packet in try packets(of: unit, track) { cues += decoder.cues(of: packet) }
        if last > unit {
            for later in (unit + 1)...last {
                for packet in try packets(of: later, track) { cues += decoder.cues(of: packet) }
            }
        }
        if last > unit || units.endTime(of: unit) == nil { cues += decoder.finish() }
        if CueDecoderCatalog.runOut(of: track) > .zero { cues = cues.filter { units.starts($0, in: unit) } }
        list.set(cues, track: track.id, unit: unit)
        list.shrink(to: Self.byteLimit, keepingNear: units.unit(at: playhead) ?? 0)
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
        let streams = Set(embedded(selected).compactMap(\.stream)).union([stream])
        let reader = try UnitReader(source, streams: streams, interrupt: interruptFlag)
        self.reader = reader
        return reader
    }

    func setting(_ track: SubtitleTrack) throws(EngineError) -> CueSetting {
        let reader = try reader(of: track.stream ?? source.lead.stream.index)
        return try reader.reader.setting(track, origin: source.origin, isRaw: true)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A walk over the headers of a source's packets, from its start, that notes the subtitles that are on for long.
///
/// Only where the container's index does not name them. Not thread-safe: owned by one actor with a thread of its own.
final class SpanWalk {
    private static let packetsAStep = 256
    /// Demuxers give streams in turns: this far behind a time nothing of it follows.
    private static let disorder = MediaTime.seconds(2)

    private(set) var found: [Int: LongSpans]
    private let reader: SourceReader
    private let timeBases: [Int: TimeBase]
    private var latestPosition = Int64.min
    private var latest: (time: Int64, base: TimeBase)?
    private var isAtEnd = false

    /// - Parameter streams: what is noted, and how.
    init(_ source: OpenedSource, streams: [Int: LongSpans], interrupt: InterruptFlag) throws(EngineError) {
        found = streams
        reader = try SourceReader(file: source.file, for: .walking, edits: source.edits, interrupt: interrupt)
        timeBases = Dictionary(uniqueKeysWithValues: reader.context.streamInfos().map { ($0.index, $0.timeBase) })
        reader.context.keep(only: Set(streams.keys).union([source.lead.stream.index]))
        if source.container.hasFramedPackets {
            reader.context.takePacketsAsTheyAre()
            reader.context.skipPayload()
        }
        reader.startClock()
    }

    /// Whether all has been seen that lies before a unit.
    func hasPassed(_ unit: Int, _ units: SubtitleUnits) -> Bool {
        if isAtEnd || unit == 0 { return true }
        guard units.isByTime else { return latestPosition >= units.position(of: unit) }
        guard let latest, units.plan.boundaries.indices.contains(unit) else { return false }
        let edge = units.plan.timeBase.rescale(units.plan.boundaries[unit].time, to: latest.base)
        return latest.time >= edge &+ Self.disorder.ticks(in: latest.base)
    }

    /// Goes a few packets on.
    func step() throws(EngineError) {
        for _ in 0..<Self.packetsAStep where !isAtEnd {
            guard let packet = try reader.readPacket() else {
                isAtEnd = true
                return
            }
            latestPosition = max(latestPosition, packet.position ?? .min)
            guard let time = packet.dts ?? packet.pts else { continue }
            latest = timeBases[packet.streamIndex].map { (time, $0) } ?? latest
            found[packet.streamIndex]?.add(
                at: packet.pts ?? time,
                lasting: packet.duration,
                position: packet.position ?? latestPosition
            )
        }
    }
}

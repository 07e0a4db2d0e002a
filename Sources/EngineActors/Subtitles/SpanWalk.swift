// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Reads the packet headers of a source from its start, and records the subtitles that stay on screen for a long time.
///
/// Used only if the container's index does not list these subtitles. Not thread-safe: owned by one actor with its own
/// thread.
final class SpanWalk {
    private static let packetsAStep = 256
    /// Demuxers interleave streams: once a packet is this much later than a given time, no packet of an earlier time
    /// follows.
    private static let disorder = MediaTime.seconds(2)

    private(set) var found: [Int: LongSpans]
    private let reader: SourceReader
    private let timeBases: [Int: TimeBase]
    private var latestPosition = Int64.min
    private var latest: (time: Int64, base: TimeBase)?
    private var isAtEnd = false

    /// - Parameter streams: the streams to record, each with its rules for long cues.
    init(_ source: OpenedSource, streams: [Int: LongSpans], interrupt: InterruptFlag) throws(EngineError) {
        found = streams
        reader = try SourceReader(file: source.file, for: .walking, edits: source.edits, interrupt: interrupt)
        timeBases = Dictionary(uniqueKeysWithValues: reader.streamInfos().map { ($0.index, $0.timeBase) })
        reader.prepareForWalking(over: Set(streams.keys).union([source.lead.stream.index]))
    }

    /// Whether the walk has passed everything before a unit.
    func hasPassed(_ unit: Int, _ units: SubtitleUnits) -> Bool {
        if isAtEnd || unit == 0 { return true }
        guard units.isByTime else { return latestPosition >= units.position(of: unit) }
        guard let latest, units.plan.boundaries.indices.contains(unit) else { return false }
        let edge = units.plan.timeBase.rescale(units.plan.boundaries[unit].time, to: latest.base)
        return latest.time >= edge &+ Self.disorder.ticks(in: latest.base)
    }

    /// Advances by a few packets.
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

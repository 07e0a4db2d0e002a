// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Divides the segments of a list into parts, and finds out how much of the segment after the announced ones is known.
///
/// Whenever more of that segment has arrived, reads again all that has arrived of it, from memory. Does not wait for
/// the rest.
///
/// Not thread-safe: owned by the scanner.
struct ListPartScan {
    private let source: OpenedSource
    /// Of a part, in ticks of the leading stream.
    let length: Int64
    private var reader: SourceReader?
    /// How much of the segment after the announced ones is known, in the same ticks; for one segment, it never
    /// decreases.
    private var known: (segment: Int, settled: Int64)?

    init(of source: OpenedSource) {
        self.source = source
        length = PartGrid.ticks(in: source.lead.stream.timeBase)
    }

    /// The plan with parts.
    ///
    /// - Parameter isWhole: whether a segment can be served without the next one. Otherwise no parts of a segment are
    ///   announced before it is complete.
    /// - Throws: `cancelled` only. What cannot be read yet is not announced.
    mutating func divided(
        _ plan: SegmentPlan,
        isWhole: Bool,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> SegmentPlan {
        var plan = plan
        plan.partLength = length
        let next = plan.segmentCount
        guard isWhole, !plan.isComplete, next > 0, plan.boundaries.indices.contains(next), !plan.restarts.contains(next)
        else { return plan }
        if known?.segment != next { known = nil }
        do throws(EngineError) {
            if let settled = try settled(plan.boundaries[next].time, ofSegment: next, interrupt) {
                known = (next, max(settled, known?.settled ?? settled))
            }
        } catch {
            if error.code == .cancelled { throw error }
            // After an error, libavformat does not continue.
            reader = nil
        }
        plan.settled = known?.settled
        return plan
    }

    /// - Parameter start: the planned start of the segment.
    /// - Returns: the time before which all tracks are known; at most the end of what the playlist lists of the segment.
    private mutating func settled(
        _ start: Int64,
        ofSegment segment: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Int64? {
        let reader = try attachedReader(interrupt)
        guard let duration = reader.list?.enter(arriving: segment) else { return nil }
        var front = ArrivedFront(from: start, of: source.tracks) { reader.haveOwnPlaylists([$0]) }
        while let packet = try reader.readPacket() {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(source.file.path) was interrupted") }
            front.add(packet)
        }
        return front.settled.map { min($0, start &+ duration.ticks(in: source.lead.stream.timeBase)) }
    }

    private mutating func attachedReader(_ interrupt: InterruptFlag) throws(EngineError) -> SourceReader {
        if let reader { return reader }
        let reader = try SourceReader(file: source.file, for: .reading, edits: source.edits, interrupt: interrupt)
        reader.prepareForPackets(of: Set(source.tracks.map(\.stream.index)))
        self.reader = reader
        return reader
    }
}

// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

// What components that decode a source need from its demuxer.
extension SourceReader {
    /// How many packets are examined to find where a timeline starts.
    private static let headPackets = 400

    /// The parameters that a decoder of the stream needs.
    package func parameters(of index: Int) throws(EngineError) -> CodecParameters {
        do throws(FFmpegError) {
            return try context.codecParameters(of: index)
        } catch {
            throw EngineError(error, file: nil, .noPlayableStream, "stream \(index) cannot be decoded")
        }
    }

    /// Where the timeline starts, as for a played source: at the first picture or audio, but not before the container's
    /// own zero (MPEG-TS has none).
    package func timelineOrigin(pictures: Int?) throws(EngineError) -> MediaTime {
        var starts: [Int: MediaTime] = [:]
        let infos = context.streamInfos()
        for _ in 0..<Self.headPackets {
            guard let packet = try readPacket() else { break }
            guard let info = infos.first(where: { $0.index == packet.streamIndex }),
                info.kind == .audio || info.index == pictures, let time = packet.pts ?? packet.dts
            else { continue }
            let start = MediaTime(time, in: info.timeBase)
            if info.kind == .audio, starts[info.index] != nil { continue }
            starts[info.index] = min(starts[info.index] ?? start, start)
        }
        let first = starts.values.min() ?? .zero
        return context.container.isMPEGTS ? first : max(.zero, first)
    }

    /// The first packets of a stream. Afterwards the read position is the start of the source.
    package func firstPackets(of stream: Int, count: Int) throws(EngineError) -> [Packet] {
        try goToStart(of: [stream])
        var found: [Packet] = []
        while found.count < count, let packet = try readPacket() {
            if packet.streamIndex == stream { found.append(packet) }
        }
        try goToStart(of: [stream])
        return found
    }

    /// Goes back to the very start, to read the packets of the given streams.
    package func goToStart(of streams: Set<Int>) throws(EngineError) {
        if context.container.canStartAnywhere, (try? context.seek(byte: 0)) != nil {
            context.keep(only: streams)
            return hasJumped()
        }
        try reopen()
        if context.container.hasFramedPackets { context.takePacketsAsTheyAre() }
        context.keep(only: streams)
        hasJumped()
    }

    /// Goes to a place where a source can be entered. Returns `nil` when the container offers no way to get there.
    ///
    /// - Parameters:
    ///   - streams: the streams to read when reading begins at the start again. Otherwise the selection does not
    ///     change.
    ///   - plan: where the source can be entered, if known. Packets are put on its clock.
    /// - Returns: the time of the first packet there, if packets are counted.
    package func enter(
        _ entry: EntrySearch.Entry,
        _ facts: FilmFacts,
        _ plan: SegmentPlan?,
        streams: Set<Int>
    ) throws(EngineError) -> Int64? {
        if entry == .start {
            try goToStart(of: streams)
            if let plan, facts.container.canStartAnywhere { follow(plan) }
            return 0
        }
        do throws(FFmpegError) {
            return try seek(to: entry, facts, plan)
        } catch {
            if error.isInterruption { throw EngineError(error, file: nil, .cancelled, "seeking in \(file.path)") }
            return nil
        }
    }

    private func seek(
        to entry: EntrySearch.Entry,
        _ facts: FilmFacts,
        _ plan: SegmentPlan?
    ) throws(FFmpegError) -> Int64? {
        switch entry {
        case .start: return nil
        case .boundary(let index):
            guard let plan, index < plan.boundaries.count else { return nil }
            let boundary = plan.boundaries[index]
            try context.seek(byte: boundary.position)
            hasJumped(to: boundary.position)
            follow(plan)
            return boundary.time
        case .time(let time):
            addEntry(before: time, facts, plan)
            try context.seek(stream: facts.stream.index, atOrBefore: time)
            hasJumped()
            return 0
        }
    }

    /// Matroska without cues: a scan may have found where to enter.
    private func addEntry(before time: Int64, _ facts: FilmFacts, _ plan: SegmentPlan?) {
        guard facts.container.isMatroska, let plan, plan.origin != .index, let index = plan.segment(at: time) else {
            return
        }
        let boundary = plan.boundaries[index]
        context.addIndexEntry(
            of: facts.stream.index,
            timestamp: boundary.seekTimestamp,
            position: boundary.position
        )
    }
}

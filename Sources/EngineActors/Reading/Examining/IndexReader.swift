// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads what a container's own index states about its keyframes and its end.
struct IndexReader {
    /// The results of reading to the end of the file.
    private struct Tail {
        /// By stream index.
        var lastPackets: [Int: ContainerIndex.LastPacket] = [:]
        var byteCount = 0
        var isComplete = true

        mutating func add(_ packet: Packet, at time: Int64) {
            guard time > lastPackets[packet.streamIndex]?.time ?? .min else { return }
            lastPackets[packet.streamIndex] = .init(time: time, duration: packet.duration)
        }
    }

    /// The number of bytes that usually hold the first packets of all streams.
    private static let expectedHeadByteCount: Int64 = 1 << 20
    private static let expectedTailByteCount: Int64 = 4 << 20

    let reader: SourceReader
    /// The `moov` box of an MP4 file.
    let movie: [UInt8]?
    let lead: Int
    /// The indexes of all played streams.
    let streams: [Int]

    private var container: ContainerFormat { reader.container }

    /// Whether `read` may move the demuxer away from the start. A seek to the start would not undo that: it would skip
    /// audio before the first keyframe.
    var hasMoved: Bool { container.isMatroska || container.isAVI }

    /// Returns `nil` for containers without an index of the whole file.
    func read() throws(EngineError) -> ContainerIndex? {
        guard container.isMatroska || container.isMP4 || container.isAVI else { return nil }
        // The index of a growing source may name packets that have not arrived, or end before those that have.
        guard reader.file.growth == nil else { return nil }
        // Depending on the file's `sidx` boxes, libavformat's index may end with the first fragment, or before the last
        // one.
        if container.isMP4, let movie, MovieFragments.mayFollow(movie: movie) { return nil }
        // Without Cues, libavformat would read the clusters instead.
        guard try hasCues() else { return nil }
        try reader.loadIndex(of: lead)
        let entries = reader.context.indexEntries(of: lead)
        guard !entries.isEmpty else { return nil }
        expectReads(entries)
        guard container.isMP4 else {
            let tail = try tail(of: entries)
            return ContainerIndex(
                container: container,
                isRemote: reader.file.isRemote,
                byteCount: reader.file.byteCount,
                entries: entries,
                lastPackets: tail.lastPackets,
                isTailComplete: tail.isComplete
            )
        }
        let infos = reader.streamInfos()
        var lastPackets: [Int: ContainerIndex.LastPacket] = [:]
        for info in infos { lastPackets[info.index] = lastPacket(of: info) }
        let codec = infos.first { $0.index == lead }?.codec
        return ContainerIndex(
            container: container,
            isRemote: reader.file.isRemote,
            byteCount: reader.file.byteCount,
            entries: entries,
            offsets: movie.flatMap {
                CompositionOffsets.find(inMovie: $0, trackNumber: lead, sampleCount: entries.count)
            },
            descriptions: movie.flatMap { movie in
                codec.flatMap { SampleDescriptions.find(inMovie: movie, trackNumber: lead, codec: $0) }
            },
            lastPackets: lastPackets
        )
    }

    /// Whether a Matroska file has Cues for the leading stream. True for other containers.
    private func hasCues() throws(EngineError) -> Bool {
        guard container.isMatroska else { return true }
        let bytes = reader.bytes
        let cues = try MatroskaCues { offset, count throws(EngineError) in try bytes.read(at: offset, count: count) }
        return cues.entries[lead]?.isEmpty == false
    }

    /// Announces to a remote source the bytes that will be read to verify the index and to find the end.
    private func expectReads(_ entries: [IndexEntry]) {
        guard reader.file.isRemote else { return }
        let byteCount = reader.file.byteCount
        let keys = entries.filter { $0.isKey && $0.position < byteCount }
        var ranges = ContainerIndex.expectedReads(keys, of: container)
        if !container.isMP4, let last = keys.last {
            ranges.append(last.position..<min(byteCount, last.position + Self.expectedTailByteCount))
        }
        // The first segment, or its beginning, comes last because nothing needs it earlier. Its audio may extend past
        // the keyframe that ends it.
        let second = keys.dropFirst().first?.position ?? byteCount
        ranges.append(0..<min(second + SegmentPlan.interleaving, Self.expectedHeadByteCount, byteCount))
        reader.bytes.expect(ranges)
    }

    /// The last sample that the file really contains: the index of a truncated file extends beyond it.
    private func lastPacket(of info: StreamInfo) -> ContainerIndex.LastPacket? {
        func search(_ entries: [IndexEntry]) -> ContainerIndex.LastPacket? {
            let found = entries.lastIndex { $0.lies(within: reader.file.byteCount) && !$0.isDiscarded }
            guard let place = found else { return nil }
            let last = entries[place]
            let usual = place > 0 ? max(0, last.timestamp - entries[place - 1].timestamp) : 0
            // The duration of the sample that is presented last follows from the track's length; the index does not state it.
            guard entries[(place + 1)...].allSatisfy(\.isDiscarded), let total = info.duration,
                let first = reader.context.indexEntries(of: info.index, first: 1).first
            else { return .init(time: last.timestamp, duration: usual) }
            let rest = first.timestamp + total - last.timestamp
            return .init(time: last.timestamp, duration: rest > 0 && rest <= usual ? rest : usual)
        }
        return search(reader.context.indexEntries(of: info.index, last: 16))
            ?? search(reader.context.indexEntries(of: info.index))
    }

    /// Reads from the last indexed keyframe to the end of the file to find where each stream really ends. To find
    /// streams that ended earlier, starts again at earlier and earlier keyframes.
    private func tail(of entries: [IndexEntry]) throws(EngineError) -> Tail {
        var tail = Tail()
        let keys = entries.filter(\.isKey)
        guard !keys.isEmpty else { return tail }
        var back = 1
        var covered = Int64.max
        while tail.byteCount < ContainerIndex.tailByteLimit {
            let start = keys[max(0, keys.count - back)].timestamp
            do throws(FFmpegError) {
                try reader.seek(stream: lead, atOrBefore: start)
            } catch {
                try error.mustBeBad("opening \(reader.file.path)")
                // The demuxer cannot reach the entries of this index: use the packets found so far.
                return tail
            }
            while tail.byteCount < ContainerIndex.tailByteLimit, let packet = try reader.readPacket() {
                tail.byteCount += packet.byteCount
                guard let time = packet.pts ?? packet.dts else { continue }
                // An earlier iteration has read everything from this keyframe on.
                if packet.streamIndex == lead, packet.isKey, time >= covered { break }
                tail.add(packet, at: time)
            }
            if back == 1 { tail.isComplete = tail.byteCount < ContainerIndex.tailByteLimit }
            if back >= keys.count || streams.allSatisfy({ tail.lastPackets[$0] != nil }) { return tail }
            covered = start
            back *= 2
        }
        return tail
    }
}

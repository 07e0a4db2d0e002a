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

        /// - Parameter duration: 0 if the container does not state it.
        mutating func add(_ packet: Packet, at time: Int64, lasting duration: Int64) {
            guard time > lastPackets[packet.streamIndex]?.time ?? .min else { return }
            lastPackets[packet.streamIndex] = .init(time: time, duration: duration)
        }
    }

    /// The number of bytes that usually hold the first packets of all streams.
    private static let expectedHeadByteCount: Int64 = 1 << 20
    private static let expectedTailByteCount: Int64 = 4 << 20
    /// The number of frames at the end of a stream that include the one presented last. Decoders reorder at most 16
    /// (ISO/IEC 14496-10 §A.3.1, `max_dec_frame_buffering`).
    private static let reorderedFrames = 17
    /// The length of a cluster in the files of common muxers. If more media follows the last keyframe, it is in several
    /// clusters, each of which would cost `MatroskaTail` a round trip.
    private static let clusterSeconds = 5.0
    /// The seconds at the mean bit rate that may follow the last keyframe: twice the longest distance between
    /// keyframes.
    private static let longestEnd = 60.0

    let reader: SourceReader
    /// The `moov` box of an MP4 file.
    let movie: [UInt8]?
    let lead: Int
    /// The indexes of all played streams.
    let streams: [Int]
    /// The position at which playback will begin.
    let start: MediaTime
    /// The cursor through which `SourceExaminer` has made a remote source fetch its start and its end. Both have been
    /// read once the index has been read.
    let ends: (any ByteCursor)?

    private var container: ContainerFormat { reader.container }

    /// Whether `read` may move the demuxer away from the start. A seek to the start would not undo that: it would skip
    /// audio before the first keyframe.
    var hasMoved: Bool { container.isMatroska || container.isAVI }

    /// Returns `nil` for containers without an index of the whole file, and for growing sources.
    func read() throws(EngineError) -> ContainerIndex? {
        guard container.isMatroska || container.isMP4 || container.isAVI else { return nil }
        // The index of a growing source may name packets that have not arrived, or end before those that have.
        guard reader.file.growth == nil else { return nil }
        // libavformat reads the index of AVI only while it opens the source.
        if container.isAVI, reader.context.openedWhileGrowing { return nil }
        // Depending on the file's `sidx` boxes, libavformat's index may end with the first fragment, or before the last
        // one.
        if container.isMP4, let movie, FragmentedMovie.isAnnounced(in: movie) { return nil }
        // Without Cues, libavformat would read the clusters instead.
        let cues = container.isMatroska ? try cues() : nil
        if let cues, cues.entries[lead]?.isEmpty ?? true { return nil }
        try reader.loadIndex(of: lead)
        let entries = reader.context.indexEntries(of: lead)
        guard !entries.isEmpty else { return nil }
        let bytes = reader.bytes
        let end = try cues?.endOfMedia(inFileOf: reader.file.byteCount) { offset, count throws(EngineError) in
            try bytes.read(at: offset, count: count)
        }
        let keys = entries.filter { $0.isKey && $0.position < reader.file.byteCount }
        let mediaEnd = end.flatMap { $0 > keys.last?.position ?? .max ? $0 : nil } ?? reader.file.byteCount
        expectReads(keys, before: mediaEnd)
        guard container.isMP4 else {
            let tail = try tail(of: entries, before: mediaEnd)
            return ContainerIndex(
                container: container,
                isRemote: reader.file.isRemote,
                byteCount: reader.file.byteCount,
                entries: entries,
                lastPackets: tail.lastPackets,
                isTailComplete: tail.isComplete,
                isCompressed: cues?.compressed.contains(lead) ?? false
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

    private func cues() throws(EngineError) -> MatroskaCues {
        let bytes = reader.bytes
        return try MatroskaCues { offset, count throws(EngineError) in try bytes.read(at: offset, count: count) }
    }

    /// Makes a remote source fetch the bytes that will be read to verify the index and to find the end, and those that
    /// are played first.
    ///
    /// - Parameters:
    ///   - keys: the keyframes in the file.
    ///   - end: where the media ends at the latest.
    private func expectReads(_ keys: [IndexEntry], before end: Int64) {
        guard reader.file.isRemote else { return }
        var ranges = ContainerIndex.expectedReads(keys, of: container)
        if let length = lastSecond(of: keys) {
            let start = max(0, end - length - Int64(MatroskaElement.headByteCount))
            // If the last keyframe is shortly before these bytes, one request is made for both.
            if let place = ranges.firstIndex(where: { $0.lowerBound <= start && start <= $0.upperBound }) {
                ranges[place] = ranges[place].lowerBound..<max(end, ranges[place].upperBound)
            } else {
                ranges.append(start..<end)
            }
        } else if !container.isMP4, let last = keys.last, !endsEarly(keys, before: end) {
            let needed = min(byteCount(after: last, before: end), Self.expectedTailByteCount)
            ranges.append(last.position..<min(reader.file.byteCount, last.position + needed))
        }
        // The segment that is played first, or its beginning. If playback starts midway, it is the first of these
        // ranges: it takes longest to arrive, and the link has room for the others. At the start of the source, most of
        // it has arrived already.
        if let segment = firstPlayed(of: keys) {
            ranges.insert(segment, at: segment.lowerBound == 0 ? ranges.count : 0)
        }
        reader.bytes.expect(ranges)
        // Only after the new ranges are expected; otherwise running requests for the same bytes would be cancelled.
        ends?.expect([])
    }

    /// The bytes from the keyframe where playback begins to the next one, at most `expectedHeadByteCount`. For the
    /// first keyframe, from the start of the file.
    private func firstPlayed(of keys: [IndexEntry]) -> Range<Int64>? {
        guard let origin = keys.first, let base = reader.streamInfos().first(where: { $0.index == lead })?.timeBase
        else { return nil }
        let first = keys.lastIndex { MediaTime($0.timestamp - origin.timestamp, in: base) <= start } ?? 0
        let position = first == 0 ? 0 : keys[first].position
        let next = keys[(first + 1)...].first { $0.position > position }?.position ?? reader.file.byteCount
        guard position < next else { return nil }
        let end = SegmentPlan.expectedEnd(of: position..<next)
        return position..<min(end, position + Self.expectedHeadByteCount, reader.file.byteCount)
    }

    /// The last sample that the file really contains: the index of a truncated file extends beyond the end of the file.
    private func lastPacket(of info: StreamInfo) -> ContainerIndex.LastPacket? {
        func search(_ entries: [IndexEntry]) -> ContainerIndex.LastPacket? {
            let found = entries.lastIndex { $0.lies(within: reader.file.byteCount) && !$0.isDiscarded }
            guard let place = found else { return nil }
            let last = entries[place]
            let usual = place > 0 ? max(0, last.timestamp - entries[place - 1].timestamp) : 0
            // The duration of the sample that is presented last follows from the track's length; the index does not
            // state it.
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
    ///
    /// - Parameter end: where the media ends at the latest.
    private func tail(of entries: [IndexEntry], before end: Int64) throws(EngineError) -> Tail {
        var tail = Tail()
        let keys = entries.filter(\.isKey)
        guard let last = keys.last else { return tail }
        if endsEarly(keys, before: end) {
            tail.isComplete = false
            return tail
        }
        if let length = lastSecond(of: keys), let found = try shortTail(after: last, length: length) { return found }
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
                // AVI states no durations of pictures. libavformat gives each a tick, which is a field in many files.
                tail.add(packet, at: time, lasting: container.isAVI && packet.streamIndex == lead ? 0 : packet.duration)
            }
            if back == 1 { tail.isComplete = tail.byteCount < ContainerIndex.tailByteLimit }
            if back >= keys.count || streams.allSatisfy({ tail.lastPackets[$0] != nil }) { return tail }
            covered = start
            back *= 2
        }
        return tail
    }

    /// Whether so much follows the last indexed keyframe that the index does not reach the end. On a server, the bytes
    /// of `longestEnd` at the mean bit rate are enough, because everything after the keyframe would have to be fetched.
    ///
    /// - Parameter end: where the media ends at the latest.
    private func endsEarly(_ keys: [IndexEntry], before end: Int64) -> Bool {
        guard let first = keys.first, let last = keys.last else { return false }
        let rest = byteCount(after: last, before: end)
        if rest > ContainerIndex.tailByteLimit { return true }
        let base = reader.streamInfos().first { $0.index == lead }?.timeBase
        guard reader.file.isRemote, let base, rest > Self.expectedTailByteCount else { return false }
        let seconds = MediaTime(last.timestamp - first.timestamp, in: base).seconds
        return seconds > 0 && Double(rest) > Double(last.position - first.position) / seconds * Self.longestEnd
    }

    /// About how many bytes have to be read from the last keyframe in the index to the end of the media. In AVI, where
    /// the index lists all packets, packets that lie after the keyframe but are presented before it are not read: the
    /// audio of a file that is not interleaved lies after all its video.
    private func byteCount(after last: IndexEntry, before end: Int64) -> Int64 {
        let all = container.isAVI ? reader.context.indexEntries(of: lead) : []
        guard let first = all.first, let final = all.last, final.timestamp > first.timestamp else {
            return end - last.position
        }
        // libavformat counts the bytes of uncompressed audio instead of its time.
        let share = Double(final.timestamp - last.timestamp) / Double(final.timestamp - first.timestamp)
        var indexed = final.position
        var needed = 0.0
        for entries in streams.map({ $0 == lead ? all : reader.context.indexEntries(of: $0) }) {
            indexed = max(indexed, entries.last?.position ?? 0)
            needed += Double(entries.reduce(0) { $0 + $1.byteCount }) * share
        }
        return Int64(needed) + max(0, end - indexed)
    }

    /// The approximate number of bytes of the last second. `nil` unless the end of a Matroska file on a server can be
    /// found with these bytes, so that most of the bytes between the last keyframe and them need not be fetched.
    private func lastSecond(of keys: [IndexEntry]) -> Int64? {
        let base = reader.streamInfos().first { $0.index == lead }?.timeBase
        guard reader.file.isRemote, container.isMatroska, let base, let last = keys.last,
            let first = keys.suffix(10).first
        else { return nil }
        let seconds = MediaTime(last.timestamp - first.timestamp, in: base).seconds
        guard seconds > 0, last.position > first.position else { return nil }
        let bytesPerSecond = Double(last.position - first.position) / seconds
        let rest = reader.file.byteCount - last.position
        guard bytesPerSecond < Double(MatroskaTail.byteLimit), Double(rest) < bytesPerSecond * Self.clusterSeconds
        else {
            return nil
        }
        let length = Int64(bytesPerSecond)
        return length + SourceExaminer.tailByteCount < rest ? length : nil
    }

    /// The ends of the streams according to the blocks in the last `length` bytes of a Matroska file. `nil` if they do
    /// not reveal them.
    private func shortTail(after last: IndexEntry, length: Int64) throws(EngineError) -> Tail? {
        let cursor = reader.file.cursor(reader.interrupt)
        let excerpt = try MatroskaTail(
            fromClusterAt: last.position,
            ofFileOf: reader.file.byteCount,
            length: length
        ) { offset, count throws(EngineError) in
            // Where the next cluster begins, only its header is needed.
            cursor.expect([offset..<offset + Int64(count)])
            return try cursor.read(at: offset, count: count)
        }
        guard let excerpt else { return nil }
        let file = MemorySource(excerpt.bytes, name: reader.file.path, digest: "")
        let other = try SourceReader(file: file, for: .reading, edits: reader.edits, interrupt: reader.interrupt)
        other.prepareForPackets(of: Set(streams))
        var tail = Tail()
        var frames = 0
        while let packet = try other.readPacket() {
            tail.byteCount += packet.byteCount
            if packet.streamIndex == lead { frames += 1 }
            if let time = packet.pts ?? packet.dts { tail.add(packet, at: time, lasting: packet.duration) }
        }
        let isWhole = frames >= Self.reorderedFrames && streams.allSatisfy { tail.lastPackets[$0] != nil }
        return isWhole ? tail : nil
    }
}

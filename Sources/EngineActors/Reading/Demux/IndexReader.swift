// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads what a container's own index says about its keyframes and its end.
struct IndexReader {
    let reader: SourceReader
    let lead: Int
    /// Indexes of all played streams.
    let streams: [Int]

    /// Whether `read` leaves the demuxer somewhere other than at the start. A seek to the start would not restore it:
    /// audio before the first keyframe would be skipped.
    func hasMoved(_ container: ContainerFormat) -> Bool { container.isMatroska || container.isAVI }

    /// Returns `nil` for containers without an index of the whole file.
    func read() throws(EngineError) -> ContainerIndex? {
        let container = reader.context.container
        guard container.isMatroska || container.isMP4 || container.isAVI else { return nil }
        // libavformat's index may end with the first or before the last fragment, depending on the source's `sidx` boxes.
        if container.isMP4, let movie = reader.movie, MovieFragments.mayFollow(movie: movie) { return nil }
        if container.isMatroska {
            do throws(FFmpegError) {
                try reader.context.loadIndex(of: lead)
            } catch {
                if error.isInterruption {
                    throw EngineError(error, file: nil, .cancelled, "opening \(reader.file.path)")
                }
            }
        }
        let entries = reader.context.indexEntries(of: lead)
        guard !entries.isEmpty else { return nil }
        var index = ContainerIndex(container: container, fileSize: reader.file.byteCount, entries: entries)
        if container.isMP4 {
            index.offsets = reader.movie.flatMap {
                CompositionOffsets.find(inMovie: $0, trackNumber: lead, sampleCount: entries.count)
            }
            let infos = reader.context.streamInfos()
            if let codec = infos.first(where: { $0.index == lead })?.codec {
                index.descriptions = reader.movie.flatMap {
                    SampleDescriptions.find(inMovie: $0, trackNumber: lead, codec: codec)
                }
            }
            for info in infos {
                index.lastPackets[info.index] = lastPacket(of: info.index, infos)
            }
        } else {
            try readTail(from: entries, into: &index)
        }
        return index
    }

    /// The last sample that the file really contains: the index of a truncated file extends beyond it.
    private func lastPacket(of stream: Int, _ infos: [StreamInfo]) -> ContainerIndex.LastPacket? {
        func search(_ entries: [IndexEntry]) -> ContainerIndex.LastPacket? {
            guard let place = entries.lastIndex(where: { $0.lies(within: reader.file.byteCount) }) else { return nil }
            let last = entries[place]
            let usual = place > 0 ? max(0, last.timestamp - entries[place - 1].timestamp) : 0
            // The duration of the track's final sample follows from the track's length; the index does not state it.
            guard place == entries.count - 1, let first = reader.context.indexEntries(of: stream, first: 1).first,
                let total = infos.first(where: { $0.index == stream })?.duration
            else { return .init(time: last.timestamp, duration: usual) }
            let rest = first.timestamp + total - last.timestamp
            return .init(time: last.timestamp, duration: rest > 0 && rest <= usual ? rest : usual)
        }
        return search(reader.context.indexEntries(of: stream, last: 16))
            ?? search(reader.context.indexEntries(of: stream))
    }

    /// Reads from the last indexed keyframe to the end of the file to learn where each stream really ends. For streams
    /// that ended before, it then starts at earlier and earlier keyframes.
    private func readTail(from entries: [IndexEntry], into index: inout ContainerIndex) throws(EngineError) {
        let keys = entries.filter(\.isKey)
        guard !keys.isEmpty else { return }
        var bytes = 0
        var back = 1
        var covered = Int64.max
        while bytes < ContainerIndex.tailByteLimit {
            let start = keys[max(0, keys.count - back)].timestamp
            do throws(FFmpegError) {
                try reader.context.seek(stream: lead, atOrBefore: start)
            } catch {
                return
            }
            try readTail(until: covered, into: &index, counting: &bytes)
            if back == 1 { index.isTailComplete = bytes < ContainerIndex.tailByteLimit }
            let isAllFound = streams.allSatisfy { index.lastPackets[$0] != nil }
            if isAllFound || back >= keys.count { return }
            covered = start
            back *= 2
        }
    }

    /// Continues reading until the leading stream's keyframe at `covered`, or the end.
    private func readTail(
        until covered: Int64,
        into index: inout ContainerIndex,
        counting bytes: inout Int
    ) throws(EngineError) {
        while bytes < ContainerIndex.tailByteLimit, let packet = try reader.readPacket() {
            bytes += packet.byteCount
            guard let time = packet.pts ?? packet.dts else { continue }
            let stream = packet.streamIndex
            if stream == lead, packet.isKey, time >= covered { return }
            if time > index.lastPackets[stream]?.time ?? .min {
                index.lastPackets[stream] = .init(time: time, duration: packet.duration)
            }
        }
    }
}

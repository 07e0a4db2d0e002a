// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads what a container's own index says of its keyframes and its end.
struct IndexReader {
    let reader: SourceReader
    let lead: Int

    /// Whether `read` leaves the demuxer elsewhere than at the start. A seek to the start would not bring it back: sound
    /// before the first keyframe would be left out.
    func hasMoved(_ container: ContainerFormat) -> Bool { container.isMatroska || container.isAVI }

    /// `nil` for containers that have no index of the whole file.
    func read() throws(EngineError) -> ContainerIndex? {
        let container = reader.context.container
        guard container.isMatroska || container.isMP4 || container.isAVI else { return nil }
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
            for info in reader.context.streamInfos() {
                index.lastPackets[info.index] = lastPacket(of: info.index)
            }
        } else {
            try readTail(from: entries, into: &index)
        }
        return index
    }

    /// The last sample that the file really holds: a cut-off file's index goes on beyond it.
    private func lastPacket(of stream: Int) -> ContainerIndex.LastPacket? {
        func search(_ entries: [IndexEntry]) -> ContainerIndex.LastPacket? {
            guard let place = entries.lastIndex(where: { $0.lies(within: reader.file.byteCount) }) else { return nil }
            let last = entries[place]
            let length = place > 0 ? last.timestamp - entries[place - 1].timestamp : 0
            return .init(time: last.timestamp, duration: max(0, length))
        }
        return search(reader.context.indexEntries(of: stream, last: 16))
            ?? search(reader.context.indexEntries(of: stream))
    }

    /// Reads from the last indexed keyframe to the end of the file, to learn where each stream really ends.
    private func readTail(from entries: [IndexEntry], into index: inout ContainerIndex) throws(EngineError) {
        guard let last = entries.last(where: \.isKey) else { return }
        do throws(FFmpegError) {
            try reader.context.seek(stream: lead, atOrBefore: last.timestamp)
        } catch {
            return
        }
        var bytes = 0
        while bytes < ContainerIndex.tailByteLimit, let packet = try reader.readPacket() {
            bytes += packet.byteCount
            guard let time = packet.pts ?? packet.dts else { continue }
            let stream = packet.streamIndex
            if time > index.lastPackets[stream]?.time ?? .min {
                index.lastPackets[stream] = .init(time: time, duration: packet.duration)
            }
        }
        index.isTailComplete = bytes < ContainerIndex.tailByteLimit
    }
}

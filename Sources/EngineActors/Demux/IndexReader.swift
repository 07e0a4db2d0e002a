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
            index.offsets = try compositionOffsets(sampleCount: entries.count)
            for info in reader.context.streamInfos() {
                index.lastSample[info.index] = end(of: reader.context.indexEntries(of: info.index), info)
            }
        } else {
            try readTail(from: entries, into: &index)
        }
        return index
    }

    /// The end of the last sample that the file really holds: a cut-off file's index goes on beyond it.
    private func end(of entries: [IndexEntry], _ info: StreamInfo) -> Int64? {
        guard let place = entries.lastIndex(where: { $0.lies(within: reader.file.byteCount) }) else { return nil }
        let last = entries[place]
        let previous = place > 0 ? entries[place - 1].timestamp : last.timestamp - 1
        return last.timestamp + max(1, last.timestamp - previous)
    }

    /// The `ctts` box of the leading track, which libavformat keeps to itself.
    private func compositionOffsets(sampleCount: Int) throws(EngineError) -> CompositionOffsets? {
        do throws(Errno) {
            var offset: Int64 = 0
            for _ in 0..<4096 {
                let head = try reader.file.read(at: offset, count: 16)
                guard head.count >= 8 else { return nil }
                var size = head[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
                if size == 1, head.count == 16 { size = head[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
                if size == 0 { size = reader.file.byteCount - offset }
                guard size >= 8 else { return nil }
                if head[4..<8].elementsEqual("moov".utf8) {
                    guard size <= 256 << 20 else { return nil }
                    let movie = try reader.file.read(at: offset, count: Int(size))
                    return CompositionOffsets.find(inMovie: movie, trackNumber: lead, sampleCount: sampleCount)
                }
                offset &+= size
            }
            return nil
        } catch {
            throw EngineError(.sourceReadFailed, "reading \(reader.file.path) failed", cause: "\(error)")
        }
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
            index.lastSample[stream] = max(index.lastSample[stream] ?? .min, time + packet.duration)
            index.tail[stream, default: []].append(time)
        }
        index.isTailComplete = bytes < ContainerIndex.tailByteLimit
    }
}

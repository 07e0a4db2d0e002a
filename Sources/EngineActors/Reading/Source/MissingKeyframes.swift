// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds random access points of a file that does not list them: Matroska without Cues, and FLV whose metadata has no
/// list of keyframes. Without them, a demuxer that seeks reads everything before the wanted time.
///
/// Not thread-safe: owned by one reader.
struct MissingKeyframes {
    /// A random access point, as an index entry of the demuxer states it.
    typealias Entry = (time: Int64, position: Int64)

    private enum Search {
        /// It is not known whether the file lists them.
        case unknown
        case unneeded
        case matroska(MatroskaSearch)
        case flv(FLVSearch)
    }

    /// The number of bytes of a Matroska file that are searched for its track entries.
    private static let headByteCount = 1 << 20

    private let bytes: any ByteCursor
    private var search = Search.unknown

    init(of bytes: any ByteCursor) { self.bytes = bytes }

    /// Passes the position of the last random access point at or before a time to a demuxer that would otherwise read
    /// everything before it.
    mutating func note(of stream: Int, atOrBefore timestamp: Int64, in context: inout FormatContext) {
        guard timestamp != context.indexEntry(of: stream, at: timestamp)?.timestamp,
            let found = entry(of: stream, atOrBefore: timestamp, in: context)
        else { return }
        context.addIndexEntry(of: stream, timestamp: found.time, position: found.position)
    }

    /// The last random access point of a stream at or before a time. `nil` if the file lists them, or if none is found.
    ///
    /// In FLV, the result is the point that the demuxer would reach by reading from the start, or an earlier one (see
    /// `FLVSearch` for files whose clock falls). The demuxer continues from there to the first keyframe after the time,
    /// and callers that decode read on to the last keyframe before their target. An early entry therefore costs time,
    /// but does not change the frame that is found.
    ///
    /// - Parameter context: the demuxer, which has read the metadata of the file.
    mutating func entry(
        of stream: Int,
        atOrBefore timestamp: Int64,
        in context: borrowing FormatContext
    ) -> Entry? {
        let bytes = bytes
        func read(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            try bytes.read(at: offset, count: count)
        }
        func readTags(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            // Otherwise a source on a server would read ahead.
            if count > FLVSearch.stepByteCount { bytes.expect([offset..<offset + Int64(count)]) }
            return try bytes.read(at: offset, count: count)
        }
        do throws(EngineError) {
            search = try begun(of: stream, in: context, read)
            switch search {
            case .unknown, .unneeded: return nil
            case .matroska(var matroska):
                defer { search = .matroska(matroska) }
                let found = try matroska.keyframe(of: stream, atOrBefore: timestamp, read: read)
                return found.map { ($0.time, $0.cluster) }
            case .flv(var flv):
                defer { search = .flv(flv) }
                if !flv.isPrepared {
                    let expected = flv.samplingReads
                    bytes.expect(expected)
                    defer { bytes.expect([]) }
                    try flv.prepare { (offset, count) throws(EngineError) in
                        let range = offset..<offset + Int64(count)
                        if !expected.contains(where: { $0.contains(range) }) { bytes.expect([range] + expected) }
                        return try bytes.read(at: offset, count: count)
                    }
                }
                return try flv.keyframe(atOrBefore: timestamp, read: readTags).map { ($0.time, $0.position) }
            }
        } catch {
            // The demuxer will fail in the same way and report the error.
            return nil
        }
    }

    /// A growing source is searched again at each call, because it may have grown.
    private func begun(
        of stream: Int,
        in context: borrowing FormatContext,
        _ read: (Int64, Int) throws(EngineError) -> [UInt8]
    ) throws(EngineError) -> Search {
        let isGrowing = bytes.isGrowing
        switch search {
        case .unknown: break
        case .matroska where isGrowing: break
        case .flv where isGrowing: return .flv(FLVSearch(byteCount: bytes.byteCount))
        case .unneeded, .matroska, .flv: return search
        }
        if context.container.isMatroska {
            // The Cues of a growing source are not used before it is complete.
            if !isGrowing, try MatroskaCues.exist(read: read) { return .unneeded }
            return .matroska(MatroskaSearch(byteCount: bytes.byteCount, head: try read(0, Self.headByteCount)))
        }
        guard context.container.isFLV else { return .unneeded }
        let videos = context.streamInfos().filter { $0.kind == .video }.map(\.index)
        // A seek by audio needs no keyframes. A later seek may be by the video.
        guard videos.contains(stream) else { return .unknown }
        // The search does not tell several videos from each other. Index entries without a length come from the list of
        // keyframes in the metadata; the others are of tags that the demuxer has read.
        guard videos == [stream], !context.indexEntries(of: stream).contains(where: { $0.byteCount == 0 }) else {
            return .unneeded
        }
        return .flv(FLVSearch(byteCount: bytes.byteCount))
    }
}

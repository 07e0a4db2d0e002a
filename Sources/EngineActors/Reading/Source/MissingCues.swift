// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds random access points of a Matroska file that has no Cues.
///
/// Not thread-safe: owned by one reader.
struct MissingCues {
    /// The number of bytes of the file that are searched for its track entries.
    private static let headByteCount = 1 << 20

    private let bytes: any ByteCursor
    /// The outer optional is `nil` until it is known whether the file has Cues.
    private var search: MatroskaSearch??

    init(of bytes: any ByteCursor) { self.bytes = bytes }

    /// The random access point of a stream at or before a time. `nil` if the file has Cues, or if there is none.
    ///
    /// - Parameter byteCount: the length of the source.
    mutating func keyframe(
        of stream: Int,
        atOrBefore timestamp: Int64,
        byteCount: Int64
    ) -> MatroskaSearch.Keyframe? {
        let bytes = bytes
        func read(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            try bytes.read(at: offset, count: count)
        }
        do throws(EngineError) {
            // A growing source is searched again at each call, because it may have grown. Its Cues are not used before
            // it is complete.
            let isGrowing = bytes.isGrowing
            if search == nil || isGrowing {
                let exist = isGrowing ? false : try MatroskaCues.exist(read: read)
                let isNeeded = !exist
                let head = isNeeded ? try read(0, Self.headByteCount) : []
                search = .some(isNeeded ? MatroskaSearch(byteCount: byteCount, head: head) : nil)
            }
            return try search??.keyframe(of: stream, atOrBefore: timestamp, read: read)
        } catch {
            // The demuxer will fail in the same way and report the error.
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Walks over the top-level boxes of an MP4 file (ISO/IEC 14496-12 §4.2).
struct TopLevelBoxes {
    private struct Box {
        let type: String
        let offset: Int64
        let byteCount: Int64
        /// Whether the box extends to the end of the file (a size of 0).
        let isOpenEnded: Bool
    }

    /// In bytes. Only the demuxer parses a larger `moov` box.
    private static let movieLimit: Int64 = 256 << 20
    /// In bytes. The `moov` box of a movie in fragments is small, because it has no tables of samples.
    private static let fragmentedMovieLimit: Int64 = 4 << 20
    private static let fragmentLimit: Int64 = 1 << 20
    /// The number of fragments that are searched for data that applies to all of them, such as encryption. Each costs a
    /// seek.
    private static let fragmentCount = 4
    private static let boxLimit = 4096
    /// The rest of a remote file is fetched at once if it is not longer than this.
    private static let expectedByteCount: Int64 = 32 << 20

    private let bytes: any ByteCursor

    init(_ bytes: any ByteCursor) { self.bytes = bytes }

    /// The `moov` box of an MP4 file, wherever it is in the file. `nil` when the file is not MP4, or the box is missing
    /// or too large.
    ///
    /// - Parameter start: the ranges at the start of a remote file that will be read after the box.
    func movie(before start: [Range<Int64>] = []) throws(EngineError) -> [UInt8]? {
        var found: Box?
        try walk { box in
            if box.type == "moov" { found = box }
            if found == nil { expectIndex(after: box, and: start) }
            return found == nil
        }
        guard let found, found.byteCount <= Self.movieLimit else { return nil }
        return try bytes.read(at: found.offset, count: Int(found.byteCount))
    }

    /// Whether the media of an MP4 file comes before its index.
    func indexFollowsMedia() throws(EngineError) -> Bool {
        var found = false
        try walk { box in
            if box.type == "mdat" { found = true }
            return !["moov", "mdat"].contains(box.type)
        }
        return found
    }

    /// Whether the index of an MP4 file is complete, even if another program still has the file open for writing.
    /// Unlike the other calls, never waits for bytes of a growing file.
    func hasWholeIndex() throws(EngineError) -> Bool {
        let end = bytes.byteCount
        guard end >= 16 else { return false }
        var found = false
        try walk { box in
            // Muxers write the size of a box last; until then it is 0.
            guard !box.isOpenEnded, box.byteCount <= end - box.offset else { return false }
            found = box.type == "moov"
            return !found && end - box.offset - box.byteCount >= 16
        }
        return found
    }

    /// The bytes of the first `moof` boxes, one after another.
    func firstFragments() throws(EngineError) -> [UInt8] {
        var found: [Box] = []
        try walk { box in
            if box.type == "moof", box.byteCount <= Self.fragmentLimit { found.append(box) }
            return found.count < Self.fragmentCount
        }
        var fragments: [UInt8] = []
        for box in found { fragments += try bytes.read(at: box.offset, count: Int(box.byteCount)) }
        return fragments
    }

    /// The beginning of a movie in fragments.
    struct FragmentedHead {
        /// The `moov` box.
        let movie: [UInt8]
        /// The end of the `moov` box.
        let movieEnd: Int64
        /// The first `moof` box.
        let fragment: [UInt8]
        /// Whether an index lists all fragments, so that libavformat reads no other fragment to open the file.
        let isListed: Bool
    }

    /// Returns `nil` for any other file.
    func fragmentedHead() throws(EngineError) -> FragmentedHead? {
        var movie: Box?
        var fragment: Box?
        var indexes: [Box] = []
        try walk { box in
            switch box.type {
            case "moov": movie = box
            case "moof": fragment = box
            case "sidx": indexes.append(box)
            default: break
            }
            return fragment == nil && box.type != "mdat"
        }
        guard let movie, let fragment, movie.offset < fragment.offset, movie.byteCount <= Self.fragmentedMovieLimit,
            fragment.byteCount <= Self.fragmentLimit
        else { return nil }
        var isListed = false
        for box in indexes where try listsAllFragments(box) { isListed = true }
        return FragmentedHead(
            movie: try bytes.read(at: movie.offset, count: Int(movie.byteCount)),
            movieEnd: movie.offset + movie.byteCount,
            fragment: try bytes.read(at: fragment.offset, count: Int(fragment.byteCount)),
            isListed: isListed
        )
    }

    /// Whether a `sidx` box lists everything up to the end of the file, or up to an `mfra` box there.
    private func listsAllFragments(_ index: Box) throws(EngineError) -> Bool {
        guard index.byteCount <= Self.fragmentLimit,
            let end = SegmentIndex.end(
                inBox: try bytes.read(at: index.offset, count: Int(index.byteCount)),
                at: index.offset
            )
        else { return false }
        if end == bytes.byteCount { return true }
        guard end < bytes.byteCount else { return false }
        let last = try bytes.read(at: bytes.byteCount - 4, count: 4)
        return bytes.byteCount - end == last.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// Makes a remote source fetch the bytes after a box, because the index may follow the media, and then those that
    /// will be read after the index. No effect if many bytes follow the box.
    private func expectIndex(after box: Box, and start: [Range<Int64>]) {
        let end = box.offset &+ box.byteCount
        guard end < bytes.byteCount, bytes.byteCount - end <= Self.expectedByteCount else { return }
        bytes.expect([end..<bytes.byteCount] + start)
    }

    /// - Parameter visit: called with each box; returns whether to continue.
    private func walk(_ visit: (Box) -> Bool) throws(EngineError) {
        var offset: Int64 = 0
        for number in 0..<Self.boxLimit {
            let head = try bytes.read(at: offset, count: 16)
            guard head.count >= 8 else { return }
            let type = String(decoding: head[4..<8], as: UTF8.self)
            if number == 0, !["ftyp", "moov", "wide", "free", "skip", "mdat"].contains(type) { return }
            var size = head[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if size == 1, head.count == 16 { size = head[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            let isOpenEnded = size == 0
            if isOpenEnded { size = bytes.byteCount - offset }
            let box = Box(type: type, offset: offset, byteCount: size, isOpenEnded: isOpenEnded)
            guard size >= 8, visit(box) else { return }
            offset &+= size
            guard offset > 0 else { return }
        }
    }
}

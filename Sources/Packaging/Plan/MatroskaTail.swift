// SPDX-License-Identifier: Apache-2.0

/// The last blocks of a Matroska file as a file of its own: its headers, and clusters with these blocks only
/// (RFC 9559 §5.1.3). A demuxer reads the same packets from it as at the end of the whole file.
///
/// Blocks cannot be found backwards, and a cluster may be many megabytes long. Where blocks begin is therefore searched
/// for: from there, one element follows another up to the end of the cluster.
package struct MatroskaTail {
    private struct Cluster {
        var time: UInt64
        /// The file range of its blocks.
        var blocks: Range<Int64>
    }

    /// The number of elements that are left out where the blocks begin: bytes of a frame may look like a block.
    private static let doubtfulCount = 3
    private static let elementLimit = 64
    /// The limit of the bytes that are searched for blocks.
    package static let byteLimit: Int64 = 16 << 20

    /// The file.
    package private(set) var bytes: [UInt8]

    /// Returns `nil` if the blocks cannot be found, or if the file does not end after its last cluster and its index.
    ///
    /// - Parameters:
    ///   - offset: the file offset of a cluster.
    ///   - byteCount: the length of the file.
    ///   - length: the number of bytes, before the end of the last cluster, that are searched for blocks.
    ///   - read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package init?<Failure: Error>(
        fromClusterAt offset: Int64,
        ofFileOf byteCount: Int64,
        length: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard length <= Self.byteLimit,
            let layout = try MatroskaLayout(keeping: [MatroskaID.information, MatroskaID.tracks], read),
            let information = layout.bodies[MatroskaID.information], let tracks = layout.bodies[MatroskaID.tracks],
            let header = try MatroskaElement.at(0, read), let headerByteCount = header.byteCount,
            headerByteCount < 1 << 12
        else { return nil }
        let clusters = try Self.clusters(from: offset, to: byteCount, read)
        guard let last = clusters.last else { return nil }
        bytes = try read(0, Int(header.content + headerByteCount))
        bytes += Self.head(of: MatroskaID.segment, byteCount: nil)
        bytes += Self.head(of: MatroskaID.information, byteCount: information.count) + information
        bytes += Self.head(of: MatroskaID.tracks, byteCount: tracks.count) + tracks
        let start = last.blocks.upperBound - length
        let numbers = Set(MatroskaTracks.numbers(of: tracks, in: 0..<tracks.count).values)
        for cluster in clusters where cluster.blocks.upperBound > start {
            let range = cluster.blocks.clamped(to: start..<byteCount)
            var blocks = try read(range.lowerBound, range.count)
            guard blocks.count == range.count else { return nil }
            if range != cluster.blocks {
                guard let first = Self.firstBlock(in: blocks, of: numbers) else { return nil }
                blocks.removeFirst(first)
            }
            bytes += Self.head(of: MatroskaID.cluster, byteCount: 10 + blocks.count)
            bytes += [UInt8(MatroskaID.timestamp), 0x88] + Self.bigEndian(cluster.time) + blocks
        }
    }

    /// The clusters from an offset on. Empty unless complete top-level elements fill the file up to its end.
    private static func clusters<Failure: Error>(
        from offset: Int64,
        to end: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [Cluster] {
        var clusters: [Cluster] = []
        var at = offset
        for _ in 0..<elementLimit where at < end {
            guard let element = try MatroskaElement.at(at, read),
                MatroskaID.topLevel.contains(element.id), let count = element.byteCount,
                count <= end - element.content
            else { return [] }
            at = element.content + count
            guard element.id == MatroskaID.cluster else { continue }
            guard let cluster = try cluster(element.content..<at, read) else { return [] }
            clusters.append(cluster)
        }
        return at == end ? clusters : []
    }

    private static func cluster<Failure: Error>(
        _ content: Range<Int64>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Cluster? {
        var time: UInt64?
        var at = content.lowerBound
        while at < content.upperBound, let child = try MatroskaElement.at(at, read),
            let count = child.byteCount, count <= content.upperBound - child.content
        {
            if child.id == MatroskaID.timestamp {
                time = MatroskaElements.unsigned(try read(child.content, Int(min(count, 9))))
            } else if !MatroskaID.beforeBlocks.contains(child.id) {
                break
            }
            at = child.content + count
        }
        return time.map { Cluster(time: $0, blocks: at..<content.upperBound) }
    }

    /// Where the blocks begin in the last bytes of a cluster. `nil` if that is not certain.
    ///
    /// - Parameter tracks: the track numbers that blocks may have.
    private static func firstBlock(in bytes: [UInt8], of tracks: Set<UInt64>) -> Int? {
        // The elements from these offsets on do not end with the cluster.
        var refused = [Bool](repeating: false, count: bytes.count)
        for start in bytes.indices where bytes[start] == MatroskaID.simpleBlock || bytes[start] == MatroskaID.blockGroup
        {
            var offsets: [Int] = []
            var at = start
            while at < bytes.count, !refused[at], let next = end(ofElementAt: at, in: bytes, tracks) {
                offsets.append(at)
                at = next
            }
            if at == bytes.count { return offsets.count > doubtfulCount ? offsets[doubtfulCount] : nil }
            for offset in offsets { refused[offset] = true }
        }
        return nil
    }

    /// The end of the block, block group or Void element at an offset; `nil` if there is none.
    private static func end(ofElementAt offset: Int, in bytes: [UInt8], _ tracks: Set<UInt64>) -> Int? {
        guard [MatroskaID.simpleBlock, MatroskaID.blockGroup, MatroskaID.void].contains(UInt64(bytes[offset])),
            let size = MatroskaElements.number(bytes, offset + 1, bytes.count, keepsMarker: false)
        else { return nil }
        let start = offset + 1 + size.length
        guard size.value <= UInt64(bytes.count - start) else { return nil }
        let content = start..<start + Int(size.value)
        switch UInt64(bytes[offset]) {
        case MatroskaID.simpleBlock: return isBlock(content, of: bytes, tracks) ? content.upperBound : nil
        case MatroskaID.blockGroup:
            let children = MatroskaElements.children(of: bytes, in: content, limit: elementLimit)
            guard let block = children.first(where: { $0.id == MatroskaID.block })?.content else { return nil }
            return isBlock(block, of: bytes, tracks) ? content.upperBound : nil
        default: return content.upperBound
        }
    }

    /// Whether a range begins with the header of a block (RFC 9559 §10.1).
    private static func isBlock(_ range: Range<Int>, of bytes: [UInt8], _ tracks: Set<UInt64>) -> Bool {
        guard let track = MatroskaElements.number(bytes, range.lowerBound, range.upperBound, keepsMarker: false) else {
            return false
        }
        return tracks.contains(track.value) && range.count > track.length + 3
    }

    /// The ID and the size of an element; the size of `nil` is unknown.
    private static func head(of id: UInt64, byteCount: Int?) -> [UInt8] {
        let size = byteCount.map { UInt64($0) } ?? (1 << 56) - 1
        return bigEndian(id).drop { $0 == 0 } + [0x01] + bigEndian(size).dropFirst()
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }
}

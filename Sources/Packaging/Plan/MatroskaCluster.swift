// SPDX-License-Identifier: Apache-2.0

/// Searches a Matroska cluster for the block that a cue refers to (RFC 9559 §5.1.3).
///
/// Reads only element headers, through a closure, a few dozen bytes at a time.
package struct MatroskaCluster {
    /// A block at the wanted time that is marked as a keyframe.
    package struct Block: Hashable, Sendable {
        /// The file offset of the block's frame, and its size.
        package var payloadOffset: Int64
        package var payloadByteCount: Int64
    }

    /// The first keyframe block of any track at `time` (in segment ticks) in the cluster at `offset`. Empty if there is
    /// none.
    ///
    /// - Parameter read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    package static func keyframes<Failure: Error>(
        at time: Int64,
        clusterAt offset: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [Block] {
        guard let cluster = try MatroskaElement.at(offset, read), cluster.id == MatroskaID.cluster else { return [] }
        let end = cluster.byteCount.map { cluster.content &+ $0 } ?? .max
        var at = cluster.content
        var clusterTime: Int64?
        var found: [Block] = []
        for _ in 0..<4096 {
            guard at < end, let child = try MatroskaElement.at(at, read), let size = child.byteCount else {
                return found
            }
            if MatroskaID.ofSegment.contains(child.id) { return found }
            switch child.id {
            case MatroskaID.timestamp:
                clusterTime = try read(child.content, Int(min(size, 8))).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            case MatroskaID.simpleBlock, MatroskaID.blockGroup:
                guard let clusterTime else { return found }
                let block =
                    child.id == MatroskaID.simpleBlock
                    ? try simpleBlock(child.content, size, read: read) : try blockGroup(child.content, size, read: read)
                if let block, clusterTime &+ block.time == time, block.isKey { found.append(block.block) }
                // Blocks are in coding order, so no match follows more than 2000 ticks (normally two seconds) past the
                // time.
                if let block, found.isEmpty == false || clusterTime &+ block.time > time &+ 2000 { return found }
            default: break
            }
            at = child.content &+ size
        }
        return found
    }

    private typealias Header = (block: Block, time: Int64, isKey: Bool)

    private static func simpleBlock<Failure: Error>(
        _ content: Int64,
        _ size: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Header? {
        let head = try read(content, 16)
        guard let length = MatroskaElements.number(head, 0, head.count, keepsMarker: false)?.length,
            head.count >= length + 3
        else { return nil }
        let time = Int64(Int16(bitPattern: UInt16(head[length]) << 8 | UInt16(head[length + 1])))
        let lead = Int64(length + 3)
        let block = Block(payloadOffset: content + lead, payloadByteCount: max(0, size - lead))
        return (block, time, head[length + 2] & 0x80 != 0)
    }

    /// A BlockGroup without a ReferenceBlock is a keyframe.
    private static func blockGroup<Failure: Error>(
        _ content: Int64,
        _ size: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Header? {
        var at = content
        var header: Header?
        for _ in 0..<16 {
            guard at < content &+ size, let child = try MatroskaElement.at(at, read), let length = child.byteCount
            else {
                break
            }
            if child.id == MatroskaID.referenceBlock { return header.map { ($0.block, $0.time, false) } }
            if child.id == MatroskaID.block, let found = try simpleBlock(child.content, length, read: read) {
                header = (found.block, found.time, true)
            }
            at = child.content &+ length
        }
        return header
    }
}

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

    private enum ID {
        static let cluster: UInt64 = 0x1F43_B675
        static let timestamp: UInt64 = 0xE7
        static let simpleBlock: UInt64 = 0xA3
        static let blockGroup: UInt64 = 0xA0
        static let block: UInt64 = 0xA1
        static let referenceBlock: UInt64 = 0xFB
        static let topLevel: Set<UInt64> = [
            cluster, 0x1C53_BB6B, 0x1254_C367, 0x1043_A770, 0x1941_A469, 0x1549_A966, 0x1654_AE6B, 0x114D_9B74,
        ]
    }

    private struct Element {
        var id: UInt64
        var content: Int64
        /// `nil` for an element of unknown size.
        var byteCount: Int64?
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
        guard let cluster = try element(at: offset, read: read), cluster.id == ID.cluster else { return [] }
        let end = cluster.byteCount.map { cluster.content &+ $0 } ?? .max
        var at = cluster.content
        var clusterTime: Int64?
        var found: [Block] = []
        for _ in 0..<4096 {
            guard at < end, let child = try element(at: at, read: read), let size = child.byteCount else {
                return found
            }
            if ID.topLevel.contains(child.id) { return found }
            switch child.id {
            case ID.timestamp:
                clusterTime = try read(child.content, Int(min(size, 8))).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            case ID.simpleBlock, ID.blockGroup:
                guard let clusterTime else { return found }
                let block =
                    child.id == ID.simpleBlock
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
        guard let (_, length) = variableInteger(head, at: 0, keepsMarker: false), head.count >= length + 3 else {
            return nil
        }
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
            guard at < content &+ size, let child = try element(at: at, read: read), let length = child.byteCount else {
                break
            }
            if child.id == ID.referenceBlock { return header.map { ($0.block, $0.time, false) } }
            if child.id == ID.block, let found = try simpleBlock(child.content, length, read: read) {
                header = (found.block, found.time, true)
            }
            at = child.content &+ length
        }
        return header
    }

    private static func element<Failure: Error>(
        at offset: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Element? {
        let head = try read(offset, 12)
        guard let (id, idLength) = variableInteger(head, at: 0, keepsMarker: true), idLength <= 4,
            let (size, sizeLength) = variableInteger(head, at: idLength, keepsMarker: false)
        else { return nil }
        let isUnknown = size == (UInt64(1) << (7 * UInt64(sizeLength))) - 1
        guard isUnknown || size < 1 << 48 else { return nil }
        return Element(
            id: id,
            content: offset &+ Int64(idLength + sizeLength),
            byteCount: isUnknown ? nil : Int64(size)
        )
    }

    /// RFC 8794 §4. Returns the value and its length in bytes.
    private static func variableInteger(_ bytes: [UInt8], at index: Int, keepsMarker: Bool) -> (UInt64, Int)? {
        guard index < bytes.count, bytes[index] != 0 else { return nil }
        let length = bytes[index].leadingZeroBitCount + 1
        guard index + length <= bytes.count else { return nil }
        let first = keepsMarker ? UInt64(bytes[index]) : UInt64(bytes[index]) & ((1 << (8 - UInt64(length))) - 1)
        let value = bytes[(index + 1)..<(index + length)].reduce(first) { $0 << 8 | UInt64($1) }
        return (value, length)
    }
}

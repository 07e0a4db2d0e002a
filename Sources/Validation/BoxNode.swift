// SPDX-License-Identifier: Apache-2.0

package import Packaging

/// A box (ISO/IEC 14496-12 §4.2), with its children if it is a container.
package struct BoxNode: Hashable, Sendable {
    package let type: String
    /// The range of the whole box in the parsed bytes.
    package let range: Range<Int>
    package let payloadStart: Int
    package let children: [BoxNode]

    package var payload: Range<Int> { payloadStart..<range.upperBound }

    package func first(_ type: String) -> BoxNode? { children.first { $0.type == type } }
    package func all(_ type: String) -> [BoxNode] { children.filter { $0.type == type } }

    private static let containers: Set<String> = [
        "moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf", "edts", "dinf",
    ]
    private static let depthLimit = 8
    private static let countLimit = 10000

    /// The boxes of a file, including nested ones.
    ///
    /// - Throws: `malformed` for a box that does not fit into its parent, `limitExceeded` for too many or too deeply
    ///   nested boxes.
    package static func read(_ bytes: [UInt8]) throws(PackagingError) -> [BoxNode] {
        var count = 0
        return try read(bytes, in: 0..<bytes.count, depth: 0, count: &count)
    }

    private static func read(
        _ bytes: [UInt8],
        in range: Range<Int>,
        depth: Int,
        count: inout Int
    ) throws(PackagingError) -> [BoxNode] {
        guard depth <= depthLimit else { throw PackagingError(.limitExceeded, "boxes are nested too deeply") }
        var boxes: [BoxNode] = []
        var start = range.lowerBound
        while start < range.upperBound {
            count += 1
            guard count <= countLimit else { throw PackagingError(.limitExceeded, "there are too many boxes") }
            guard range.upperBound - start >= 8 else {
                throw PackagingError(.malformed, "\(range.upperBound - start) bytes at \(start) are not a box")
            }
            let type = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            var size = UInt64(bytes.number(at: start, byteCount: 4))
            var header = 8
            if size == 1, range.upperBound - start >= 16 {
                size = bytes.number(at: start + 8, byteCount: 8)
                header = 16
            } else if size == 0, depth == 0 {
                size = UInt64(range.upperBound - start)
            }
            guard size >= UInt64(header), size <= UInt64(range.upperBound - start) else {
                throw PackagingError(
                    .malformed,
                    "the \(printable(type)) box at \(start) claims \(size) bytes, \(range.upperBound - start) remain"
                )
            }
            let end = start + Int(size)
            let inner =
                containers.contains(type)
                ? try read(bytes, in: start + header..<end, depth: depth + 1, count: &count) : []
            boxes.append(BoxNode(type: type, range: start..<end, payloadStart: start + header, children: inner))
            start = end
        }
        return boxes
    }

    private static func printable(_ type: String) -> String {
        type.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 32 } ? type : "unknown"
    }
}

extension [UInt8] {
    /// Reads a big-endian number. The caller must ensure that the array has these bytes.
    func number(at start: Int, byteCount: Int) -> UInt64 {
        self[start..<start + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// IDs of elements that more than one parser of Matroska files needs (RFC 9559 §5.1, RFC 8794 §11).
enum MatroskaID {
    static let header: UInt64 = 0x1A45_DFA3
    static let segment: UInt64 = 0x1853_8067
    static let seekHead: UInt64 = 0x114D_9B74
    static let information: UInt64 = 0x1549_A966
    static let tracks: UInt64 = 0x1654_AE6B
    static let trackEntry: UInt64 = 0xAE
    static let cues: UInt64 = 0x1C53_BB6B
    static let attachments: UInt64 = 0x1941_A469
    static let chapters: UInt64 = 0x1043_A770
    static let tags: UInt64 = 0x1254_C367

    static let cluster: UInt64 = 0x1F43_B675
    static let timestamp: UInt64 = 0xE7
    static let simpleBlock: UInt64 = 0xA3
    static let blockGroup: UInt64 = 0xA0
    static let block: UInt64 = 0xA1
    static let referenceBlock: UInt64 = 0xFB

    static let checksum: UInt64 = 0xBF
    static let void: UInt64 = 0xEC

    /// The elements that only a segment contains. Each of them ends a cluster of unknown size.
    static let ofSegment: Set<UInt64> = [
        seekHead, information, tracks, cluster, cues, attachments, chapters, tags,
    ]
    /// The elements that may lie directly in a segment.
    static let topLevel = ofSegment.union([checksum, void])
    /// The elements that may come before the first block of a cluster, besides its timestamp. They include Position,
    /// PrevSize and SilentTracks.
    static let beforeBlocks: Set<UInt64> = [checksum, void, 0xA7, 0xAB, 0x5854]
}

/// The header of an element in a file (RFC 8794 §4 to §6).
package struct MatroskaElement {
    /// The number of bytes that a header has at most.
    package static let headByteCount = 12

    let id: UInt64
    /// The file offset of the content.
    let content: Int64
    /// The length of the content; `nil` if unknown.
    let byteCount: Int64?

    /// The file offset after the content; `nil` if unknown.
    var end: Int64? { byteCount.map { content + $0 } }

    /// - Parameters:
    ///   - head: the bytes at `offset`, `headByteCount` of them unless the file ends before.
    ///   - offset: the file offset of the element.
    /// - Returns: `nil` if no element begins there.
    init?(_ head: [UInt8], at offset: Int64) {
        guard offset >= 0, offset < 1 << 56,
            let id = MatroskaElements.number(head, 0, head.count, keepsMarker: true), id.length <= 4,
            let size = MatroskaElements.number(head, id.length, head.count, keepsMarker: false),
            size.value == .max || size.value < 1 << 48
        else { return nil }
        self.id = id.value
        content = offset + Int64(id.length + size.length)
        byteCount = size.value == .max ? nil : Int64(size.value)
    }

    /// The element at a file offset; `nil` if there is none.
    ///
    /// - Parameter read: returns up to the requested number of bytes at a file offset; fewer at the end of the file.
    static func at<Failure: Error>(
        _ offset: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MatroskaElement? {
        guard offset >= 0, offset < 1 << 56 else { return nil }
        return MatroskaElement(try read(offset, headByteCount), at: offset)
    }
}

// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The system area: the first 32 KiB of an image, which have no meaning for its file system (ECMA-119, 6.2.1). They are
/// usually empty or a boot loader, but may begin like a file of media.
extension ImageBytes {
    /// The maximum number of top-level elements that are read.
    private static let elementLimit = 64
    private static let boxHeadByteCount: Int64 = 16

    /// Whether the file is Matroska or MP4 and therefore no image of a disc: it begins like such a file, and its
    /// top-level elements follow one another across the whole system area.
    ///
    /// On a server, reading the descriptors of a disc takes one more round trip than reading the first bytes. This
    /// function reads only headers of elements, which lie before the descriptors, and which the demuxer reads too.
    func hasFilmAtStart() throws(EngineError) -> Bool {
        let end = min(byteCount, Self.firstSector * Self.sectorByteCount)
        guard end >= 8 else { return false }
        let head = try bytes(0..<8, of: "its first bytes")
        // Probably an image: its system area is empty. If it is not empty, `UDFVolume` announces this range later.
        if head.allSatisfy({ $0 == 0 }) { willRead([UDFVolume.firstDescriptors]) }
        let isMatroska = head.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
        guard isMatroska || head[4...].elementsEqual("ftyp".utf8) else { return false }
        var offset: Int64 = 0
        for _ in 0..<Self.elementLimit where offset < end {
            guard let next = try isMatroska ? endOfElement(at: offset) : endOfBox(at: offset) else { return false }
            offset = next
        }
        return offset >= end
    }

    /// The end of the top-level element of a Matroska file (RFC 9559 §5.1) at an offset; the end of the file if the
    /// size of the element is unknown. `nil` if there is no such element.
    private func endOfElement(at offset: Int64) throws(EngineError) -> Int64? {
        let element = try MatroskaElement.at(offset) { offset, count throws(EngineError) in
            try bytes(offset..<min(byteCount, offset + Int64(count)), of: "its first bytes")
        }
        guard let element, [MatroskaID.header, MatroskaID.segment, MatroskaID.void].contains(element.id) else {
            return nil
        }
        return element.end ?? byteCount
    }

    /// The end of the box (ISO/IEC 14496-12 §4.2) at an offset; the end of the file if the box has no size. `nil` if
    /// there is no valid box.
    private func endOfBox(at offset: Int64) throws(EngineError) -> Int64? {
        let head = try bytes(offset..<min(byteCount, offset + Self.boxHeadByteCount), of: "its first bytes")
        guard head.count >= 8, head[4..<8].allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let size = head[..<4].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        switch size {
        case 0: return byteCount
        case 1:
            let long = head[8...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return head.count == Self.boxHeadByteCount && (16..<1 << 56).contains(long) ? offset + Int64(long) : nil
        case 2..<8: return nil
        default: return offset + Int64(size)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The top-level elements of a Matroska file other than clusters (RFC 9559 §5.1): those that come before the first
/// cluster, and those that a SeekHead lists.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the
/// file.
struct MatroskaLayout {
    private static let elementLimit = 64
    private static let bodyLimit: Int64 = 64 << 20
    private static let (seek, seekID, seekPosition): (UInt64, UInt64, UInt64) = (0x4DBB, 0x53AB, 0x53AC)

    /// The file offset of the segment's content.
    let start: Int64
    private(set) var found: Set<UInt64> = []
    /// The file offsets of the contents of `bodies`.
    private(set) var offsets: [UInt64: Int64] = [:]
    private(set) var bodies: [UInt64: [UInt8]] = [:]
    /// The file offsets that SeekHeads list.
    private(set) var places: [UInt64: Int64] = [:]

    /// Returns `nil` for a file that is not Matroska.
    ///
    /// - Parameter kept: the elements whose content is read.
    init?<Failure: Error>(
        keeping kept: Set<UInt64>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard let header = try MatroskaElement.at(0, read), header.id == MatroskaID.header,
            let length = header.byteCount,
            let segment = try MatroskaElement.at(header.content &+ length, read), segment.id == MatroskaID.segment
        else { return nil }
        start = segment.content
        var at = segment.content
        for _ in 0..<Self.elementLimit {
            guard let child = try MatroskaElement.at(at, read), child.id != MatroskaID.cluster,
                let size = child.byteCount
            else {
                break
            }
            try take(child, kept, read)
            at = child.content &+ size
        }
        // A SeekHead may refer to a second one.
        for wanted in [MatroskaID.seekHead, MatroskaID.tracks, MatroskaID.cues] {
            guard wanted == MatroskaID.seekHead || !found.contains(wanted), let place = places[wanted],
                let element = try MatroskaElement.at(place, read), element.id == wanted
            else { continue }
            try take(element, kept, read)
        }
    }

    private mutating func take<Failure: Error>(
        _ element: MatroskaElement,
        _ kept: Set<UInt64>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard let size = element.byteCount, size <= Self.bodyLimit else { return }
        found.insert(element.id)
        guard element.id == MatroskaID.seekHead else {
            guard kept.contains(element.id) else { return }
            offsets[element.id] = element.content
            bodies[element.id] = try read(element.content, Int(size))
            return
        }
        let body = try read(element.content, Int(size))
        for (id, position) in Self.positions(of: body, in: 0..<body.count) { places[id] = start &+ position }
    }

    /// The file offsets of elements by their ID, according to the SeekHeads in the first bytes of a file. Empty for a
    /// file that is not Matroska.
    ///
    /// - Parameter head: the beginning of the file; its elements may be truncated.
    static func listedOffsets(inHead head: [UInt8]) -> [UInt64: Int64] {
        guard let segment = MatroskaElements.segment(inHead: head) else { return [:] }
        let lists = MatroskaElements.children(of: head, in: segment).filter { $0.id == MatroskaID.seekHead }
        return lists.reduce(into: [:]) { found, list in
            let positions = positions(of: head, in: list.content)
            found.merge(positions.mapValues { Int64(segment.lowerBound) + $0 }) { first, _ in first }
        }
    }

    /// The positions of elements by their ID, relative to the content of the segment (RFC 9559 §5.1.1).
    ///
    /// - Parameter list: the content of a SeekHead.
    static func positions(of bytes: [UInt8], in list: Range<Int>) -> [UInt64: Int64] {
        var positions: [UInt64: Int64] = [:]
        for seek in MatroskaElements.children(of: bytes, in: list) where seek.id == Self.seek {
            let fields = MatroskaElements.fields(of: bytes, in: seek.content)
            guard let id = fields[Self.seekID], let position = fields[Self.seekPosition], position < 1 << 56 else {
                continue
            }
            positions[id] = Int64(position)
        }
        return positions
    }
}

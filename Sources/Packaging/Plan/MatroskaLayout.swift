// SPDX-License-Identifier: Apache-2.0

/// The top-level elements of a Matroska file other than clusters (RFC 9559 §5.1): those that come before the first
/// cluster, and those that a SeekHead lists.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the
/// file.
struct MatroskaLayout {
    /// The ID of an element.
    struct ID: Hashable {
        static let header = ID(0x1A45_DFA3)
        static let segment = ID(0x1853_8067)
        static let seekHead = ID(0x114D_9B74)
        static let information = ID(0x1549_A966)
        static let tracks = ID(0x1654_AE6B)
        static let cluster = ID(0x1F43_B675)
        static let cues = ID(0x1C53_BB6B)
        /// The elements that a segment may contain (with Attachments, Chapters, Tags, CRC-32 and Void).
        static let topLevel: Set<ID> = [
            .seekHead, .information, .tracks, .cluster, .cues, ID(0x1941_A469), ID(0x1043_A770), ID(0x1254_C367),
            ID(0xBF), ID(0xEC),
        ]

        let value: UInt64

        init(_ value: UInt64) { self.value = value }
    }

    /// The header of an element.
    struct Element {
        let id: ID
        /// The file offset of the content.
        let content: Int64
        /// The length of the content; `nil` if unknown.
        let byteCount: Int64?
    }

    private static let elementLimit = 64
    private static let bodyLimit: Int64 = 64 << 20
    private static let (seek, seekID, seekPosition): (UInt64, UInt64, UInt64) = (0x4DBB, 0x53AB, 0x53AC)

    /// The file offset of the segment's content.
    let start: Int64
    private(set) var found: Set<ID> = []
    /// The file offsets of the contents of `bodies`.
    private(set) var offsets: [ID: Int64] = [:]
    private(set) var bodies: [ID: [UInt8]] = [:]
    /// The file offsets that SeekHeads list.
    private var places: [ID: Int64] = [:]

    /// Returns `nil` for a file that is not Matroska.
    ///
    /// - Parameter kept: the elements whose content is read.
    init?<Failure: Error>(
        keeping kept: Set<ID>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard let header = try Self.element(at: 0, read), header.id == .header, let length = header.byteCount,
            let segment = try Self.element(at: header.content &+ length, read), segment.id == .segment
        else { return nil }
        start = segment.content
        var at = segment.content
        for _ in 0..<Self.elementLimit {
            guard let child = try Self.element(at: at, read), child.id != .cluster, let size = child.byteCount else {
                break
            }
            try take(child, kept, read)
            at = child.content &+ size
        }
        // A SeekHead may refer to a second one.
        for wanted in [ID.seekHead, .tracks, .cues] {
            guard wanted == .seekHead || !found.contains(wanted), let place = places[wanted],
                let element = try Self.element(at: place, read), element.id == wanted
            else { continue }
            try take(element, kept, read)
        }
    }

    private mutating func take<Failure: Error>(
        _ element: Element,
        _ kept: Set<ID>,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard let size = element.byteCount, size <= Self.bodyLimit else { return }
        found.insert(element.id)
        guard element.id == .seekHead else {
            guard kept.contains(element.id) else { return }
            offsets[element.id] = element.content
            bodies[element.id] = try read(element.content, Int(size))
            return
        }
        let body = try read(element.content, Int(size))
        for seek in MatroskaElements.children(of: body, in: 0..<body.count) where seek.id == Self.seek {
            let fields = MatroskaElements.fields(of: body, in: seek.content)
            guard let id = fields[Self.seekID], let position = fields[Self.seekPosition], position < 1 << 56 else {
                continue
            }
            places[ID(id)] = start &+ Int64(position)
        }
    }

    /// The element at a file offset; `nil` if there is none.
    static func element<Failure: Error>(
        at offset: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Element? {
        guard offset >= 0, offset < 1 << 56 else { return nil }
        let head = try read(offset, 12)
        guard let id = MatroskaElements.number(head, 0, head.count, keepsMarker: true), id.length <= 4,
            let size = MatroskaElements.number(head, id.length, head.count, keepsMarker: false),
            size.value == .max || size.value < 1 << 48
        else { return nil }
        return Element(
            id: ID(id.value),
            content: offset + Int64(id.length + size.length),
            byteCount: size.value == .max ? nil : Int64(size.value)
        )
    }
}

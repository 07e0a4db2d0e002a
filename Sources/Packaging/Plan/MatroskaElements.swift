// SPDX-License-Identifier: Apache-2.0

/// Parses EBML elements (RFC 8794) in memory.
enum MatroskaElements {
    static let elementLimit = 4096

    /// The elements in a byte range. If the last one is truncated or of unknown size, it extends to the end.
    static func children(
        of bytes: [UInt8],
        in range: Range<Int>,
        limit: Int = elementLimit
    ) -> [(id: UInt64, content: Range<Int>)] {
        var found: [(id: UInt64, content: Range<Int>)] = []
        var at = range.lowerBound
        while found.count < limit, let id = number(bytes, at, range.upperBound, keepsMarker: true),
            let size = number(bytes, at + id.length, range.upperBound, keepsMarker: false)
        {
            let start = at + id.length + size.length
            let rest = UInt64(range.upperBound - start)
            let end = start + Int(min(size.value, rest))
            found.append((id.value, start..<end))
            at = end
        }
        return found
    }

    /// The content of the Segment element (RFC 9559 §5.1). `nil` for a file that is not Matroska.
    ///
    /// - Parameter head: the beginning of the file; its elements may be truncated.
    static func segment(inHead head: [UInt8]) -> Range<Int>? {
        let top = children(of: head, in: 0..<head.count)
        guard top.first?.id == MatroskaID.header else { return nil }
        return top.first { $0.id == MatroskaID.segment }?.content
    }

    /// A variable-size integer (RFC 8794 §4). A size with all bits set means unknown and is returned as `UInt64.max`.
    static func number(
        _ bytes: [UInt8],
        _ at: Int,
        _ end: Int,
        keepsMarker: Bool
    ) -> (value: UInt64, length: Int)? {
        guard at < end, bytes[at] != 0 else { return nil }
        let length = bytes[at].leadingZeroBitCount + 1
        guard length <= end - at else { return nil }
        let first = keepsMarker ? UInt64(bytes[at]) : UInt64(bytes[at]) & (0xFF >> UInt64(length))
        let value = bytes[(at + 1)..<(at + length)].reduce(first) { $0 << 8 | UInt64($1) }
        let isUnknown = !keepsMarker && value == (1 << UInt64(7 * length)) - 1
        return (isUnknown ? .max : value, length)
    }

    /// The child elements as unsigned integers. If an element occurs several times, the last one is used.
    static func fields(of bytes: [UInt8], in range: Range<Int>) -> [UInt64: UInt64] {
        var fields: [UInt64: UInt64] = [:]
        for child in children(of: bytes, in: range) {
            fields[child.id] = unsigned(bytes, in: child.content)
        }
        return fields
    }

    /// An unsigned integer (RFC 8794 §7.2). `nil` if it is longer than 8 bytes.
    static func unsigned(_ bytes: [UInt8], in range: Range<Int>) -> UInt64? {
        guard range.count <= 8 else { return nil }
        return bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    static func unsigned(_ bytes: [UInt8]) -> UInt64? { unsigned(bytes, in: 0..<bytes.count) }
}

/// The track entries of a Matroska file (RFC 9559 §5.1.4).
enum MatroskaTracks {
    private enum ID {
        static let number: UInt64 = 0xD7
        static let kind: UInt64 = 0x83
        static let codec: UInt64 = 0x86
        static let encodings: UInt64 = 0x6D80
        static let encoding: UInt64 = 0x6240
        static let encodingScope: UInt64 = 0x5032
        static let encodingKind: UInt64 = 0x5033
    }

    /// Video, audio, subtitles and metadata: the types that libavformat turns into streams.
    private static let streamTypes: Set<UInt64> = [1, 2, 0x11, 0x21]

    /// The contents of the entries that libavformat turns into streams, in stream order.
    ///
    /// - Parameter range: the content of a Tracks element.
    static func streams(of bytes: [UInt8], in range: Range<Int>) -> [Range<Int>] {
        MatroskaElements.children(of: bytes, in: range).filter { $0.id == MatroskaID.trackEntry }.map(\.content).filter
        { entry in
            let children = MatroskaElements.children(of: bytes, in: entry)
            let kind = children.last { $0.id == ID.kind }.flatMap { MatroskaElements.unsigned(bytes, in: $0.content) }
            return kind.map(streamTypes.contains) ?? false && children.contains { $0.id == ID.codec }
        }
    }

    /// Track numbers by stream index, from the content of a Tracks element.
    static func numbers(of bytes: [UInt8], in range: Range<Int>) -> [Int: UInt64] {
        numbers(bytes, streams(of: bytes, in: range))
    }

    /// Track numbers by stream index, from the first bytes of a file.
    static func numbers(inHead head: [UInt8]) -> [Int: UInt64] { numbers(head, streams(inHead: head)) }

    private static func numbers(_ bytes: [UInt8], _ streams: [Range<Int>]) -> [Int: UInt64] {
        var numbers: [Int: UInt64] = [:]
        for (index, entry) in streams.enumerated() {
            let number = MatroskaElements.children(of: bytes, in: entry).last { $0.id == ID.number }
            numbers[index] = number.flatMap { MatroskaElements.unsigned(bytes, in: $0.content) }
        }
        return numbers
    }

    /// The indexes of streams whose blocks are stored compressed (ContentEncodings, RFC 9559 §5.1.4.1.31).
    ///
    /// - Parameter range: the content of a Tracks element.
    static func compressed(of bytes: [UInt8], in range: Range<Int>) -> Set<Int> {
        func isCompression(_ encoding: Range<Int>) -> Bool {
            let fields = MatroskaElements.fields(of: bytes, in: encoding)
            let (kind, scope) = (fields[ID.encodingKind] ?? 0, fields[ID.encodingScope] ?? 1)
            return kind == 0 && scope & 1 == 1
        }
        var found: Set<Int> = []
        for (index, entry) in streams(of: bytes, in: range).enumerated() {
            let encodings = MatroskaElements.children(of: bytes, in: entry).filter { $0.id == ID.encodings }
                .flatMap { MatroskaElements.children(of: bytes, in: $0.content) }
            if encodings.contains(where: { $0.id == ID.encoding && isCompression($0.content) }) { found.insert(index) }
        }
        return found
    }

    /// The contents of the track entries in the first bytes of a file, in stream order. Empty if the entries are not
    /// within `head`.
    static func streams(inHead head: [UInt8]) -> [Range<Int>] {
        content(inHead: head).map { streams(of: head, in: $0) } ?? []
    }

    /// The content of the Tracks element. `nil` if it is not within `head`.
    ///
    /// - Parameter head: the beginning of the file.
    static func content(inHead head: [UInt8]) -> Range<Int>? {
        guard let segment = MatroskaElements.segment(inHead: head) else { return nil }
        return MatroskaElements.children(of: head, in: segment).first { $0.id == MatroskaID.tracks }?.content
    }
}

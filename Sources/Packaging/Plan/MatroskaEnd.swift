// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a Matroska file state about its end, so that a client of a server can request the Cues and
/// the last second of the media at once.
package struct MatroskaEnd {
    private enum ID {
        static let timestampScale: UInt64 = 0x2AD7B1
        static let duration: UInt64 = 0x4489
    }

    /// If Cues begin farther from the end of a file, other elements follow them.
    private static let cuesByteLimit: Int64 = 2 << 20
    /// The size of `lastSecond`, relative to the mean number of bytes per second.
    private static let margin = 1.1

    /// The bytes from the Cues to the end of the file, according to a SeekHead (RFC 9559 §5.1.1).
    package let cues: Range<Int64>
    /// The mean number of bytes per second before the Cues, according to the duration in Info (RFC 9559 §5.1.2). `nil`
    /// if it is not stated.
    private let bytesPerSecond: Double?

    /// The bytes before the Cues that probably hold the last second of the media. `nil` if the bit rate is unknown.
    package var lastSecond: Range<Int64>? {
        bytesPerSecond.map { max(0, cues.lowerBound - Int64($0 * Self.margin))..<cues.lowerBound }
    }

    /// Fails if no SeekHead lists Cues, or if they are not near the end of the file.
    ///
    /// - Parameters:
    ///   - head: the beginning of the file; its elements may be truncated.
    ///   - fileByteCount: the length of the file.
    package init?(head: [UInt8], fileByteCount: Int64) {
        guard let segment = MatroskaElements.segment(inHead: head),
            let offset = MatroskaLayout.listedOffsets(inHead: head)[MatroskaID.cues], offset < fileByteCount,
            fileByteCount - offset <= Self.cuesByteLimit
        else { return nil }
        cues = offset..<fileByteCount
        let children = MatroskaElements.children(of: head, in: segment)
        let information = children.first { $0.id == MatroskaID.information }
        let seconds = information.flatMap { Self.duration(head, in: $0.content) }
        bytesPerSecond = seconds.map { Double(offset - Int64(segment.lowerBound)) / $0 }
    }

    /// The duration in seconds. `nil` if it is not stated, or not plausible.
    ///
    /// - Parameter information: the content of an Info element.
    private static func duration(_ head: [UInt8], in information: Range<Int>) -> Double? {
        let children = MatroskaElements.children(of: head, in: information)
        let scale = children.last { $0.id == ID.timestampScale }.map { MatroskaElements.unsigned(head, in: $0.content) }
        guard let duration = children.last(where: { $0.id == ID.duration })?.content,
            let nanoseconds = scale ?? 1_000_000, let bits = MatroskaElements.unsigned(head, in: duration)
        else { return nil }
        // A float of 4 or 8 bytes (RFC 8794 §7.3).
        let ticks: Double
        switch duration.count {
        case 4: ticks = Double(Float(bitPattern: UInt32(bits)))
        case 8: ticks = Double(bitPattern: bits)
        default: return nil
        }
        let seconds = ticks * Double(nanoseconds) / 1e9
        return seconds >= 1 && seconds < 1e9 ? seconds : nil
    }
}

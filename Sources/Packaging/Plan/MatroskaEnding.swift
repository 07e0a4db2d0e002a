// SPDX-License-Identifier: Apache-2.0

/// What the beginning of a Matroska file states about its end: where its Cues are, and how long it lasts (RFC 9559 §5.1.1
/// and §5.1.2).
package struct MatroskaEnding: Hashable, Sendable {
    private static let (timestampScale, duration): (UInt64, UInt64) = (0x2AD7B1, 0x4489)
    private static let (seek, seekID, seekPosition): (UInt64, UInt64, UInt64) = (0x4DBB, 0x53AB, 0x53AC)
    /// Cues that are further from the end of the file are not the last element.
    private static let cuesLimit: Int64 = 2 << 20
    private static let secondLimit: Int64 = 1 << 20

    /// The file offset of the Cues.
    package let cues: Int64
    /// The length of the film in seconds. `nil` if it is not stated.
    package let seconds: Double?

    /// Returns `nil` for a file that is not Matroska, and if no SeekHead lists its Cues.
    ///
    /// - Parameter head: the beginning of the file; its elements may be truncated.
    package init?(head: [UInt8]) {
        let top = MatroskaElements.children(of: head, in: 0..<head.count)
        guard top.first?.id == MatroskaID.header, let segment = top.first(where: { $0.id == MatroskaID.segment }) else {
            return nil
        }
        let children = MatroskaElements.children(of: head, in: segment.content)
        let listed = children.filter { $0.id == MatroskaID.seekHead }.flatMap { list in
            MatroskaElements.children(of: head, in: list.content).filter { $0.id == Self.seek }
        }.map { MatroskaElements.fields(of: head, in: $0.content) }
        guard let position = listed.first(where: { $0[Self.seekID] == MatroskaID.cues })?[Self.seekPosition],
            position < 1 << 56
        else { return nil }
        cues = Int64(segment.content.lowerBound) + Int64(position)
        seconds = children.first { $0.id == MatroskaID.information }.flatMap { Self.seconds(of: head, $0.content) }
    }

    private static func seconds(of head: [UInt8], _ information: Range<Int>) -> Double? {
        let fields = MatroskaElements.children(of: head, in: information)
        let scale = fields.last { $0.id == timestampScale }.flatMap { MatroskaElements.unsigned(head, in: $0.content) }
        guard let ticks = fields.last(where: { $0.id == duration })?.content,
            let bits = MatroskaElements.unsigned(head, in: ticks)
        else { return nil }
        let value: Double
        switch ticks.count {
        case 4: value = Double(Float(bitPattern: UInt32(bits)))
        case 8: value = Double(bitPattern: bits)
        default: return nil
        }
        let seconds = value * Double(scale ?? 1_000_000) / 1e9
        return seconds > 0 && seconds.isFinite ? seconds : nil
    }

    /// The last second of the media, at the mean bit rate, and everything after it. `nil` if the Cues are not near the end of
    /// the file.
    ///
    /// - Parameter byteCount: the length of the file.
    package func lastSecond(of byteCount: Int64) -> Range<Int64>? {
        guard cues < byteCount, byteCount - cues <= Self.cuesLimit else { return nil }
        let second = seconds.map { Int64(min(Double(byteCount) / max($0, 1), Double(Self.secondLimit))) } ?? 0
        return max(0, cues - second)..<byteCount
    }
}

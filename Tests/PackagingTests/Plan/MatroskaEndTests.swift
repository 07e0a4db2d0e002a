// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("What the first bytes of a Matroska file state about its end")
struct MatroskaEndTests {
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        hex(id) + [0x40 | UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        (1...value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (value.bitWidth - 8 * $0)) }
    }

    private static func place(_ id: String, _ position: UInt32) -> [UInt8] {
        element("4dbb", element("53ab", hex(id)) + element("53ac", bigEndian(position)))
    }

    private static let header = element("1a45dfa3", [])
    private static let tracks = element("1654ae6b", element("ae", element("d7", [1])))
    private static let list = element("114d9b74", place("1654ae6b", 500) + place("1c53bb6b", 9_000_000))
    /// The file offsets of the segment's content, of the Cues and of the end of the file.
    private static let start = Int64(header.count + 12)
    private static let cues = start + 9_000_000
    private static let end = cues + 30_000

    private static func head(_ content: [UInt8]) -> [UInt8] {
        header + hex("18538067") + hex("01ffffffffffffff") + content
    }

    private static func information(_ duration: [UInt8], scale: [UInt8]? = nil) -> [UInt8] {
        element("1549a966", (scale.map { element("2ad7b1", $0) } ?? []) + element("4489", duration))
    }

    @Test("The end begins with the Cues if a SeekHead lists them near the end of the file")
    func cues() {
        let whole = Self.head(Self.list + Self.tracks)
        #expect(MatroskaEnd(head: whole, fileByteCount: Self.end)?.cues == Self.cues..<Self.end)
        // Much follows them, or they are beyond the end.
        #expect(MatroskaEnd(head: whole, fileByteCount: Self.cues + 3 << 20) == nil)
        #expect(MatroskaEnd(head: whole, fileByteCount: Self.cues) == nil)
        // Nothing lists them, or the file is not Matroska.
        #expect(MatroskaEnd(head: Self.head(Self.tracks), fileByteCount: Self.end) == nil)
        #expect(MatroskaEnd(head: Self.list, fileByteCount: Self.end) == nil)
        for count in 0..<whole.count {
            let found = MatroskaEnd(head: Array(whole.prefix(count)), fileByteCount: Self.end)?.cues
            if count >= Self.start + Int64(Self.list.count) { #expect(found == Self.cues..<Self.end, "\(count) bytes") }
            if count < Self.start { #expect(found == nil, "\(count) bytes") }
        }
    }

    @Test(
        "The last second is assumed to have a tenth more bytes than the mean of all seconds",
        arguments: [
            (Self.information(Self.bigEndian(Double(90_000).bitPattern)), 110_000),
            (Self.information(Self.bigEndian(Float(90_000).bitPattern)), 110_000),
            (Self.information(Self.bigEndian(Double(90_000).bitPattern), scale: hex("0186a0")), 1_100_000),
            // Longer than everything before the Cues.
            (Self.information(Self.bigEndian(Double(1_000).bitPattern)), 9_000_000 + Int(start)),
            // Not stated, or not plausible.
            ([], nil),
            (Self.information([]), nil),
            (Self.information(hex("0186a0")), nil),
            (Self.information(Self.bigEndian(Double(90_000).bitPattern), scale: hex("000000000000000001")), nil),
            (Self.information(Self.bigEndian(Double(999).bitPattern)), nil),
            (Self.information(Self.bigEndian(Double.nan.bitPattern)), nil),
            (Self.information(Self.bigEndian(Double.infinity.bitPattern)), nil),
            (Self.information(Self.bigEndian(Double(-90_000).bitPattern)), nil),
        ] as [([UInt8], Int?)]
    )
    func lastSecond(information: [UInt8], count: Int?) throws {
        let found = try #require(MatroskaEnd(head: Self.head(Self.list + information), fileByteCount: Self.end))
        #expect(found.lastSecond?.count == count)
        #expect(found.lastSecond?.upperBound == count.map { _ in Self.cues })
    }
}

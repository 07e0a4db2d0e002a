// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("What the beginning of a Matroska file states about its end", .timeLimit(.minutes(10)))
struct MatroskaEndingTests {
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        hex(id) + [0x40 | UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }

    private static func place(_ id: String, _ position: Int) -> [UInt8] {
        element("4dbb", element("53ab", hex(id)) + element("53ac", number(position)))
    }

    private static let header = element("1a45dfa3", [])
    /// The segment is of unknown length.
    private static let start = header.count + 12

    private static func head(_ segment: [UInt8]) -> [UInt8] {
        header + hex("18538067") + hex("01ffffffffffffff") + segment
    }

    private static func information(_ duration: [UInt8], scale: Int? = nil) -> [UInt8] {
        element("1549a966", (scale.map { element("2ad7b1", number($0)) } ?? []) + element("4489", duration))
    }

    private static let list = element("114d9b74", place("1654ae6b", 500) + place("1c53bb6b", 9_000_000))
    private static let cues = Int64(start + 9_000_000)
    /// 50,000 ticks as 32 and as 64 bits (RFC 8794 §7.3).
    private static let (short, long) = (hex("47435000"), hex("40e86a0000000000"))

    @Test("The Cues are where the SeekHead lists them; the length is that of the segment, in its ticks")
    func states() throws {
        func seconds(_ information: [UInt8]) throws -> Double? {
            let ending = try #require(MatroskaEnding(head: Self.head(Self.list + information)))
            #expect(ending.cues == Self.cues)
            return ending.seconds
        }
        #expect(try seconds(Self.information(Self.short)) == 50)
        #expect(try seconds(Self.information(Self.long)) == 50)
        #expect(try seconds(Self.information(Self.long, scale: 100_000)) == 5)
        #expect(try seconds([]) == nil)
        for bits in ["7fc00000", "7f800000", "c7435000", "00000000", "4743", ""] {
            #expect(try seconds(Self.information(hex(bits))) == nil, "\(bits)")
        }
    }

    @Test("A file that is not Matroska, or whose beginning lists no Cues, states nothing")
    func silent() {
        #expect(MatroskaEnding(head: Self.head(Self.information(Self.short))) == nil)
        #expect(MatroskaEnding(head: Self.head(Self.element("114d9b74", Self.place("1654ae6b", 500)))) == nil)
        #expect(MatroskaEnding(head: Self.list) == nil && MatroskaEnding(head: []) == nil)
        let whole = Self.head(Self.list + Self.information(Self.short))
        for count in 0..<whole.count {
            let found = MatroskaEnding(head: Array(whole.prefix(count)))
            if count >= Self.start + Self.list.count { #expect(found?.cues == Self.cues, "\(count) bytes") }
            if count < Self.header.count + 4 { #expect(found == nil, "\(count) bytes") }
        }
    }

    @Test("The last second is that before the Cues, at the mean bit rate")
    func lastSeconds() throws {
        let ending = try #require(MatroskaEnding(head: Self.head(Self.list + Self.information(Self.short))))
        let end = Self.cues + 30_000
        #expect(ending.lastSecond(of: end) == Self.cues - end / 50..<end)
        // At most 1 MiB.
        let fast = try #require(
            MatroskaEnding(head: Self.head(Self.list + Self.information(Self.short, scale: 100_000)))
        )
        #expect(fast.lastSecond(of: end) == Self.cues - 1 << 20..<end)
        // Without a length, only the index is known.
        #expect(MatroskaEnding(head: Self.head(Self.list))?.lastSecond(of: end) == Self.cues..<end)
        // Cues that precede the media, or lie beyond the end.
        #expect(ending.lastSecond(of: Self.cues + 3 << 20) == nil && ending.lastSecond(of: Self.cues) == nil)
    }
}

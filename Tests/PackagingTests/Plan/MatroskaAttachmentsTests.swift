// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Where the attachments of a Matroska file are")
struct MatroskaAttachmentsTests {
    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        hex(id) + [0x40 | UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    private static func place(_ id: String, _ position: UInt32) -> [UInt8] {
        let bytes = [24, 16, 8, 0].map { UInt8(position >> $0 & 255) }
        return element("4dbb", element("53ab", hex(id)) + element("53ac", bytes))
    }

    private static let header = element("1a45dfa3", [])
    /// The file offset of the segment's content.
    private static let start = Int64(header.count + 12)
    private static let mib: Int64 = 1 << 20
    private static let cues = start + 90 * mib
    private static let end = cues + 50_000

    /// - Parameters:
    ///   - position: where the Attachments are, relative to the segment's content; `nil` if they are not listed.
    ///   - bytes: what the file has there.
    private static func range(at position: Int64?, _ bytes: String = "") -> Range<Int64>? {
        let listed = position.map { place("1941a469", UInt32($0)) } ?? []
        let list = element("114d9b74", listed + place("1c53bb6b", UInt32(90 * mib)))
        let head = header + hex("18538067") + hex("01ffffffffffffff") + list
        return MatroskaAttachments.range(head: head, fileByteCount: end, nearByteCount: 1000) { offset, count in
            offset == position.map { start + $0 } ? Array(hex(bytes).prefix(count)) : []
        }
    }

    @Test("Near the start of the file, the header of the element states the end")
    func near() {
        let place = Self.start + 200
        #expect(Self.range(at: 200, "1941a469 10600000") == place..<place + 8 + 6 * Self.mib)
        #expect(Self.range(at: 200, "1941a469 14000000") == place..<place + 32 * Self.mib, "a part of 64 MiB")
        #expect(Self.range(at: 200, "1941a469 1fffffff") == nil, "of unknown size")
        #expect(Self.range(at: 200, "1654ae6b 10600000") == nil, "another element")
        #expect(Self.range(at: 200) == nil, "nothing")
    }

    @Test("Elsewhere, the next element that is listed, or the end of the file, is assumed to be the end")
    func far() {
        let place = Self.start + 90 * Self.mib
        #expect(Self.range(at: 85 * Self.mib) == place - 5 * Self.mib..<place)
        #expect(Self.range(at: 50 * Self.mib) == place - 40 * Self.mib..<place - 32 * Self.mib, "at most 8 MiB")
        #expect(Self.range(at: 90 * Self.mib + 40_000) == place + 40_000..<Self.end)
        #expect(Self.range(at: 90 * Self.mib + 50_000) == nil, "beyond the end")
    }

    @Test("Without a list, none are found")
    func unlisted() {
        #expect(Self.range(at: nil) == nil)
        let other = MatroskaAttachments.range(head: hex("47400010"), fileByteCount: 100, nearByteCount: 100) { _, _ in
            []
        }
        #expect(other == nil)
    }
}
